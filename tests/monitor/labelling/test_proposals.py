"""What the shipped models propose for a rendered still, in picture coordinates; stills put into the store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.training_stills import StillMaker, StillOptions
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.eyes import Eyes, open_eyes
from veedor.monitor.labelling.proposals import add_still, propose
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.labelling.tables import keep_table, table_of
from veedor.monitor.labelling.waiting import Waiting, read_queue, write_queue
from veedor.monitor.language import Bilingual
from veedor.monitor.stills import look
from veedor.vision.detections import ObjectClass
from veedor.vision.table_file import load_table


@pytest.fixture(scope="module")
def eyes() -> Eyes:
    return open_eyes(threads=1)


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stills") / "año nuevo, 1.png"
    image = StillMaker(StillOptions(320, "play")).still(10).image
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    return path


def test_detections_become_objects_in_picture_coordinates(eyes: Eyes, still: Path) -> None:
    image = cv2.imdecode(np.fromfile(still, np.uint8), cv2.IMREAD_COLOR)
    seen = look(np.asarray(image, np.uint8), eyes, None)
    proposed = propose(seen, None)
    assert len(proposed) == len(seen.found) > 3
    best = int(seen.found.scores.argmax())
    # Detections count from the middle of the first pixel, labels from its outer corner.
    assert np.allclose(proposed[0].corners_px, seen.found.corners_px[best] + 0.5)
    confidences = [float(dict(each.extra)["confidence"]) for each in proposed]
    assert confidences == sorted(confidences, reverse=True)
    faces = [each for each in proposed if each.kind is ObjectClass.CARD_FACE]
    assert any(each.rank and each.suit for each in faces)


def test_a_still_is_put_in_once_whatever_it_is_called(eyes: Eyes, still: Path, tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    first = add_still(store, still, eyes)
    other = tmp_path / "otra.png"
    other.write_bytes(still.read_bytes())
    assert add_still(store, other, eyes) == first
    (about,) = store.pictures()
    assert about.id.startswith("a-o-nuevo-1-") and (about.session, about.table) == ("stills", "none")
    assert first.state is State.PROPOSED and len(first.objects) > 3


def test_the_table_of_a_picture_is_that_of_its_session_or_the_kept_one(
    tmp_path: Path, still: Path, eyes: Eyes
) -> None:
    table = load_table(bundled_clip("demo").table)
    store = LabelStore(tmp_path)
    revision = add_still(store, still, eyes)
    about = store.about(revision.picture)
    assert table_of(tmp_path, store.folder, about) is None
    keep_table(store.folder, table)
    known = table_of(tmp_path, store.folder, replace(about, table=table.id))
    assert known is not None and known.chips == table.chips
    assert sorted(each.name for each in (store.folder / "tables").iterdir()) == [f"{table.id}.toml"]


def test_the_queue_is_read_as_it_was_written(tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    assert read_queue(store.folder) == ()
    waiting = (Waiting("p2", 3.5, (Bilingual("dudosa", "uncertain"),)), Waiting("p1", 1.0, ()))
    write_queue(store.folder, waiting)
    assert read_queue(store.folder) == waiting
