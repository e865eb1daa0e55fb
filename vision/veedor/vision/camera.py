"""Pinhole camera over a table: millimetres on and above the felt to pixels, and back to the felt.

Frames: table axes in mm (origin at the table's centre, x right, y up in a top view with the croupier at
the bottom edge, z up from the felt); pixels of the stored picture, (0, 0) at the centre of the top-left
pixel, x right, y down, lens distortion included.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """A calibrated camera.

    `matrix` (3, 3) and `distortion` (5,) as OpenCV's k1 k2 p1 p2 k3; `rotation` (3, 3) and
    `translation_mm` (3,) take table millimetres to camera axes.
    """

    width: int
    height: int
    matrix: FloatArray
    distortion: FloatArray
    rotation: FloatArray
    translation_mm: FloatArray

    @property
    def position_mm(self) -> FloatArray:
        """Where the lens stands, table millimetres, shape (3,)."""
        centre: FloatArray = -self.rotation.T @ self.translation_mm
        return centre

    @property
    def felt_to_undistorted(self) -> FloatArray:
        """Homography (3, 3) from felt millimetres (z = 0) to undistorted pixels, last entry 1."""
        columns = np.column_stack([self.rotation[:, 0], self.rotation[:, 1], self.translation_mm])
        unscaled = self.matrix @ columns
        homography: FloatArray = unscaled / unscaled[2, 2]
        return homography

    def project(self, points_mm: FloatArray) -> FloatArray:
        """Pixels (n, 2) of table points (n, 3) in mm; (n, 2) input lies on the felt."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, np.shape(points_mm)[-1])
        if points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        if len(points) == 0:
            return np.zeros((0, 2))
        rotation_vector, _ = cv2.Rodrigues(self.rotation)
        pixels, _ = cv2.projectPoints(
            points.reshape(-1, 1, 3), rotation_vector, self.translation_mm, self.matrix, self.distortion
        )
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def to_felt(self, pixels: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """Table x, y in mm (n, 2) where the rays of `pixels` (n, 2) meet the plane z = `height_mm`."""
        pixels = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
        if len(pixels) == 0:
            return np.zeros((0, 2))
        rays = cv2.undistortPoints(pixels.reshape(-1, 1, 2), self.matrix, self.distortion).reshape(-1, 2)
        directions = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        centre = self.position_mm
        scale = (height_mm - centre[2]) / directions[:, 2]
        points: FloatArray = centre[:2] + directions[:, :2] * scale[:, None]
        return points

    def px_per_mm(self, x_mm: float = 0.0, y_mm: float = 0.0) -> float:
        """Mean picture scale at a felt point, pixels for one millimetre."""
        around = np.array([[x_mm, y_mm], [x_mm + 10.0, y_mm], [x_mm, y_mm + 10.0]])
        origin, right, up = self.project(around)
        return float((np.linalg.norm(right - origin) + np.linalg.norm(up - origin)) / 20.0)

    @classmethod
    def from_homography(
        cls,
        felt_to_undistorted: FloatArray,
        matrix: FloatArray,
        distortion: FloatArray,
        size: tuple[int, int],
    ) -> Camera:
        """Recover the pose of a camera (`size` = width, height) from its felt homography and its lens."""
        columns = np.linalg.inv(matrix) @ np.asarray(felt_to_undistorted, dtype=np.float64)
        scale = 2.0 / (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1]))
        if columns[2, 2] * scale < 0:  # the felt lies in front of the lens
            scale = -scale
        first, second, translation = (columns * scale).T
        rough = np.column_stack([first, second, np.cross(first, second)])
        left, _, right = np.linalg.svd(rough)
        return cls(size[0], size[1], np.asarray(matrix), np.asarray(distortion), left @ right, translation)


def look_at(
    size: tuple[int, int],
    *,
    focal_px: float,
    position_mm: FloatArray,
    target_mm: FloatArray,
    roll_deg: float = 0.0,
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0),
) -> Camera:
    """A camera at `position_mm` (3,) that looks at `target_mm` (3,), the picture's up near table +y."""
    position = np.asarray(position_mm, dtype=np.float64)
    forward = np.asarray(target_mm, dtype=np.float64) - position
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, np.array([0.0, 1.0, 0.0]))
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    roll = np.deg2rad(roll_deg)
    x_axis = np.cos(roll) * right + np.sin(roll) * down
    y_axis = -np.sin(roll) * right + np.cos(roll) * down
    rotation = np.vstack([x_axis, y_axis, forward])
    matrix = np.array([[focal_px, 0, (size[0] - 1) / 2], [0, focal_px, (size[1] - 1) / 2], [0, 0, 1.0]])
    return Camera(
        size[0], size[1], matrix, np.array(distortion, dtype=np.float64), rotation, -rotation @ position
    )
