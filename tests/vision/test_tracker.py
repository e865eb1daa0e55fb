from __future__ import annotations

import numpy as np
import pytest
from table_scenes import LOOK_S, Thing, camera, card, chips, hand, percept
from veedor.vision.covering import Cover
from veedor.vision.tracker import Family, Track, Tracker

ELBOW = (-700.0, 1200.0)


class Watching:
    """A tracker fed with scenes that last."""

    def __init__(self) -> None:
        self.tracker = Tracker(camera())
        self.t_s = 0.0
        self.ended: list[Track] = []

    def show(self, seconds: float, *things: Thing, fresh: bool = True) -> None:
        for _ in range(round(seconds / LOOK_S)):
            seen = percept(round(self.t_s, 3), things, fresh=fresh)
            self.ended += self.tracker.update(seen, Cover.of(camera(), seen))
            self.t_s += LOOK_S

    def resting(self, family: Family = Family.CARD) -> list[Track]:
        return self.tracker.resting(family)


def test_a_card_rests_after_some_looks_and_since_the_first() -> None:
    watch = Watching()
    watch.show(0.2, card(-700, 0))
    assert not watch.resting()
    watch.show(0.4, card(-700, 0))
    (track,) = watch.resting()
    assert track.rested_at == 0.0 and not track.face_up


def test_what_a_hand_covers_does_not_vanish() -> None:
    watch = Watching()
    watch.show(1.0, card(-700, 0))
    watch.show(5.0, hand(-700, -20, ELBOW))
    (track,) = watch.resting()
    assert track.covered and not watch.ended
    watch.show(0.4, card(-700, 0))
    assert watch.resting() == [track] and not track.covered


def test_what_lies_behind_the_hand_under_the_forearm_does_not_vanish() -> None:
    watch = Watching()
    watch.show(1.0, card(-705, 420))
    watch.show(3.0, hand(-700, 0, ELBOW))
    assert len(watch.resting()) == 1


def test_what_is_missed_in_the_open_goes_after_a_while() -> None:
    watch = Watching()
    watch.show(1.0, card(-700, 0))
    watch.show(0.6)
    assert len(watch.resting()) == 1  # one look that missed it is not enough
    watch.show(1.0)
    assert not watch.resting() and len(watch.ended) == 1
    assert watch.ended[0].missing_since == 1.0


def test_a_turned_card_stays_itself_and_its_looks_are_fused() -> None:
    watch = Watching()
    watch.show(1.0, card(-700, 0))
    watch.show(1.0, card(-700, 0, "7H"))
    (track,) = watch.resting()
    assert track.face_up and track.face_since == 1.0
    assert track.ranks().argmax() == 6 and track.suits().argmax() == 1
    assert track.readings == 5


def test_carried_over_looks_are_no_new_evidence() -> None:
    watch = Watching()
    watch.show(0.4, card(-700, 0, "7H"))
    watch.show(3.0, card(-700, 0, "7H"), fresh=False)
    assert watch.resting()[0].readings == 2


def test_a_single_look_carried_over_does_not_come_to_rest() -> None:
    watch = Watching()
    watch.show(0.2, card(-700, 0))
    watch.show(3.0, card(-700, 0), fresh=False)
    assert not watch.resting()


def test_crossed_cards_on_one_place_are_two() -> None:
    watch = Watching()
    watch.show(1.0, card(-720, 0, turn_deg=40), card(-718, 2, turn_deg=-42))
    assert len(watch.resting()) == 2


def test_a_moved_chip_is_a_new_track() -> None:
    watch = Watching()
    watch.show(1.0, chips(-700, 450))
    watch.show(1.6, chips(-640, 450))
    (track,) = watch.resting(Family.CHIP)
    assert np.allclose(track.base_mm, (-640, 450), atol=1) and len(watch.ended) == 1


@pytest.mark.parametrize("fingers", [(-652, 450), (-700, 0)])
def test_what_a_hand_or_arm_leaves_of_a_chip_is_not_another_chip(fingers: tuple[float, float]) -> None:
    watch = Watching()
    row = [chips(x, 450) for x in (-748, -700, -652)]
    watch.show(1.0, *row)
    before = {track.id for track in watch.resting(Family.CHIP)}
    watch.show(1.6, row[0], chips(-720, 450, "50"), hand(*fingers, ELBOW))  # one hidden in part, one all
    assert {track.id for track in watch.tracker.tracks.values()} == before
    watch.show(1.0, *row)
    assert {track.id for track in watch.resting(Family.CHIP)} == before
    for track, x in zip(watch.resting(Family.CHIP), (-748, -700, -652), strict=True):
        assert track.distance_mm(np.array([x, 450.0])) < 5 and track.chip().argmax() == 0


def test_a_touched_stack_is_counted_anew() -> None:
    watch = Watching()
    watch.show(1.0, chips(-700, 450, count=4))
    assert watch.resting(Family.CHIP)[0].counts().argmax() == 3
    watch.show(0.6, hand(-700, 440, ELBOW))
    watch.show(1.0, chips(-700, 450, count=2))
    (track,) = watch.resting(Family.CHIP)
    assert track.counts().argmax() == 1 and track.uncovered_at == 1.6
