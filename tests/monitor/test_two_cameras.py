"""Two cameras at one table, on rendered pictures and with the shipped weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from veedor.datasets.looks import random_look
from veedor.datasets.render import Renderer
from veedor.datasets.scene import CardPose, HandPose, HandPosePlan, Scene, TableLook
from veedor.monitor.camera_views import CameraViews
from veedor.monitor.cameras import CameraGap
from veedor.monitor.eyes import Eyes, open_eyes
from veedor.monitor.pacing import TimedFrame
from veedor.vision.camera import Camera, look_at
from veedor.vision.detections import ObjectClass
from veedor.vision.frames import Frame, Image
from veedor.vision.fusion import CAMERAS_DISAGREE, Fusion, zones_in_view
from veedor.vision.perceive import Perceiver
from veedor.vision.percept import RANK_COUNT, Percept
from veedor.vision.streams import StreamGap
from veedor.vision.table import OtherCamera, Table
from veedor.vision.table_file import load_table, save_table

RANKS = "A23456789TJQK"
STEP_S = 0.16
CARDS = (
    CardPose("c1", "7H", "red", -720.0, -20.0, turn_deg=180.0),
    CardPose("c2", "9S", "red", -640.0, -20.0, turn_deg=180.0),
    CardPose("c3", "KD", "red", 720.0, 20.0, turn_deg=180.0),
)


@pytest.fixture(scope="module")
def eyes() -> Eyes:
    return open_eyes(threads=1)


@pytest.fixture(scope="module")
def look() -> tuple[TableLook, Camera]:
    return random_look(4, "play")


def close_camera() -> Camera:
    """Over the left end of the table, aslant: it sees paño 1 from the other side than the overview."""
    return look_at(
        (1280, 720),
        focal_px=1150.0,
        position_mm=np.array([-1850.0, -150.0, 1500.0]),
        target_mm=np.array([-640.0, 0.0, 0.0]),
    )


def table(look: tuple[TableLook, Camera], close: Camera) -> Table:
    chips = tuple(chip.enrolled() for chip in look[0].chips)
    others = (OtherCamera("paño 1", close, "rtsp://camara/2"),)
    return Table("t", "T", "dos-panos-libre", look[0].layout, chips, look[1], cameras=others)


def moved(camera: Camera, by_mm: float) -> Camera:
    """The same picture, by a calibration that is so far off along the table."""
    return replace(
        camera, translation_mm=camera.translation_mm - camera.rotation @ np.array([by_mm, 0.0, 0.0])
    )


def pictures(look: tuple[TableLook, Camera], scene: Scene) -> tuple[Image, Image]:
    draw = np.random.default_rng(2)
    first, second = (
        Renderer(look[0], camera).render(scene, draw).image for camera in (look[1], close_camera())
    )
    return first, second


def watched(views: CameraViews, shown: tuple[Image, Image], looks: int) -> tuple[Percept, list[StreamGap]]:
    """The last fused percept, and what was lost and came back."""
    news, percept = [], None
    for number in range(looks):
        for camera in (1, 0):
            frame = Frame.from_image(number, number * STEP_S, shown[camera])
            percept = views.see(TimedFrame(frame, 0.0, camera)) or percept
            news += views.news()
    assert percept is not None
    return percept, news


def card_at(percept: Percept, card: CardPose) -> int | None:
    """The row of a face card within 15 mm of where it lies; the test fails if there are two."""
    away = np.hypot(percept.base_mm[:, 0] - card.x_mm, percept.base_mm[:, 1] - card.y_mm)
    rows = np.flatnonzero((away < 15) & (percept.detections.class_ids == ObjectClass.CARD_FACE))
    assert len(rows) < 2
    return int(rows[0]) if len(rows) else None


def rank_of(percept: Percept, row: int) -> str:
    return RANKS[int(np.nan_to_num(percept.rank_probs[row]).argmax())]


def over(card: CardPose, camera: Camera, height_mm: float) -> tuple[float, float]:
    """Where something at that height hides the card from the camera."""
    place = np.array([card.x_mm, card.y_mm])
    x, y = place + (camera.position_mm[:2] - place) * height_mm / camera.position_mm[2]
    return float(x), float(y)


def test_a_card_that_is_covered_in_one_camera_is_read_in_the_other(
    eyes: Eyes, look: tuple[TableLook, Camera]
) -> None:
    x, y = over(CARDS[0], look[1], 260.0)
    hands = tuple(
        HandPosePlan(f"h{number}", x + aside, y - 110.0, 260.0, 90.0, HandPose.FLAT)
        for number, aside in enumerate((-35.0, 35.0))
    )
    shown = pictures(look, Scene(cards=CARDS, hands=hands))
    alone = replace(table(look, close_camera()), cameras=())
    single = CameraViews(alone, eyes).see(TimedFrame(Frame.from_image(0, 0.0, shown[0]), 0.0))
    assert single is not None and card_at(single, CARDS[0]) is None, "the hand does not cover the card"
    fused, news = watched(CameraViews(table(look, close_camera()), eyes), shown, 3)
    rows = [card_at(fused, card) for card in CARDS]
    assert not news and None not in rows
    assert [rank_of(fused, row) for row in rows if row is not None] == ["7", "9", "K"]
    # In the main camera's pixels, where the covered card lies under the hand.
    row = rows[0]
    assert row is not None
    middle = fused.detections.corners_px[row].mean(axis=0)
    expected = look[1].project(np.array([[CARDS[0].x_mm, CARDS[0].y_mm]]))[0]
    assert np.hypot(*(middle - expected)) < 15 * look[1].px_per_mm()


def test_what_both_cameras_see_is_there_once_and_read_by_both(
    eyes: Eyes, look: tuple[TableLook, Camera]
) -> None:
    shown = pictures(look, Scene(cards=CARDS))
    fused, news = watched(CameraViews(table(look, close_camera()), eyes), shown, 20)
    cards = np.isin(fused.detections.class_ids, (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK))
    assert not news and int(cards.sum()) == 3
    for card in CARDS:
        row = card_at(fused, card)
        assert row is not None and rank_of(fused, row) == card.face[0]
        assert fused.rank_probs[row].sum() == pytest.approx(1.0, abs=1e-3)
        assert fused.rank_probs.shape[1] == RANK_COUNT


@pytest.mark.parametrize(("by_mm", "told"), [(5.0, False), (20.0, True), (50.0, True)])
def test_cards_that_the_cameras_put_20_mm_apart_are_a_disagreement(
    eyes: Eyes, look: tuple[TableLook, Camera], by_mm: float, told: bool
) -> None:
    both, fusion = table(look, close_camera()), Fusion(table(look, close_camera()))
    shown = pictures(look, Scene(cards=CARDS))
    seen = []
    for view, image in zip(both.views(), shown, strict=True):
        percept = Perceiver(view, eyes.detector, eyes.reader, eyes.counter).see(
            Frame.from_image(0, 0.0, image)
        )
        assert percept is not None
        seen.append(percept)
    off = np.array([by_mm, 0.0], np.float32)
    for number in range(20):
        fusion.add(1, replace(seen[1], t_s=number * STEP_S, base_mm=seen[1].base_mm + off))
        fused = fusion.add(0, replace(seen[0], t_s=number * STEP_S))
    assert fusion.disagree is told and fused is not None
    cards = np.isin(fused.detections.class_ids, (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK))
    assert int(cards.sum()) == 3, "the other camera's cards are not put beside the main one's"


@pytest.mark.parametrize(("by_mm", "told"), [(4.0, False), (20.0, True)])
def test_calibrations_that_disagree_by_20_mm_raise_an_alarm(
    eyes: Eyes, look: tuple[TableLook, Camera], by_mm: float, told: bool
) -> None:
    """Each camera is held against the felt's own lines too: one that is off is followed, and that is told."""
    alarms: list[str] = []
    shown = pictures(look, Scene(cards=CARDS))
    views = CameraViews(table(look, moved(close_camera(), by_mm)), eyes, alarms.append)
    _, news = watched(views, shown, 20)
    apart = [(gap.until_s, gap.reason) for gap in news] == [(None, CAMERAS_DISAGREE)]
    assert (apart or len(alarms) == 1) is told
    assert all("t/paño 1" in line for line in alarms)


def test_a_lost_camera_loses_the_view_only_where_no_other_sees(
    look: tuple[TableLook, Camera], eyes: Eyes, caplog: pytest.LogCaptureFixture
) -> None:
    watched_table = table(look, close_camera())
    overview, close = (zones_in_view(look[0].layout, camera) for camera in (look[1], close_camera()))
    assert close < overview, "the close view is of a part of the table"
    views = CameraViews(watched_table, eyes)
    views.gap(CameraGap(StreamGap(1.0, None, "stream cut"), 1))
    assert not views.lost and not views.news()
    views.gap(CameraGap(StreamGap(2.0, None, "stream stalled"), 0))
    assert views.lost and views.news() == [StreamGap(2.0, None, "stream stalled")]
    views.gap(CameraGap(StreamGap(1.0, 5.0, "stream cut"), 1))
    assert views.lost and not views.news()
    views.gap(CameraGap(StreamGap(2.0, 7.5, "stream stalled"), 0))
    assert not views.lost and views.news() == [StreamGap(2.0, 7.5, "stream stalled")]
    close_name = f"{watched_table.id}/paño 1"
    assert caplog.messages == [
        f"camera of {close_name} lost: stream cut",
        f"camera of {watched_table.id} lost: stream stalled",
        f"camera of {close_name} is back after 4.0 s: stream cut",
        f"camera of {watched_table.id} is back after 5.5 s: stream stalled",
    ]


def test_a_table_file_keeps_its_further_cameras(look: tuple[TableLook, Camera], tmp_path: Path) -> None:
    one = table(look, close_camera())
    save_table(one, tmp_path / "table.toml")
    again = load_table(tmp_path / "table.toml")
    (camera,) = again.cameras
    assert camera.name == "paño 1" and camera.source == "rtsp://camara/2"
    places = np.array([[-700.0, 0.0], [-500.0, 100.0]])
    assert np.allclose(camera.camera.project(places), close_camera().project(places), atol=0.01)
    assert [view.source for view in again.views()] == [None, "rtsp://camara/2"]
