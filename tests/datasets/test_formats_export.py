"""What an export shows and hides, how it is split, what its manifest says, and what a correction keeps."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from marked_recording import SIZE, labelled, mark, write_recording
from veedor.datasets.formats.exporting import Export, export
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.forms import FORMS
from veedor.datasets.formats.hiding import hidden, visible_mask
from veedor.datasets.formats.importing import Import, read_labels
from veedor.datasets.formats.placing import Source
from veedor.datasets.formats.simulated import is_simulated, simulated_labels
from veedor.datasets.formats.splits import Shares, split_of, with_splits
from veedor.datasets.labelled import LabelledObject, LabelledSet, detection_of_corners
from veedor.datasets.layouts import layout_path
from veedor.vision.camera import look_at
from veedor.vision.detections import ObjectClass
from veedor.vision.table import Table
from veedor.vision.table_file import load_layout, save_table


@pytest.fixture
def labels(tmp_path: Path) -> LabelledSet:
    found = labelled("a" * 64, (0, 3, 8), tmp_path / "pictures")
    found.folder.mkdir()
    for row, picture in enumerate(found.pictures):
        noise = np.random.default_rng(row).integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
        cv2.imwrite(str(found.file_of(picture)), noise)
    return found


def table() -> Table:
    camera = look_at(
        SIZE, focal_px=120.0, position_mm=np.array([0.0, -200.0, 2600.0]), target_mm=np.zeros(3),
        distortion=(-0.05, 0.0, 0.0, 0.0, 0.0),
    )  # fmt: skip
    return Table("t1", "Table 1", "dos-panos-limitada", load_layout(layout_path("dos-panos-10")), (), camera)


def hand(x: float, y: float) -> LabelledObject:
    return LabelledObject("h", ObjectClass.HAND, ((x, y), (x + 30, y), (x + 30, y + 30), (x, y + 30)))


def test_everything_outside_the_felt_is_hidden_and_the_felt_is_not(
    labels: LabelledSet, tmp_path: Path
) -> None:
    known = table()
    assert known.camera is not None
    export(Export(labels, "coco", "a test", table_of=lambda picture: known), tmp_path / "out")
    before = cv2.imread(str(labels.file_of(labels.pictures[1])))
    after = cv2.imread(str(tmp_path / "out/images/train/f003.png"))
    ys, xs = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    felt = known.camera.to_felt(np.column_stack([xs.ravel(), ys.ravel()]).astype(np.float64))
    outline = known.layout.outline_mm.astype(np.float32).reshape(-1, 1, 2)
    away = np.array([-cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in felt])
    away = away.reshape(SIZE[1], SIZE[0])
    own = np.zeros(away.shape, np.uint8)
    corners = np.round(detection_of_corners(mark(3).corners_px)).astype(np.int32)
    cv2.fillPoly(own, [corners], 255)
    near = cv2.dilate(own, np.ones((5, 5), np.uint8)) > 0
    assert (before[away < 0] == after[away < 0]).all()
    beyond = (away > 90) & ~near  # 30 mm of rim, and what a pixel is wide
    assert beyond.sum() > 2000
    # Noise of single pixels is gone where it was averaged away.
    assert after[beyond].astype(float).std() < 0.2 * before[beyond].astype(float).std()
    assert (before[own > 0] == after[own > 0]).all()


def test_without_a_table_only_what_labels_span_is_shown(labels: LabelledSet) -> None:
    first, last = mark(0), mark(8)
    mask = visible_mask(SIZE, [first, last], None)
    assert mask[20, 15] == mask[65, 95] == 255  # on both, and between them
    assert mask[45, 55] == 255
    assert mask[130, 20] == mask[10, 180] == 0
    assert not visible_mask(SIZE, [], None).any()
    assert not visible_mask(SIZE, [hand(100, 100)], None).any()  # a hand may lie before a face


def test_a_hidden_face_cannot_be_made_out() -> None:
    image = np.zeros((1080, 1920, 3), np.uint8)
    face = np.zeros((120, 90), np.uint8)
    cv2.ellipse(face, (45, 60), (40, 55), 0, 0, 360, 200, -1)
    for x in (28, 62):
        cv2.circle(face, (x, 45), 8, 20, -1)
    image[300:420, 900:990] = face[:, :, None]
    shown = hidden(image, np.zeros(image.shape[:2], np.uint8))[300:420, 900:990, 0].astype(float)
    eyes, cheek = shown[345 - 300, 62], shown[385 - 300, 62]
    assert cheek - eyes < 20  # 180 in the picture
    assert np.abs(np.diff(shown, axis=1)).max() <= 4


def test_the_same_job_gives_the_same_bytes_and_the_manifest_lists_them(
    labels: LabelledSet, tmp_path: Path
) -> None:
    for form in FORMS:
        digests = []
        for name in ("one", "two"):
            out = tmp_path / f"{form}-{name}"
            export(Export(labels, form, "a test", crop=True), out)
            files = {
                path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in out.rglob("*")
                if path.is_file()
            }
            manifest = json.loads((out / "manifest.json").read_text())
            assert manifest["files"] == {
                name: each for name, each in files.items() if name != "manifest.json"
            }
            assert (manifest["name"], manifest["version"], manifest["made_by"]) == ("marks", "1", "a test")
            assert (manifest["faces"], manifest["cropped"]) == ("hidden", True)
            row = manifest["pictures"][1]
            assert row["pts"] * Fraction(row["time_base"]) == labels.pictures[1].t
            assert (row["session"], row["recording"], row["revision"]) == ("night", "a" * 64, 1)
            digests.append(files)
        assert digests[0] == digests[1]


def test_nothing_is_left_of_an_export_that_fails(
    labels: LabelledSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels.file_of(labels.pictures[2]).unlink()
    with pytest.raises(FormatFault, match=r"f008\.png: no such file"):
        export(Export(labels, "coco", "a test"), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pictures"]


def test_what_a_killed_export_has_left_does_not_disturb_the_next(labels: LabelledSet, tmp_path: Path) -> None:
    (tmp_path / ".out.part" / "images").mkdir(parents=True)
    (tmp_path / ".out.part" / "images" / "half.png").write_bytes(b"x")
    export(Export(labels, "coco", "a test"), tmp_path / "out")
    assert not list((tmp_path / "out").rglob("half.png"))
    assert not (tmp_path / ".out.part").exists()


def test_an_unaltered_picture_is_the_stores_own_file(labels: LabelledSet, tmp_path: Path) -> None:
    export(Export(labels, "yolo-obb", "a test", keep_faces=True), tmp_path / "out")
    for picture in labels.pictures:
        copy = tmp_path / "out/images/train" / f"{picture.id}.png"
        assert copy.read_bytes() == labels.file_of(picture).read_bytes()


def test_splits_go_by_session_and_stay_when_sessions_come() -> None:
    base = labelled("a" * 64, (0, 1, 2), Path()).pictures
    nights = [f"2026-11-{day:02d}" for day in range(1, 31)] * 20

    def night(number: int) -> list:
        return [
            replace(each, id=f"{each.id}-{number}", session=f"{nights[number]}-{number}", split=None)
            for each in base
        ]

    some = with_splits([picture for number in range(100) for picture in night(number)])
    more = with_splits([picture for number in range(600) for picture in night(number)])
    assert {each.id: each.split for each in some}.items() <= {each.id: each.split for each in more}.items()
    by_session: dict[str, set[str | None]] = {}
    for each in more:
        by_session.setdefault(each.session, set()).add(each.split)
    assert all(len(splits) == 1 for splits in by_session.values())
    counts = Counter(next(iter(splits)) for splits in by_session.values())
    assert 40 < counts["val"] < 80 and 40 < counts["test"] < 80  # of 600, a tenth each


def test_sessions_with_one_deck_stay_together_and_a_given_split_is_kept() -> None:
    base = labelled("a" * 64, (0,), Path()).pictures[0]
    card = replace(base.objects[0], extra=(("deck", "fournier-7"),))
    many = [
        replace(base, id=f"p{number}", session=f"s{number}", split=None, objects=(card,))
        for number in range(50)
    ]
    assert len({each.split for each in with_splits(many)}) == 1
    assert {each.split for each in with_splits([replace(each, split="val") for each in many])} == {"val"}
    assert len({each.split for each in with_splits(many, decks={})}) > 1
    with pytest.raises(ValueError, match="leave nothing for training"):
        Shares(0.5, 0.5)
    assert split_of("session a") == split_of("session a")


def again(out: Path, form: str, into: Path) -> dict[str, LabelledObject]:
    into.mkdir(exist_ok=True)
    labels = read_labels(Import(Source(out), form, "x", "x", "x"), into).labels
    return {picture.id: picture.objects for picture in labels.pictures}["f003"]


def test_a_corrected_yolo_line_moves_the_corners_and_keeps_the_rest(
    labels: LabelledSet, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export(Export(labels, "yolo-obb", "a test"), out)
    label = out / "labels/train/f003.txt"
    left, top, right, bottom = mark(3).corners_px[0] + mark(3).corners_px[2]
    moved = [left + 2, top + 1, right + 2, top + 1, right + 2, bottom + 1, left + 2, bottom + 1]
    shares = " ".join(str(part / side) for part, side in zip(moved, SIZE * 4, strict=True))
    label.write_text(f"0 {shares}\n7 0 0 0.1 0 0.1 0.1 0 0.1\n")
    card, new = again(out, "yolo-obb", tmp_path / "into")
    assert (card.id, card.rank, card.suit) == ("c1", "7", "H")
    assert np.allclose(card.corners_px, np.reshape(moved, (4, 2)))
    assert (new.id, new.kind) == ("new-2", ObjectClass.SHOE)
    label.write_text("")
    assert again(out, "yolo-obb", tmp_path / "into") == ()


@pytest.mark.parametrize("by_px", [0.004, 0.5], ids=["rounding", "half a pixel"])
def test_a_moved_outline_wins_over_the_corners_it_was_written_with(by_px, labels, tmp_path) -> None:
    # Partly outside: the outline is cut at the border, the corners beyond it travel apart.
    beyond = replace(mark(3), corners_px=((-5.0, 10.0), (15.0, 10.0), (15.0, 30.0), (-5.0, 30.0)))
    pictures = tuple(each.with_objects([beyond]) if each.id == "f003" else each for each in labels.pictures)
    out = tmp_path / "out"
    export(Export(replace(labels, pictures=pictures), "coco", "a test"), out)
    path = out / "annotations/instances_train.json"
    record = json.loads(path.read_text())
    (drawn,) = [each for each in record["annotations"] if each["image_id"] == 2]
    assert min(drawn["segmentation"][0]) == 0
    drawn["segmentation"][0] = [part + by_px for part in drawn["segmentation"][0]]
    path.write_text(json.dumps(record))
    (card,) = again(out, "coco", tmp_path / "into")
    if by_px < 0.01:
        assert card.corners_px == beyond.corners_px
    else:
        assert {x for x, _ in card.corners_px} == {0.5, 15.5}
    assert (card.rank, card.suit) == ("7", "H")


def simulated(folder: Path, *, first: int = 0, shift_s: float = 0.0) -> None:
    """A session folder whose truth is the marks, told as the renderer tells it."""
    folder.mkdir()
    pts = tuple(range(0, 14 * 40, 40))
    write_recording(folder / "video.mp4", pts)
    save_table(table(), folder / "table.toml")
    lines = []
    for number, each in enumerate(pts[first:], start=first):
        corners = [[x - 0.5, y - 0.5] for x, y in mark(number).corners_px]
        box = {"class": "card_face", "id": "c1", "corners_px": corners, "base_mm": [0, 0], "face": "7H"}
        box["visible_fraction"] = 0.5
        lines.append(json.dumps({"index": number, "t": each / 1000 + shift_s, "objects": [box]}))
    (folder / "boxes.jsonl").write_text("".join(f"{line}\n" for line in lines))


def test_a_simulated_session_exports_its_truth(tmp_path: Path) -> None:
    simulated(tmp_path / "session")
    assert is_simulated(tmp_path / "session")
    found = simulated_labels(tmp_path / "session", tmp_path, every=5).labels
    assert [each.t for each in found.pictures] == [0, Fraction(1, 5), Fraction(2, 5)]
    for picture, number in zip(found.pictures, (0, 5, 10), strict=True):
        (card,) = picture.objects
        assert np.allclose(card.corners_px, mark(number).corners_px)
        assert (card.rank, card.suit, card.occluded, card.truncated) == ("7", "H", True, False)
        left, top = map(int, card.corners_px[0])
        image = cv2.imread(str(found.file_of(picture)))
        assert image[top, left].min() > 200 and image[top - 1, left - 1].max() < 50


@pytest.mark.parametrize("change", [{"first": 1}, {"shift_s": 0.04}, {"shift_s": -0.04}])
def test_a_truth_that_is_one_frame_off_is_refused(change: dict, tmp_path: Path) -> None:
    simulated(tmp_path / "session", **change)
    with pytest.raises(FormatFault, match=r"boxes\.jsonl"):
        simulated_labels(tmp_path / "session", tmp_path)


def test_an_export_needs_a_picture(tmp_path: Path) -> None:
    with pytest.raises(FormatFault, match="no labelled picture"):
        export(Export(LabelledSet("x", "1", (), tmp_path), "coco", "t"), tmp_path / "out")
