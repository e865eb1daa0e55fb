"""What was perceived in one frame, and how a run of such records is stored."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import Detections
from veedor.vision.errors import PerceptError

FORMAT = 4
DIGEST_BYTES = 32  # SHA-256 before the record: a zip file has bytes that its own sums leave out
RANK_COUNT, SUIT_COUNT = 13, 4
TALLEST = 8  # chips in a stack that are counted
COUNT_TOLD = 0.5

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Percept:
    """Everything seen in one processed frame, aligned with its `detections` (n of them).

    `base_mm` (n, 2): where each object's base stands on the felt. `rank_probs` (n, 13), `suit_probs` (n, 4):
    a face card's reading in the orders A23456789TJQK and SHDC, NaN where nothing was read. `chip_probs`
    (n, k): over the k chips of the table's set, NaN for what is no chip. `count_probs` (n, 8): over 1 to 8
    chips in a stack, NaN for what is no chip. `fresh` (n,): seen anew in this frame, not carried over from a
    still earlier one. `moving`: names of the zones where something moved since the frame before;
    `camera_shift_px`: how far the picture lies off the calibration, None where not measured; `uncovered`:
    names of the zones that a hand hides from one camera of the table and not from another.
    """

    index: int
    t_s: float
    detections: Detections
    base_mm: Floats
    rank_probs: Floats
    suit_probs: Floats
    chip_probs: Floats
    count_probs: Floats
    fresh: NDArray[np.bool_]
    moving: tuple[str, ...] = field(default=())
    camera_shift_px: float | None = None
    uncovered: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        count = len(self.detections)
        chips = self.chip_probs.shape[-1]
        wanted = (
            (count, 2), (count, RANK_COUNT), (count, SUIT_COUNT), (count, chips), (count, TALLEST), (count,),
        )  # fmt: skip
        columns = (
            self.base_mm, self.rank_probs, self.suit_probs, self.chip_probs, self.count_probs, self.fresh,
        )  # fmt: skip
        found = tuple(column.shape for column in columns)
        if found != wanted:
            raise ValueError(f"a percept of {count} detections needs columns {wanted}, found {found}")

    def __len__(self) -> int:
        return len(self.detections)

    @property
    def counts(self) -> NDArray[np.int16]:
        """Chips in each stack (n,), 0 where the view does not tell, or tells only that they are many."""
        probs = np.nan_to_num(self.count_probs, nan=0.0)
        told = probs.max(axis=1, initial=0.0) >= COUNT_TOLD
        # The last place stands for that many or more: nothing higher is ever counted.
        told &= probs.argmax(axis=1) < TALLEST - 1 if len(probs) else True
        return np.where(told, probs.argmax(axis=1) + 1 if len(probs) else 0, 0).astype(np.int16)

    @classmethod
    def empty(cls, index: int, t_s: float, chip_kinds: int) -> Percept:
        """A frame in which nothing was seen."""
        return cls(
            index,
            t_s,
            Detections.empty(),
            np.zeros((0, 2), np.float32),
            np.zeros((0, RANK_COUNT), np.float32),
            np.zeros((0, SUIT_COUNT), np.float32),
            np.zeros((0, chip_kinds), np.float32),
            np.zeros((0, TALLEST), np.float32),
            np.zeros(0, np.bool_),
        )


def encode_percepts(percepts: Sequence[Percept]) -> bytes:
    """A run of percepts as one block of bytes, the same bytes for the same percepts."""
    head = {
        "format": FORMAT,
        "frames": [
            [
                percept.index,
                percept.t_s,
                len(percept),
                list(percept.moving),
                percept.camera_shift_px,
                list(percept.uncovered),
            ]
            for percept in percepts
        ],
    }
    kinds = percepts[0].chip_probs.shape[1] if percepts else 0
    source = list(percepts) or [Percept.empty(0, 0.0, kinds)]
    columns = {
        "corners_px": np.concatenate([percept.detections.corners_px for percept in source]),
        "scores": np.concatenate([percept.detections.scores for percept in source]),
        "class_ids": np.concatenate([percept.detections.class_ids for percept in source]),
        "base_mm": np.concatenate([percept.base_mm for percept in source]),
        "rank_probs": np.concatenate([percept.rank_probs for percept in source]),
        "suit_probs": np.concatenate([percept.suit_probs for percept in source]),
        "chip_probs": np.concatenate([percept.chip_probs for percept in source]),
        "count_probs": np.concatenate([percept.count_probs for percept in source]),
        "fresh": np.concatenate([percept.fresh for percept in source]),
    }
    text = np.frombuffer(json.dumps(head, separators=(",", ":")).encode(), np.uint8)
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, head=text, **columns)
    record = stream.getvalue()
    return hashlib.sha256(record).digest() + record


def decode_percepts(data: bytes) -> list[Percept]:
    """The percepts of `encode_percepts`; PerceptError if the bytes are damaged or of another version."""
    digest, data = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if hashlib.sha256(data).digest() != digest:
        raise PerceptError("perception record: damaged: its bytes do not match their digest")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            head = json.loads(stored["head"].tobytes())
            if head["format"] != FORMAT:
                raise PerceptError(f"perception record: expected format {FORMAT}, found {head['format']}")
            columns = {name: stored[name] for name in stored.files if name != "head"}
        return _split(head["frames"], columns)
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError, TypeError) as error:
        raise PerceptError(f"perception record: damaged: {str(error).splitlines()[0]}") from None


def _split(frames: Sequence[Sequence[object]], columns: dict[str, NDArray[np.generic]]) -> list[Percept]:
    percepts, start = [], 0
    for index, t_s, count, moving, shift, uncovered in frames:
        assert isinstance(index, int) and isinstance(t_s, int | float) and isinstance(count, int)
        assert isinstance(moving, list) and (shift is None or isinstance(shift, int | float))
        assert isinstance(uncovered, list)
        rows = {name: column[start : start + count] for name, column in columns.items()}
        start += count
        percepts.append(
            Percept(
                index,
                float(t_s),
                Detections(rows["corners_px"], rows["scores"], rows["class_ids"]),  # type: ignore[arg-type]
                rows["base_mm"],  # type: ignore[arg-type]
                rows["rank_probs"],  # type: ignore[arg-type]
                rows["suit_probs"],  # type: ignore[arg-type]
                rows["chip_probs"],  # type: ignore[arg-type]
                rows["count_probs"],  # type: ignore[arg-type]
                rows["fresh"],  # type: ignore[arg-type]
                tuple(str(name) for name in moving),
                None if shift is None else float(shift),
                tuple(str(name) for name in uncovered),
            )
        )
    return percepts
