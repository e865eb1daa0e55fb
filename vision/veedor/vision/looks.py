"""What the looks at a table have shown so far, put together region by region."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from veedor.vision.percept import Percept

Mask = NDArray[np.bool_]


@dataclass
class Seen:
    """The objects of the current segment; `readings` (n,) how often each was read, columns aligned."""

    percept: Percept
    readings: NDArray[np.int32]


def rows_of(seen: Seen, keep: Mask) -> Seen:
    one = seen.percept
    percept = replace(
        one,
        detections=one.detections.where(keep),
        base_mm=one.base_mm[keep],
        rank_probs=one.rank_probs[keep],
        suit_probs=one.suit_probs[keep],
        chip_probs=one.chip_probs[keep],
        count_probs=one.count_probs[keep],
        fresh=one.fresh[keep],
    )
    return Seen(percept, seen.readings[keep])


def joined(old: Seen, keep: Mask, new: Seen) -> Seen:
    left = rows_of(old, keep)
    one, two = left.percept, new.percept
    percept = Percept(
        two.index,
        two.t_s,
        one.detections.joined(two.detections),
        np.concatenate([one.base_mm, two.base_mm]),
        np.concatenate([one.rank_probs, two.rank_probs]),
        np.concatenate([one.suit_probs, two.suit_probs]),
        np.concatenate([one.chip_probs, two.chip_probs]),
        np.concatenate([one.count_probs, two.count_probs]),
        np.concatenate([one.fresh, two.fresh]),
    )
    return Seen(percept, np.concatenate([left.readings, new.readings]))
