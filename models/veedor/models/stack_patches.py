"""Training patches for the stack counter: drawn tables covered with stacks of known height."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.looks import random_look
from veedor.datasets.render import Renderer
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.scene import ChipStyle, Scene, StackPose, TableLook
from veedor.vision.camera import Camera
from veedor.vision.detections import ObjectClass
from veedor.vision.layout import Line
from veedor.vision.percept import TALLEST
from veedor.vision.stack_counter import stack_patch

# Like stakes: mostly one to four chips in short rows. Higher ones so that they are not taken for four.
HEIGHTS = np.array([0.34, 0.25, 0.17, 0.14, 0.04, 0.02, 0.02, 0.02])
ROWS = 60
ON_LINES = 0.55  # of the rows: half stakes and stakes a caballo lie on print, which looks like a side
OFF_LINE_MM = 4.0
GAP_MM = (3.0, 15.0)
ROOM_MM = 75.0
# What the detector's middle of a box errs by, and how much of a stack others may hide.
MIDDLE_SIGMA_MM = 1.3
LEAST_VISIBLE = 0.93
QUALITY = (55, 98)  # of the JPEG that stands for a video's losses


@dataclass(frozen=True)
class StackSamples:
    """`patches` (n, 3, 64, 40), `facts` (n, 3), `counts` (n,) 1 to 8."""

    patches: NDArray[np.float32]
    facts: NDArray[np.float32]
    counts: NDArray[np.int64]


def draw_samples(seed: int, pictures: int, split: str = "train") -> StackSamples:
    """Patches of `pictures` drawn tables of one look."""
    look, camera = random_look(seed, split=split)  # type: ignore[arg-type]
    rng = np.random.default_rng([seed, 31])
    renderer = Renderer(look, camera)
    styles = {chip.name: chip for chip in look.chips}
    patches, facts, counts = [], [], []
    for number in range(pictures):
        scene = Scene(stacks=_stacks(look, rng, f"{seed}.{number}"))
        rendered = renderer.render(scene, np.random.default_rng([seed, number]))
        quality = int(rng.integers(*QUALITY))
        _, data = cv2.imencode(".jpg", rendered.image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        for box in rendered.objects:
            if box.kind is ObjectClass.CHIP_STACK and box.visible_fraction >= LEAST_VISIBLE:
                patch, known = _sample(image, camera, box, styles[box.chips[0]], rng)
                patches.append(patch)
                facts.append(known)
                counts.append(len(box.chips))
    return StackSamples(np.array(patches), np.array(facts), np.array(counts, np.int64))


def _sample(
    image: NDArray[np.uint8], camera: Camera, box: ObjectTruth, style: ChipStyle, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    middle = camera.to_felt(box.corners_px).mean(axis=0) + rng.normal(0, MIDDLE_SIGMA_MM, 2)
    return stack_patch(image, camera, middle, style.diameter_mm, style.thickness_mm)


def _stacks(look: TableLook, rng: np.random.Generator, name: str) -> tuple[StackPose, ...]:
    """Rows of stacks all over the felt."""
    names = [chip.name for chip in look.chips if not chip.plaque]
    outline = look.layout.outline_mm
    low, high = outline.min(axis=0), outline.max(axis=0)
    contour = outline.astype(np.float32).reshape(-1, 1, 2)
    placed: list[NDArray[np.float64]] = []
    stacks: list[StackPose] = []
    for _ in range(ROWS * 3):
        pitches = np.cumsum(40.0 + rng.uniform(*GAP_MM, int(rng.integers(1, 5))))
        if rng.random() < ON_LINES and look.layout.lines:
            row = _row_on_line(look.layout.lines[int(rng.integers(len(look.layout.lines)))], pitches, rng)
        else:
            start, angle = rng.uniform(low, high), rng.uniform(0, 2 * np.pi)
            row = list(start + np.outer(pitches, [np.cos(angle), np.sin(angle)]))
        inside = all(cv2.pointPolygonTest(contour, (float(x), float(y)), True) > 30 for x, y in row)
        if not inside or any(np.hypot(*(one - two)) < ROOM_MM for one in row for two in placed):
            continue
        placed += row
        for place in row:
            chip = names[int(rng.integers(len(names)))]
            count = int(rng.choice(TALLEST, p=HEIGHTS / HEIGHTS.sum())) + 1
            turn = float(rng.uniform(0, 360))
            spot = float(place[0]), float(place[1])
            stacks.append(StackPose(f"{name}.{len(stacks)}", (chip,) * count, *spot, 0.0, turn))
    return tuple(stacks)


def _row_on_line(
    line: Line, pitches: NDArray[np.float64], rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Places that far along a printed line from somewhere on it, a little off it."""
    steps = np.hypot(*np.diff(line.points_mm, axis=0).T)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    where = rng.uniform(0, max(length[-1] - pitches[-1], 1.0)) + pitches
    places = np.stack([np.interp(where, length, line.points_mm[:, axis]) for axis in (0, 1)], axis=1)
    return list(places + rng.normal(0, OFF_LINE_MM, 2))
