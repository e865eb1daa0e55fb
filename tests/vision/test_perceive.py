from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from table_scenes import Thing, card, chips, corners_mm, table
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.errors import VisionError
from veedor.vision.footprints import felt_quads
from veedor.vision.frames import Frame
from veedor.vision.perceive import Perceiver, PerceiverSettings
from veedor.vision.percept import Percept, encode_percepts
from veedor.vision.reader import CardReadings
from veedor.vision.segments import Segment, segments_of
from veedor.vision.sources import VideoSource

TABLE = table()
FELT = (60, 92, 20)
COLOURS = {
    ObjectClass.CARD_BACK: (40, 40, 200),
    ObjectClass.CARD_FACE: (240, 240, 240),
    ObjectClass.CHIP_STACK: (40, 30, 200),
}


def drawn(things: list[Thing]) -> np.ndarray:
    assert TABLE.camera is not None
    image = np.full((1080, 1920, 3), FELT, np.uint8)
    for thing in things:
        outline = TABLE.camera.project(corners_mm(thing))
        if thing.kind is ObjectClass.CHIP_STACK:
            centre = tuple(round(float(part)) for part in outline.mean(axis=0))
            cv2.circle(image, centre, round(20 * TABLE.camera.px_per_mm()), COLOURS[thing.kind], -1)
        else:
            cv2.fillPoly(image, [np.round(outline).astype(np.int32)], COLOURS[thing.kind])
    return image


class BlobDetector:
    """Finds what stands out from the felt, by brightness and shape; remembers what it was shown."""

    def __init__(self) -> None:
        self.areas: list[int] = []

    def detect(self, image_bgr: np.ndarray, *, scale: float = 1.0, min_score: float = 0.0) -> Detections:
        self.areas.append(image_bgr.shape[0] * image_bgr.shape[1])
        apart = np.abs(image_bgr.astype(np.int16) - FELT).sum(axis=2) > 120
        contours, _ = cv2.findContours(apart.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        corners, classes = [], []
        for contour in contours:
            box = cv2.boxPoints(cv2.minAreaRect(contour)).astype(np.float32)
            lengths = np.linalg.norm(box - np.roll(box, -1, axis=0), axis=1)
            if lengths.min() < 8:
                continue
            corners.append(np.roll(box, -1, axis=0) if lengths[0] > lengths[1] else box)
            x, y = contour[:, 0].mean(axis=0).astype(int)
            if lengths.max() / lengths.min() < 1.2:
                classes.append(ObjectClass.CHIP_STACK)
            else:
                white = image_bgr[y, x].min() > 200
                classes.append(ObjectClass.CARD_FACE if white else ObjectClass.CARD_BACK)
        if not corners:
            return Detections.empty()
        scores = np.full(len(corners), 0.9, np.float32)
        return Detections(np.array(corners), scores, np.array([int(kind) for kind in classes], np.int64))


class SevenOfHearts:
    """Reads every face as the seven of hearts."""

    def __init__(self) -> None:
        self.crops = 0

    def read_cards(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> CardReadings:
        count = len(corners_px)
        self.crops += count
        ranks, suits = np.zeros((count, 13), np.float32), np.zeros((count, 4), np.float32)
        ranks[:, 6], suits[:, 1] = 1.0, 1.0
        return CardReadings(ranks, suits, np.ones(count, np.float32), np.zeros(count, np.float32))


class Eyes:
    def __init__(self, **settings: float) -> None:
        self.detector, self.reader = BlobDetector(), SevenOfHearts()
        self.perceiver = Perceiver(
            TABLE, self.detector, self.reader, settings=PerceiverSettings(rate_hz=5.0, **settings)
        )

    def look(self, number: int, things: list[Thing]) -> Percept:
        percept = self.perceiver.see(Frame.from_image(number, number * 0.2, drawn(things)))
        assert percept is not None
        return percept


SCENE = [card(-720, 0), card(-650, 0, "7H"), chips(-700, 450)]


def test_objects_get_class_place_and_reading() -> None:
    percept = Eyes().look(0, SCENE)
    found = {
        ObjectClass(int(kind)): base
        for kind, base in zip(percept.detections.class_ids, percept.base_mm, strict=True)
    }
    assert set(found) == {ObjectClass.CARD_BACK, ObjectClass.CARD_FACE, ObjectClass.CHIP_STACK}
    assert np.allclose(found[ObjectClass.CARD_BACK], (-720, 0), atol=3)
    assert np.allclose(found[ObjectClass.CHIP_STACK], (-700, 450), atol=4)
    face = percept.detections.class_ids == ObjectClass.CARD_FACE
    assert percept.rank_probs[face].argmax() == 6 and np.isnan(percept.rank_probs[~face]).all()
    chip = percept.detections.class_ids == ObjectClass.CHIP_STACK
    assert percept.chip_probs[chip].argmax() == 0
    assert percept.fresh.all()


def test_a_still_picture_is_not_looked_at_again() -> None:
    eyes = Eyes(full_every_s=60.0)
    for number in range(6):  # the first look is repeated twice
        first = eyes.look(number, SCENE)
    eyes.detector.areas.clear()
    for number in range(6, 12):
        percept = eyes.look(number, SCENE)
    assert eyes.detector.areas == [] and not percept.fresh.any()
    assert len(percept) == len(first) and percept.moving == ()


def test_only_what_moved_is_looked_at_and_the_rest_is_kept() -> None:
    eyes = Eyes(full_every_s=60.0)
    for number in range(8):
        eyes.look(number, SCENE)
    eyes.detector.areas.clear()
    percept = eyes.look(8, [*SCENE, card(720, 0)])
    assert len(percept) == 4 and percept.fresh.sum() == 1
    assert len(eyes.detector.areas) == 1 and eyes.detector.areas[0] < 1920 * 1080 / 10
    assert "P2.hand" in percept.moving and "P1.hand" not in percept.moving


class ShortSighted(BlobDetector):
    """Sees chips from near alone, and takes whatever it sees so for a card's back as well."""

    def detect(self, image_bgr: np.ndarray, *, scale: float = 1.0, min_score: float = 0.0) -> Detections:
        found = super().detect(image_bgr, scale=scale, min_score=min_score)
        assert TABLE.camera is not None
        stacks = found.class_ids == ObjectClass.CHIP_STACK
        if scale * TABLE.camera.px_per_mm() < 0.6:
            return found.where(~stacks)
        return found.joined(Detections(found.corners_px, found.scores, np.full(len(found), 0, np.int64)))


def test_chips_that_only_a_close_look_shows_are_found_once_all_is_calm() -> None:
    eyes = Eyes(full_every_s=60.0)
    eyes.perceiver = Perceiver(
        TABLE, ShortSighted(), eyes.reader, settings=PerceiverSettings(full_every_s=60.0)
    )
    for number in range(8):
        before = eyes.look(number, SCENE[:2])
    looks = [eyes.look(number, [*SCENE[:2], chips(600, 440)]) for number in range(8, 16)]
    assert len(looks[0]) == len(before)
    assert len(looks[-1]) == len(before) + 1
    assert (looks[-1].detections.class_ids == ObjectClass.CHIP_STACK).sum() == 1


class SeesDouble(BlobDetector):
    """Finds each chip a second time, fainter, 14 mm beside it."""

    def detect(self, image_bgr: np.ndarray, *, scale: float = 1.0, min_score: float = 0.0) -> Detections:
        found = super().detect(image_bgr, scale=scale, min_score=min_score)
        chip = found.where(found.class_ids == ObjectClass.CHIP_STACK)
        assert TABLE.camera is not None
        beside = np.array([14 * TABLE.camera.px_per_mm(), 0.0], np.float32)
        return found.joined(Detections(chip.corners_px - beside, chip.scores * 0.4, chip.class_ids))


def test_a_chip_beyond_the_border_of_what_is_looked_at_is_not_found_beside_itself() -> None:
    eyes = Eyes()
    eyes.perceiver._detector = SeesDouble()
    stakes = [chips(-500 + 9 * step, y) for step, y in enumerate(range(330, 550, 60))]
    places = np.array([(thing.x, thing.y) for thing in stakes])
    for number, x in enumerate(range(-1000, -580, 12)):
        percept = eyes.look(number, [*stakes, card(x, 430)])
        found = percept.base_mm[percept.detections.class_ids == ObjectClass.CHIP_STACK]
        away = np.linalg.norm(found[:, None] - places[None], axis=2)
        assert len(found) == len(places) and away.min(axis=0).max() < 5.0


def test_what_was_taken_away_is_gone_with_the_next_look() -> None:
    eyes = Eyes(full_every_s=60.0)
    for number in range(8):
        eyes.look(number, SCENE)
    assert len(eyes.look(8, SCENE[:2])) == 2


def test_the_whole_table_is_looked_at_every_few_seconds() -> None:
    eyes = Eyes(full_every_s=2.0)
    for number in range(30):
        eyes.look(number, SCENE)
    full = max(eyes.detector.areas)
    # At 0 s with repeats at 0.4 and 1.0 s, then every 2 s.
    assert sum(area == full for area in eyes.detector.areas) == 5


def test_a_card_that_lies_still_is_read_only_so_often() -> None:
    eyes = Eyes(full_every_s=0.2, readings_enough=3)
    for number in range(8):
        percept = eyes.look(number, SCENE)
    assert eyes.reader.crops == 3
    face = percept.detections.class_ids == ObjectClass.CARD_FACE
    assert percept.rank_probs[face].argmax() == 6 and not percept.fresh[face].any()


def test_a_box_of_impossible_size_is_no_card() -> None:
    huge = replace(card(0, 0), x=0.0)
    eyes = Eyes()
    assert TABLE.camera is not None
    image = drawn([])
    outline = TABLE.camera.project(corners_mm(huge) * 3.0)
    cv2.fillPoly(image, [np.round(outline).astype(np.int32)], COLOURS[ObjectClass.CARD_BACK])
    percept = eyes.perceiver.see(Frame.from_image(0, 0.0, image))
    assert percept is not None and len(percept) == 0


def test_frames_between_two_looks_are_passed_over() -> None:
    eyes = Eyes()
    picture = drawn(SCENE)
    seen = [eyes.perceiver.see(Frame.from_image(n, n / 25, picture)) is not None for n in range(25)]
    assert [number for number, looked in enumerate(seen) if looked] == [0, 5, 10, 15, 20]


def test_a_picture_of_another_size_is_refused_by_name() -> None:
    with pytest.raises(VisionError, match=r"1920 x 1080, found 640 x 360"):
        Eyes().perceiver.see(Frame.from_image(0, 0.0, np.zeros((360, 640, 3), np.uint8)))


def test_a_table_without_calibration_is_refused() -> None:
    with pytest.raises(VisionError, match="no calibration"):
        Perceiver(replace(TABLE, camera=None), BlobDetector(), SevenOfHearts())


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds at ten pictures a second: cards come and go."""
    path = tmp_path_factory.mktemp("film") / "film.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream(
            "libx264", rate=10, options={"preset": "ultrafast", "crf": "20", "g": "10"}
        )
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 10)
        for number in range(60):
            things = SCENE[: 1 + number // 20]
            if number % 20 > 5:
                things = [*things, card(720 - 4 * (number % 20), 0)]
            frame = av.VideoFrame.from_ndarray(drawn(things), format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def test_segments_may_be_perceived_in_any_order_by_anybody(film: Path) -> None:
    source = VideoSource(film)
    segments = segments_of(source.info.duration_s, 2.0)
    assert [(part.start_s, part.stop_s) for part in segments] == [(0.0, 2.0), (2.0, 4.0), (4.0, 6.0)]

    def perceived(eyes: Eyes, segment: Segment) -> bytes:
        return encode_percepts(list(eyes.perceiver.perceive(source, segment)))

    one = Eyes()
    forward = [perceived(one, segment) for segment in segments]
    backward = [perceived(one, segment) for segment in reversed(segments)][::-1]
    apart = [perceived(Eyes(), segment) for segment in segments]
    assert forward == backward == apart
    assert len(set(forward)) == 3


def test_boxes_are_measured_on_the_felt() -> None:
    percept = Eyes().look(0, [card(-720, 0), card(900, 200)])
    assert TABLE.camera is not None
    quads = felt_quads(TABLE.camera, percept.detections.corners_px)
    sides = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)
    assert np.allclose(np.sort(sides, axis=1), [[63, 63, 88, 88]] * 2, atol=4)
