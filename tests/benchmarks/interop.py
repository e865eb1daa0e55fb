"""Do other people's programs read what `veedor label export` writes, and is what they write read here?

    python tests/benchmarks/interop.py --others /path/to/python [--session DIR] [--write-samples DIR]

`--others` is a Python with `pycocotools` and `datumaro`, apart from the project's own (datumaro pins much);
ultralytics comes with the `train` extra and runs here. Without `--session` a short one is simulated. Prints
one JSON object: each check with `ok` and what was counted. Exit status 1 if any does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

CLOSE_PX = 0.01  # datumaro keeps two decimals
PICTURES = 8
WRITTEN = "written-by-datumaro"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--others", type=Path, help="a Python with pycocotools and datumaro")
    parser.add_argument("--session", type=Path, help="a simulated session with its video")
    parser.add_argument(
        "--write-samples", type=Path, metavar="DIR", help="only let datumaro write small files"
    )
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)  # the part that runs in the other Python
    args = parser.parse_args()
    if args.read is not None:
        print(json.dumps(other_readers(args.read)))
        return 0
    if args.write_samples is not None:
        write_samples(args.write_samples)
        return 0
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(sys.stderr):
        checks = run(args, Path(name))
    print(json.dumps(checks, indent=1, ensure_ascii=False))
    return 0 if all(check["ok"] for check in checks.values()) else 1


def run(args: argparse.Namespace, folder: Path) -> dict[str, dict[str, Any]]:
    from veedor.datasets.formats.exporting import Export, export
    from veedor.datasets.formats.forms import FORMS
    from veedor.datasets.formats.simulated import simulated_labels
    from veedor.datasets.labelled_json import picture_to_json
    from veedor.datasets.simulate import Simulation, simulate
    from veedor.vision.sources import VideoSource

    session = args.session
    if session is None:
        session = folder / "session"
        job = Simulation("dos-panos-limitada", 5, 1, fps=Fraction(2), size=(960, 540))
        simulate(job, session)
    (folder / "pictures").mkdir()
    frames = VideoSource(session / "video.mp4").info.frames
    found = simulated_labels(session, folder / "pictures", max(1, -(-frames // PICTURES)))
    for form in FORMS:
        recordings = {found.recording: found.video}
        whole = Export(
            found.labels, form, "interop", table_of=lambda picture: found.table, recordings=recordings
        )
        export(whole, folder / form)
    truth = [picture_to_json(each) for each in found.labels.pictures]
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    checks: dict[str, dict[str, Any]] = {}
    if args.others is not None:
        told = subprocess.run(
            [str(args.others), __file__, "--read", str(folder)], check=True, capture_output=True, text=True
        )
        checks |= json.loads(told.stdout.splitlines()[-1])
        checks |= what_datumaro_wrote(folder)
    checks |= ultralytics_trains(folder / "yolo-obb", truth)
    return checks


# What runs in the other Python: nothing of this project can be imported there.


def other_readers(folder: Path) -> dict[str, dict[str, Any]]:
    truth = {each["id"]: each for each in json.loads((folder / "truth.json").read_text(encoding="utf-8"))}
    checks = {"pycocotools reads coco": pycocotools_reads(folder / "coco", truth)}
    checks["datumaro reads coco"] = datumaro_reads(folder / "coco", "coco", truth)
    checks["datumaro reads cvat-images"] = datumaro_reads(folder / "cvat-images", "cvat", truth)
    (recording,) = (folder / "cvat-video").glob("*/*/")
    rows = (recording / "frames.csv").read_text(encoding="utf-8").splitlines()[1:]
    frames = {f"frame_{int(row.split(',')[0]):06d}": truth[row.split(",")[4]] for row in rows}
    checks["datumaro reads cvat-video"] = datumaro_reads(recording, "cvat", frames)
    write_again(folder)
    return checks


def pycocotools_reads(folder: Path, truth: dict[str, Any]) -> dict[str, Any]:
    """Loads, and the masks it draws are as large as the outlines of the objects."""
    import io

    from pycocotools.coco import COCO

    seen, worst = 0, 0.0
    for path in (folder / "annotations").glob("*.json"):
        with contextlib.redirect_stdout(io.StringIO()):
            coco = COCO(str(path))
        for annotation in coco.loadAnns(coco.getAnnIds()):
            seen += 1
            mask = coco.annToMask(annotation)
            outline = annotation["segmentation"][0]
            around = sum(
                ((outline[i] - outline[i - 2]) ** 2 + (outline[i + 1] - outline[i - 1]) ** 2) ** 0.5
                for i in range(0, len(outline), 2)
            )
            # A mask is whole pixels: half a pixel along the border is what it may differ by.
            worst = max(worst, abs(float(mask.sum()) - annotation["area"]) / (0.5 * around))
    wanted = sum(len(each["objects"]) for each in truth.values())
    return {
        "ok": seen == wanted and worst <= 1.0,
        "objects": seen,
        "worst_of_half_pixel_border": round(worst, 3),
    }


def datumaro_reads(folder: Path, form: str, truth: dict[str, Any]) -> dict[str, Any]:
    """Every object of every picture, with its corners and what it says besides."""
    import datumaro

    dataset = datumaro.Dataset.import_from(str(folder), form)
    names = dataset.categories()[datumaro.AnnotationType.label]
    seen, worst, faults = 0, 0.0, []
    for item in dataset:
        wanted = {each["id"]: each for each in truth[item.id]["objects"]} if item.id in truth else {}
        for found in item.annotations:
            if found.type != datumaro.AnnotationType.polygon or found.attributes.get("outside"):
                continue
            seen += 1
            true = wanted.get(str(found.attributes["id"]))
            if true is None or names[found.label].name != true["kind"]:
                faults.append(f"{item.id}: {found.attributes['id']}")
                continue
            corners = [part for point in true["corners_px"] for part in point]
            if len(corners) == len(found.points):
                worst = max(worst, *(abs(a - b) for a, b in zip(corners, found.points, strict=True)))
            if str(found.attributes.get("suit", "?")) != true.get("suit", "?"):
                faults.append(f"{item.id}: suit of {true['id']}")
    objects = sum(len(each["objects"]) for each in truth.values())
    ok = seen == objects and not faults and worst <= CLOSE_PX
    return {"ok": ok, "objects": seen, "of": objects, "worst_px": round(worst, 4), "faults": faults[:5]}


def write_again(folder: Path) -> None:
    """Let datumaro write what it has read."""
    import datumaro

    for form, ours in (("coco", "coco"), ("cvat", "cvat-images")):
        dataset = datumaro.Dataset.import_from(str(folder / ours), form)
        dataset.export(str(folder / WRITTEN / ours), form, save_media=True)


def write_samples(out: Path) -> None:
    """Small files as datumaro writes them: a polygon, a box and a turned box, in two pictures."""
    import datumaro
    import numpy as np
    from datumaro.components.annotation import RotatedBbox

    labels = ["card_face", "chip_stack", "shoe"]
    shapes = [
        datumaro.Polygon(
            [10.5, 6.25, 22.5, 8.25, 19.5, 26.75, 7.5, 24.75], label=0, attributes={"rank": "7"}
        ),
        datumaro.Bbox(30, 10, 12, 9, label=1, attributes={"occluded": True}),
    ]
    turned = RotatedBbox(32, 24, 20, 10, 30, label=2)
    grey = datumaro.Image.from_numpy(np.full((48, 64, 3), 90, np.uint8))
    for form, extra in (("coco", []), ("cvat", [turned])):
        items = [
            datumaro.DatasetItem(
                "uno", subset="train", media=grey, annotations=shapes, attributes={"frame": 0}
            ),
            datumaro.DatasetItem(
                "dos", subset="train", media=grey, annotations=extra, attributes={"frame": 1}
            ),
        ]
        dataset = datumaro.Dataset.from_iterable(items, categories=labels)
        options = {"allow_undeclared_attrs": True} if form == "cvat" else {}
        dataset.export(str(out / form), form, save_media=True, **options)


# Back in the project's Python.


def what_datumaro_wrote(folder: Path) -> dict[str, dict[str, Any]]:
    """What datumaro has read and written again comes in with the same objects."""
    from veedor.datasets.formats.importing import Import, read_labels
    from veedor.datasets.formats.placing import Source

    truth = {each["id"]: each for each in json.loads((folder / "truth.json").read_text(encoding="utf-8"))}
    checks = {}
    for form in ("coco", "cvat-images"):
        into = folder / f"back-{form}"
        into.mkdir()
        job = Import(Source(folder / WRITTEN / form), form, "x", "x", "x")
        seen, worst, faults = 0, 0.0, []
        for picture in read_labels(job, into).labels.pictures:
            wanted = {each["id"]: each for each in truth[picture.id.rpartition("-")[0]]["objects"]}
            for item in picture.objects:
                seen += 1
                true = wanted.get(item.id)
                if true is None or [item.rank, item.suit, item.zone] != [
                    true.get(name) for name in ("rank", "suit", "zone")
                ]:
                    faults.append(f"{picture.id}: {item.id}")
                    continue
                for (x, y), (u, v) in zip(item.corners_px, true["corners_px"], strict=True):
                    worst = max(worst, abs(x - u), abs(y - v))
        objects = sum(len(each["objects"]) for each in truth.values())
        checks[f"read here: {form} written by datumaro"] = {
            "ok": seen == objects and not faults and worst <= CLOSE_PX,
            "objects": seen,
            "of": objects,
            "worst_px": round(worst, 4),
            "faults": faults[:5],
        }
    return checks


def ultralytics_trains(folder: Path, truth: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """One epoch of a small network, from nothing, and the boxes that ultralytics has read for it."""
    try:
        import ultralytics
        from ultralytics.data.dataset import YOLODataset
        from ultralytics.data.utils import check_det_dataset
    except ImportError:
        return {"ultralytics trains on yolo-obb": {"ok": False, "fault": "not installed: the `train` extra"}}
    data = check_det_dataset(str(folder / "data.yaml"))
    dataset = YOLODataset(img_path=data["train"], data=data, task="obb", imgsz=160, augment=False)
    read = sum(len(each["cls"]) for each in dataset.labels)
    worst = _worst_corner(dataset.labels, truth)
    objects = sum(len(each["objects"]) for each in truth)
    model = ultralytics.YOLO("yolo11n-obb.yaml")
    with tempfile.TemporaryDirectory() as runs:
        wanted = {"data": str(folder / "data.yaml"), "project": runs, "device": "cpu", "workers": 0}
        model.train(**wanted, epochs=1, imgsz=160, batch=4, plots=False, verbose=False, amp=False)
        weights = any(Path(runs).rglob("last.pt"))
    ok = weights and len(dataset.labels) == len(truth) and read == objects and worst <= CLOSE_PX
    return {
        "ultralytics trains on yolo-obb": {
            "ok": ok,
            "version": ultralytics.__version__,
            "pictures": len(dataset.labels),
            "objects": read,
            "of": objects,
            "worst_px": round(worst, 4),
            "weights_written": weights,
        }
    }


def _worst_corner(labels: list[dict[str, Any]], truth: list[dict[str, Any]]) -> float:
    """How far any corner that ultralytics has read lies from the labelled one, in pixels."""
    import numpy as np

    by_id = {each["id"]: each for each in truth}
    worst = 0.0
    for each in labels:
        picture = by_id[Path(each["im_file"]).stem]
        size = np.array([picture["width"], picture["height"]])
        read = [np.asarray(segment) * size for segment in each["segments"]]
        for item in picture["objects"]:
            corners = np.array(item["corners_px"])
            if (corners < 0).any() or (corners > size).any():
                continue  # its line has the box of the part inside
            worst = max(
                worst,
                min(float(np.abs(segment[:4] - corners).max()) for segment in read if len(segment) >= 4),
            )
    return worst


if __name__ == "__main__":
    sys.exit(main())
