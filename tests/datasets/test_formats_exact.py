"""A label meets its pixels: not half a pixel beside them, not one frame before or after."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from marked_recording import (
    PTS,
    SIZE,
    TIME_BASE,
    decoded,
    edges_of,
    labelled,
    mark,
    measured,
    write_recording,
)
from veedor.datasets.formats.exporting import Export, export
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.forms import FORMS
from veedor.datasets.formats.frame_numbers import frames_at
from veedor.datasets.formats.importing import Import, read_labels
from veedor.datasets.formats.placing import Source
from veedor.datasets.labelled import (
    LabelledSet,
    corners_of_detection,
    detection_of_corners,
)

CLOSE_PX = 0.1  # half a pixel is five times as much
NUMBERS = (0, 2, 3, 7, 8, 13)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("recording") / "noche.mp4"
    return path, write_recording(path)


@pytest.fixture
def labels(recording: tuple[Path, str], tmp_path: Path) -> LabelledSet:
    path, digest = recording
    found = labelled(digest, NUMBERS, tmp_path / "pictures")
    found.folder.mkdir()
    for picture, shown in zip(found.pictures, frames_at(path, NUMBERS), strict=True):
        cv2.imwrite(str(found.file_of(picture)), shown.image)
    return found


def exported(
    labels: LabelledSet, recording: tuple[Path, str], form: str, out: Path, *, crop: bool = False
) -> Path:
    recordings = {recording[1]: recording[0]}
    job = Export(labels, form, "a test", crop=crop, keep_faces=True, recordings=recordings)
    export(job, out)
    return out


def box(points: list[float]) -> tuple[float, float, float, float]:
    return min(points[::2]), min(points[1::2]), max(points[::2]), max(points[1::2])


def close(told: tuple[float, ...], seen: tuple[float, ...]) -> bool:
    return max(abs(a - b) for a, b in zip(told, seen, strict=True)) <= CLOSE_PX


def yolo_labels(out: Path) -> dict[Path, tuple[float, ...]]:
    found = {}
    for label in (out / "labels").rglob("*.txt"):
        image = out / "images" / label.parent.name / f"{label.stem}.png"
        height, width = cv2.imread(str(image)).shape[:2]
        shares = [float(part) for part in label.read_text().split()[1:]]
        found[image] = box([share * side for share, side in zip(shares, [width, height] * 4, strict=True)])
    return found


def coco_labels(out: Path) -> dict[Path, tuple[float, ...]]:
    record = json.loads((out / "annotations/instances_train.json").read_text())
    files = {each["id"]: out / "images/train" / each["file_name"] for each in record["images"]}
    found = {}
    for each in record["annotations"]:
        found[files[each["image_id"]]] = box(each["segmentation"][0])
        left, top, width, height = each["bbox"]
        assert close(box(each["segmentation"][0]), (left, top, left + width, top + height))
    return found


def cvat_labels(out: Path) -> dict[Path, tuple[float, ...]]:
    return {
        out / "images/train" / str(image.get("name")): points_of(polygon)
        for image in ET.parse(out / "train.xml").getroot().iter("image")
        for polygon in image.iter("polygon")
    }


def points_of(polygon: ET.Element) -> tuple[float, ...]:
    pairs = str(polygon.get("points")).split(";")
    return box([float(part) for pair in pairs for part in pair.split(",")])


@pytest.mark.parametrize("crop", [False, True], ids=["whole", "cut"])
@pytest.mark.parametrize(
    ("form", "read"), [("yolo-obb", yolo_labels), ("coco", coco_labels), ("cvat-images", cvat_labels)]
)
def test_corners_stand_on_the_pixels(form, read, crop, labels, recording, tmp_path) -> None:
    found = read(exported(labels, recording, form, tmp_path / "out", crop=crop))
    assert len(found) == len(NUMBERS)
    for image, told in found.items():
        assert close(told, measured(cv2.imread(str(image)))), image
        # The check itself would notice half a pixel.
        assert not close(tuple(part + 0.5 for part in told), measured(cv2.imread(str(image))))


@pytest.mark.parametrize("at_hand", [True, False], ids=["recording at hand", "pictures only"])
def test_frames_of_cvat_video_are_the_recordings(at_hand, labels, recording, tmp_path) -> None:
    recordings = {recording[1]: recording[0]} if at_hand else {}
    export(Export(labels, "cvat-video", "a test", keep_faces=True, recordings=recordings), tmp_path / "out")
    (folder,) = (tmp_path / "out" / "train").iterdir()
    with (folder / "frames.csv").open() as file:
        instants = {
            int(row["frame"]): int(row["pts"]) * Fraction(row["time_base"]) for row in csv.DictReader(file)
        }
    assert [instants[number] for number in sorted(instants)] == sorted(instants.values())
    frames = decoded(recording[0])
    times = [time for time, _ in frames]
    shapes = list(ET.parse(folder / "annotations.xml").getroot().iter("polygon"))
    told = {int(str(each.get("frame"))): points_of(each) for each in shapes if each.get("outside") == "0"}
    assert set(told) == set(instants) == (set(NUMBERS) if at_hand else set(range(len(NUMBERS))))
    for number, corners in told.items():
        at = times.index(instants[number])
        assert at == number or not at_hand
        assert close(corners, measured(frames[at][1]))
        assert close(corners, measured(cv2.imread(str(folder / f"images/frame_{number:06d}.png"))))
        for other in (at - 1, at + 1):
            if 0 <= other < len(frames):
                assert not close(corners, measured(frames[other][1]))


def test_tracks_end_before_frames_that_nobody_has_labelled(labels, recording, tmp_path) -> None:
    out = exported(labels, recording, "cvat-video", tmp_path / "out")
    (path,) = out.glob("train/*/annotations.xml")
    outside = [
        int(str(each.get("frame")))
        for each in ET.parse(path).getroot().iter("polygon")
        if each.get("outside") == "1"
    ]
    assert outside == [1, 4, 9]  # 2 goes on in 3, 7 in 8, and 13 is the last


def test_labels_counted_in_frames_of_a_recording_come_in_at_their_instants(recording, tmp_path) -> None:
    shapes = "".join(
        f'<track id="{number}" label="card_face"><polygon frame="{number}" outside="0" occluded="0" points="'
        f'{";".join(f"{x},{y}" for x, y in mark(number).corners_px)}"/></track>'
        for number in (12, 1, 5)
    )
    (tmp_path / "by-hand.xml").write_text(f"<annotations><version>1.1</version>{shapes}</annotations>")
    job = Import(Source(tmp_path / "by-hand.xml"), "cvat-video", "me", "s", "t", recording[0])
    found = read_labels(job, tmp_path).labels
    assert [each.t for each in found.pictures] == [PTS[number] * TIME_BASE for number in (1, 5, 12)]
    for picture in found.pictures:
        (item,) = picture.objects
        told = box([part for point in item.corners_px for part in point])
        assert close(told, measured(cv2.imread(str(found.file_of(picture)))))
        assert picture.recording == recording[1]


def test_a_frame_that_the_recording_has_not_is_refused(recording, tmp_path) -> None:
    shape = '<polygon frame="14" outside="0" points="1,1;9,1;9,9;1,9"/>'
    (tmp_path / "a.xml").write_text(f'<annotations><track label="shoe">{shape}</track></annotations>')
    job = Import(Source(tmp_path / "a.xml"), "cvat-video", "me", "s", "t", recording[0])
    with pytest.raises(FormatFault, match=r"noche\.mp4: has no frame 14: they go from 0 to 13"):
        read_labels(job, tmp_path)


def test_an_instant_that_the_recording_does_not_show_is_refused(recording, tmp_path) -> None:
    found = labelled(recording[1], (3,), tmp_path)
    late = found.pictures[0].__class__(**{**vars(found.pictures[0]), "pts": PTS[3] + 1})
    cv2.imwrite(str(tmp_path / "f003.png"), np.zeros((SIZE[1], SIZE[0], 3), np.uint8))
    job = Export(
        LabelledSet("x", "1", (late,), tmp_path), "cvat-video", "t", recordings={recording[1]: recording[0]}
    )
    with pytest.raises(FormatFault, match="shows no frame at 121 x 1/1000 s"):
        export(job, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", FORMS)
def test_instants_come_back_whatever_the_rate_does(form, labels, recording, tmp_path) -> None:
    (tmp_path / "back").mkdir()
    out = exported(labels, recording, form, tmp_path / "out")
    found = read_labels(Import(Source(out), form, "x", "x", "x"), tmp_path / "back").labels
    assert {each.id: each.t for each in found.pictures} == {
        f"f{number:03d}": PTS[number] * TIME_BASE for number in NUMBERS
    }


def test_frames_are_decoded_wherever_one_begins(recording) -> None:
    for wanted in ((0, 13), (5,), (12, 1, 6), range(14)):
        for shown in frames_at(recording[0], wanted):
            assert shown.pts * shown.time_base == PTS[shown.number] * TIME_BASE
            assert close(tuple(map(float, edges_of(shown.number))), measured(shown.image))


def test_opencv_counts_from_the_first_pixels_middle() -> None:
    image = np.zeros((40, 40, 3), np.uint8)
    cv2.rectangle(image, (10, 12), (20, 30), (235, 235, 235), -1)  # both corners' pixels belong to it
    centres = np.array([[9.5, 11.5], [20.5, 11.5], [20.5, 30.5], [9.5, 30.5]])  # its outline, to OpenCV
    corners = corners_of_detection(centres)
    assert close(box([part for point in corners for part in point]), measured(np.maximum(image, 16)))
    assert np.array_equal(detection_of_corners(corners), centres)
