"""How exactly cameras are found from the felt's printed lines, on pictures whose camera is known.

    python tests/benchmarks/registration.py DIR [--pictures NAME…]

DIR holds `layout.json` and pairs `NAME.jpg`, `NAME.json` (path-traced tables with their cameras). Prints
JSON: for every picture the error in mm over the points of the printed lines inside the picture, and over all
pictures the median of the pictures' medians and the largest error of all. A picture whose registration is
doubted counts as not found; one that is trusted and off by more than a few millimetres counts as wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import cv2
import numpy as np
from veedor.models.labels import read_json
from veedor.models.photoreal_tables import _camera, layout_of
from veedor.vision.felt_lines import printed_lines
from veedor.vision.registration import register

WRONG_MM = 6.0


def measured(folder: Path, name: str) -> dict[str, object]:
    """One picture's figures."""
    layout = layout_of(read_json(folder / "layout.json"))
    truth = _camera(read_json(folder / f"{name}.json")["camera"])
    image = cv2.imread(str(folder / f"{name}.jpg"))
    began = time.perf_counter()
    found = register(image, layout)
    seconds = time.perf_counter() - began
    places = printed_lines(layout).places_mm
    pixels = truth.project(places)
    inside = ((pixels >= 0) & (pixels <= (truth.width - 1, truth.height - 1))).all(axis=1)
    line: dict[str, object] = {"picture": name, "certain": found.certain, "seconds": round(seconds, 1)}
    if found.doubt is not None:
        line["doubt"] = str(found.doubt)
    if found.camera is not None:
        away = np.linalg.norm(found.camera.to_felt(pixels[inside]) - places[inside], axis=1)
        line |= {"median_mm": round(float(np.median(away)), 3), "worst_mm": round(float(away.max()), 3)}
    if found.error_mm is not None and found.worst_mm is not None:
        line |= {"estimated_mm": round(found.error_mm, 2), "estimated_worst_mm": round(found.worst_mm, 2)}
    line |= {"support": round(found.support, 3), "stray": round(found.stray, 3)}
    return line


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--pictures", nargs="+", metavar="NAME")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    names = options.pictures or sorted(path.stem for path in options.folder.glob("*.jpg"))
    lines = []
    for name in names:
        lines.append(measured(options.folder, name))
        print(json.dumps(lines[-1]), file=sys.stderr, flush=True)
    certain = [line for line in lines if line["certain"]]
    worst = [float(str(line["worst_mm"])) for line in certain]
    medians = [float(str(line["median_mm"])) for line in certain]
    summary = {
        "pictures": lines,
        "certain": len(certain),
        "of": len(lines),
        "wrong": sum(value > WRONG_MM for value in worst),
        "median_mm": float(np.median(medians)) if medians else None,
        "worst_mm": max(worst, default=None),
    }
    print(json.dumps(summary, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
