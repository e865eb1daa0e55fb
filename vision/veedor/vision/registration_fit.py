"""From a rough camera to an exact one: the layout's lines drawn to the picture's, by least squares.

Solved for are the pose, the focal length and the two first terms of radial lens distortion; the lens's
middle is taken as the picture's. From straight above focal length and height tell alike, so each unknown is
held loosely to what is usual.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.felt_lines import FeltPicture, Plane, PrintedLines, line_contrast
from veedor.vision.frames import Image
from veedor.vision.sampling import sampled

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

UNKNOWNS = 9  # turn (3), place (3), logarithm of the focal length, k1, k2
USUAL_FOCAL = 0.95  # picture widths
FOCAL_SPREAD = 0.45  # of its logarithm
USUAL_LENS = (-0.02, 0.0)
LENS_SPREAD = (0.06, 0.02)

ANGLE_BINS = 8
FLAT_STEPS = 5  # only turn, size and place in the picture change at first, then tilt, then the lens
POSE_STEPS = 9
HELD_AT_FIRST, HELD_NEXT = (0, 1, 6, 7, 8), (6, 7, 8)
HELD = 1e12
ROUGH_STEPS = (30.0, 30.0, 24.0, 20.0, 20.0, 20.0, 16.0, 14.0, 14.0, 10.0, 10.0, 7.0, 7.0, 5.0, 5.0, 3.5, 3.5)
NEAR_PX = 2.5  # of the work picture: so near a crest a line is taken as seen

FINE_WIDTH = 1920
FINE_REACH = (9.0, 9.0, 6.0, 4.0, 4.0, 3.0, 3.0, 3.0)
FINE_STEP_PX = 0.5
LINE_MM = 6.0
LEAST_CREST = 3.0  # levels that a line stands out by


@dataclass(frozen=True)
class Projected:
    """Lines as a camera sees them: `pixels` (n, 2), unit `normals` (n, 2), `slopes` (n, 2, 9) of the pixels
    by the unknowns, `scales` (n,) px for a millimetre across the line."""

    pixels: FloatArray
    normals: FloatArray
    slopes: FloatArray
    scales: FloatArray


def project(camera: Camera, lines: PrintedLines) -> Projected:
    """Places of lines with their derivatives."""
    count = len(lines)
    side = np.column_stack([-lines.ways[:, 1], lines.ways[:, 0]])
    spots = np.concatenate([lines.places_mm, lines.places_mm + lines.ways, lines.places_mm + side])
    turn, _ = cv2.Rodrigues(camera.rotation)
    pixels, slopes = cv2.projectPoints(
        np.column_stack([spots, np.zeros(len(spots))]).reshape(-1, 1, 3),
        turn,
        camera.translation_mm,
        camera.matrix,
        camera.distortion,
    )
    pixels = pixels.reshape(-1, 2)
    at = pixels[:count]
    along = pixels[count : 2 * count] - at
    normals = np.column_stack([-along[:, 1], along[:, 0]])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    scales = np.abs(((pixels[2 * count :] - at) * normals).sum(axis=1))
    by = slopes[: 2 * count].reshape(count, 2, -1)
    # Turns are about the camera's own axes through the table's origin.
    rays = lines.places_mm @ camera.rotation[:, :2].T
    turned = np.cross(np.eye(3)[None], rays[:, None])  # (n, axis, 3)
    turns = by[:, :, 3:6] @ turned.transpose(0, 2, 1)
    focal = by[:, :, 6] * camera.matrix[0, 0] + by[:, :, 7] * camera.matrix[1, 1]
    unknowns = np.concatenate([turns, by[:, :, 3:6], focal[:, :, None], by[:, :, 10:12]], axis=2)
    return Projected(at, normals, unknowns, scales)


def inside(pixels: FloatArray, size: tuple[int, int], margin: float = 2.0) -> Mask:
    """Which pixels (n, 2) lie in a picture of `size` (width, height)."""
    return np.asarray(((pixels >= margin) & (pixels < np.array(size) - 1 - margin)).all(axis=1), np.bool_)


def changed(camera: Camera, step: FloatArray) -> Camera:
    """The camera after a step (9,) of the unknowns."""
    turn, _ = cv2.Rodrigues(step[:3])
    matrix = camera.matrix.copy()
    matrix[0, 0] *= np.exp(step[6])
    matrix[1, 1] *= np.exp(step[6])
    lens = camera.distortion.copy()
    lens[:2] += step[7:9]
    return replace(
        camera,
        matrix=matrix,
        distortion=lens,
        rotation=np.asarray(turn @ camera.rotation, np.float64),
        translation_mm=camera.translation_mm + step[3:6],
    )


def priors(camera: Camera, stiffness: float) -> tuple[FloatArray, FloatArray]:
    """Diagonal weights (9,) and pulls (9,) toward the usual focal length and lens."""
    spreads = np.array([FOCAL_SPREAD, *LENS_SPREAD])
    weights = np.zeros(UNKNOWNS)
    weights[6:] = stiffness / spreads**2
    off = np.array(
        [
            np.log(USUAL_FOCAL * camera.width / camera.matrix[0, 0]),
            USUAL_LENS[0] - camera.distortion[0],
            USUAL_LENS[1] - camera.distortion[1],
        ]
    )
    pulls = np.zeros(UNKNOWNS)
    pulls[6:] = weights[6:] * off
    return weights, pulls


def solved(
    slopes: FloatArray,
    residuals: FloatArray,
    weights: FloatArray,
    prior: tuple[FloatArray, FloatArray],
    damping: float = 1e-6,
) -> FloatArray:
    """The least-squares step (9,) for residuals (n,) with slopes (n, 9); damped a little."""
    normal = slopes.T @ (slopes * weights[:, None])
    right = slopes.T @ (weights * residuals) + prior[1]
    scale = np.sqrt(np.maximum(np.diag(normal) + prior[0], 1e-12))
    system = (normal + np.diag(prior[0])) / np.outer(scale, scale) + damping * np.eye(UNKNOWNS)
    step: FloatArray = np.linalg.solve(system, right / scale) / scale
    return step


def spread_mm(camera: Camera, covariance: FloatArray, lines: PrintedLines) -> FloatArray:
    """Standard error in mm on the felt, at each place of the lines that lies in the picture.

    `covariance` (9, 9) of the unknowns.
    """
    seen = project(camera, lines)
    shown = inside(seen.pixels, (camera.width, camera.height))
    slopes = seen.slopes[shown]
    variances = np.einsum("nij,jk,nik->n", slopes, covariance, slopes)
    return np.asarray(np.sqrt(variances) / np.maximum(seen.scales[shown], 1e-9), np.float64)


class RoughFit:
    """Draws rough cameras to the crests of the work picture."""

    def __init__(self, picture: FeltPicture, lines: PrintedLines) -> None:
        self._picture, self._lines = picture, lines
        height, width = picture.felt.shape
        self._scale = picture.scale
        self._size = (width, height)
        self._crests = np.rint(picture.ridges_px).astype(np.intp)
        planes = []
        for number in range(ANGLE_BINS):
            off = np.abs((picture.angles - number * np.pi / ANGLE_BINS + np.pi / 2) % np.pi - np.pi / 2)
            there = self._crests[off < 1.2 * np.pi / ANGLE_BINS]
            blank = np.full((height, width), 255, np.uint8)
            blank[there[:, 1], there[:, 0]] = 0
            near = np.minimum(cv2.distanceTransform(blank, cv2.DIST_L2, 5), 60.0)
            smooth = cv2.GaussianBlur(near, (0, 0), 1.0)
            planes.append(
                np.dstack(
                    [near, cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8]
                )
            )
        self._planes = planes

    def fit(self, camera: Camera) -> Camera:
        """A better camera, as far as its lines find crests near by."""
        for number, spread in enumerate(ROUGH_STEPS):
            seen = project(camera, self._lines)
            ok = inside(seen.pixels * self._scale, self._size)
            if ok.sum() < 60:
                break
            away, gradient = self._distances(seen, ok)
            pull = (1 / (1 + (away / spread) ** 2)) ** 2
            slopes = (gradient[:, None, :] @ (seen.slopes[ok] * self._scale))[:, 0]
            # Lens and focal length follow once the pose is about right.
            stiff = 100.0 if number < 8 else 4.0
            prior = priors(camera, stiff)
            held = HELD_AT_FIRST if number < FLAT_STEPS else HELD_NEXT if number < POSE_STEPS else ()
            prior[0][list(held)] = HELD
            prior[1][list(held)] = 0.0
            step = solved(slopes, -away, pull, prior, damping=0.02)
            # No further in one step than the distances are known to be good for.
            moves = np.linalg.norm(seen.slopes[ok] @ step, axis=1).max() * self._scale
            camera = changed(camera, step * min(1.0, spread / max(moves, 1e-9)))
            if (
                not np.isfinite(camera.translation_mm).all()
                or not 0.2 < camera.matrix[0, 0] / camera.width < 6
            ):
                break
        return camera

    def score(self, camera: Camera) -> float:
        """How well lines and crests explain one another, 0..1."""
        if not np.isfinite(camera.translation_mm).all() or not np.isfinite(camera.matrix).all():
            return 0.0
        seen = project(camera, self._lines)
        ok = inside(seen.pixels * self._scale, self._size)
        if ok.sum() < 60 or camera.position_mm[2] <= 0:
            return 0.0
        away, _ = self._distances(seen, ok)
        recall = float((away < NEAR_PX).mean())
        drawn = np.zeros((self._size[1], self._size[0]), np.uint8)
        spots = np.rint(seen.pixels[ok] * self._scale).astype(np.intp)
        drawn[spots[:, 1], spots[:, 0]] = 1
        drawn = cv2.dilate(drawn, np.ones((7, 7), np.uint8))
        precision = float(drawn[self._crests[:, 1], self._crests[:, 0]].mean())
        return float(np.sqrt(recall * precision))

    def _distances(self, seen: Projected, ok: Mask) -> tuple[FloatArray, FloatArray]:
        """Distance (n,) to the nearest crest of the same direction, and its gradient (n, 2)."""
        pixels = seen.pixels[ok] * self._scale
        across = np.arctan2(seen.normals[ok, 1], seen.normals[ok, 0])
        bins = np.rint(across / (np.pi / ANGLE_BINS)).astype(np.intp) % ANGLE_BINS
        found = np.zeros((len(pixels), 3))
        for number, plane in enumerate(self._planes):
            chosen = bins == number
            if chosen.any():
                found[chosen] = sampled(plane, pixels[chosen])
        return found[:, 0], found[:, 1:]


@dataclass(frozen=True)
class Crests:
    """Where a picture shows lines about where a camera expects them.

    `shown` (n,): the place lies in the picture; `found` (n,): a line is there, `offsets` (n,) px along the
    normal from where it was expected; `scales` (n,) px for a millimetre.
    """

    shown: Mask
    found: Mask
    offsets: FloatArray
    scales: FloatArray

    @property
    def offsets_mm(self) -> FloatArray:
        offsets: FloatArray = self.offsets / np.maximum(self.scales, 1e-9)
        return offsets


class FineFit:
    """Measures lines to a fraction of a pixel and fits the camera to them."""

    def __init__(self, image: Image, lines: PrintedLines) -> None:
        self._lines = lines
        self._scale = min(1.0, FINE_WIDTH / max(image.shape[:2]))
        if self._scale < 1:
            image = np.asarray(
                cv2.resize(image, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA),
                np.uint8,
            )
        self._plane: Plane = cv2.GaussianBlur(
            line_contrast(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), np.uint8)), (0, 0), 0.7
        )

    def measure(self, seen: Projected, reach_px: float) -> Crests:
        """Look for each line along its normal, at most `reach_px` away (pixels of a picture 1920 wide)."""
        scales = seen.scales * self._scale
        # OpenCV's area resampling keeps corners, not centres, of pixels in place.
        middle = (seen.pixels + 0.5) * self._scale - 0.5
        height, width = self._plane.shape
        shown = inside(middle, (width, height), reach_px + 4)
        flank = np.clip(LINE_MM * scales * 0.9 + 1.5, 2.5, 12.0)
        steps = np.arange(-reach_px, reach_px + FINE_STEP_PX / 2, FINE_STEP_PX)
        blur = np.clip(LINE_MM * scales * 0.3, 0.6, 3.0)

        def along(shift: FloatArray | float) -> FloatArray:
            at = steps[None, :] + (shift[:, None] if isinstance(shift, np.ndarray) else shift)
            spots = middle[:, None] + at[..., None] * seen.normals[:, None]
            return np.asarray(sampled(self._plane, spots), np.float64)

        centre = (along(0.0) * 2 + along(blur) + along(-blur)) / 4
        crest = centre - np.maximum(along(flank), along(-flank))
        best = crest.argmax(axis=1)
        rows = np.arange(len(best))
        height_ = crest[rows, best]
        inner = (best > 0) & (best < len(steps) - 1)
        left, here, right = (centre[rows, np.clip(best + side, 0, len(steps) - 1)] for side in (-1, 0, 1))
        bend = left - 2 * here + right
        shift = np.where(bend < -1e-6, np.clip((left - right) / (2 * np.minimum(bend, -1e-6)), -1, 1), 0.0)
        offsets = (steps[best] + shift * FINE_STEP_PX) / self._scale
        return Crests(shown, shown & inner & (height_ > LEAST_CREST), offsets, seen.scales)

    def fit(self, camera: Camera, reaches: tuple[float, ...] = FINE_REACH) -> Camera:
        """The camera that the lines tell, started from one that is right to a few pixels."""
        for reach in reaches:
            seen = project(camera, self._lines)
            crests = self.measure(seen, reach)
            use = crests.found
            if use.sum() < 60:
                break
            residuals = crests.offsets[use]
            spread = max(0.4, 0.35 * reach) / self._scale
            weights = 1 / (1 + (residuals / spread) ** 2) ** 2 / 0.5**2
            slopes = (seen.normals[use][:, None, :] @ seen.slopes[use])[:, 0]
            # Neighbouring places see the same specks: about one in eight counts.
            camera = changed(camera, solved(slopes, residuals, weights / 8, priors(camera, 1.0)))
        return camera

    def covariance(self, camera: Camera) -> FloatArray:
        """Of the unknowns (9, 9), from the lines that are found."""
        seen = project(camera, self._lines)
        crests = self.measure(seen, 3.0)
        use = crests.found & (np.abs(crests.offsets) < 1.5)
        slopes = (seen.normals[use][:, None, :] @ seen.slopes[use])[:, 0]
        weights, _ = priors(camera, 1.0)
        normal = slopes.T @ slopes / 8 / 0.5**2 + np.diag(weights) + 1e-12 * np.eye(UNKNOWNS)
        return np.asarray(np.linalg.pinv(normal), np.float64)
