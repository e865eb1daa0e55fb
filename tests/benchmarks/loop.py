"""The loop closed on a table that training never showed: 100 pictures from the queue against 100 random ones.

    python tests/benchmarks/loop.py OUT [--look 307] [--take 100] [--steps 400] [--tiles DIR]… [--sets DIR]

films a night of one deck, felt and camera (of the split that training never draws from) and two shorter ones
of the same table; reviews the first; takes pictures from it once by `veedor label queue`'s ranking and once
by chance; "corrects" both with the truth that drew them; freezes both as versions whose held-out part is the
other two nights; fine-tunes detector and reader from the shipped weights on each, equally long; and scores
the shipped and both new pairs on the held-out nights. Last it asks the gate: about the pair of the queue, and
about a reader that was trained on shuffled ranks on purpose, which has to be refused.

Every stage leaves its result in OUT and is not done twice. Not a test: it takes an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from veedor.datasets.digests import sha256_of
from veedor.datasets.formats.frame_numbers import frames_at
from veedor.datasets.formats.simulated import LEAST_VISIBLE, WHOLLY_VISIBLE, simulated_labels
from veedor.datasets.formats.splits import Shares
from veedor.datasets.labelled import (
    LabelledObject,
    LabelledPicture,
    LabelledSet,
    corners_of_detection,
    detection_of_corners,
)
from veedor.datasets.labelled_json import KIND_BY_NAME
from veedor.datasets.simulate import BOXES, VIDEO
from veedor.models.checkpoints import shipped_checkpoint
from veedor.models.labelled_version import VISIBLE, held_out_set, read_version, visible
from veedor.models.labelled_version_training import FineTuning, finetune_detector, finetune_reader
from veedor.models.model_files import load_models
from veedor.models.registry import weights_path
from veedor.models.scorecard import measure
from veedor.monitor.labelling.queue import Order, fill
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.tables import keep_table
from veedor.monitor.labelling.versions import freeze
from veedor.vision.detections import ObjectClass
from veedor.vision.reader import RANKS, SUITS, Reader
from veedor.vision.sources import VideoSource

VEEDOR = [sys.executable, "-m", "veedor.monitor.cli"]
ARMS, SHUFFLED = ("queue", "random"), "shuffled"
HELD_OUT_EVERY, READ_EVERY = 30, 6  # frames
CORRECTOR = "simulator"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--look", type=int, default=307)
    parser.add_argument("--coups", type=int, default=12, help="of the night that is learnt from")
    parser.add_argument("--take", type=int, default=100)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--tiles", type=Path, action="append", default=[], help="to rehearse the detector")
    parser.add_argument("--sets", type=Path, help="a folder of labelled sets for the gate")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--part", choices=(*ARMS, SHUFFLED), help="train this part alone, beside others")
    args = parser.parse_args()
    nights(args)
    review(args)
    versions = {arm: version_of(args, arm) for arm in ARMS}
    if args.part is not None:
        train_part(args, versions)
        return
    told: dict[str, Any] = {"shipped": score(args, "shipped", versions["queue"], None)}
    told["shipped, reader alone"] = score_reader(args, "shipped", None)
    for arm in ARMS:
        run = args.out / f"run-{arm}-{args.take}"
        train(args, run, versions[arm])
        told[arm] = score(args, f"{arm}-{args.take}", versions[arm], run)
        told[f"{arm}, reader alone"] = score_reader(args, f"{arm}-{args.take}", run)
        print(json.dumps({arm: told[arm]}), flush=True)
    told["gate, queue"] = gate(args, args.out / f"run-queue-{args.take}", versions["queue"])
    told["gate, shuffled ranks"] = worse_on_purpose(args, versions["queue"])
    print(json.dumps(told, indent=1))


def train_part(args: argparse.Namespace, versions: dict[str, Path]) -> None:
    if args.part == SHUFFLED:
        train_shuffled(args, versions["queue"])
    else:
        train(args, args.out / f"run-{args.part}-{args.take}", versions[args.part])


def stage(path: Path, make: Callable[[], Any]) -> Any:
    """The JSON of a stage, made if it is not there."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(make(), indent=1), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def nights(args: argparse.Namespace) -> None:
    """Three nights at one table."""
    wanted: Sequence[tuple[str, int, int, list[str]]] = (
        ("pool", 4, args.coups, ["--infraction", "random:3"]),
        ("held1", 2, 2, []),
        ("held2", 3, 2, []),
    )
    for name, number, coups, more in wanted:
        folder = args.out / name
        if not (folder / "video.mp4").exists():
            seed = str(args.look * 10 + number)
            command = ["simulate", "--look", str(args.look), "--seed", seed, "--coups", str(coups)]
            subprocess.run([*VEEDOR, *command, "--size", args.size, "--out", str(folder), *more], check=True)


def review(args: argparse.Namespace) -> None:
    pool, data = args.out / "pool", args.out / "data"
    if list(data.glob("tables/*/*/findings.jsonl")):
        return
    command = ["review", str(pool / "video.mp4"), "--table", str(pool / "table.toml")]
    command += ["--events", str(pool / "announcements.jsonl"), "--data", str(data), "--workers", args.workers]
    subprocess.run([*VEEDOR, *command], check=True)


def version_of(args: argparse.Namespace, arm: str) -> Path:
    """Pictures of one arm, corrected by the truth, frozen together with the held-out nights."""
    data = args.out / f"{arm}-{args.take}"
    folder = data / "labels" / "versions" / "1"
    if folder.is_dir():
        return folder
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir()
    (data / "tables").symlink_to((args.out / "data" / "tables").resolve())
    store = LabelStore(data)
    truth = Truth(args.out / "pool")
    if arm == "queue":
        for each in fill(Order(data, args.take)):
            why = "; ".join(why.en for why in each.waiting.why)
            print(f"{each.t_s:8.2f} s  {each.worth:.3f}  {why}", flush=True)
            store.save(each.picture.id, truth.objects_at(each.picture), CORRECTOR, 0, State.DONE)
    else:
        add_random(args, store, truth)
    for name in ("held1", "held2"):
        add_held_out(args.out / name, store)
    return freeze(data, Shares(0.0, 0.0)).folder  # the held-out nights came with their split


class Truth:
    """What was drawn in each frame of a simulated night."""

    def __init__(self, folder: Path) -> None:
        self.recording = sha256_of(folder / VIDEO)
        self.rate = float(VideoSource(folder / VIDEO).info.rate_fps)
        lines = (folder / BOXES).read_text(encoding="utf-8").splitlines()
        self._boxes = [json.loads(line)["objects"] for line in lines]

    def __len__(self) -> int:
        return len(self._boxes)

    def objects(self, number: int) -> tuple[LabelledObject, ...]:
        return tuple(drawn(box) for box in self._boxes[number] if box["visible_fraction"] >= LEAST_VISIBLE)

    def objects_at(self, picture: LabelledPicture) -> tuple[LabelledObject, ...]:
        return self.objects(round(float(picture.t) * self.rate))


def drawn(box: dict[str, Any]) -> LabelledObject:
    """One drawn object as a label."""
    kind = KIND_BY_NAME[box["class"]]
    corners = corners_of_detection(np.array(box["corners_px"], np.float64))
    face = box.get("face") if kind is ObjectClass.CARD_FACE else None
    return LabelledObject(
        box["id"], kind, corners, face[0] if face else None, face[1] if face else None,
        occluded=box["visible_fraction"] < WHOLLY_VISIBLE,
        extra=((VISIBLE, json.dumps(box["visible_fraction"])),),
    )  # fmt: skip


def add_random(args: argparse.Namespace, store: LabelStore, truth: Truth) -> None:
    """Pictures of moments drawn by chance from the same night."""
    rng = np.random.default_rng(args.look)
    session = next((args.out / "data" / "tables").glob("*/*"))
    name, table = f"{session.parent.name}/{session.name}", session.parent.name
    numbers = sorted(int(each) for each in rng.choice(len(truth), args.take, replace=False))
    for shown in frames_at(args.out / "pool" / VIDEO, numbers):
        height, width = shown.image.shape[:2]
        picture = LabelledPicture(
            f"random-{shown.number:06d}", truth.recording, shown.pts, shown.time_base, width, height,
            name, table, "train", CORRECTOR, 0, truth.objects(shown.number),
        )  # fmt: skip
        store.add(picture, shown.image, author=CORRECTOR, state=State.DONE)


def add_held_out(folder: Path, store: LabelStore) -> None:
    scratch = store.folder / "scratch"
    scratch.mkdir(exist_ok=True)
    found = simulated_labels(folder, scratch, every=HELD_OUT_EVERY)
    keep_table(store.folder, found.table)
    pictures = tuple(replace(each, split="test") for each in found.labels.pictures)
    store.import_set(LabelledSet("held-out", "1", pictures, scratch), CORRECTOR)
    shutil.rmtree(scratch)


def train(
    args: argparse.Namespace, run: Path, version: Path, only: Sequence[str] = ("reader", "detector")
) -> None:
    for name in only:
        if (run / f"{name}.done").exists():
            continue
        order = FineTuning(
            run, version, shipped_checkpoint(name), args.steps, threads=1,
            tiles=tuple(args.tiles) if name == "detector" else (),
        )  # fmt: skip
        if name == "detector":
            finetune_detector(order, lambda line: print(line, flush=True))
        else:
            finetune_reader(order)
        (run / f"{name}.done").touch()


def score(args: argparse.Namespace, name: str, version: Path, run: Path | None) -> dict[str, list[int]]:
    """Every figure of the held-out nights with the shipped weights, or with a run's in their place."""

    def make() -> dict[str, list[int]]:
        others = {} if run is None else {model: run / f"{model}.onnx" for model in ("detector", "reader")}
        sets = [held_out_set(read_version(version))]
        card = measure(sets, load_models(others, threads=1), more_looks=False)
        return {figure.name: [figure.right, figure.n] for figure in card.figures}

    found: dict[str, list[int]] = stage(args.out / f"score-{name}.json", make)
    return found


def score_reader(args: argparse.Namespace, name: str, run: Path | None) -> dict[str, list[int]]:
    """Rank and suit of every face that half shows in frames of the held-out nights, outlined by the truth."""

    def make() -> dict[str, list[int]]:
        path = weights_path("reader") if run is None else run / "reader.onnx"
        reader, right, count = Reader(path), np.zeros(2, int), 0
        for night in ("held1", "held2"):
            truth = Truth(args.out / night)
            for shown in frames_at(args.out / night / VIDEO, range(0, len(truth), READ_EVERY)):
                cards = [each for each in truth.objects(shown.number) if each.rank and visible(each) >= 0.5]
                corners = np.array([detection_of_corners(each.corners_px) for each in cards])
                readings = reader.read_cards(shown.image, corners.reshape(-1, 4, 2))
                for row, card in enumerate(cards):
                    right[0] += RANKS[int(readings.rank_probs[row].argmax())] == card.rank
                    right[1] += SUITS[int(readings.suit_probs[row].argmax())] == card.suit
                count += len(cards)
        return {"rank": [int(right[0]), count], "suit": [int(right[1]), count]}

    found: dict[str, list[int]] = stage(args.out / f"reader-{name}.json", make)
    return found


def gate(args: argparse.Namespace, run: Path, version: Path) -> dict[str, Any]:
    """What `veedor models promote --dry-run` says of a run, the version's held-out part counting."""

    def make() -> dict[str, Any]:
        command = ["models", "promote", str(run), "--labels", str(version), "--dry-run", "--json"]
        command += ["--data", str(args.sets)] if args.sets else []
        done = subprocess.run([*VEEDOR, *command], capture_output=True, text=True, check=False)
        told = json.loads(done.stdout) if done.stdout else {"error": done.stderr}
        return {"exit": done.returncode, **told}

    found: dict[str, Any] = stage(args.out / f"gate-{run.name}.json", make)
    return {key: found[key] for key in ("exit", "faults") if key in found}


def worse_on_purpose(args: argparse.Namespace, version: Path) -> dict[str, Any]:
    """What the gate says of a reader that got worse."""
    return gate(args, train_shuffled(args, version), version)


def train_shuffled(args: argparse.Namespace, version: Path) -> Path:
    """A reader taught that every rank is the next one, which the gate has to refuse."""
    data = args.out / f"shuffled-{args.take}"
    folder = data / "labels" / "versions" / "1"
    if not folder.is_dir():
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        (data / "tables").symlink_to((args.out / "data" / "tables").resolve())
        store, frozen = LabelStore(data), read_version(version)
        keep_table(store.folder, next(iter(frozen.tables.values())))
        pictures = [
            each.with_objects([shuffled(item) for item in each.objects]) if each.split == "train" else each
            for each in frozen.pictures
        ]
        for split in ("train", "test"):
            chosen = tuple(each for each in pictures if (each.split == "train") == (split == "train"))
            place = version / "images" / split
            store.import_set(LabelledSet("shuffled", "1", chosen, place), CORRECTOR)
        freeze(data, Shares(0.0, 0.0))
    run = args.out / f"run-shuffled-{args.take}"
    train(args, run, folder, ("reader",))
    return run


def shuffled(item: LabelledObject) -> LabelledObject:
    if item.rank is None:
        return item
    return replace(item, rank=RANKS[(RANKS.index(item.rank) + 1) % len(RANKS)])


if __name__ == "__main__":
    main()
