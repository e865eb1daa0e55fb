"""`DIR/labels/queue.json`: which pictures are to be labelled next, and why those."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from veedor.monitor.durable import write_json
from veedor.monitor.labelling.revisions import LabelFault
from veedor.monitor.language import Bilingual
from veedor.monitor.store.lines import read_object

SCHEMA = 1
QUEUE = "queue.json"


@dataclass(frozen=True)
class Waiting:
    """A picture of the label store that waits, with its reasons. `score` the higher the sooner."""

    picture: str
    score: float
    why: tuple[Bilingual, ...]


def write_queue(labels: Path, waiting: Sequence[Waiting]) -> None:
    """Put the queue, best first, in the place of the one before; `labels` is the label store's folder."""
    records = [
        {"picture": each.picture, "score": each.score, "why": [{"es": w.es, "en": w.en} for w in each.why]}
        for each in waiting
    ]
    try:
        write_json(labels / QUEUE, {"schema": SCHEMA, "pictures": records})
    except OSError as fault:
        raise LabelFault(f"{labels / QUEUE}: {fault.strerror or fault}") from fault


def read_queue(labels: Path) -> tuple[Waiting, ...]:
    """The queue, best first; empty where there is none yet. LabelFault where the file is something else."""
    path = labels / QUEUE
    if not path.exists():
        return ()
    found = read_object(path)
    records = None if found is None or found.get("schema") != SCHEMA else found.get("pictures")
    if not isinstance(records, list):
        raise LabelFault(f"{path}: not a queue of schema {SCHEMA}")
    waiting = []
    for number, record in enumerate(records, 1):
        try:
            why = tuple(Bilingual(str(each["es"]), str(each["en"])) for each in record["why"])
            each = Waiting(str(record["picture"]), float(record["score"]), why)
        except (TypeError, KeyError, ValueError):
            raise LabelFault(f"{path}: picture {number} is not as it must be") from None
        if not math.isfinite(each.score):
            raise LabelFault(f"{path}: picture {number} has no score")
        waiting.append(each)
    return tuple(waiting)
