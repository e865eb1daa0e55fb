"""Find how a camera sees a table from the felt's printed lines alone, and say how sure that is.

Rough poses are searched, the best are drawn to the lines, and the winner is measured: how much of what should
be printed shows, how little shows where nothing should, and whether another pose explains the picture as well
(an oval table looks nearly the same turned by half a turn). Where any of that is in doubt nothing is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.felt_lines import PrintedLines, look_at_felt, printed_lines
from veedor.vision.frames import Image
from veedor.vision.layout import TableLayout
from veedor.vision.registration_fit import FineFit, RoughFit, inside, project, spread_mm
from veedor.vision.registration_search import guesses, spread

FloatArray = NDArray[np.float64]

APART_PX = 60.0  # at 1920: guesses nearer than this lead to the same fit
TRIED_A_VIEW = 12
REFINED = 3
PROMISING = 0.7  # of the best rough score so far: worth measuring exactly
AGAIN, LEAST_GAIN = 4, 0.003  # times that a good fit is drawn on, while it gains
AGAIN_REACH = (9.0, 9.0, 6.0, 6.0, 4.0, 4.0, 3.0, 3.0, 3.0, 3.0)  # px at 1920
PLAIN_SUPPORT = 0.8  # with so much of the lines in place no other view need be tried
SAME_PX = 40.0  # at 1920: no two poses, but two tries at one
ALIKE_PX = 3.0  # the second of two tries so near would come to the same

SEEN_PX = 1.5  # at 1920: a line so near its place is there
SEEN_MM = 2.5
STRAY_PX = (-14.0, -10.0, 10.0, 14.0)  # beside the lines, where nothing should be
PIECE_SEEN = 0.5
FEWEST_PIECES = 14
LEAST_SUPPORT = 0.6
PARTS = (4, 3)  # of the picture: in each that has lines enough, some must show
FEWEST_IN_PART = 40
LEAST_IN_PART = 0.35
LEAST_CLEAR = 0.3  # support above that beside the lines
DIFFERENT_MM = 25.0  # lines of two poses so far apart tell which is right
FEWEST_DIFFERENT = 40
LEAST_BETTER = 0.25


class Doubt(StrEnum):
    """Why a registration is not to be trusted."""

    NO_LINES = "no printed lines of this layout were found"
    FEW_LINES = "too little of the layout's lines shows"
    UNEVEN = "in a part of the picture the lines are not where they should be"
    STRAY = "as many lines show where none should be"
    AMBIGUOUS = "another position of the table explains the picture as well"


@dataclass(frozen=True)
class Registration:
    """A camera found from the lines, or the best try and why it is doubted.

    `support`: share of the expected lines that show; `stray`: the same beside the lines, where nothing is
    printed. `error_mm`: estimated error on the felt, root mean square over the lines in the picture;
    `worst_mm` the largest expected.
    """

    camera: Camera | None
    doubt: Doubt | None
    support: float = 0.0
    stray: float = 0.0
    error_mm: float | None = None
    worst_mm: float | None = None
    pieces: int = 0

    @property
    def certain(self) -> bool:
        return self.doubt is None


@dataclass(frozen=True)
class Evidence:
    """What shows of the lines under one camera, place by place."""

    shown: NDArray[np.bool_]
    found: NDArray[np.bool_]
    offsets_mm: FloatArray

    @property
    def support(self) -> float:
        return float(self.found[self.shown].mean()) if self.shown.any() else 0.0


def register(image: Image, layout: TableLayout) -> Registration:
    """The camera of a BGR picture of a table with that layout."""
    lines = printed_lines(layout)
    sparse = lines.every(2)
    size = (image.shape[1], image.shape[0])
    picture = look_at_felt(image)
    hunt = _Hunt(RoughFit(picture, sparse), FineFit(image, lines), lines)
    found = Registration(None, Doubt.NO_LINES)
    for view in guesses(picture, sparse, layout, size):
        hunt.follow([guess.camera for guess in spread(view, APART_PX * size[0] / 1920, TRIED_A_VIEW)])
        found = hunt.judged()
        if found.certain and found.support > PLAIN_SUPPORT:
            break
    return found


@dataclass(frozen=True)
class _Rival:
    """A pose that explains the picture more or less well."""

    worth: float
    camera: Camera
    evidence: Evidence


class _Hunt:
    """The best poses so far."""

    def __init__(self, rough: RoughFit, fine: FineFit, lines: PrintedLines) -> None:
        self._rough, self._fine, self._lines = rough, fine, lines
        self._best_score = 0.0
        self._rivals: list[_Rival] = []

    def follow(self, cameras: list[Camera]) -> None:
        """Draw rough cameras to the lines and keep what comes of the most promising."""
        tried = []
        for start in cameras:
            camera = self._rough.fit(start)
            tried.append((self._rough.score(camera), camera))
        tried.sort(key=lambda pair: pair[0], reverse=True)
        for score, camera in tried[:REFINED]:
            self._best_score = max(self._best_score, score)
            if score < PROMISING * self._best_score or score <= 0:
                return
            self._refine(camera)
            self._refine(self._rough.fit(half_turned(camera)))

    def judged(self) -> Registration:
        """What can be said of the best pose."""
        if not self._rivals:
            return Registration(None, Doubt.NO_LINES)
        self._rivals.sort(key=lambda rival: rival.worth, reverse=True)
        return _judged(self._fine, self._lines, self._rivals)

    def _refine(self, start: Camera) -> None:
        if any(_same(start, rival.camera, self._lines, ALIKE_PX) for rival in self._rivals):
            return
        camera = self._fine.fit(start)
        if self._rough.score(camera) <= 0:
            return
        evidence = evidence_of(self._fine, camera, self._lines)
        for _ in range(AGAIN if evidence.support > LEAST_SUPPORT else 0):
            # From where most lines are in place the rest come within reach.
            nearer = self._fine.fit(camera, AGAIN_REACH)
            seen = evidence_of(self._fine, nearer, self._lines)
            gained = seen.support - evidence.support
            if gained < 0:
                break
            camera, evidence = nearer, seen
            if gained < LEAST_GAIN:
                break
        stray = _stray(self._fine, camera, self._lines)
        new = _Rival(evidence.support - stray + self._rough.score(camera), camera, evidence)
        # Of several tries at one pose the best stands, or a poor one would be taken for a rival of it.
        alike = [rival for rival in self._rivals if _same(camera, rival.camera, self._lines, SAME_PX)]
        if any(rival.worth >= new.worth for rival in alike):
            return
        self._rivals = [rival for rival in self._rivals if rival not in alike] + [new]


def half_turned(camera: Camera) -> Camera:
    """The camera as if the table stood the other way round."""
    return replace(camera, rotation=camera.rotation @ np.diag([-1.0, -1.0, 1.0]))


def evidence_of(fine: FineFit, camera: Camera, lines: PrintedLines) -> Evidence:
    """What shows of the lines under a camera; stretches of which little shows are taken as not printed."""
    crests = fine.measure(project(camera, lines), 6.0)
    near = np.maximum(SEEN_PX * camera.width / 1920, SEEN_MM * crests.scales)
    found = crests.found & (np.abs(crests.offsets) < near)
    return Evidence(crests.shown, found, crests.offsets_mm)


def _judged(fine: FineFit, lines: PrintedLines, rivals: list[_Rival]) -> Registration:
    camera, evidence = rivals[0].camera, rivals[0].evidence
    means, pieces = _pieces(lines, evidence)
    error, worst = _error_mm(fine, camera, lines, means)
    stray = _stray(fine, camera, lines)
    doubt = None
    if pieces < FEWEST_PIECES or evidence.support < LEAST_SUPPORT:
        doubt = Doubt.FEW_LINES
    elif _weakest_part(camera, evidence, lines) < LEAST_IN_PART:
        doubt = Doubt.UNEVEN
    elif evidence.support - stray < LEAST_CLEAR:
        doubt = Doubt.STRAY
    elif not all(
        _better((camera, evidence), rival, lines)
        for rival in [*[(rival.camera, rival.evidence) for rival in rivals[1:]], _turned(fine, camera, lines)]
    ):
        doubt = Doubt.AMBIGUOUS
    return Registration(camera, doubt, evidence.support, stray, error, worst, pieces)


def _weakest_part(camera: Camera, evidence: Evidence, lines: PrintedLines) -> float:
    """The share of lines seen in the part of the picture where it is least: a fit may hold in one alone."""
    pixels = camera.project(lines.places_mm)
    column = np.clip(pixels[:, 0] * PARTS[0] // camera.width, 0, PARTS[0] - 1)
    row = np.clip(pixels[:, 1] * PARTS[1] // camera.height, 0, PARTS[1] - 1)
    shares = [1.0]
    for part in range(PARTS[0] * PARTS[1]):
        there = evidence.shown & (column + PARTS[0] * row == part)
        if there.sum() >= FEWEST_IN_PART:
            shares.append(float(evidence.found[there].mean()))
    return min(shares)


def _turned(fine: FineFit, camera: Camera, lines: PrintedLines) -> tuple[Camera, Evidence]:
    turned = fine.fit(half_turned(camera))
    return turned, evidence_of(fine, turned, lines)


def _better(first: tuple[Camera, Evidence], second: tuple[Camera, Evidence], lines: PrintedLines) -> bool:
    """Whether what only the first pose says is there shows clearly more than what only the second says."""
    shares = []
    for (camera, evidence), (other, _) in ((first, second), (second, first)):
        own = _only_here(camera, other, lines) & evidence.shown
        if own.sum() < FEWEST_DIFFERENT:
            return False
        shares.append(float(evidence.found[own].mean()))
    return shares[0] - shares[1] > LEAST_BETTER


def _only_here(camera: Camera, other: Camera, lines: PrintedLines) -> NDArray[np.bool_]:
    """Places of one pose's lines where the other pose has none near by."""
    own, theirs = camera.project(lines.places_mm), other.project(lines.places_mm)
    theirs = theirs[inside(theirs, (camera.width, camera.height), -200.0)]
    if not len(theirs):
        return np.ones(len(own), np.bool_)
    crossed = np.square(own).sum(axis=1)[:, None] + np.square(theirs).sum(axis=1) - 2 * own @ theirs.T
    near = np.sqrt(np.maximum(crossed.min(axis=1), 0.0))
    return np.asarray(near > DIFFERENT_MM * camera.px_per_mm(), np.bool_)


def _same(one: Camera, other: Camera, lines: PrintedLines, limit_px: float) -> bool:
    """Whether two cameras see the lines at nearly the same pixels."""
    pixels, others = one.project(lines.places_mm), other.project(lines.places_mm)
    shown = inside(pixels, (one.width, one.height))
    if not shown.any():
        return False
    away = np.linalg.norm(pixels[shown] - others[shown], axis=1)
    return bool(np.median(away) < limit_px * one.width / 1920)


def _stray(fine: FineFit, camera: Camera, lines: PrintedLines) -> float:
    """Share of places beside the lines where something looks like a line all the same."""
    seen = project(camera, lines)
    near = np.maximum(SEEN_PX * camera.width / 1920, SEEN_MM * seen.scales)
    shares = []
    for shift in STRAY_PX:
        moved = replace(seen, pixels=seen.pixels + shift * camera.width / 1920 * seen.normals)
        crests = fine.measure(moved, 6.0)
        found = crests.found & (np.abs(crests.offsets) < near)
        shares.append(float(found[crests.shown].mean()) if crests.shown.any() else 1.0)
    return float(np.mean(shares))


def _pieces(lines: PrintedLines, evidence: Evidence) -> tuple[FloatArray, int]:
    """Mean offsets in mm of the stretches that are printed and seen, and their number."""
    count = np.bincount(lines.pieces, evidence.shown, lines.piece_count)
    seen = np.bincount(lines.pieces, evidence.found & evidence.shown, lines.piece_count)
    total = np.bincount(
        lines.pieces, np.where(evidence.found & evidence.shown, evidence.offsets_mm, 0.0), lines.piece_count
    )
    good = (count >= 4) & (seen >= PIECE_SEEN * np.maximum(count, 1))
    return total[good] / seen[good], int(good.sum())


def _error_mm(fine: FineFit, camera: Camera, lines: PrintedLines, means: FloatArray) -> tuple[float, float]:
    """Expected error on the felt over the lines in the picture: root mean square and largest."""
    fitted_mm = spread_mm(camera, fine.covariance(camera), lines)
    local = float(np.sqrt((means**2).mean())) if len(means) else 0.0
    if not len(fitted_mm):
        return np.inf, np.inf
    rms = float(np.sqrt((fitted_mm**2).mean() + local**2))
    return rms, float(np.sqrt(fitted_mm.max() ** 2 + (3 * local) ** 2))
