"""What a rule profile may say: every number and reading, its kind, range and the games it belongs to.

A reading is one point on which the sources differ or are silent, numbered as in the rule catalogue
(C- contradiction, G- gap). ``judged`` is False where the point changes no verdict: it is recorded, so that a
profile states every choice, but there is only one way to play.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

DOS_PANOS = "dos-panos"
PUNTO_Y_BANCA = "punto-y-banca"
PUNTO_BANCO = "punto-banco"
FAMILIES = (DOS_PANOS, PUNTO_Y_BANCA, PUNTO_BANCO)


@dataclass(frozen=True, slots=True)
class NumberKey:
    """A number: whole or decimal, inside ``low``–``high``; ``optional`` ones may be absent (no limit)."""

    kind: type[int] | type[Decimal]
    low: str
    high: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ReadingKey:
    """A reading and its permitted values, the recommended one first."""

    values: tuple[str, ...]
    judged: bool = True


NUMBERS: dict[str, NumberKey] = {
    "decks": NumberKey(int, "1", "16"),
    "cut_card_depth": NumberKey(int, "0", "200", optional=True),
    "min_players": NumberKey(int, "0", "20"),
    "unit": NumberKey(Decimal, "0.01", "1000000"),
    "bank_max": NumberKey(Decimal, "0", "1000000000", optional=True),
    "bet_min": NumberKey(Decimal, "0", "1000000000", optional=True),
    "bet_max": NumberKey(Decimal, "0", "1000000000", optional=True),
    "cagnotte_rate": NumberKey(Decimal, "0", "0.5"),
    "view_limit_s": NumberKey(Decimal, "1", "600"),
    "banco_repeats": NumberKey(int, "0", "10"),
    "draw_to": NumberKey(int, "0", "7"),
    "free_on": NumberKey(int, "0", "7", optional=True),
    "fault_draw_to": NumberKey(int, "0", "7"),
    "commission_rate": NumberKey(Decimal, "0", "0.5"),
    "suite_rate": NumberKey(Decimal, "0", "0.5"),
    "suite_passes": NumberKey(int, "1", "10"),
    "suite_keep": NumberKey(Decimal, "0", "1"),
    "tie_odds": NumberKey(Decimal, "0", "20"),
}

# What a bank may hold at the start of a coup file.
BANK = NumberKey(Decimal, "0", "1000000000")

SWITCHES = ("limited_bank", "suite", "tie_bets", "punto_turns_first")

READINGS: dict[str, ReadingKey] = {
    "C-01": ReadingKey(("000", "002")),
    "C-02": ReadingKey(("naturals-bind", "001", "002")),
    "C-03": ReadingKey(("001", "002")),
    "C-04": ReadingKey(("units", "001")),
    "C-05": ReadingKey(("unit-to-first", "halves")),
    "C-06": ReadingKey(("001", "002")),
    "C-07": ReadingKey(("001", "000", "franc")),
    "C-08": ReadingKey(("001", "000")),
    "C-09": ReadingKey(("exact", "at-least")),
    "C-10": ReadingKey(("001", "002")),
    "C-11": ReadingKey(("001", "002")),
    "C-12": ReadingKey(("net", "gross")),
    "C-13": ReadingKey(("third-card",), judged=False),
    "C-14": ReadingKey(("001", "000"), judged=False),
    "C-15": ReadingKey(("by-cause", "annul", "zero")),
    "C-16": ReadingKey(("by-place",), judged=False),
    "C-17": ReadingKey(("none-given",), judged=False),
    "C-18": ReadingKey(("zero",), judged=False),
    "C-19": ReadingKey(("001", "000")),
    "C-20": ReadingKey(("natural-only",), judged=False),
    "C-21": ReadingKey(("restored", "always")),
    "C-22": ReadingKey(("employee", "next-seat")),
    "C-23": ReadingKey(("unset", "second", "both", "running")),
    "C-24": ReadingKey(("separate",), judged=False),
    "C-25": ReadingKey(("largest", "any")),
    "C-26": ReadingKey(("implied", "silent")),
    "G-01": ReadingKey(("priority", "uncovered")),
    "G-02": ReadingKey(("nobody-draws", "draws")),
    "G-03": ReadingKey(("either", "both-tie", "net-zero")),
    "G-04": ReadingKey(("whole-units", "exact")),
    "G-05": ReadingKey(("dead",), judged=False),
    "G-06": ReadingKey(("lost", "kept")),
    "G-07": ReadingKey(("shift",), judged=False),
    "G-08": ReadingKey(("play-on",), judged=False),
    "G-09": ReadingKey(("inspector", "broken")),
    "G-10": ReadingKey(("limit",), judged=False),
    "G-11": ReadingKey(("rectify",), judged=False),
    "G-12": ReadingKey(("standard", "silent")),
    "G-13": ReadingKey(("strict", "compatible")),
    "G-14": ReadingKey(("inspector",), judged=False),
    "G-15": ReadingKey(("exact", "tenth")),
    "G-16": ReadingKey(("log",), judged=False),
    "G-17": ReadingKey(("face-up",), judged=False),
    "G-18": ReadingKey(("absent",), judged=False),
}

# The same reading under the name that a source or an older coup file gives it.
READING_ALIASES: dict[str, dict[str, str]] = {
    "C-02": {"000": "naturals-bind"},
    "C-04": {"000": "units", "002": "units"},
    "C-07": {"002": "000"},
    "C-08": {"002": "000"},
    "C-09": {"001": "exact", "002": "at-least"},
}
