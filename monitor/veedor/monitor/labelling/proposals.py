"""What the shipped models see, as labels for a person to correct; and stills as pictures to be labelled."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from veedor.datasets.digests import sha256_of
from veedor.datasets.labelled import (
    MOST_OBJECTS,
    LabelError,
    LabelledObject,
    LabelledPicture,
    corners_of_detection,
)
from veedor.monitor.colour_names import colour_within
from veedor.monitor.eyes import Eyes
from veedor.monitor.labelling.revisions import CONFIDENCE, Revision
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.tables import keep_table
from veedor.monitor.stills import Seen, best, look
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CHIPS
from veedor.vision.percept import Percept
from veedor.vision.reader import MIN_PROB, RANKS, SUITS
from veedor.vision.sources import read_image
from veedor.vision.table import Table

NO_TABLE, NO_SESSION = "none", "stills"
_STEM = 60


def propose(seen: Seen, table: Table | None) -> tuple[LabelledObject, ...]:
    """The objects of a picture as the models have it, the surest first, each with its confidence.

    What a percept of a night holds is `Seen(image, percept.detections, percept.rank_probs,
    percept.suit_probs, percept)`.
    """
    order = np.argsort(-seen.found.scores, kind="stable")[:MOST_OBJECTS]
    proposed = []
    for number, row in enumerate(order.tolist(), 1):
        try:
            proposed.append(_object(f"m{number}", seen, row, table))
        except LabelError:  # an outline that no person could have drawn: the detector has lost itself
            continue
    return tuple(proposed)


def _object(name: str, seen: Seen, row: int, table: Table | None) -> LabelledObject:
    kind = ObjectClass(int(seen.found.class_ids[row]))
    corners = seen.found.corners_px[row]
    confidence = f"{float(seen.found.scores[row]):.3f}"
    made = LabelledObject(
        name,
        kind,
        corners_of_detection(corners),
        extra=((CONFIDENCE, confidence),),
        truncated=_cut(seen, row),
    )
    if kind is ObjectClass.CARD_FACE:
        rank, suit = best(seen.rank_probs[row], RANKS), best(seen.suit_probs[row], SUITS)
        made = replace(made, rank=_known(rank), suit=_known(suit))
    elif kind is ObjectClass.CARD_BACK:
        made = replace(made, back=colour_within(seen.image, corners, 0.7))
    if table is None or seen.percept is None:
        return made
    if kind in CHIPS:
        made = _counted(made, seen.percept, row, table)
    x_mm, y_mm = (float(part) for part in seen.percept.base_mm[row])
    zone = table.layout.zone_at(x_mm, y_mm) if np.isfinite([x_mm, y_mm]).all() else None
    return replace(made, zone=None if zone is None else zone.name)


def _counted(made: LabelledObject, percept: Percept, row: int, table: Table) -> LabelledObject:
    """Chips by name where both their kind and their number were read, else what was."""
    count = 1 if made.kind is ObjectClass.PLAQUE else int(percept.counts[row])
    probs = percept.chip_probs[row]
    if not len(probs) or np.isnan(probs).any() or probs.max() < MIN_PROB or not count:
        return replace(made, count=count or None)
    chips = (table.chips[int(probs.argmax())].name,) * count
    return replace(made, chips=chips, count=count)


def _cut(seen: Seen, row: int) -> bool:
    """Whether a corner lies outside the picture: the object goes on beyond its edge."""
    height, width = seen.image.shape[:2]
    x, y = seen.found.corners_px[row].T
    return bool(((x < -1) | (y < -1) | (x > width) | (y > height)).any())


def _known(read: str) -> str | None:
    return None if read == "?" else read


def add_still(store: LabelStore, path: Path, eyes: Eyes, table: Table | None = None) -> Revision:
    """Put a still picture into the store with what the models see in it; one that is there stays as it is.

    The same file is the same picture, whatever it is called.
    """
    digest = sha256_of(path)
    known = next((each for each in store.pictures() if each.recording == digest), None)
    if known is not None:
        return store.proposal(known.id)
    image = read_image(path)
    seen = look(image, eyes, table)
    height, width = image.shape[:2]
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem)[:_STEM].strip("-_") or "still"
    if table is not None:
        keep_table(store.folder, table)
    # A still has one instant, its own.
    picture = LabelledPicture(
        f"{name}-{digest[:12]}", digest, 0, Fraction(1), width, height, NO_SESSION,
        NO_TABLE if table is None else table.id, None, "model", 0, propose(seen, table),
    )  # fmt: skip
    return store.add(picture, image)
