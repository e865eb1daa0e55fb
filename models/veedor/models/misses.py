"""Pictures of what went wrong, for people to look at: what is there in green, what was seen in red."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.evaluation import card_name, read_picture
from veedor.models.figures import plays_right, value_right
from veedor.models.labels import LabelledSet
from veedor.models.scoring import CardOutcome, ChipOutcome, SetScores

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

TRUE_BGR, SEEN_BGR = (80, 220, 60), (60, 60, 255)
AROUND = 1.6  # of the thing's size, shown on every side
SIDE_PX = 420


def write_misses(labelled: LabelledSet, scores: SetScores, out: Path) -> int:
    """One crop for each missed, misread or falsely found thing; how many were written.

    `out/PICTURE-NUMBER-KIND.png`; crops of an earlier call with the same names are replaced.
    """
    out.mkdir(parents=True, exist_ok=True)
    images: dict[str, Image] = {}
    by_name = {picture.path.name: picture for picture in labelled.pictures}
    entries = _entries(scores)
    for number, (picture, kind, true_px, seen_px) in enumerate(entries):
        if picture not in images:
            images = {picture: read_picture(by_name[picture])}  # one at a time: they are large
        crop = _crop(images[picture], true_px, seen_px)
        cv2.imwrite(str(out / f"{Path(picture).stem}-{number:03d}-{kind}.png"), crop)
    return len(entries)


def _entries(scores: SetScores) -> list[tuple[str, str, FloatArray | None, FloatArray | None]]:
    entries: list[tuple[str, str, FloatArray | None, FloatArray | None]] = []
    for card in scores.outcomes:
        kind = _card_fault(card)
        if kind is not None:
            seen = None if card.found is None else card.found.corners_px
            entries.append((card.picture, kind, card.label.corners_px, seen))
    for chip in scores.chip_outcomes:
        kind = _chip_fault(chip)
        if kind is not None:
            seen = None if chip.found is None else chip.found.corners_px
            entries.append((chip.picture, kind, chip.label.corners_px, seen))
    for name, found in scores.false_cards:
        what = card_name(found.rank, found.suit, found.face_up)
        entries.append((name, f"false-card-{what}".replace("?", "x"), None, found.corners_px))
    for name, false in scores.false_chips:
        entries.append((name, "false-plaque" if false.plaque else "false-chips", None, false.corners_px))
    return sorted(entries, key=lambda entry: entry[0])


def _card_fault(outcome: CardOutcome) -> str | None:
    label, found = outcome.label, outcome.found
    name = card_name(label.rank, label.suit, label.face_up).replace("?", "x")
    if found is None:
        return f"missed-card-{name}"
    wrong = label.rank is not None and not outcome.rank_right
    wrong |= label.suit is not None and not outcome.suit_right
    wrong |= label.face_up is not None and not outcome.face_right
    read = card_name(found.rank, found.suit, found.face_up).replace("?", "x")
    return f"misread-{name}-as-{read}" if wrong else None


def _chip_fault(outcome: ChipOutcome) -> str | None:
    label, found = outcome.label, outcome.found
    kind = "plaque" if label.plaque else "chips"
    name = f"{kind}-{'+'.join(map(str, label.values))}" if label.values else kind
    if found is None:
        return f"missed-{name}"
    if label.stake is not None and not plays_right(outcome):
        return f"misplaced-{name}-{label.stake.kind}-as-{found.plays}".replace(":", "-")
    if label.values is not None and len(label.values) == 1 and not value_right(outcome):
        return f"misread-{name}-as-{found.value}"
    return None


def _crop(image: Image, true_px: FloatArray | None, seen_px: FloatArray | None) -> Image:
    corners = np.concatenate([each for each in (true_px, seen_px) if each is not None])
    middle, size = corners.mean(axis=0), float(np.ptp(corners, axis=0).max())
    reach = max(size * (0.5 + AROUND), 24.0)
    scale = SIDE_PX / (2 * reach)
    matrix = np.array(
        [[scale, 0, SIDE_PX / 2 - scale * middle[0]], [0, scale, SIDE_PX / 2 - scale * middle[1]]]
    )
    crop = cv2.warpAffine(image, matrix, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR)
    for quad, colour in ((true_px, TRUE_BGR), (seen_px, SEEN_BGR)):
        if quad is not None:
            shown = (quad @ matrix[:, :2].T + matrix[:, 2]).round().astype(np.int32)
            cv2.polylines(crop, [shown.reshape(-1, 1, 2)], isClosed=True, color=colour, thickness=1)
    return np.asarray(crop, np.uint8)
