"""The detector's weights as ultralytics' own `predict` uses them, and as veedor does, on the same pictures.

    python tests/benchmarks/side_by_side.py DATA [--set NAME]… [--threads N] [--page models/SIDE_BY_SIDE.md]

looks at every picture of the labelled sets in DATA in one run: `predict` as it comes (640 px), `predict` at
the picture's own size, and veedor end to end, at a known table with its table file. Prints JSON, and with
--page writes a table for people. `predict` only detects; what cards and stakes are is not its to tell. Needs
the `train` extra. Not a test: it takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from veedor.models.evaluation import evaluate, read_picture
from veedor.models.figures import Figure, figures_of
from veedor.models.labelled_sets import load_set, sets_there
from veedor.models.labels import LabelledSet
from veedor.models.model_files import load_models
from veedor.models.registry import weights_path
from veedor.models.scoring import FoundCard, FoundChips, FoundThings, SetScores, score_set
from veedor.vision.detections import ObjectClass

STRIDE = 32
SHOWN = (
    "recall",
    "precision",
    "face or back, of those found",
    "rank",
    "suit",
    "bets: found",
    "chips found",
    "chips precision",
)
WAYS = {
    "predict": "ultralytics `predict`, as it comes (640 px)",
    "predict_full": "ultralytics `predict` at the picture's own size",
    "veedor": "veedor, end to end (detector, reader, chips)",
}


@dataclass(frozen=True)
class Outcome:
    set_name: str
    way: str
    pictures: int
    median_ms: float
    figures: tuple[Figure, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--detector", type=Path, help="other weights than the shipped ones, ONNX")
    parser.add_argument("--page", type=Path)
    args = parser.parse_args()
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: args.threads]))  # as many cores for each
    weights = args.detector or weights_path("detector")
    models = load_models({"detector": weights}, threads=args.threads)
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        predict = Predict(weights, Path(folder))
        for name in args.set or sets_there(args.data):
            labelled = load_set(name, args.data)
            ways: dict[str, Callable[[], SetScores]] = {
                "predict": lambda labelled=labelled: predict.scores(labelled, full=False),
                "predict_full": lambda labelled=labelled: predict.scores(labelled, full=True),
                "veedor": lambda labelled=labelled: evaluate(labelled, models),
            }
            for way, look in ways.items():
                scores = look()
                figures = tuple(figure for figure in figures_of(scores) if figure.name in SHOWN)
                median = float(np.median(scores.took_ms))
                outcomes.append(Outcome(name, way, scores.pictures, median, figures))
    print(json.dumps(as_json(outcomes, predict.version, args.threads), ensure_ascii=False))
    if args.page:
        args.page.write_text(page(outcomes, predict.version, args.threads), encoding="utf-8")


class Predict:
    """Plain `predict` with weights in ONNX, told what the classes are."""

    def __init__(self, weights: Path, folder: Path) -> None:
        os.environ |= {
            "YOLO_AUTOINSTALL": "false",
            "YOLO_OFFLINE": "true",
            "YOLO_VERBOSE": "false",
            "YOLO_CONFIG_DIR": str(folder),
        }
        import onnx
        import ultralytics
        from ultralytics import YOLO

        self.version: str = ultralytics.__version__
        model = onnx.load(str(weights))
        facts = {
            "task": "obb",
            "stride": str(STRIDE),
            "names": str({int(kind): kind.name.lower() for kind in ObjectClass}),
            "imgsz": "[640, 640]",
            "batch": "1",
            "channels": "3",
            "dynamic": "True",
            "args": "{'dynamic': True, 'nms': False}",
        }
        for key, value in facts.items():
            entry = model.metadata_props.add()
            entry.key, entry.value = key, value
        path = folder / "detector.onnx"
        onnx.save(model, str(path))
        self._models = {full: YOLO(str(path), task="obb") for full in (False, True)}

    def scores(self, labelled: LabelledSet, *, full: bool) -> SetScores:
        return score_set(labelled, [self._look(read_picture(each), full=full) for each in labelled.pictures])

    def _look(self, image: Any, *, full: bool) -> FoundThings:
        height, width = image.shape[:2]
        size = -(-max(height, width) // STRIDE) * STRIDE if full else 640
        started = time.perf_counter()
        (result,) = self._models[full].predict(image, imgsz=size, device="cpu", verbose=False)
        took_ms = 1000 * (time.perf_counter() - started)
        corners = result.obb.xyxyxyxy.cpu().numpy().astype(np.float64).reshape(-1, 4, 2) - 0.5
        scores, kinds = result.obb.conf.cpu().numpy(), result.obb.cls.cpu().numpy().astype(int)
        cards, chips = [], []
        for quad, score, kind in zip(corners, scores.tolist(), kinds.tolist(), strict=True):
            if kind in (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK):
                cards.append(FoundCard(quad, score, kind == ObjectClass.CARD_FACE))
            elif kind in (ObjectClass.CHIP_STACK, ObjectClass.PLAQUE):
                chips.append(FoundChips(quad, score, kind == ObjectClass.PLAQUE))
        return FoundThings(tuple(cards), tuple(chips), (width, height), took_ms)


def as_json(outcomes: list[Outcome], version: str, threads: int) -> dict[str, Any]:
    return {
        "ultralytics": version,
        "cores": threads,
        "looks": [
            {
                "set": each.set_name,
                "way": each.way,
                "pictures": each.pictures,
                "median_ms": round(each.median_ms, 1),
                "figures": {figure.name: [figure.right, figure.n] for figure in told(each)},
            }
            for each in outcomes
        ],
    }


def told(outcome: Outcome) -> list[Figure]:
    """What this way of looking can tell: `predict` reads nothing."""
    reads = ("rank", "suit")
    return [each for each in outcome.figures if outcome.way == "veedor" or each.name not in reads]


def page(outcomes: list[Outcome], version: str, threads: int) -> str:
    cores = f"{threads} core" + ("s" if threads > 1 else "")
    lines = [
        "# Side by side\n",
        "Written by `tests/benchmarks/side_by_side.py`: the same detector weights on the same pictures in",
        f"one run on {cores}, as ultralytics {version} uses them and as veedor does. `predict` keeps its own",
        "thresholds and reads neither cards nor chips; its time is that of detecting alone, veedor's that of",
        "all it does. Times are medians of one run, on a machine that does other things too. Overlap (IoU)",
        "of 0.5, as in the scorecard.\n",
    ]
    for name in dict.fromkeys(each.set_name for each in outcomes):
        here = [each for each in outcomes if each.set_name == name]
        shown = [each for each in SHOWN if any(figure.name == each for figure in here[-1].figures)]
        lines += [f"## {name}\n", "| | " + " | ".join(shown) + " | ms a picture |"]
        lines.append("| --- " * (len(shown) + 2) + "|")
        for each in here:
            figures = {figure.name: figure for figure in told(each)}
            cells = [_cell(figures.get(figure)) for figure in shown]
            lines.append(f"| {WAYS[each.way]} | " + " | ".join(cells) + f" | {each.median_ms:.0f} |")
        lines.append("")
    return "\n".join(lines)


def _cell(figure: Figure | None) -> str:
    return "–" if figure is None or figure.value is None else f"{figure.value:.3f} of {figure.n}"


if __name__ == "__main__":
    main()
