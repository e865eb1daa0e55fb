"""What the detector's network puts out, as boxes.

The network's last steps are done here and not in it, for the few places that show something: of every place
(n, 41, anchors) the logits of eight distances to each of four sides, in strides, one score a class, the turn
in radians. It saves a twentieth of a look, and no side is rounded where the network is integer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.obb import clockwise_short_edge_first, corners_from_xywhr

FloatArray = NDArray[np.float64]

STRIDES = (8, 16, 32)
BINS = 8
ROWS = 4 * BINS + len(ObjectClass) + 1


def decode(output: NDArray[np.float32], size: tuple[int, int], min_score: float) -> Detections:
    """Boxes of a raw output (41, anchors) of a picture of `size` (width, height), doubles included.

    `size` is in multiples of 32. Corners are in the network's input pixels, the corner of the first pixel at
    (0, 0); only boxes that score at least `min_score`.
    """
    scores = output[4 * BINS : -1].max(axis=0)
    likely = np.flatnonzero(scores >= min_score)
    columns = output[:, likely].astype(np.float64)
    boxes = _boxes(columns[: 4 * BINS], columns[-1], _places(likely, size))
    corners = clockwise_short_edge_first(corners_from_xywhr(boxes)).astype(np.float32)
    return Detections(corners, scores[likely], columns[4 * BINS : -1].argmax(axis=0).astype(np.int64))


def _boxes(logits: FloatArray, turns: FloatArray, places: FloatArray) -> FloatArray:
    """Boxes (n, 5): centre x, y, width, height in px, turn; of distances along and across the turned box."""
    weights = logits.reshape(4, BINS, -1)
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    left, top, right, bottom = (weights * np.arange(BINS)[:, None]).sum(axis=1) / weights.sum(axis=1)
    along, across = (right - left) / 2, (bottom - top) / 2
    cos, sin = np.cos(turns), np.sin(turns)
    x, y, stride = places.T
    return np.column_stack(
        [
            (x + along * cos - across * sin) * stride,
            (y + along * sin + across * cos) * stride,
            (left + right) * stride,
            (top + bottom) * stride,
            turns,
        ]
    )


def _places(numbers: NDArray[np.intp], size: tuple[int, int]) -> FloatArray:
    """Middles of places (n, 3): x and y in strides, the stride; places count finest first, row by row."""
    places = np.zeros((len(numbers), 3))
    begins = 0
    for stride in STRIDES:
        columns, rows = size[0] // stride, size[1] // stride
        here = (numbers >= begins) & (numbers < begins + columns * rows)
        row, column = np.divmod(numbers[here] - begins, columns)
        places[here] = np.column_stack([column + 0.5, row + 0.5, np.full(len(row), stride)])
        begins += columns * rows
    return places
