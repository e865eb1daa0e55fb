"""What `veedor read --table` tells of stakes; and files that a Windows editor has put its mark on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from veedor.monitor.announcements import read_announcements
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.evidence import outlines_of
from veedor.monitor.felt_objects import felt_colour
from veedor.monitor.stills import Seen, as_json
from veedor.rules.profile import load_profile, profiles_folder
from veedor.vision.betting_places import place_of
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.percept import TALLEST, Percept
from veedor.vision.table_file import load_table
from veedor.vision.tracker import Family, Track

TABLE = load_table(bundled_clip("demo").table)
BOM = b"\xef\xbb\xbf"


def spot(plays: str) -> tuple[float, float]:
    """A place on the felt where a stake plays so."""
    places = [zone.centre_mm for zone in TABLE.layout.zones]
    places += [(line.points_mm[0] + line.points_mm[1]) / 2 for line in TABLE.layout.lines]
    place = next(each for each in places if place_of(TABLE.layout, each).plays == plays)
    return float(place[0]), float(place[1])


def told_of(
    kind: ObjectClass, plays: str, probs: list[float], count: int
) -> tuple[Percept, dict[str, object]]:
    """One stack or plaque that stands there, as likely each chip of the set as `probs` says, and what is told
    of it; `count` 0 where the model does not say how many."""
    corners = np.array([[[10, 10], [40, 10], [40, 40], [10, 40]]], np.float32)
    kinds, scores = np.array([int(kind)], np.int64), np.array([0.9], np.float32)
    found = Detections(corners_px=corners, class_ids=kinds, scores=scores)
    ranks, suits = np.full((1, 13), np.nan, np.float32), np.full((1, 4), np.nan, np.float32)
    counts = np.zeros((1, TALLEST), np.float32)
    counts[0, count - 1] = float(count > 0)
    base, chips = np.array([spot(plays)], np.float32), np.array([probs], np.float32)
    percept = Percept(0, 0.0, found, base, ranks, suits, chips, counts, np.ones(1, np.bool_))
    seen = Seen(np.zeros((60, 60, 3), np.uint8), found, ranks, suits, percept)
    told = as_json(seen, Path("x.png"), TABLE)["chips"]
    assert isinstance(told, list)
    return percept, dict(told[0])


def stake(plays: str, count: int, chip: int | None = 0) -> dict[str, object]:
    """What is told of one stack of that chip, None where it was not read."""
    probs = [np.nan if chip is None else float(number == chip) for number in range(len(TABLE.chips))]
    return told_of(ObjectClass.CHIP_STACK, plays, probs, count)[1]


@pytest.mark.parametrize(
    ("plays", "shares"),
    [
        ("P1", {"P1": "1"}), ("P2", {"P2": "1"}), ("caballo", {"P1": "0.5", "P2": "0.5"}),
        ("half:P1", {"P1": "0.5"}), ("half:P2", {"P2": "0.5"}),
    ],
)  # fmt: skip
def test_where_a_stake_stands_tells_its_shares_though_nobody_counted_it(
    plays: str, shares: dict[str, str]
) -> None:
    for told in (stake(plays, 0), stake(plays, 2, None)):
        assert told["shares"] == shares and told["amount"] is None
        assert told["plays"] == dict.fromkeys(shares)
    counted = stake(plays, 4)
    assert counted["shares"] == shares
    value = TABLE.chips[0].value * 4
    assert counted["plays"] == {hand: f"{value * float(share):g}" for hand, share in shares.items()}


@pytest.mark.parametrize(
    ("kind", "best", "count", "label"),
    [
        (ObjectClass.PLAQUE, 0.0, 1, "?"),  # no plaque in the set: every probability is 0
        (ObjectClass.CHIP_STACK, 0.4, 3, "3x?"),
        (ObjectClass.CHIP_STACK, 0.9, 3, f"3x{TABLE.chips[0].value}"),
    ],
)
def test_a_top_that_is_no_chip_of_the_set_is_given_no_value(
    kind: ObjectClass, best: float, count: int, label: str
) -> None:
    rest = (1.0 - best) / (len(TABLE.chips) - 1) if best else 0.0
    percept, told = told_of(kind, "P1", [best, *[rest] * (len(TABLE.chips) - 1)], count)
    assert [each.label for each in outlines_of(percept, TABLE.chips)] == [label]
    assert (told["amount"] is None) == ("?" in label)
    family = Family.PLAQUE if kind is ObjectClass.PLAQUE else Family.CHIP
    track = Track(1, family, np.zeros(2), np.zeros((4, 2)), 0.0, 0, 0.0, 0, len(TABLE.chips))
    track.chip_log += np.log(np.maximum(percept.chip_probs[0], 1e-3))
    track.chip_readings = 1
    assert (felt_colour(track, TABLE.chips) == "") == ("?" in label)


def test_a_stake_off_every_place_plays_nothing() -> None:
    told = stake("forbidden", 3)
    assert told["plays"] == {} and told["shares"] == {}


def test_files_with_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_bytes(BOM + bundled_clip("demo").table.read_bytes())
    assert load_table(table).id == TABLE.id
    profile = tmp_path / "own.toml"
    profile.write_bytes(BOM + (profiles_folder() / "dos-panos-limitada.toml").read_bytes())
    assert load_profile(profile).family == load_profile("dos-panos-limitada").family
    spoken = tmp_path / "words.vtt"
    spoken.write_bytes(BOM + b"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nNo va mas\n")
    journal = tmp_path / "words.jsonl"
    journal.write_bytes(BOM + b'{"t": 1.0, "event": "betting_closed", "source": "operator"}\n')
    for each in (spoken, journal):
        (event,) = read_announcements(each).events
        assert type(event).__name__ == "BettingClosed"
