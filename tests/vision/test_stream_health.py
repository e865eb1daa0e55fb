"""Signs of damage, wrong rates and waiting times, from made-up pictures."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from veedor.vision.stream_health import BackOff, Damage, Rate
from veedor.vision.stream_intake import Intake, StreamGap


@dataclass
class Picture:
    """What the watch for damage asks of a picture."""

    number: int
    key_frame: bool = False
    is_corrupt: bool = False
    time_base: Fraction = Fraction(1, 25)

    @property
    def pts(self) -> int:
        return self.number


def watched(damage: Damage, numbers: range, corrupt: tuple[int, ...] = ()) -> list[bool]:
    """Whether each picture is trusted; a key picture every 25."""
    return [
        damage.picture(Picture(number, number % 25 == 0, number in corrupt), number / 25)
        for number in numbers
    ]


def test_a_corrupt_picture_spoils_all_until_a_key_picture_and_a_while() -> None:
    damage = Damage()
    trusted = watched(damage, range(150), corrupt=(60,))
    assert all(trusted[:60]) and not any(trusted[60:85]) and all(trusted[86:])


def test_a_corrupt_key_picture_does_not_make_whole() -> None:
    trusted = watched(Damage(), range(200), corrupt=(60, 75))
    assert not any(trusted[60:100]) and all(trusted[101:])


def test_a_step_between_pictures_longer_than_all_others_is_a_loss() -> None:
    damage = Damage()
    assert all(watched(damage, range(60)))
    assert not damage.picture(Picture(62), 62 / 25)


def test_a_camera_without_a_steady_rate_is_not_damaged() -> None:
    damage = Damage()
    steps = [1, 3, 2, 5, 1, 4] * 20
    number, trusted = 0, []
    for step in steps:
        number += step
        trusted.append(damage.picture(Picture(number), number / 25))
    assert all(trusted)


def test_packets_without_pictures_are_a_loss_once_pictures_have_come() -> None:
    damage = Damage()
    for _ in range(5):
        damage.decoded(0, 0.0)  # a decoder that puts pictures in order begins so
    watched(damage, range(30))
    damage.decoded(1, 1.2)
    assert not damage.damaged
    damage.decoded(0, 2.0)
    assert not damage.damaged  # of two fields, the first gives none
    damage.decoded(0, 2.0)
    assert damage.damaged


def test_the_rate_is_told_once_there_was_time_to_measure() -> None:
    rate = Rate()
    for number in range(100):
        rate.came(number / 12.5)
    now = 99 / 12.5
    assert rate.measured(now) is not None and not rate.wrong(12.5, now) and rate.wrong(25.0, now)
    assert not rate.wrong(None, now)
    rate.begin(now)
    for number in range(100, 300):
        rate.came(number / 12.5 if number >= 125 else now)  # two seconds at once, then steadily
    assert not rate.wrong(12.5, 299 / 12.5)


def test_waiting_doubles_to_a_limit_and_no_two_cameras_wait_the_same() -> None:
    low, high, middle = BackOff(lambda: 0.0), BackOff(lambda: 1.0), BackOff(lambda: 0.5)
    waits = [middle.next_s() for _ in range(12)]
    assert waits[:4] == [0.5, 1.0, 2.0, 4.0] and set(waits[6:]) == {5.0}
    assert low.next_s() < 0.5 < high.next_s()
    middle.reset()
    assert middle.next_s() == 0.5


def test_a_loss_keeps_its_first_reason_and_its_beginning() -> None:
    intake = Intake(keep_s=2.0, rate_hz=12.5)
    intake.lose("stream cut", 4.0)
    intake.lose("no connection", 9.0)
    assert intake.take(0.0) == StreamGap(4.0, None, "stream cut") and intake.take(0.0) is None
    assert intake.gaps == 1
