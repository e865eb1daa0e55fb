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
from veedor.vision.registration_fit import FineFit, RoughFit, inside, project
from veedor.vision.registration_search import guesses, spread

FloatArray = NDArray[np.float64]

APART_PX = 60.0  # at 1920: guesses nearer than this lead to the same fit
TRIED_A_VIEW = 8
GOOD_SCORE = 0.62  # once a fit is so good, the other views are not needed
REFINED = 4
SAME_PX = 15.0  # at 1920: no two poses, but two tries at one

SEEN_PX = 1.5  # at 1920: a line so near its place is there
SEEN_MM = 2.5
STRAY_PX = (-14.0, -10.0, 10.0, 14.0)  # beside the lines, where nothing should be
PIECE_SEEN = 0.5
FEWEST_PIECES = 14
LEAST_SUPPORT = 0.5
LEAST_CLEAR = 0.3  # support above that beside the lines
DIFFERENT_MM = 25.0  # lines of two poses so far apart tell which is right
FEWEST_DIFFERENT = 40
LEAST_BETTER = 0.25


class Doubt(StrEnum):
    """Why a registration is not to be trusted."""

    NO_LINES = "no printed lines of this layout were found"
    FEW_LINES = "too little of the layout's lines shows"
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
    rough = RoughFit(picture, sparse)
    tried: list[tuple[float, Camera]] = []
    for found in guesses(picture, sparse, layout, size):
        for guess in spread(found, APART_PX * size[0] / 1920, TRIED_A_VIEW):
            camera = rough.fit(guess.camera)
            tried.append((rough.score(camera), camera))
        if max(tried, key=_score, default=(0.0, None))[0] > GOOD_SCORE:
            break
    tried.sort(key=_score, reverse=True)
    if not tried or tried[0][0] <= 0:
        return Registration(None, Doubt.NO_LINES)
    fine = FineFit(image, lines)
    rivals: list[tuple[float, Camera, Evidence]] = []
    for _, camera in tried[:REFINED]:
        for start in (camera, rough.fit(half_turned(camera))):
            if any(_same(start, other, sparse) for _, other, _ in rivals):
                continue
            better = fine.fit(start)
            if rough.score(better) <= 0 or any(_same(better, other, sparse) for _, other, _ in rivals):
                continue
            evidence = evidence_of(fine, better, lines)
            worth = evidence.support - _stray(fine, better, lines) + rough.score(better)
            rivals.append((worth, better, evidence))
    if not rivals:
        return Registration(None, Doubt.NO_LINES)
    rivals.sort(key=lambda rival: -rival[0])
    return _judged(fine, lines, rivals)


def _score(pair: tuple[float, Camera]) -> float:
    return pair[0]


def half_turned(camera: Camera) -> Camera:
    """The camera as if the table stood the other way round."""
    return replace(camera, rotation=camera.rotation @ np.diag([-1.0, -1.0, 1.0]))


def evidence_of(fine: FineFit, camera: Camera, lines: PrintedLines) -> Evidence:
    """What shows of the lines under a camera; stretches of which little shows are taken as not printed."""
    crests = fine.measure(project(camera, lines), 6.0)
    near = np.maximum(SEEN_PX * camera.width / 1920, SEEN_MM * crests.scales)
    found = crests.found & (np.abs(crests.offsets) < near)
    return Evidence(crests.shown, found, crests.offsets_mm)


def _judged(fine: FineFit, lines: PrintedLines, rivals: list[tuple[float, Camera, Evidence]]) -> Registration:
    _, camera, evidence = rivals[0]
    means, pieces = _pieces(lines, evidence)
    error, worst = _error_mm(fine, camera, lines, means)
    stray = _stray(fine, camera, lines)
    doubt = None
    if pieces < FEWEST_PIECES or evidence.support < LEAST_SUPPORT:
        doubt = Doubt.FEW_LINES
    elif evidence.support - stray < LEAST_CLEAR:
        doubt = Doubt.STRAY
    elif not all(
        _better((camera, evidence), rival, lines)
        for rival in [*[(other, theirs) for _, other, theirs in rivals[1:]], _turned(fine, camera, lines)]
    ):
        doubt = Doubt.AMBIGUOUS
    return Registration(camera, doubt, evidence.support, stray, error, worst, pieces)


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


def _same(one: Camera, other: Camera, lines: PrintedLines) -> bool:
    """Whether two cameras see the lines at nearly the same pixels."""
    pixels, others = one.project(lines.places_mm), other.project(lines.places_mm)
    shown = inside(pixels, (one.width, one.height))
    if not shown.any():
        return False
    away = np.linalg.norm(pixels[shown] - others[shown], axis=1)
    return bool(np.median(away) < SAME_PX * one.width / 1920)


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
    seen = project(camera, lines)
    shown = inside(seen.pixels, (camera.width, camera.height))
    spread_ = fine.covariance(camera)
    slopes = seen.slopes[shown]
    variances = np.einsum("nij,jk,nik->n", slopes, spread_, slopes)
    fitted_mm = np.sqrt(variances) / np.maximum(seen.scales[shown], 1e-9)
    local = float(np.sqrt((means**2).mean())) if len(means) else 0.0
    if not len(fitted_mm):
        return np.inf, np.inf
    rms = float(np.sqrt((fitted_mm**2).mean() + local**2))
    return rms, float(np.sqrt(fitted_mm.max() ** 2 + (3 * local) ** 2))
