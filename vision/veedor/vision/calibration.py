"""A camera out of named points of the felt, named points out of a registered picture, and a table's check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.errors import VisionError
from veedor.vision.felt_lines import PRINTED, PrintedLines, printed_lines
from veedor.vision.frames import Image
from veedor.vision.layout import TableLayout
from veedor.vision.registration_fit import (
    LENS_SPREAD,
    UNKNOWNS,
    FineFit,
    changed,
    priors,
    project,
    solved,
    spread_mm,
)
from veedor.vision.table import ReferencePoint, Table, reprojection_error_mm

FloatArray = NDArray[np.float64]

FEWEST_POINTS = 4
POINTS_FOR_LENS = 6  # with fewer the lens is taken as without distortion
FOCALS = (0.6, 0.95, 1.5, 2.4)  # picture widths that are started from
STEPS = 40
CLICK_PX = 1.0  # how exactly a point is clicked, at a picture 1920 wide

LOCAL_MM = 110.0  # lines so near a point tell where it is
FEWEST_LOCAL = 8
SHARPEST = 0.08  # of the better direction's certainty, the other's at least: along one line nothing tells
CHECK_REACH_PX = 16.0
CHECK_FEWEST = 150
CHECK_SUPPORT = 0.45


class NoCameraError(VisionError):
    """No camera sees the points where they were clicked."""


def reference_points(layout: TableLayout) -> dict[str, tuple[float, float]]:
    """Felt points with a name, in mm: corners of printed four-sided zones, ends of printed lines.

    Corners are named as seen from above with the croupier at the bottom.
    """
    named: dict[str, tuple[float, float]] = {}
    for zone in layout.zones:
        if zone.kind in PRINTED and len(zone.polygon_mm) == 4:
            middle = zone.polygon_mm.mean(axis=0)
            for x, y in zone.polygon_mm:
                side = "left" if x < middle[0] else "right"
                named[f"{zone.name}:{'top' if y > middle[1] else 'bottom'}-{side}"] = (float(x), float(y))
    for line in layout.lines:
        for end, (x, y) in (("start", line.points_mm[0]), ("end", line.points_mm[-1])):
            named[f"{line.name}:{end}"] = (float(x), float(y))
    return named


def camera_from_points(points: Sequence[ReferencePoint], size: tuple[int, int]) -> Camera:
    """The camera of a picture of `size` (width, height) in which the points were clicked.

    Pose and focal length by least squares; from six points on the first two terms of lens distortion as
    well, each held loosely to what is usual. VisionError if the points do not tell.
    """
    try:
        return _camera_from(points, size)
    except (np.linalg.LinAlgError, cv2.error):
        raise NoCameraError("no camera puts the points where they were clicked") from None


def _camera_from(points: Sequence[ReferencePoint], size: tuple[int, int]) -> Camera:
    if len(points) < FEWEST_POINTS:
        raise VisionError(f"expected at least {FEWEST_POINTS} points of the felt, found {len(points)}")
    mm = np.array([point.mm for point in points])
    px = np.array([point.px for point in points])
    if _flat(mm) or _flat(px):
        raise VisionError("the points lie on one line or at one place: they tell no camera")
    felt_to_px, _ = cv2.findHomography(mm, px, 0)
    if felt_to_px is None:
        raise NoCameraError("no camera puts the points where they were clicked")
    lines = _as_lines(mm)
    best: tuple[float, Camera] | None = None
    for focal in FOCALS:
        matrix = np.array(
            [[focal * size[0], 0, (size[0] - 1) / 2], [0, focal * size[0], (size[1] - 1) / 2], [0, 0, 1.0]]
        )
        start = Camera.from_homography(felt_to_px, matrix, np.zeros(5), size)
        camera = _drawn_to(start, lines, px, lens=len(points) >= POINTS_FOR_LENS)
        if camera is None or camera.position_mm[2] <= 0:
            continue
        cost = float(np.square(camera.project(mm) - px).sum())
        if best is None or cost < best[0]:
            best = cost, camera
    if best is None:
        raise NoCameraError("no camera above the felt puts the points where they were clicked")
    return best[1]


def felt_error_mm(
    camera: Camera, points: Sequence[ReferencePoint], layout: TableLayout
) -> tuple[float, float]:
    """Expected error over the felt's printed lines in the picture: root mean square and largest, in mm.

    What few points, or points close together, leave open of the camera counts, so it can be far above the
    distance at which the points themselves lie from the solution. A click is taken to be no better than
    CLICK_PX, and no better than that distance tells.
    """
    mm = np.array([point.mm for point in points])
    px = np.array([point.px for point in points])
    seen = project(camera, _as_lines(mm))
    off = float(np.square(px - seen.pixels).sum())
    beyond = 2 * len(points) - (UNKNOWNS if len(points) >= POINTS_FOR_LENS else UNKNOWNS - 2)
    click = max((CLICK_PX * camera.width / 1920) ** 2, off / beyond if beyond > 0 else 0.0)
    slopes = seen.slopes.reshape(-1, UNKNOWNS)
    weights, _ = priors(camera, 1.0)
    normal = slopes.T @ slopes / click + np.diag(weights)
    covariance = np.asarray(np.linalg.pinv(normal, hermitian=True), np.float64)
    spread = spread_mm(camera, covariance, printed_lines(layout, step_mm=20.0))
    if not len(spread):
        return np.inf, np.inf
    return float(np.sqrt(np.square(spread).mean())), float(spread.max())


def _as_lines(mm: FloatArray) -> PrintedLines:
    ways = np.tile(np.array([[1.0, 0.0]]), (len(mm), 1))
    return PrintedLines(mm, ways, np.arange(len(mm)), len(mm))


def _flat(points: FloatArray) -> bool:
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[1] < 0.02 * max(float(spread[0]), 1e-9))


def _drawn_to(camera: Camera, lines: PrintedLines, px: FloatArray, *, lens: bool) -> Camera | None:
    weight = 1 / (CLICK_PX * camera.width / 1920) ** 2
    for _ in range(STEPS):
        seen = project(camera, lines)
        prior = priors(camera, 1.0)
        if not lens:
            prior[0][7:] = 1e9 / np.square(LENS_SPREAD)
            prior[1][7:] = -prior[0][7:] * camera.distortion[:2]
        slopes = seen.slopes.reshape(-1, UNKNOWNS)
        residuals = (px - seen.pixels).reshape(-1)
        step = solved(slopes, residuals, np.full(len(residuals), weight), prior, damping=1e-3)
        step[6] = np.clip(step[6], -0.3, 0.3)
        camera = changed(camera, step)
        if not np.isfinite(camera.translation_mm).all() or not 0.1 < camera.matrix[0, 0] / camera.width < 10:
            return None
    return camera


def landmarks(image: Image, layout: TableLayout, camera: Camera) -> tuple[ReferencePoint, ...]:
    """The layout's reference points as the picture itself shows them, found from the lines about each."""
    lines = printed_lines(layout, step_mm=5.0)
    seen = project(camera, lines)
    crests = FineFit(image, lines).measure(seen, 4.0)
    found = []
    for name, place in reference_points(layout).items():
        near = crests.found & (np.linalg.norm(lines.places_mm - place, axis=1) < LOCAL_MM)
        pixel = camera.project(np.array([place]))[0]
        inside = (pixel >= 0).all() and pixel[0] < camera.width and pixel[1] < camera.height
        if not inside or near.sum() < FEWEST_LOCAL:
            continue
        normals, offsets = seen.normals[near], crests.offsets[near]
        certain, _ = np.linalg.eigh(normals.T @ normals)
        if certain[0] < SHARPEST * certain[1]:
            continue
        weights = 1 / (1 + (offsets - np.median(offsets)) ** 2)
        shift = np.linalg.solve(normals.T @ (normals * weights[:, None]), normals.T @ (weights * offsets))
        x, y = (pixel + shift).tolist()
        found.append(ReferencePoint(name, place, (x, y)))
    return tuple(found)


@dataclass(frozen=True)
class CalibrationState:
    """How a calibration holds against a picture.

    `support`: share of the expected lines that show within reach; `error_mm`: root mean square distance on
    the felt between lines and where they are expected, None where too few show; `points_mm`: reprojection
    error of the stored points, computed anew.
    """

    support: float
    error_mm: float | None
    points_mm: float | None


def checked(image: Image, table: Table) -> CalibrationState:
    """A table's calibration against a picture of its camera; VisionError if it cannot be its picture."""
    camera = table.camera
    if camera is None:
        raise VisionError(f"table '{table.id}': no calibration to check")
    size = (image.shape[1], image.shape[0])
    if size != (camera.width, camera.height):
        raise VisionError(
            f"table '{table.id}': calibrated for pictures of {camera.width} x {camera.height}, found "
            f"{size[0]} x {size[1]}"
        )
    lines = printed_lines(table.layout)
    crests = FineFit(image, lines).measure(project(camera, lines), CHECK_REACH_PX)
    support = float(crests.found[crests.shown].mean()) if crests.shown.any() else 0.0
    error = None
    if crests.found.sum() >= CHECK_FEWEST and support >= CHECK_SUPPORT:
        off = crests.offsets_mm[crests.found]
        # Chips and cards on a line are taken for it now and then: the middle tells, not the tails.
        error = float(np.sqrt(np.square(np.clip(off, *np.percentile(off, (10, 90)))).mean()))
    return CalibrationState(support, error, reprojection_error_mm(camera, table.reference_points))


def named(points: Mapping[str, tuple[float, float]], layout: TableLayout) -> tuple[ReferencePoint, ...]:
    """Clicked pixels by name as reference points; VisionError names a point that the layout has not."""
    known = reference_points(layout)
    for name in points:
        if name not in known:
            near = [other for other in known if name.split(":")[0] == other.split(":")[0]]
            hint = f"; there are: {', '.join(near)}" if near else "; --list-points shows their names"
            raise VisionError(f"layout '{layout.name}' has no point '{name}'{hint}")
    return tuple(ReferencePoint(name, known[name], pixel) for name, pixel in points.items())
