"""A table as a smaller picture of it shows it."""

from __future__ import annotations

from dataclasses import replace

from veedor.vision.camera import Camera
from veedor.vision.table import Table


def small_table(table: Table, scale: int) -> Table:
    """The table for pictures of it that are so many times smaller."""
    camera = table.camera
    assert camera is not None
    matrix = camera.matrix.copy()
    matrix[:2] /= scale
    matrix[:2, 2] -= (1 - 1 / scale) / 2  # pixel centres are whole numbers
    size = camera.width // scale, camera.height // scale
    small = Camera(*size, matrix, camera.distortion, camera.rotation, camera.translation_mm)
    return replace(table, camera=small, reference_points=(), reprojection_error_mm=None)
