"""Writes a played session: video, table file, truth, announcements, boxes and planted findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.art import chip_centre_rgb
from veedor.datasets.film import Film
from veedor.datasets.looks import random_look
from veedor.datasets.play import Order, PlantedFinding, Session, play_session
from veedor.datasets.play.outlines import Outliner
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.replacing import replacing
from veedor.datasets.scene import TableLook
from veedor.rules.checker import Checker
from veedor.rules.events import encode_event
from veedor.rules.finding import Finding, standing
from veedor.rules.profile import load_profile
from veedor.rules.verdict import Verdict
from veedor.vision.camera import Camera
from veedor.vision.layout import TableLayout
from veedor.vision.table import ReferencePoint, Table, reprojection_error_mm
from veedor.vision.table_file import save_table

VIDEO, TABLE, TRUTH = "video.mp4", "table.toml", "truth.jsonl"
ANNOUNCEMENTS, BOXES, FINDINGS = "announcements.jsonl", "boxes.jsonl", "findings.jsonl"
DEFAULT_FPS = Fraction(25, 2)
DEFAULT_SIZE = (1920, 1080)

Progress = Callable[[int, int], None]  # frames done, frames in all


@dataclass(frozen=True)
class Simulation:
    """What to simulate. `size` is width and height in pixels; without `video` only pixels are left out.

    `look` is the seed of deck, felt, chips and camera, `seed` itself if None: another night at one table.
    """

    profile: str
    seed: int
    coups: int
    infractions: tuple[Order, ...] = ()
    fps: Fraction = DEFAULT_FPS
    size: tuple[int, int] = DEFAULT_SIZE
    video: bool = True
    look: int | None = None

    @property
    def look_seed(self) -> int:
        return self.seed if self.look is None else self.look


def simulate(job: Simulation, out: Path, progress: Progress = lambda done, whole: None) -> Session:
    """Plays the session and writes its files into `out`, which is made; the same job gives the same bytes.

    Raises DatasetError where it cannot be played, before anything is written.
    """
    look, camera = random_look(job.look_seed, split="play", size=job.size)
    session = play_session(
        job.profile,
        job.seed,
        job.coups,
        job.infractions,
        layout=look.layout,
        chips=look.chips,
        back_colours=look.back_colours,
    )
    out.mkdir(parents=True, exist_ok=True)
    table = table_of(job, look, camera)
    with replacing(out / TABLE) as part:
        save_table(table, part)
    write_journals(session, job.profile, out)
    _write_frames(job, session, look, camera, out, progress)
    return session


def write_journals(session: Session, profile: str, out: Path) -> None:
    """What happens in a session, what of it is announced, and the findings that must come of it."""
    write_lines(out / TRUTH, map(encode_event, session.journal))
    write_lines(out / ANNOUNCEMENTS, map(encode_event, session.announcements))
    write_lines(out / FINDINGS, findings_json(session, profile))


def write_lines(path: Path, records: Iterable[object]) -> None:
    """JSON Lines, whole or not at all."""
    with replacing(path) as part, part.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def findings_json(session: Session, profile: str) -> list[dict[str, object]]:
    """The planted findings in the findings' format.

    What was planted decides which there are; the rule checker, reading the true journal, adds texts and
    evidence to those it agrees with.
    """
    found = standing(Checker(load_profile(profile)).judge(session.journal))
    return [_finding_json(planted, found) for planted in session.planted]


def _finding_json(planted: PlantedFinding, found: Iterable[Finding]) -> dict[str, object]:
    for finding in found:
        if (finding.code, finding.coup, finding.actor) == (planted.code, planted.coup, planted.actor):
            return finding.to_json()
    return {
        "code": planted.code,
        "verdict": str(Verdict.BROKEN),
        "coup": planted.coup,
        "t": planted.t,
        "actor": planted.actor,
    }


def table_of(job: Simulation, look: TableLook, camera: Camera) -> Table:
    """The table file's content: the look's chip set and the camera as it truly stands."""
    points = tuple(
        ReferencePoint(name, (x, y), (round(float(u), 3), round(float(v), 3)))
        for (name, (x, y)), (u, v) in zip(
            reference_places(look.layout).items(),
            camera.project(np.array(list(reference_places(look.layout).values()))),
            strict=True,
        )
    )
    chips = tuple(
        chip.enrolled(None if chip.plaque else chip_centre_rgb(chip, look.deck_seed)) for chip in look.chips
    )
    return Table(
        f"simulated-{job.look_seed}",
        f"Simulated table {job.look_seed}",
        job.profile,
        look.layout,
        chips,
        camera,
        points,
        reprojection_error_mm(camera, points),
        VIDEO,
        look.felt_rgb,
    )


def reference_places(layout: TableLayout) -> dict[str, tuple[float, float]]:
    """Felt points that anybody can find in a picture: the ends of the printed lines."""
    places: dict[str, tuple[float, float]] = {}
    for line in layout.lines:
        for end, point in (("start", line.points_mm[0]), ("end", line.points_mm[-1])):
            place = float(point[0]), float(point[1])
            if place not in places.values():
                places[f"{line.name}.{end}"] = place
    return places


def box_json(box: ObjectTruth) -> dict[str, object]:
    """One object of a `boxes.jsonl` line."""
    record: dict[str, object] = {
        "class": box.kind.name.lower(),
        "id": box.id,
        "corners_px": [[round(float(x), 2), round(float(y), 2)] for x, y in box.corners_px],
        "base_mm": [round(box.base_mm[0], 1), round(box.base_mm[1], 1)],
        "visible_fraction": round(box.visible_fraction, 3),
    }
    if box.face is not None:
        record["face"] = box.face
    if box.chips:
        record["chips"] = list(box.chips)
    return record


Drawn = tuple[tuple[ObjectTruth, ...], "NDArray[np.uint8] | None"]


def _write_frames(
    job: Simulation, session: Session, look: TableLook, camera: Camera, out: Path, progress: Progress
) -> None:
    assert session.timeline is not None
    count = ceil(session.timeline.duration_s * job.fps)
    with ExitStack() as stack:
        boxes = stack.enter_context(stack.enter_context(replacing(out / BOXES)).open("w", encoding="utf-8"))
        film = None
        if job.video:
            film = Film(stack.enter_context(replacing(out / VIDEO)), job.size, job.fps)
            stack.callback(film.close)
        for index, (objects, image) in enumerate(_frames(job, session, look, camera, count)):
            t_s = round(float(index / job.fps), 6)
            line = {"index": index, "t": t_s, "objects": [box_json(box) for box in objects]}
            boxes.write(json.dumps(line) + "\n")
            if film is not None and image is not None:
                film.add(image)
            progress(index + 1, count)


def _frames(
    job: Simulation, session: Session, look: TableLook, camera: Camera, count: int
) -> Iterator[Drawn]:
    assert session.timeline is not None
    scenes = (session.timeline.scene_at(float(index / job.fps)) for index in range(count))
    if not job.video:
        outliner = Outliner(camera, look.chips)
        yield from ((outliner.boxes(scene), None) for scene in scenes)
        return
    # Drawing loads the art; without video it is not needed.
    from veedor.datasets.render.renderer import Renderer

    renderer = Renderer(look, camera)
    for index, scene in enumerate(scenes):
        rendered = renderer.render(scene, np.random.default_rng([job.seed, index]))
        yield rendered.objects, rendered.image
