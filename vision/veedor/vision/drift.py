"""Whether the camera still stands where it was calibrated, watched while a table is perceived.

Twice a second the printed lines are looked for where they should be. A small move is followed: pictures are
shifted back to the calibrated view before anything is looked for in them. Where the lines are found nowhere
near, nothing is said of them, and whoever follows the table knows by that that the view is lost. Hands, cards
and chips cover some lines and never most; light that changes moves nothing.

State lives between two calls of `reset`, so a segment perceived alone sees the same as one among others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.felt_lines import Plane, printed_lines
from veedor.vision.frames import Frame, Image, Planes
from veedor.vision.layout import TableLayout
from veedor.vision.registration_fit import Projected, changed, inside, priors, project, solved
from veedor.vision.sampling import sampled

FloatArray = NDArray[np.float64]

EVERY_S = 0.5
WIDTH = 960  # of the picture looked at
REACH_PX = 14  # of it, how far lines are searched
NEAR_PX = 2.0  # a line so near its place is there
FLANK_PX = 4.0
LEAST_LEVELS = 3.0  # that a line stands out by
FEWEST = 80  # places of lines in the picture; with fewer nothing can be watched
SUPPORT = 0.4  # of the lines seen, and this much more than beside them: the camera is known
SAME = 0.8  # of the usual share seen: as well as ever
COVERED = 0.5  # less than this of the usual share cannot be hands alone
CLEAR = 0.2
STAY_PX = 1.2  # at the picture's own size: less is no move
AGREE_PX = 2.5  # two looks at one move
LOST_LOOKS = 2
FIT_STEPS = 4
HELD = 1e12
HUGE_PX = 1e4


@dataclass(frozen=True)
class _Look:
    """Where lines were found: `offsets` (n,) px of the small picture, `found` (n,), the share found near."""

    offsets: FloatArray
    found: NDArray[np.bool_]
    support: float


class DriftWatch:
    """Watches one camera over one layout."""

    def __init__(self, layout: TableLayout, camera: Camera) -> None:
        self._camera = camera
        self._scale = min(1.0, WIDTH / camera.width)
        lines = printed_lines(layout, step_mm=50.0)
        shown = inside(camera.project(lines.places_mm), (camera.width, camera.height), 4.0)
        self._lines = replace(
            lines, places_mm=lines.places_mm[shown], ways=lines.ways[shown], pieces=lines.pieces[shown]
        )
        self._watched = int(shown.sum()) >= FEWEST
        steps = np.arange(-REACH_PX, REACH_PX + 1, 2)
        self._shifts = np.array(
            [(x, y) for x in steps for y in steps if x * x + y * y <= REACH_PX**2], np.float64
        )
        self.reset()

    def reset(self) -> None:
        """Forget what was seen: the camera is taken to stand as calibrated until a look tells otherwise."""
        self._held = self._camera
        self._seen_from: Projected | None = None
        self._back: FloatArray | None = None  # homography from calibrated to present pixels
        self._candidate: Camera | None = None
        self._due = -math.inf
        self._first = True
        self._lost = 0
        self._usual = 0.0  # share of the lines that shows while all is well
        self.shift_px: float | None = None

    def steadied(self, frame: Frame) -> Frame:
        """The frame as the calibrated camera would have taken it; itself while the camera has not moved.

        `shift_px` then says how far the picture is off the calibration: 0 when it stands or is followed, None
        while the lines are not found.
        """
        if self._watched and frame.t_s >= self._due:
            self._due = (math.floor(frame.t_s / EVERY_S + 1e-6) + 1) * EVERY_S
            self._check(_luma(frame, self._scale))
            self._first = False
        return frame if self._back is None else _warped(frame, self._back)

    def off_mm(self) -> float:
        """How far the camera that is followed is off the calibration, on the felt."""
        if self._back is None:
            return 0.0
        places = self._lines.places_mm
        away = self._camera.to_felt(self._held.project(places)) - places
        return float(np.median(np.linalg.norm(away, axis=1)))

    def _check(self, luma: Plane) -> None:
        if self._seen_from is None:
            self._seen_from = project(self._held, self._lines)
        look = self._measure(luma, self._seen_from, 3)
        if look.support > SAME * self._usual and self._moved_px(look) < STAY_PX and not self._first:
            self._stays(look.support)
            return
        camera, support = max(
            (self._fitted(luma, self._held, 2), self._searched(luma)), key=lambda found: found[1]
        )
        if support >= max(SUPPORT, SAME * self._usual) and support > self._beside(luma) + CLEAR:
            self._found(camera, support)
        elif look.support < max(SUPPORT, COVERED * self._usual):
            self._candidate = None
            self._lost += 1
            if self._lost >= LOST_LOOKS or self._first:
                self.shift_px = None

    def _stays(self, support: float) -> None:
        self._usual = max(self._usual, support)
        self._candidate, self._lost = None, 0
        self.shift_px = 0.0

    def _found(self, camera: Camera, support: float) -> None:
        moved = self._apart(camera, self._held)
        if moved < STAY_PX:
            self._stays(support)
        elif self._first or (self._candidate is not None and self._apart(camera, self._candidate) < AGREE_PX):
            self._stays(support)
            self._follow(camera)
        else:
            self._candidate, self._lost = camera, 0
            self.shift_px = moved

    def _moved_px(self, look: _Look) -> float:
        """About how far lines lie from their places, all together, at the picture's own size."""
        assert self._seen_from is not None
        near = look.found & (np.abs(look.offsets) < NEAR_PX)
        normals = self._seen_from.normals[near]
        if near.sum() < FEWEST // 2:
            return HUGE_PX
        shift = np.linalg.lstsq(normals, look.offsets[near], rcond=None)[0]
        return float(np.hypot(*shift)) / self._scale

    def _follow(self, camera: Camera) -> None:
        self._held, self._seen_from = camera, None
        if self._apart(camera, self._camera) < STAY_PX:
            self._held, self._back = self._camera, None
            return
        places = self._lines.places_mm
        back, _ = cv2.findHomography(self._camera.project(places), camera.project(places), 0)
        self._back = np.asarray(back, np.float64)

    def _apart(self, one: Camera, other: Camera) -> float:
        away = one.project(self._lines.places_mm) - other.project(self._lines.places_mm)
        return float(min(np.median(np.linalg.norm(away, axis=1)), HUGE_PX))

    def _measure(self, luma: Plane, seen: Projected, reach: int, shift: float = 0.0) -> _Look:
        steps = np.arange(-reach, reach + 0.5)
        ridge = self._ridges(luma, seen, steps + shift)
        best = ridge.argmax(axis=1)
        rows = np.arange(len(best))
        inner = (best > 0) & (best < len(steps) - 1)
        left, here, right = (ridge[rows, np.clip(best + side, 0, len(steps) - 1)] for side in (-1, 0, 1))
        bend = np.minimum(left - 2 * here + right, -1e-6)
        offsets = steps[best] + np.clip((left - right) / (2 * bend), -0.5, 0.5)
        found = inner & (here > LEAST_LEVELS)
        near = found & (np.abs(offsets) < NEAR_PX)
        return _Look(offsets, found, float(near.mean()))

    def _ridges(self, luma: Plane, seen: Projected, steps: FloatArray) -> FloatArray:
        """How far the picture stands out from both sides (n, steps), along the lines' normals."""
        ends = np.concatenate([steps - FLANK_PX, steps, steps + FLANK_PX])
        middle = (seen.pixels + 0.5) * self._scale - 0.5
        spots = middle[:, None] + ends[None, :, None] * seen.normals[:, None]
        low, centre, high = np.split(np.asarray(sampled(luma, spots), np.float64), 3, axis=1)
        bright = centre - np.maximum(low, high)
        dark = np.minimum(low, high) - centre
        return np.maximum(np.maximum(bright, dark), 0.0)

    def _beside(self, luma: Plane) -> float:
        """The share of places beside the lines where something looks like one."""
        assert self._seen_from is not None
        return float(
            np.mean([self._measure(luma, self._seen_from, 3, shift).support for shift in (-9.0, 9.0)])
        )

    def _searched(self, luma: Plane) -> tuple[Camera, float]:
        """The camera after a move within reach, found by the shift that most lines agree on."""
        assert self._seen_from is not None
        reach = REACH_PX + 2
        ridge = self._ridges(luma, self._seen_from, np.arange(-reach, reach + 1.0))
        ridge = np.minimum(ridge, 3 * LEAST_LEVELS)
        broad = np.maximum(ridge[:, 1:-1], np.maximum(ridge[:, :-2], ridge[:, 2:]))
        across = np.rint(self._shifts @ self._seen_from.normals.T).astype(np.intp) + reach - 1
        scores = broad[np.arange(len(broad)), across].mean(axis=1)
        best = self._shifts[int(scores.argmax())] / self._scale
        depth = self._held.translation_mm[2] / self._held.matrix[0, 0]
        start = replace(self._held, translation_mm=self._held.translation_mm + np.append(best * depth, 0.0))
        return self._fitted(luma, start, FIT_STEPS)

    def _fitted(self, luma: Plane, camera: Camera, steps: int) -> tuple[Camera, float]:
        """The pose drawn to the lines, and the share of them that then is in place."""
        for number in range(steps):
            seen = project(camera, self._lines)
            look = self._measure(luma, seen, 5 if number < steps - 2 else 3)
            if look.found.sum() < FEWEST // 2:
                return camera, 0.0
            use = look.found
            weights = 1 / (1 + look.offsets[use] ** 2) ** 2
            slopes = (seen.normals[use][:, None, :] @ seen.slopes[use])[:, 0] * self._scale
            prior = priors(camera, 1.0)
            prior[0][6:], prior[1][:] = HELD, 0.0
            camera = changed(camera, solved(slopes, look.offsets[use], weights, prior, damping=1e-3))
        return camera, self._measure(luma, project(camera, self._lines), 3).support


def _luma(frame: Frame, scale: float) -> Plane:
    """Brightness of a frame, made small."""
    if frame.planes is None:
        plane = np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8)
    else:
        plane = frame.planes()[0]
        if frame.turns:
            plane = np.ascontiguousarray(np.rot90(plane, frame.turns))
    small = cv2.resize(plane, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (3, 3), 0.6), np.float32)


def _warped(frame: Frame, back: FloatArray) -> Frame:
    """The frame seen through a homography from calibrated to present pixels."""

    def straight(plane: Image, halves: float = 1.0) -> Image:
        shrink = np.array(
            [[1 / halves, 0, (1 / halves - 1) / 2], [0, 1 / halves, (1 / halves - 1) / 2], [0, 0, 1]]
        )
        matrix = shrink @ back @ np.linalg.inv(shrink)
        size = (plane.shape[1], plane.shape[0])
        return np.asarray(
            cv2.warpPerspective(
                plane, matrix, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            ),
            np.uint8,
        )  # fmt: skip

    planes = frame.planes
    if planes is None or frame.turns:
        return Frame(frame.index, frame.t_s, lambda: straight(frame.image))

    def shifted() -> Planes:
        luma, blue, red = planes()
        halves = luma.shape[1] / blue.shape[1]
        return straight(luma), straight(blue, halves), straight(red, halves)

    return Frame(frame.index, frame.t_s, lambda: straight(frame.image), shifted)
