"""A table's chip set measured on pictures of chips that somebody points at and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.chip_colours import ChipColours, bare_felt, disc_points, plaque_points
from veedor.vision.errors import VisionError
from veedor.vision.frames import Image
from veedor.vision.sampling import colours_at
from veedor.vision.table import ChipType, Table
from veedor.vision.told_colours import CENTRE

FloatArray = NDArray[np.float64]
Shape = Literal["round", "plaque"]

STEP_MM = 0.5
REACH_MM = 70.0  # a plaque's half diagonal and some felt round it
FELT_RING_MM = 55.0
MIDDLE_MM = 8.0  # a place so near to where one points is on the thing
CLICK_MM = 8.0  # how far beside a chip's middle one may point
SMALLEST_MM, LARGEST_MM = 28.0, 60.0  # diameters of chips
LARGEST_CHIP_MM2 = np.pi * LARGEST_MM**2 / 4
EDGE_MM = 2.0
RING_SAMPLES = 48
CLEAR_EDGE = 0.45  # of an edge all round: print and neighbours hide parts of it
PLAQUE_FROM, LARGEST_PLAQUE_MM = 1.3, 130.0
RECTANGLE_FILLED = 0.88
STANDS_OUT, FELT_NOISES = 18.0, 2.0  # grey levels, and times the felt's own unevenness
ALIKE_SHARE = 0.42
SPOTS_SHARE, SPOTS_AWAY = 0.08, 25.0  # of the pixels and grey levels, from which spots are told


class EnrolmentError(VisionError):
    """What was pointed at cannot be measured."""


@dataclass(frozen=True)
class Pointed:
    """A chip that somebody pointed at in a picture: `x`, `y` px on its top, `stack` chips from the felt up.

    `shape` None: to be found out.
    """

    x: float
    y: float
    name: str
    value: int
    shape: Shape | None = None
    stack: int = 1


@dataclass(frozen=True)
class Measured:
    """One chip as one picture shows it; sizes in mm. `whole`: its outline stands free, so sizes hold.

    `too_big`: what stands out there is larger than any chip, a plaque or several things that touch.
    """

    pointed: Pointed
    plaque: bool
    size_mm: tuple[float, float]
    body: FloatArray
    accent: FloatArray | None
    centre: FloatArray | None
    whole: bool
    too_big: bool = False


def with_felt(table: Table, image: Image) -> Table:
    """The table with its felt's colour as this picture shows it, if its file does not tell it yet."""
    camera = _camera_for(table, image)
    if table.felt_rgb is not None:
        return table
    places = camera.project(bare_felt(table.layout))
    seen = (places >= 0).all(axis=1) & (places < (camera.width - 1, camera.height - 1)).all(axis=1)
    if not seen.any():
        return table
    colour = np.median(colours_at(image, places[seen]), axis=0)
    return replace(table, felt_rgb=_rgb(colour))


def measure_chip(table: Table, image: Image, pointed: Pointed) -> Measured:
    """Size and colours of the chip at a place of a picture; EnrolmentError if nothing stands out there."""
    camera = _camera_for(table, image)
    if not (0 <= pointed.x < camera.width and 0 <= pointed.y < camera.height):
        raise EnrolmentError(f"{_named(pointed)}: outside the picture of {camera.width} x {camera.height}")
    top_mm = ChipType.thickness_mm * pointed.stack
    middle = camera.to_felt(np.array([[pointed.x, pointed.y]]), top_mm)[0]
    patch = _patch(image, camera, middle, top_mm)
    unlike = _unlike_felt(patch)
    if unlike is None:
        raise EnrolmentError(f"{_named(pointed)}: nothing stands out from the felt there")
    oblong = None if pointed.shape == "round" or pointed.stack > 1 else _plaque_outline(unlike)
    turn, whole, plaque = 0.0, True, oblong is not None
    if oblong is not None:
        offset, sizes, turn = oblong
    elif pointed.shape == "plaque":
        raise EnrolmentError(f"{_named(pointed)}: a plaque has to lie free, away from chips and print")
    else:
        offset, diameter, clear = _round_outline(unlike)
        whole = clear >= CLEAR_EDGE
        if not whole:
            offset, diameter = np.zeros(2), ChipType.diameter_mm
        sizes = (diameter, diameter)
    place = middle + offset
    light = ChipColours(table, camera)
    light.look(image)
    points = plaque_points(sizes, turn) if plaque else disc_points() * min(sizes) / 2
    raised = np.column_stack([place + points, np.full(len(points), top_mm)])
    pixels = colours_at(image, camera.project(raised)) / light.gain(place)
    inside = np.zeros(len(points), np.bool_) if plaque else np.hypot(*disc_points().T) < CENTRE
    body, accent = _two_colours(pixels[~inside])
    middle_colour = None if plaque else _two_colours(pixels[inside])[0]
    unsaid = pointed.shape is None and pointed.stack == 1 and not plaque
    too_big = unsaid and _covers_mm2(unlike) > LARGEST_CHIP_MM2
    return Measured(pointed, plaque, sizes, body, accent, middle_colour, whole, too_big)


def chip_of(measured: Sequence[Measured]) -> ChipType:
    """One chip of the set from all pictures of it; sizes from those in which it stands free."""
    first = measured[0].pointed
    if len({each.plaque for each in measured}) > 1:
        raise EnrolmentError(f"{first.name}: pointed at as a round chip and as a plaque")
    if len({each.pointed.value for each in measured}) > 1:
        raise EnrolmentError(f"{first.name}: given more than one value")
    plaque = measured[0].plaque
    sizes = [each.size_mm for each in measured if each.whole]
    bodies, accents = _aligned(measured)
    centres = [each.centre for each in measured if each.centre is not None]
    chip = ChipType(
        first.name,
        first.value,
        _rgb(np.median(bodies, axis=0)),
        plaque=plaque,
        centre_rgb=_rgb(np.median(centres, axis=0)) if centres else None,
    )
    if accents:
        chip = replace(chip, accent_rgb=_rgb(np.median(accents, axis=0)))
    if not sizes:
        return chip
    long, short = np.median(np.sort(sizes, axis=1)[:, ::-1], axis=0)
    if plaque:
        return replace(chip, size_mm=(round(float(long), 1), round(float(short), 1)))
    # A chip's side shows along the camera's slant, never across it.
    return replace(chip, diameter_mm=round(float(short), 1))


def _aligned(measured: Sequence[Measured]) -> tuple[list[FloatArray], list[FloatArray]]:
    """Grounds and spots of one chip: where both cover as much, pictures differ in which is which."""
    pairs = [(each.body, each.accent) for each in measured if each.accent is not None]
    if not pairs:
        return [each.body for each in measured], []
    first = pairs[0]
    bodies, accents = [], []
    for body, accent in pairs:
        straight = np.linalg.norm(body - first[0]) + np.linalg.norm(accent - first[1])
        swapped = np.linalg.norm(accent - first[0]) + np.linalg.norm(body - first[1])
        bodies.append(body if straight <= swapped else accent)
        accents.append(accent if straight <= swapped else body)
    return bodies, accents


def enrolled(table: Table, chips: Sequence[ChipType], *, only: bool = False) -> Table:
    """The table with these chips in its set, in order of value; `only` these, or besides those it has."""
    new = {chip.name: chip for chip in chips}
    kept = () if only else tuple(chip for chip in table.chips if chip.name not in new)
    ordered = sorted((*kept, *new.values()), key=lambda chip: (chip.plaque, chip.value, chip.name))
    return replace(table, chips=tuple(ordered))


def _camera_for(table: Table, image: Image) -> Camera:
    if table.camera is None:
        raise EnrolmentError(f"table '{table.id}': no calibration, so nothing can be measured on it")
    height, width = image.shape[:2]
    if (width, height) != (table.camera.width, table.camera.height):
        raise EnrolmentError(
            f"table '{table.id}': calibrated for pictures of {table.camera.width} x {table.camera.height}, "
            f"found {width} x {height}"
        )
    return table.camera


def _patch(image: Image, camera: Camera, middle_mm: FloatArray, height_mm: float) -> FloatArray:
    """The surroundings of a place as seen from straight above: (n, n, 3) BGR, `STEP_MM` a sample."""
    steps = np.arange(-REACH_MM, REACH_MM + STEP_MM / 2, STEP_MM)
    x, y = np.meshgrid(steps, steps)
    points = np.column_stack([middle_mm[0] + x.ravel(), middle_mm[1] + y.ravel(), np.full(x.size, height_mm)])
    return colours_at(image, camera.project(points).reshape(len(steps), len(steps), 2))


def _unlike_felt(patch: FloatArray) -> FloatArray | None:
    """How unlike the felt each sample (n, n) is, 1 as the thing in the middle; None if that is felt.

    Linear in the colour, so that a blurred edge passes a half where the thing ends.
    """
    away = _from_middle(len(patch))
    felt = np.median(patch[away > FELT_RING_MM], axis=0)
    distance = np.linalg.norm(patch - felt, axis=2)
    middle = float(np.percentile(distance[away < SMALLEST_MM / 2], 75))
    noise = float(np.percentile(distance[away > FELT_RING_MM], 50))
    if middle < max(STANDS_OUT, FELT_NOISES * noise):
        return None
    unlike: FloatArray = np.clip(distance / middle, 0.0, 1.0)
    return unlike


def _from_middle(count: int) -> FloatArray:
    steps = (np.arange(count) - (count - 1) / 2) * STEP_MM
    away: FloatArray = np.hypot(*np.meshgrid(steps, steps))
    return away


def _round_outline(unlike: FloatArray) -> tuple[FloatArray, float, float]:
    """Middle (2,) mm from the patch's, diameter in mm, and how clear the edge is, 1 for an edge all round."""
    best = (-np.inf, np.zeros(2), 0.0)
    span, step = CLICK_MM, 1.0
    radii = np.arange(SMALLEST_MM / 2, LARGEST_MM / 2, STEP_MM)
    start = np.zeros(2)
    for _ in range(2):  # roughly, then finely
        moves = np.arange(-span, span + step / 2, step)
        for x, y in ((x, y) for x in moves for y in moves):
            middle = start + np.array([x, y])
            rings = _rings(unlike, middle, np.concatenate([radii - EDGE_MM, radii + EDGE_MM]))
            clear = rings[: len(radii)] - rings[len(radii) :]
            place = int(clear.argmax())
            if clear[place] > best[0]:
                best = (float(clear[place]), middle, float(radii[place]))
        start, span, step = best[1], 1.0, 0.25
    return best[1], 2 * best[2], best[0]


def _rings(unlike: FloatArray, middle_mm: FloatArray, radii_mm: FloatArray) -> FloatArray:
    """Mean over each ring (k,) round a place of a patch."""
    angles = np.arange(RING_SAMPLES) * 2 * np.pi / RING_SAMPLES
    half = (len(unlike) - 1) / 2
    x = (middle_mm[0] + radii_mm[:, None] * np.cos(angles)) / STEP_MM + half
    y = (middle_mm[1] + radii_mm[:, None] * np.sin(angles)) / STEP_MM + half
    rows = np.clip(np.round(y).astype(np.intp), 0, len(unlike) - 1)
    columns = np.clip(np.round(x).astype(np.intp), 0, len(unlike) - 1)
    means: FloatArray = unlike[rows, columns].mean(axis=1)
    return means


def _outline(unlike: FloatArray) -> NDArray[np.int32] | None:
    """The contour, in samples, of what lies in the middle of a patch."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))  # figures of the felt's colour are bridged
    rough = (unlike > 0.5).astype(np.uint8)
    mask = cv2.morphologyEx(cv2.morphologyEx(rough, cv2.MORPH_CLOSE, kernel), cv2.MORPH_OPEN, kernel)
    _, labels = cv2.connectedComponents(mask)
    near = labels[(_from_middle(len(unlike)) < MIDDLE_MM) & (labels > 0)]
    if not len(near):
        return None
    thing = np.asarray(labels == np.bincount(near).argmax(), np.uint8)
    contours, _ = cv2.findContours(thing, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(max(contours, key=cv2.contourArea), np.int32)


def _covers_mm2(unlike: FloatArray) -> float:
    outline = _outline(unlike)
    return 0.0 if outline is None else float(cv2.contourArea(outline)) * STEP_MM**2


def _plaque_outline(unlike: FloatArray) -> tuple[FloatArray, tuple[float, float], float] | None:
    """Middle (2,) mm from the patch's, sides in mm and turn in radians of a rectangle that lies free."""
    outline = _outline(unlike)
    if outline is None:
        return None
    (x, y), (width, height), degrees = cv2.minAreaRect(outline)
    # A contour runs through the middles of the samples at the edge.
    width, height = (width + 1) * STEP_MM, (height + 1) * STEP_MM
    filled = cv2.contourArea(outline) * STEP_MM**2 / (width * height)
    short, long = min(width, height), max(width, height)
    fits = short >= SMALLEST_MM and long <= LARGEST_PLAQUE_MM and long >= PLAQUE_FROM * short
    if not fits or filled < RECTANGLE_FILLED:
        return None
    offset = (np.array([x, y]) - (len(unlike) - 1) / 2) * STEP_MM
    turn = float(np.deg2rad(degrees)) + (0.0 if width >= height else np.pi / 2)
    return offset, (long, short), turn


def _two_colours(pixels: FloatArray) -> tuple[FloatArray, FloatArray | None]:
    """The colour of most pixels, and that of the others if there are enough of them unlike it."""
    points = np.ascontiguousarray(pixels, np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 40, 0.5)
    cv2.setRNGSeed(0)
    _, labels, _ = cv2.kmeans(points, 2, None, criteria, 4, cv2.KMEANS_PP_CENTERS)
    members = labels.ravel()
    shares = np.bincount(members, minlength=2) / len(members)
    most, least = (0, 1) if shares[0] >= shares[1] else (1, 0)
    if shares[least] > ALIKE_SHARE:  # of two as large the deeper colour is the ground: spots are mostly pale
        depth = [float(np.ptp(np.median(pixels[members == number], axis=0))) for number in (0, 1)]
        most, least = (0, 1) if depth[0] >= depth[1] else (1, 0)
    body = np.median(pixels[members == most], axis=0)
    if shares[least] < SPOTS_SHARE:
        return np.asarray(body, np.float64), None
    other = np.median(pixels[members == least], axis=0)
    if np.linalg.norm(other - body) < SPOTS_AWAY:
        return np.asarray(np.median(pixels, axis=0), np.float64), None
    return np.asarray(body, np.float64), np.asarray(other, np.float64)


def _rgb(bgr: FloatArray) -> tuple[int, int, int]:
    blue, green, red = (int(part) for part in np.clip(np.round(bgr), 0, 255))
    return red, green, blue


def _named(pointed: Pointed) -> str:
    return f"{pointed.name} at {pointed.x:g},{pointed.y:g}"
