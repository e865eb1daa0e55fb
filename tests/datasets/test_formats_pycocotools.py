"""COCO's own reader takes what is exported, and the masks it draws lie where the objects are."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from marked_recording import SIZE, labelled, mark
from veedor.datasets.formats.exporting import Export, export

coco = pytest.importorskip("pycocotools.coco")


def test_masks_cover_the_marks(tmp_path: Path) -> None:
    labels = labelled("a" * 64, (0, 4, 9), tmp_path / "pictures")
    labels.folder.mkdir()
    for picture in labels.pictures:
        cv2.imwrite(str(labels.file_of(picture)), np.zeros((SIZE[1], SIZE[0], 3), np.uint8))
    export(Export(labels, "coco", "a test"), tmp_path / "out")
    found = coco.COCO(str(tmp_path / "out/annotations/instances_train.json"))
    assert [each["name"] for each in found.loadCats(found.getCatIds())][:2] == ["card_face", "card_back"]
    annotations = found.loadAnns(found.getAnnIds())
    assert len(annotations) == 3
    for annotation, number in zip(annotations, (0, 4, 9), strict=True):
        mask = found.annToMask(annotation)
        left, top, right, bottom = (int(part) for point in mark(number).corners_px[::2] for part in point)
        wanted = np.zeros_like(mask)
        wanted[top:bottom, left:right] = 1
        assert (mask == wanted).all()
        assert annotation["area"] == mask.sum()
        assert annotation["bbox"] == [left, top, right - left, bottom - top]
