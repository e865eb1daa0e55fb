from __future__ import annotations

import cv2
import numpy as np
import pytest
from printed_felts import LAYOUT, SIZE, overhead, printed_felt
from veedor.rules.events import ViewLost, ViewRestored
from veedor.vision.detections import Detections
from veedor.vision.drift import DriftWatch
from veedor.vision.frames import Frame
from veedor.vision.perceive import Perceiver, PerceiverSettings
from veedor.vision.reader import CardReadings
from veedor.vision.table import Table

CAMERA = overhead()
FELT = printed_felt(CAMERA)


def moved(x: float, y: float, turn_deg: float = 0.0, image: np.ndarray = FELT) -> np.ndarray:
    matrix = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), turn_deg, 1.0)
    matrix[:, 2] += (x, y)
    return cv2.warpAffine(image, matrix, SIZE, borderMode=cv2.BORDER_REFLECT)


def shifts(pictures: list[np.ndarray], step_s: float = 0.5) -> list[float | None]:
    watch = DriftWatch(LAYOUT, CAMERA)
    told = []
    for number, picture in enumerate(pictures):
        watch.steadied(Frame.from_image(number, number * step_s, picture))
        told.append(watch.shift_px)
    return told


def test_a_camera_that_stands_is_left_alone() -> None:
    watch = DriftWatch(LAYOUT, CAMERA)
    frame = Frame.from_image(0, 0.0, FELT)
    assert watch.steadied(frame) is frame and watch.shift_px == 0.0


@pytest.mark.parametrize("move", [(6.0, -4.0, 0.0), (-3.0, 9.0, 0.4)])
def test_a_nudge_is_told_and_then_followed(move: tuple[float, float, float]) -> None:
    watch = DriftWatch(LAYOUT, CAMERA)
    watch.steadied(Frame.from_image(0, 0.0, FELT))
    nudged = moved(*move)
    watch.steadied(Frame.from_image(1, 0.5, nudged))
    assert watch.shift_px is not None and watch.shift_px > 4
    back = watch.steadied(Frame.from_image(2, 1.0, nudged))
    assert watch.shift_px == 0.0
    inner = (slice(40, -40), slice(40, -40))
    assert (
        np.abs(back.image[inner].astype(int) - FELT[inner]).mean()
        < 6
        < (np.abs(nudged[inner].astype(int) - FELT[inner]).mean())
    )


def test_a_segment_that_begins_after_the_nudge_follows_at_once_and_alike() -> None:
    watch = DriftWatch(LAYOUT, CAMERA)
    nudged = moved(8.0, 5.0)
    first = watch.steadied(Frame.from_image(0, 20.0, nudged)).image
    watch.reset()
    assert watch.shift_px is None
    again = watch.steadied(Frame.from_image(0, 20.0, nudged)).image
    assert (first == again).all() and not (first == nudged).all()


def test_a_camera_turned_away_or_dark_sees_no_lines() -> None:
    assert shifts([FELT, moved(70, 40), moved(70, 40), moved(70, 40)])[2:] == [None, None]
    dark = np.zeros_like(FELT)
    assert shifts([FELT, dark, dark, FELT]) == [0.0, 0.0, None, 0.0]


def test_light_and_colour_move_nothing() -> None:
    grey = cv2.cvtColor(cv2.cvtColor(FELT, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    bright = np.clip(FELT.astype(np.float32) * 1.5, 0, 255).astype(np.uint8)
    warm = np.clip(FELT * np.array([0.7, 1.0, 1.2]), 0, 255).astype(np.uint8)
    assert shifts([FELT, (FELT * 0.5).astype(np.uint8), bright, warm, grey]) == [0.0] * 5


def test_hands_over_a_third_of_the_table_move_nothing() -> None:
    covered = FELT.copy()
    for start in ((100, 0), (420, 539), (800, 0)):
        cv2.line(covered, start, (start[0] + 40, 270), (120, 150, 200), 70)
    assert shifts([FELT, covered, covered, covered]) == [0.0] * 4


def test_a_video_frame_is_moved_back_plane_by_plane() -> None:
    watch = DriftWatch(LAYOUT, CAMERA)
    nudged = moved(8.0, 4.0)

    def planes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        both = cv2.cvtColor(nudged, cv2.COLOR_BGR2YCrCb)
        halves = [np.ascontiguousarray(both[::2, ::2, plane]) for plane in (1, 2)]
        return np.ascontiguousarray(both[..., 0]), halves[0], halves[1]

    back = watch.steadied(Frame(0, 0.0, lambda: nudged, planes))
    assert back.planes is not None
    luma, red, _ = back.planes()
    straight = cv2.cvtColor(back.image, cv2.COLOR_BGR2YCrCb)
    assert np.abs(luma.astype(int) - straight[..., 0]).mean() < 2
    assert red.shape == (SIZE[1] // 2, SIZE[0] // 2)
    assert np.abs(red.astype(int) - straight[::2, ::2, 1]).mean() < 3


def test_lines_that_are_not_seen_any_more_are_a_lost_view_within_two_seconds() -> None:
    from dataclasses import replace

    from observer_play import LOOK_S, opened, percept

    def journal(told: list[float | None]) -> list[ViewLost | ViewRestored]:
        play = opened()
        for shift in told:
            play.journal += play.observer.see(replace(percept(round(play.t_s, 3), []), camera_shift_px=shift))
            play.t_s += LOOK_S
        return play.of(ViewLost, ViewRestored)

    lost, restored = journal([0.0] * 5 + [None] * 10 + [0.0] * 30)
    assert isinstance(lost, ViewLost) and lost.reason == restored.reason == "lines not seen"
    assert restored.t - lost.t == pytest.approx(11 * LOOK_S)
    # Two looks without them, as under a hand when a segment begins, are nothing; nor are lines never seen.
    assert journal([0.0, None, None, 0.0] * 5 + [0.0] * 30) == []
    assert journal([None] * 45) == []


class Onlooker:
    """Finds nothing and keeps the last whole picture that it was shown."""

    def __init__(self) -> None:
        self.shown = np.zeros((1, 1, 3), np.uint8)

    def detect(self, image_bgr: np.ndarray, *, scale: float = 1.0, min_score: float = 0.0) -> Detections:
        self.shown = image_bgr.copy()
        return Detections.empty()

    def read_cards(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> CardReadings:
        raise AssertionError("no cards were found")


def test_a_perceiver_looks_at_pictures_moved_back() -> None:
    table = Table("t", "T", "dos-panos-limitada", LAYOUT, camera=CAMERA)
    onlooker = Onlooker()
    perceiver = Perceiver(table, onlooker, onlooker, settings=PerceiverSettings(full_every_s=0.4))
    told, shown = [], []
    for number in range(15):
        picture = FELT if number < 5 else moved(8.0, 6.0)
        percept = perceiver.see(Frame.from_image(number, number * 0.2, picture))
        assert percept is not None
        told.append(percept.camera_shift_px)
        shown.append(onlooker.shown)
    assert told[0] == 0.0 and max(shift for shift in told if shift is not None) > 6 and told[-1] == 0.0
    inner = (slice(60, 400), slice(60, 800))
    assert np.abs(shown[-1][inner].astype(int) - shown[0][inner]).mean() < 6
