"""Labels of rendered pictures in the YOLO-OBB text format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.truth import ObjectTruth
from veedor.vision.detections import ObjectClass

FloatArray = NDArray[np.float64]

# A card seen so edge-on that its short side measures less has nothing to find.
MIN_SIDE_PX = 4.0
OUTSIDE_PX = 1.0  # corners so far beyond the border still count as inside


def class_names() -> list[str]:
    """Class names by number."""
    return [kind.name.lower() for kind in ObjectClass]


def label_lines(objects: Sequence[ObjectTruth], size: tuple[int, int], *, min_visible: float) -> list[str]:
    """One line `class x1 y1 … x4 y4` an object that shows enough, in shares of `size` (width, height).

    An object that sticks out of the picture gets the box round the part inside.
    """
    lines = []
    for item in objects:
        if item.visible_fraction < min_visible:
            continue
        corners = inside_box(item.corners_px, size)
        if corners is None:
            continue
        shares = np.clip((corners + 0.5) / np.array(size), 0.0, 1.0)
        numbers = " ".join(f"{part:.6f}" for part in shares.reshape(-1))
        lines.append(f"{item.kind.value} {numbers}")
    return lines


def inside_box(corners_px: FloatArray, size: tuple[int, int]) -> FloatArray | None:
    """The corners, or the tight oriented box (4, 2) of what lies in the picture; None if that is little."""
    edges = np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1)
    if min(edges) < MIN_SIDE_PX:
        return None
    low, high = corners_px.min(axis=0), corners_px.max(axis=0)
    if (low > -OUTSIDE_PX).all() and (high < np.array(size) - 1 + OUTSIDE_PX).all():
        return corners_px
    frame = np.array([[0, 0], [size[0] - 1, 0], [size[0] - 1, size[1] - 1], [0, size[1] - 1]], np.float32)
    area, cut = cv2.intersectConvexConvex(corners_px.astype(np.float32), frame)
    if area < MIN_SIDE_PX**2 or cut is None:
        return None
    box = cv2.boxPoints(cv2.minAreaRect(cut)).astype(np.float64)
    if min(np.linalg.norm(box[1] - box[0]), np.linalg.norm(box[2] - box[1])) < MIN_SIDE_PX:
        return None
    return np.asarray(box, dtype=np.float64)


def write_data_file(out: Path) -> None:
    """Write `data.yaml` of a dataset folder."""
    names = "".join(f"  {number}: {name}\n" for number, name in enumerate(class_names()))
    text = f"path: {out.resolve()}\ntrain: images/train\nval: images/val\nnames:\n{names}"
    (out / "data.yaml").write_text(text, encoding="utf-8")
