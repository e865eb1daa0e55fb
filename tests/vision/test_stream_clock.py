"""Media time never runs back, whatever cameras and clocks do; the wall clock is kept beside it."""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from veedor.vision.stream_clock import ClockNews, MediaClock, Origin, WallClock


class Machine:
    """A monotonic and a wall clock that are moved by hand."""

    def __init__(self, utc_s: float = 1_800_000_000.0) -> None:
        self.now_s = 1000.0
        self.wall_s = utc_s

    def now(self) -> float:
        return self.now_s

    def wall(self) -> float:
        return self.wall_s

    def run(self, seconds: float) -> None:
        self.now_s += seconds
        self.wall_s += seconds


def played(
    clock: MediaClock,
    machine: Machine,
    seconds: float,
    *,
    pts_s: float = 0.0,
    pace: float = 1.0,
    jitter: float = 0.0,
) -> tuple[list[float], list[ClockNews]]:
    """Media times of a stream at 25 a second whose own clock runs `pace` times ours, and what was noticed."""
    draw, times, news = random.Random(3), [], []
    for number in range(round(seconds * 25)):
        machine.run(0.04)
        late = draw.random() * jitter
        machine.now_s += late
        stamp = pts_s + number * 0.04 * pace
        told = clock.arrive(stamp, machine.now())
        if told is not None:
            news.append(told)
        t_s = clock.media_s(stamp)
        machine.now_s -= late
        if t_s is not None:
            times.append(t_s)
    return times, news


def rising(times: list[float]) -> bool:
    return all(earlier < later for earlier, later in itertools.pairwise(times))


def test_media_time_takes_its_steps_from_presentation_time() -> None:
    machine = Machine()
    times, news = played(MediaClock(machine.now), machine, 20, jitter=0.03)
    steps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert not news and rising(times) and max(steps[25:]) - min(steps[25:]) < 0.003
    assert times[-1] == pytest.approx(20, abs=0.1)


def test_a_camera_clock_that_drifts_is_kept_with_ours() -> None:
    machine = Machine()
    clock = MediaClock(machine.now)
    times, news = played(clock, machine, 600, pace=1.001, jitter=0.02)
    assert not news and rising(times)
    assert abs(times[-1] - clock.now_s()) < 0.1  # 0.6 s off by itself


def test_presentation_time_that_begins_anew_goes_on_where_it_was() -> None:
    machine = Machine()
    clock = MediaClock(machine.now)
    before, _ = played(clock, machine, 5, pts_s=86_000.0)
    clock.begin()
    machine.run(3.0)
    after, news = played(clock, machine, 5, pts_s=0.0)
    assert rising([*before, *after]) and not news
    assert after[0] - before[-1] == pytest.approx(3.04, abs=0.05)


@pytest.mark.parametrize("jump_s", [-40_000.0, -2.0, 5.0, 95_443.7])
def test_presentation_time_that_jumps_is_told(jump_s: float) -> None:
    machine = Machine()
    clock = MediaClock(machine.now)
    before, _ = played(clock, machine, 5, pts_s=50_000.0)
    after, news = played(clock, machine, 5, pts_s=50_005.0 + jump_s)
    assert news == [ClockNews.JUMP] and rising([*before, *after])
    assert after[-1] == pytest.approx(clock.now_s(), abs=0.1)


@pytest.mark.parametrize("pace", [0.5, 2.0])
def test_presentation_time_at_a_wrong_rate_is_left_for_the_time_of_arrival(pace: float) -> None:
    machine = Machine()
    clock = MediaClock(machine.now)
    times, news = played(clock, machine, 40, pace=pace)
    assert news == [ClockNews.WRONG_RATE] and not clock.trusted and rising(times)
    assert times[-1] == pytest.approx(clock.now_s(), abs=0.01)


def test_a_burst_after_a_pause_of_the_network_is_no_fault_of_the_clock() -> None:
    machine = Machine()
    clock = MediaClock(machine.now)
    times, news = played(clock, machine, 10)
    machine.run(2.0)  # nothing comes, then two seconds at once
    for number in range(50):
        stamp = (250 + number) * 0.04
        assert clock.arrive(stamp, machine.now()) is None
        t_s = clock.media_s(stamp)
        assert t_s is not None
        times.append(t_s)
    more, late = played(clock, machine, 20, pts_s=300 * 0.04)
    assert not news and not late and rising([*times, *more])


def test_pictures_without_presentation_time_are_timed_by_their_coming() -> None:
    machine = Machine()
    clock = MediaClock(machine.now)
    times = []
    for _ in range(100):
        machine.run(0.04)
        clock.arrive(None, machine.now())
        times.append(clock.media_s(None))
    assert times[60:] == [pytest.approx(number * 0.04) for number in range(60, 100)]


def test_the_cameras_of_a_table_share_the_beginning_of_time() -> None:
    machine, origin = Machine(), Origin()
    first, second = MediaClock(machine.now, origin), MediaClock(machine.now, origin)
    first.start()
    machine.run(7.0)
    assert second.now_s() == first.now_s() == 7.0
    after, _ = played(second, machine, 2, pts_s=123.0)
    assert after[0] == pytest.approx(7.08)


def test_what_was_read_while_connecting_is_placed_before_the_first_picture_that_came_in_its_time() -> None:
    machine = Machine()
    clock = MediaClock(machine.now)
    clock.start()
    machine.run(1.5)
    for number in range(30):  # 1.2 s at once
        clock.arrive(number * 0.04, machine.now())
        machine.run(0.001)
        assert clock.media_s(number * 0.04) is None
    times, news = played(clock, machine, 5, pts_s=1.2)
    assert not news and rising(times) and max(times) <= clock.now_s() + 1e-6
    assert clock.packet_s(0.0) == pytest.approx(times[0] - 1.2, abs=0.1)
    assert times[0] == pytest.approx(1.57, abs=0.1)


def test_a_wall_clock_that_is_set_makes_a_point_and_moves_nothing() -> None:
    machine = Machine()
    wall = WallClock(machine.wall)
    start = machine.wall_s
    assert wall.note(0.0) is not None
    machine.wall_s = start + 20.0
    wall.note(20.0)
    for t_s in (30.0, 31.0, 32.0):
        machine.wall_s = start + t_s - 3600.0
        step = wall.note(t_s)
    assert step is not None and step.why == "step" and step.t_s == 30.0
    assert wall.utc(25.0) == datetime.fromtimestamp(start + 25.0, UTC)
    assert wall.utc(31.0) == datetime.fromtimestamp(start + 31.0 - 3600.0, UTC)


def test_a_machine_that_lags_sets_no_clock() -> None:
    """Between the readings of the two clocks any time may pass, the more the busier the machine is."""
    machine = Machine()
    wall = WallClock(machine.wall)
    start = machine.wall_s
    for number in range(3000):
        t_s = 0.04 * number
        machine.wall_s = start + t_s + (0.0, 0.4, 0.9, 0.3)[number % 4]
        wall.note(t_s)
    assert [point.why for point in wall.points] == ["start", "minute"]
    for number in range(3000, 3100):  # set in the midst of it: told once, by the reading that lagged least
        t_s = 0.04 * number
        machine.wall_s = start + 60.0 + t_s + (0.0, 0.4, 0.9, 0.3)[number % 4]
        wall.note(t_s)
    step = wall.points[-1]
    assert [point.why for point in wall.points] == ["start", "minute", "step"]
    assert step.utc_s - step.t_s == pytest.approx(start + 60.0)


def test_slow_drift_of_the_wall_clock_is_no_step() -> None:
    machine = Machine()
    wall = WallClock(machine.wall)
    for minute in range(60):
        wall.note(minute * 60.0)
        machine.wall_s += 60.0 + 0.006
    assert {point.why for point in wall.points} == {"start", "minute"}


def test_the_hour_that_an_autumn_night_has_twice_is_told_apart() -> None:
    zone = ZoneInfo("Europe/Madrid")
    start = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # 02:30 in summer time
    wall = WallClock(Machine(start.timestamp()).wall)
    wall.note(0.0)
    first, second = wall.local(0.0, zone), wall.local(3600.0, zone)
    assert first is not None and second is not None
    assert first.strftime("%H:%M") == second.strftime("%H:%M") == "02:30"
    assert first.isoformat() != second.isoformat() and first.timestamp() + 3600 == second.timestamp()
