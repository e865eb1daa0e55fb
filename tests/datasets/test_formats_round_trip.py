"""Out to each form and back again: nothing is lost, nothing moves."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from labelled_strategies import SIZE, picture_lists
from veedor.datasets.formats.exporting import Export, export
from veedor.datasets.formats.forms import FORMS
from veedor.datasets.formats.importing import Import, read_labels
from veedor.datasets.formats.placing import Source
from veedor.datasets.formats.splits import with_splits
from veedor.datasets.labelled import LabelledPicture, LabelledSet
from veedor.datasets.labelled_json import picture_from_json, picture_to_json

EXACT = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def there_and_back(
    pictures: tuple[LabelledPicture, ...], form: str, *, crop: bool
) -> tuple[LabelledPicture, ...]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for directory in ("pictures", "back"):
            (folder / directory).mkdir()
        noise = np.random.default_rng(3).integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
        for each in pictures:
            cv2.imwrite(str(folder / "pictures" / f"{each.id}.png"), noise)
        labels = LabelledSet("set", "1", pictures, folder / "pictures")
        export(Export(labels, form, "a test", crop=crop), folder / "out")
        found = read_labels(Import(Source(folder / "out"), form, "x", "x", "x"), folder / "back")
        assert found.of_export == {each.id for each in pictures}
        return found.labels.pictures


def by_id(pictures: tuple[LabelledPicture, ...]) -> dict[str, LabelledPicture]:
    return {each.id: each for each in pictures}


@pytest.mark.parametrize("form", FORMS)
@given(pictures=picture_lists())
@EXACT
def test_round_trip_loses_nothing(form: str, pictures: tuple[LabelledPicture, ...]) -> None:
    assert by_id(there_and_back(pictures, form, crop=False)) == by_id(with_splits(pictures))


@pytest.mark.parametrize("form", FORMS)
@given(pictures=picture_lists())
@settings(EXACT, max_examples=10)
def test_cut_pictures_come_back_to_the_same_place(form: str, pictures: tuple[LabelledPicture, ...]) -> None:
    found = by_id(there_and_back(pictures, form, crop=True))
    for wanted in with_splits(pictures):
        got = found[wanted.id]
        ours = np.array([item.corners_px for item in wanted.objects])
        assert np.allclose(ours, np.array([item.corners_px for item in got.objects]), rtol=0, atol=1e-9)
        still = tuple(
            replace(item, corners_px=true.corners_px)
            for item, true in zip(got.objects, wanted.objects, strict=True)
        )
        assert got.with_objects(still) == wanted


@given(pictures=picture_lists())
@EXACT
def test_json_loses_nothing(pictures: tuple[LabelledPicture, ...]) -> None:
    assert tuple(picture_from_json(picture_to_json(each)) for each in pictures) == pictures
