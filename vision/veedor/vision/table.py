"""A table: its felt, its chip set and how its camera sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np
from veedor.vision.camera import Camera
from veedor.vision.layout import TableLayout

# A table's id names folders, topics of the bus and addresses of pages.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,47}")
LONGEST_NAME = 80  # letters that a page can show


def is_table_id(name: str) -> bool:
    """Whether a table may be called so: no path, and no topic of another."""
    return _ID.fullmatch(name) is not None


@dataclass(frozen=True)
class ChipType:
    """A chip of the table's set.

    `value` in table units, colours 0..255; a plaque has `size_mm` (width, height). `accent_rgb` is the spots'
    colour, `centre_rgb` what is round the figures in the middle of a round chip's top; None where that was
    not enrolled.
    """

    name: str
    value: int
    colour_rgb: tuple[int, int, int]
    plaque: bool = False
    diameter_mm: float = 40.0
    thickness_mm: float = 3.4
    size_mm: tuple[float, float] = (84.0, 54.0)
    accent_rgb: tuple[int, int, int] | None = None
    centre_rgb: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class ReferencePoint:
    """A named felt point and where the camera sees it.

    `mm` table millimetres, `px` pixels of the stored picture.
    """

    name: str
    mm: tuple[float, float]
    px: tuple[float, float]


@dataclass(frozen=True)
class OtherCamera:
    """A further camera of a table: a close view of a part of it, or another view of all."""

    name: str
    camera: Camera
    source: str | None = None
    reference_points: tuple[ReferencePoint, ...] = ()
    reprojection_error_mm: float | None = None


@dataclass(frozen=True)
class Table:
    """One table as its file describes it.

    `camera` is None until it was calibrated; `felt_rgb` (0..255), where known, is what colours are read
    against. `cameras` are those beside the main one, each with a calibration of its own.
    """

    id: str
    name: str
    profile: str
    layout: TableLayout
    chips: tuple[ChipType, ...] = ()
    camera: Camera | None = None
    reference_points: tuple[ReferencePoint, ...] = field(default=())
    reprojection_error_mm: float | None = None
    source: str | None = None
    felt_rgb: tuple[int, int, int] | None = None
    cameras: tuple[OtherCamera, ...] = ()

    def views(self) -> tuple[Table, ...]:
        """The table as each of its cameras sees it, the main one first."""
        others = tuple(
            replace(
                self,
                camera=other.camera,
                source=other.source,
                reference_points=other.reference_points,
                reprojection_error_mm=other.reprojection_error_mm,
                felt_rgb=None,
                cameras=(),
            )
            for other in self.cameras
        )
        return (replace(self, cameras=()) if others else self, *others)

    def chip(self, name: str) -> ChipType:
        """The chip of that name; KeyError if the set has none."""
        for chip in self.chips:
            if chip.name == name:
                return chip
        raise KeyError(name)


def reprojection_error_mm(camera: Camera, points: tuple[ReferencePoint, ...]) -> float | None:
    """Root mean square distance on the felt between the reference points and where the camera puts them."""
    if not points:
        return None
    found = camera.to_felt(np.array([point.px for point in points]))
    wanted = np.array([point.mm for point in points])
    return float(np.sqrt(((found - wanted) ** 2).sum(axis=1).mean()))
