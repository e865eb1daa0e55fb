"""Files that are broken, hostile or not what they claim: one line with file and fault, nothing comes in."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from labelled_strategies import SIZE
from marked_recording import labelled
from veedor.datasets.errors import DatasetError
from veedor.datasets.formats.exporting import Export, export
from veedor.datasets.formats.forms import FORMS
from veedor.datasets.formats.importing import Import, read_labels
from veedor.datasets.formats.placing import Source

IMAGE = '<image id="0" name="a.png" width="64" height="48">'
SQUARE = '<polygon label="shoe" occluded="0" points="1,1;9,1;9,9;1,9"/>'


def grey(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((SIZE[1], SIZE[0], 3), 90, np.uint8))


def fault_of(path: Path, form: str) -> str:
    into = path.parent / "into"
    into.mkdir()
    with pytest.raises(DatasetError) as caught:
        read_labels(Import(Source(path), form, "x", "x", "x"), into)
    told = str(caught.value)
    assert "\n" not in told
    assert str(path) in told or path.suffix == ""
    return told


def images(inside: str, image: str = IMAGE) -> str:
    return f"<annotations>{image}{inside}</image></annotations>"


def named(name: str) -> str:
    return images("", IMAGE.replace("a.png", name))


def drawn(old: str, new: str) -> str:
    return images(SQUARE.replace(old, new))


def saying(name: str, value: str) -> str:
    polygon = SQUARE.replace("/>", ">").replace("shoe", "card_face")
    return images(f"{polygon}<attribute name='{name}'>{value}</attribute></polygon>")


# Each list holds the one before ten times: written out, ten milliards of letters.
BOMB = "".join(f"{name}: &{name} [{', '.join([f'*{last}'] * 10)}]\n" for last, name in pairwise("abcdefghiz"))
LAUGHS = '<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;">]><annotations>&m;</annotations>'
OUTSIDE_ENTITY = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><annotations>&x;</annotations>'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1: not XML: no element found"),
        ("<annotations><image>", "not XML"),
        ("<annotations>\n<image></annotations>", "line 2: not XML: mismatched tag"),
        (LAUGHS, "line 1: a document type is not allowed"),
        (OUTSIDE_ENTITY, "a document type is not allowed"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "not XML"),
        ("<a>" * 50 + "</a>" * 50, "nested too deeply"),
        ("<html/>", "not CVAT annotations: the root is <html>"),
        ("<annotations/>", "tells of no picture"),
        ("<annotations><track/></annotations>", "this is CVAT for video"),
        (f"<annotations>{IMAGE}</image>{IMAGE}</image></annotations>", "the image 'a.png' stands twice"),
        (images("", IMAGE.replace("64", "65")), "65 x 48 px, where its picture a.png is of 64 x 48 px"),
        (images("", IMAGE.replace("64", "-1")), "are not numbers above 0"),
        (named("b.png"), "its picture is missing"),
        (named("../a.png"), "leads out of the folder"),
        (named("/etc/passwd"), "leads out of the folder"),
        (named("C:\\a.png"), "leads out of the folder"),
        (named("..\\a.png"), "leads out of the folder"),
        (named("link/passwd"), "leads out of the folder"),
        (drawn("shoe", "dragon"), "unknown class 'dragon'"),
        (drawn("1,1", "nan,1"), "is not two numbers"),
        (drawn("1,1", "1e999,1"), "is not two numbers"),
        (drawn("1,1", "1e9,1"), "is not two numbers"),
        (drawn("1,1;", "1;"), "is not two numbers"),
        (drawn("9,9;1,9", "5,1;3,1"), "encloses nothing"),
        (images("<mask label='shoe' rle='1'/>"), "a mask, where a polygon or box"),
        (images("<box label='shoe' xtl='9' ytl='1' xbr='1' ybr='9'/>"), "a box without width"),
        (images(SQUARE * 501), "501 objects are more than 500"),
        (saying("rank", "14"), "rank '14' is not one of"),
        (saying("more", "{{"), "more is not a JSON object"),
        (saying("more", '{"spin": 1}'), "unknown field 'spin' in more"),
        (saying("more", '{"corners_px": [[NaN, 1], [9, 1], [9, 9], [1, 9]]}'), "is not two finite numbers"),
        (saying("more", '{"corners_px": 7}'), "is not four points"),
        (saying("truncated", "perhaps"), "is neither true nor false"),
    ],
)  # fmt: skip
def test_bad_xml(text: str, fault: str, tmp_path: Path) -> None:
    grey(tmp_path / "a.png")
    (tmp_path / "link").symlink_to("/etc")
    path = tmp_path / "bad.xml"
    path.write_text(text, encoding="utf-8")
    assert fault in fault_of(path, "cvat-images")


def coco(**changes: object) -> dict[str, object]:
    record: dict[str, object] = {
        "images": [{"id": 1, "file_name": "a.png", "width": 64, "height": 48}],
        "categories": [{"id": 1, "name": "shoe"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[1, 1, 9, 1, 9, 9]]}],
    }
    return record | changes


def annotation(**changes: object) -> str:
    base = {"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[1, 1, 9, 1, 9, 9]]}
    return json.dumps(coco(annotations=[base | changes]))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "not a COCO file"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "not JSON"),
        (json.dumps(coco(images=7)), "images is not a list"),
        (json.dumps(coco(images=[])), "annotations of image 1, which is not listed"),
        (json.dumps(coco(images=[{"id": 1}])), "None is not a file's name"),
        (json.dumps(coco(categories=[{"id": 1, "name": "dragon"}])), "unknown class 'dragon'"),
        (json.dumps(coco(categories=[])), "category 1 is not listed"),
        (annotation(segmentation=[[1, 1, 9]]), "segmentation is not a list of outlines"),
        (annotation(segmentation=[[1, 1, 9, 1, 9, "NaN"]]), "holds what is no number"),
        (annotation(segmentation=[[1, 1, 9, 1, 9, 10**400]]), "holds what is no number"),
        (annotation(segmentation=[[1, 1, 9, 1, 9, 9]]).replace("9, 9]", "9, NaN]"), "NaN is not a number"),
        (annotation(segmentation={"counts": "x", "size": [1, 1]}), "a mask, where an outline"),
        (annotation(segmentation=[], bbox=[1, 1, 0, 5]), "bbox is not a place"),
        (annotation(segmentation=[]), "neither an outline nor a bbox"),
        (annotation(attributes=[]), "attributes is not a JSON object"),
        (annotation(attributes={"count": 1e300}), "count '1e+300' is not a number"),
        (annotation(attributes={"chips": [1]}), "chips is not a list of names"),
        (annotation(attributes={"zone": "a\x00b"}), "zone holds a control character"),
        (annotation(attributes={"zone": "x" * 501}), "zone is longer than 500"),
    ],
)  # fmt: skip
def test_bad_coco(text: str, fault: str, tmp_path: Path) -> None:
    grey(tmp_path / "a.png")
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    assert fault in fault_of(path, "coco")


@pytest.mark.parametrize(
    ("label", "fault"),
    [
        ("0 0.1 0.1", "line 1: expected a class and four corners, found 3 words"),
        ("9 0 0 1 0 1 1 0 1", "unknown class '9'"),
        ("x 0 0 1 0 1 1 0 1", "unknown class 'x'"),
        ("0 nan 0 1 0 1 1 0 1", "a corner is not two shares"),
        ("0 7 0 1 0 1 1 0 1", "a corner is not two shares"),
        ("0 0 0 0 0 0 0 0 0", "enclose nothing"),
        ("0 0 0 1 0 1 1 0 1\n" * 501, "501 objects are more than 500"),
    ],
)
def test_bad_yolo_lines(label: str, fault: str, tmp_path: Path) -> None:
    grey(tmp_path / "images/train/a.png")
    (tmp_path / "labels/train").mkdir(parents=True)
    (tmp_path / "labels/train/a.txt").write_text(label)
    (tmp_path / "data.yaml").write_text("train: images/train\nnames: {0: shoe}\n")
    told = _yolo_fault(tmp_path)
    assert fault in told
    assert "a.txt" in told


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- 1", "not a description"),
        (": [", "not YAML"),
        ("train: images/train\nnames: 3", "names is not a list"),
        ("train: images/train\nnames: [dragon]", "unknown class 'dragon'"),
        ("train: /etc\nnames: [shoe]", "leads out of the folder"),
        ("train: ../../etc\nnames: [shoe]", "leads out of the folder"),
        ("train: nowhere\nnames: [shoe]", "no such folder"),
        ("names: [shoe]", "names no folder"),
        ("train: .\nnames: [hand, dragon]", "unknown class 'dragon'"),
        ("train: ''\nnames: [shoe]", "is not a file's name"),
        (f"a: &a [x, x, x, x, x, x, x, x, x, x]\n{BOMB}train: *z\nnames: [shoe]", "is not a file's name"),
        ("train: images/train\nnames: {0: shoe, x: hand}", "names is not a list"),
        ("train: !!python/object/apply:os.system [true]\nnames: [shoe]", "not YAML"),
    ],
)
def test_bad_yolo_descriptions(text: str, fault: str, tmp_path: Path) -> None:
    grey(tmp_path / "images/train/a.png")
    (tmp_path / "data.yaml").write_text(text)
    assert fault in _yolo_fault(tmp_path)


def _yolo_fault(folder: Path) -> str:
    with pytest.raises(DatasetError) as caught:
        read_labels(Import(Source(folder), "yolo-obb", "x", "x", "x"), folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_labels_without_their_picture(tmp_path: Path) -> None:
    grey(tmp_path / "images/train/a.png")
    (tmp_path / "labels/train").mkdir(parents=True)
    (tmp_path / "labels/train/b.txt").write_text("")
    (tmp_path / "data.yaml").write_text("train: images/train\nnames: [shoe]\n")
    assert "b.txt: its picture is missing" in _yolo_fault(tmp_path)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda out, picture: picture.write_bytes(b"no picture"), "not a picture|SHA-256"),
        (lambda out, picture: picture.write_bytes(picture.read_bytes()[:60]), "not a picture"),
        (lambda out, picture: cv2.imwrite(str(picture), np.zeros((9, 9, 3), np.uint8)), "SHA-256 is another"),
        (lambda out, picture: (out / "manifest.json").write_text("{"), "manifest.json, line 1: not JSON"),
        (
            lambda out, picture: (out / "manifest.json").write_text(LATER),
            "not a manifest of schema 1",
        ),
    ],
)
def test_spoilt_exports(form: str, spoil: Callable[[Path, Path], None], fault: str, tmp_path: Path) -> None:
    out = small_export(form, tmp_path)
    spoil(out, sorted(out.rglob("*.png"))[0])
    (tmp_path / "into").mkdir()
    with pytest.raises(DatasetError) as caught:
        read_labels(Import(Source(out), form, "x", "x", "x"), tmp_path / "into")
    assert re.search(fault, str(caught.value)), str(caught.value)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda row: row.update(file="../x.png"), "leads out of the folder"),
        (lambda row: row.update(window_px=[0, 0, 900, 1]), "window_px is not a part of the picture"),
        (lambda row: row.update(window_px=["0", "0", "9", "9"]), "window_px is not four whole numbers"),
        (lambda row: row.update(width=60_000, height=60_000), "more than can be labelled"),
        (lambda row: row.update(pts=1e999), "Infinity is not a number"),
        (lambda row: row.update(time_base="1/0"), "is not a fraction"),
        (lambda row: row.update(id="a/b"), "an id is made of"),
        (lambda row: row.update(surprise=1), "unknown field surprise"),
        (lambda row: row.pop("recording"), "recording is missing"),
    ],
)
def test_bad_rows_of_a_manifest(change: Callable[[dict], None], fault: str, tmp_path: Path) -> None:
    out = small_export("coco", tmp_path)
    record = json.loads((out / "manifest.json").read_text())
    change(record["pictures"][0])
    (out / "manifest.json").write_text(json.dumps(record))
    with pytest.raises(DatasetError, match=fault):
        read_labels(Import(Source(out), "coco", "x", "x", "x"), tmp_path)


def damaged(text: str, rng: random.Random) -> str:
    """A number, word or text replaced by something that trips readers, or a stretch lost."""
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        return text[:at] + text[at + rng.randrange(1, 60) :]
    begin, end = rng.choice([each.span() for each in re.finditer(r'-?\d+\.?\d*|"[^"]*"|\w+', text)])
    return text[:begin] + rng.choice(TRAPS) + text[end:]


TRAPS = (
    "", "-1", "nan", "1e999", "9" * 30, "null", "[]", "{}", '"x"', "..", "\x00", "<a/>", "0", "1;2", "ñ",
    "[[1,2]]", "１", "\U0001f600",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_damage_is_told_or_does_no_harm(form: str, tmp_path: Path) -> None:
    out = small_export(form, tmp_path)
    (tmp_path / "into").mkdir()
    texts = [
        path for path in sorted(out.rglob("*")) if path.suffix in (".txt", ".yaml", ".json", ".jsonl", ".xml")
    ]
    rng = random.Random(form)
    refused = 0
    for _ in range(60):
        path = rng.choice([path for path in texts if path.stat().st_size])
        before = path.read_bytes()
        path.write_text(damaged(before.decode(), rng), encoding="utf-8")
        try:
            read_labels(Import(Source(out), form, "x", "x", "x"), tmp_path / "into")
        except DatasetError as fault:  # anything else would be a traceback
            assert "\n" not in str(fault)
            refused += 1
        path.write_bytes(before)
    assert refused > 20


LATER = '{"schema": 2, "form": "coco", "made_by": "veedor 9"}'


def small_export(form: str, folder: Path) -> Path:
    labels = labelled("a" * 64, (0, 3), folder / "pictures")
    labels.folder.mkdir()
    for row, picture in enumerate(labels.pictures):
        noise = np.random.default_rng(row).integers(0, 255, (picture.height, picture.width, 3), np.uint8)
        cv2.imwrite(str(labels.file_of(picture)), noise)
    export(Export(labels, form, "a test"), folder / "out")
    return folder / "out"


def test_a_picture_of_another_size_than_its_labels_goes_nowhere(tmp_path: Path) -> None:
    labels = labelled("a" * 64, (0,), tmp_path)
    grey(tmp_path / "f000.png")
    with pytest.raises(DatasetError, match=r"f000\.png: 64 x 48 px, where its labels are of 192 x 144 px"):
        export(Export(labels, "coco", "a test"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))


def test_an_export_never_writes_over_anything(tmp_path: Path) -> None:
    out = small_export("coco", tmp_path)
    labels = labelled("a" * 64, (0,), tmp_path / "pictures")
    before = sorted(out.rglob("*"))
    with pytest.raises(DatasetError, match="there already"):
        export(Export(labels, "coco", "a test"), out)
    assert sorted(out.rglob("*")) == before
    shutil.rmtree(out)


def test_a_png_that_claims_to_be_huge(tmp_path: Path) -> None:
    grey(tmp_path / "a.png")
    data = bytearray((tmp_path / "a.png").read_bytes())
    data[16:24] = (60_000).to_bytes(4, "big") * 2
    (tmp_path / "a.png").write_bytes(data)
    (tmp_path / "a.xml").write_text(f"<annotations>{IMAGE}</image></annotations>")
    with pytest.raises(DatasetError, match="3600000000 pixels are more than"):
        read_labels(Import(Source(tmp_path / "a.xml"), "cvat-images", "x", "x", "x"), tmp_path)
