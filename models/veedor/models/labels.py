"""What a labelled picture says is in it, whatever form its set keeps that in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import EvaluationError
from veedor.vision.table import Table

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]


@dataclass(frozen=True)
class CardLabel:
    """One true card. `corners_px` (4, 2); rank, suit and face are None where the set does not say.

    One not `asked` for is neither missed nor false: too little of it is visible.
    """

    corners_px: FloatArray
    rank: str | None = None
    suit: str | None = None
    face_up: bool | None = None
    asked: bool = True

    @property
    def width_px(self) -> float:
        """The card's short side."""
        edges = np.linalg.norm(np.roll(self.corners_px, -1, axis=0) - self.corners_px, axis=1)
        return float(min(edges[0] + edges[2], edges[1] + edges[3]) / 2)


@dataclass(frozen=True)
class StakeLabel:
    """What chips play: `shares` of the amount on P1 and P2. `near_line`: beside a line, on its wrong side."""

    kind: str
    shares: tuple[float, float]
    near_line: bool = False


@dataclass(frozen=True)
class ChipLabel:
    """One true stack or plaque: `corners_px` (4, 2), a box round it; the rest where the set says it.

    `values` from the bottom up, `base_mm` (2,) on the table. What is `visible` need not be `asked` for.
    """

    corners_px: FloatArray
    plaque: bool
    asked: bool = True
    visible: bool = True
    values: tuple[int, ...] | None = None
    base_mm: FloatArray | None = None
    stake: StakeLabel | None = None


@dataclass(frozen=True)
class LabelledPicture:
    """`table` is the picture's calibrated table where the set has one; `image` the picture if no file is."""

    path: Path
    cards: tuple[CardLabel, ...]
    chips: tuple[ChipLabel, ...] = ()
    table: Table | None = None
    image: Image | None = None


@dataclass(frozen=True)
class LabelledSet:
    """A named set. `upright_boxes`: labels are axis-aligned, and so are found cards to be compared.

    `edge_unlabelled`: cards cut by the picture's edge are not all labelled, so finding one is no fault.
    """

    name: str
    pictures: tuple[LabelledPicture, ...]
    upright_boxes: bool = False
    edge_unlabelled: bool = False


def upright(box: FloatArray) -> FloatArray:
    """Corners (4, 2), clockwise, of a box x0 y0 x1 y1."""
    x0, y0, x1, y1 = box
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object of a file; EvaluationError names the file and the fault."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as fault:
        raise EvaluationError(f"{path}: missing") from fault
    except ValueError as fault:
        raise EvaluationError(f"{path}: not readable as JSON: {fault}") from fault
    except RecursionError:
        raise EvaluationError(f"{path}: not readable as JSON: nested too deep") from None
    if not isinstance(content, dict):
        raise EvaluationError(f"{path}: expected a JSON object, found {type(content).__name__}")
    return content
