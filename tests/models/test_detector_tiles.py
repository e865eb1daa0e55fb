"""Training tiles: stored and read without a shift, and varied together with their boxes."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.models.detector_tiles import (
    Tile,
    TileStores,
    batches,
    plain,
    repetitions,
    share_inside,
    vary,
    write_tile,
)
from veedor.models.errors import TrainingError
from veedor.vision.detections import ObjectClass
from veedor.vision.obb import corners_from_xywhr, pair_iou


def _store(folder: Path, count: int = 3) -> TileStores:
    rng = np.random.default_rng(1)
    for index in range(count):
        box = np.array([[*rng.uniform(120, 200, 2), 60, 90, rng.uniform(-1, 1)]])
        corners = corners_from_xywhr(box)
        image = np.full((320, 320, 3), 30, np.uint8)
        shifted = np.round(corners[0] * 256).astype(np.int32)
        cv2.fillConvexPoly(image, shifted, (245, 245, 245), shift=8)
        write_tile(folder, f"t{index}", image, corners, np.array([ObjectClass.CARD_FACE]))
    return TileStores([folder])


def test_stored_corners_come_back_half_a_pixel_on_as_the_network_counts(tmp_path: Path) -> None:
    corners = corners_from_xywhr(np.array([[100.0, 50, 31, 44, 0.3]]))
    write_tile(tmp_path, "a", np.zeros((200, 300, 3), np.uint8), corners, np.array([1]))
    (tile,) = TileStores([tmp_path]).training() + TileStores([tmp_path]).held_out()
    assert np.allclose(tile.corners_px, corners + 0.5, atol=0.01)
    assert plain(tile).shape == (200, 300, 3)


@pytest.mark.parametrize("seed", range(8))
def test_a_varied_tile_keeps_its_box_on_its_object(tmp_path: Path, seed: int) -> None:
    tile = _store(tmp_path, 1)._tiles.popitem()[1]
    image, corners, kinds = vary(tile, 320, np.random.default_rng(seed))
    assert image.shape == (320, 320, 3)
    if len(kinds) == 0:
        return
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    bright = (grey > (int(grey.max()) + int(np.median(grey))) / 2).astype(np.uint8)
    seen = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    box = cv2.boxPoints(cv2.minAreaRect(max(seen, key=cv2.contourArea))) + 0.5
    inside = share_inside(corners, 320)[0]
    if inside > 0.999:
        assert pair_iou(corners, box[None])[0] > 0.9


def test_batches_pass_over_all_tiles_and_count_boxes_by_picture(tmp_path: Path) -> None:
    tiles = (stores := _store(tmp_path, 7)).training() + stores.held_out()
    found = list(batches(tiles, 320, 3, np.random.default_rng(0)))
    assert len(found) >= 2
    assert found[0].images.shape == (3, 320, 320, 3)
    assert set(found[0].image_index.tolist()) <= {0, 1, 2}
    assert found[0].boxes.shape == (len(found[0].image_index), 5)


def test_tiles_with_a_rare_class_come_more_often() -> None:
    def tile(*kinds: ObjectClass) -> Tile:
        return Tile("t", np.zeros(1, np.uint8), np.zeros((len(kinds), 4, 2)), np.array(kinds, dtype=np.int64))

    tiles = [tile(ObjectClass.CARD_FACE)] * 97 + [tile(ObjectClass.CARD_FACE, ObjectClass.PALA)] * 3
    times = repetitions(tiles)
    assert times[:97].tolist() == [1.0] * 97
    assert times[97:] == pytest.approx(np.sqrt(0.3 / 0.03))


def test_the_share_inside_of_whole_half_and_outer_boxes() -> None:
    boxes = corners_from_xywhr(np.array([[50.0, 50, 20, 20, 0], [0, 50, 20, 20, 0], [-90, 50, 20, 20, 0]]))
    assert np.allclose(share_inside(boxes, 100), [1, 0.5, 0])


def test_a_picture_being_written_is_left_for_later(tmp_path: Path) -> None:
    stores = _store(tmp_path, 1)
    (tmp_path / "images" / "half.jpg").write_bytes(b"\xff\xd8 half a pict")
    (tmp_path / "labels" / "half.txt").write_text("")
    stores.refresh()
    assert len(stores.training()) + len(stores.held_out()) == 1


def test_a_folder_without_tiles_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=str(tmp_path)):
        TileStores([tmp_path])
