"""A night's coups, stakes and findings as plain tables, for spreadsheets and other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from veedor.monitor.language import Language
from veedor.monitor.report_money import Stake, stakes_of, sums_of
from veedor.monitor.report_record import Coup, RecordedFinding
from veedor.monitor.report_selection import Chosen
from veedor.monitor.story import HandStory

Cell = str | int | float | bool | Decimal | datetime | None


class Kind(StrEnum):
    """What a column holds. A moment is on the wall clock, with its offset; seconds are media time."""

    TEXT = "text"
    WHOLE = "whole"
    SECONDS = "seconds"
    SHARE = "share"
    AMOUNT = "amount"
    MOMENT = "moment"


@dataclass(frozen=True)
class Column:
    """A column: its name, what it holds, and what that means."""

    name: str
    kind: Kind
    meaning: str


@dataclass(frozen=True)
class Table:
    """Rows in the order of the night; each cell as its column says, or None."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


_PLACE = (
    Column("table", Kind.TEXT, "the table's name"),
    Column("session", Kind.TEXT, "TABLE/START, or the name of the review's folder"),
)
_COUP = (
    Column("place", Kind.WHOLE, "of the coup in the session, from 1"),
    Column("coup", Kind.WHOLE, "as announced; anew with each shoe"),
)
COUPS = (
    *_PLACE,
    *_COUP,
    Column("opened_s", Kind.SECONDS, "media time at which it opened"),
    Column("opened_at", Kind.MOMENT, "the same on the wall clock"),
    Column("closed_s", Kind.SECONDS, "media time at which it closed; empty if it did not"),
    Column("closed_at", Kind.MOMENT, "the same on the wall clock"),
    Column("bank", Kind.AMOUNT, "stake that the banker announced, else what the bank held"),
    Column("cards", Kind.TEXT, "each hand with its cards, `P1 7H 9S`; `??` not read"),
    Column("points", Kind.TEXT, "each hand with its point, `P1 6`"),
    Column("results", Kind.TEXT, "each hand with `player`, `banker`, `tie` or `annulled`"),
    Column("stakes", Kind.WHOLE, "how many counted"),
    Column("staked", Kind.AMOUNT, "their sum, as far as amounts are known"),
    Column("paid", Kind.AMOUNT, "winnings paid"),
    Column("collected", Kind.AMOUNT, "stakes collected"),
    Column("cagnotte", Kind.AMOUNT, "dropped in the slot"),
    Column("cagnotte_due", Kind.AMOUNT, "by the rules; empty where it cannot be told"),
    Column("findings", Kind.WHOLE, "that stand"),
    Column("infractions", Kind.WHOLE, "of them, those that accuse somebody"),
)
STAKES = (
    *_PLACE,
    *_COUP,
    Column("bet", Kind.TEXT, "its id in the journal"),
    Column("who", Kind.TEXT, "`seatN` or the bettor"),
    Column("zone", Kind.TEXT, "`P1`, `half:P2`, `caballo`, …"),
    Column("placed_s", Kind.SECONDS, "media time at which it was placed"),
    Column("placed_at", Kind.MOMENT, "the same on the wall clock"),
    Column("amount", Kind.AMOUNT, "what plays (at the call); empty where it was not read"),
    Column("due", Kind.AMOUNT, "what the bettor was to gain (above 0) or lose by the rules"),
    Column("paid", Kind.AMOUNT, "winnings seen paid"),
    Column("collected", Kind.AMOUNT, "seen collected"),
    Column("returned", Kind.AMOUNT, "seen given back"),
    Column(
        "difference",
        Kind.AMOUNT,
        "settled less due as seen, which accuses nobody by itself; empty where one is not known",
    ),
)
FINDINGS = (
    *_PLACE,
    Column("number", Kind.WHOLE, "of the finding in the session"),
    Column("coup", Kind.WHOLE, "as announced; empty outside any coup"),
    Column("t_s", Kind.SECONDS, "media time of the moment"),
    Column("at", Kind.MOMENT, "the same on the wall clock"),
    Column("code", Kind.TEXT, "of the rule"),
    Column("verdict", Kind.TEXT, "`broken`, `undecided`, `inspector`"),
    Column("severity", Kind.TEXT, "`info`, `warn`, `rectify`, `money`, `annul`"),
    Column("actor", Kind.TEXT, "whom it is about"),
    Column("rule", Kind.TEXT, "the article"),
    Column("title", Kind.TEXT, "in words, in the language asked for"),
    Column("expected", Kind.TEXT, "what the rule asks for"),
    Column("found", Kind.TEXT, "what was done"),
    Column("remedy", Kind.TEXT, "what is to be done"),
    Column("reason", Kind.TEXT, "what was missing, of an undecided one"),
    Column("confidence", Kind.SHARE, "0 to 1"),
    Column("decision", Kind.TEXT, "`accept`, `dismiss`, `escalate` or `rule`, where one stands"),
    Column("decided_by", Kind.TEXT, "who"),
    Column("decided_at", Kind.TEXT, "when, UTC"),
    Column("decision_reason", Kind.TEXT, "why"),
)


def tables_of(chosen: Chosen, language: Language) -> tuple[Table, Table, Table]:
    """Coups, stakes and findings of what was chosen; texts in one language."""
    place: tuple[Cell, ...] = (chosen.record.files.table_name, chosen.record.name)
    wall = chosen.record.wall
    coups = tuple((*place, *_coup_cells(coup, chosen)) for coup in chosen.coups)
    stakes = tuple((*place, *_stake_cells(each, wall)) for each in stakes_of(chosen.coups))
    findings = tuple((*place, *_finding_cells(each, wall, language)) for each in chosen.findings)
    return (
        Table("coups", COUPS, coups),
        Table("stakes", STAKES, stakes),
        Table("findings", FINDINGS, findings),
    )


def _coup_cells(coup: Coup, chosen: Chosen) -> Sequence[Cell]:
    story, wall = coup.story, chosen.record.wall
    sums, own = sums_of([coup]), chosen.of_coup(coup)
    closed = story.closed_t
    hands = [each for each in story.hands if each.cards]
    return (
        coup.place,
        story.number,
        seconds(story.opened_t),
        wall(story.opened_t),
        None if closed is None else seconds(closed),
        None if closed is None else wall(closed),
        coup.bank,
        "; ".join(f"{each.name} {' '.join(card.shows for card in each.cards)}" for each in hands),
        "; ".join(f"{each.name} {_points(each)}" for each in hands),
        "; ".join(f"{hand} {result}" for hand, result in coup.account.results.items() if result),
        len(stakes_of([coup])),
        sums.staked,
        sums.paid,
        sums.collected,
        story.cagnotte,
        coup.account.cagnotte,
        len(own),
        sum(each.view.verdict == "broken" for each in own),
    )


def _points(hand: HandStory) -> str:
    return "?" if hand.points is None else str(hand.points)


def _stake_cells(stake: Stake, wall: Callable[[float], datetime | None]) -> Sequence[Cell]:
    bet = stake.bet
    return (
        stake.coup.place, stake.coup.story.number, bet.bet, bet.who, bet.zone, seconds(bet.placed_t),
        wall(bet.placed_t), stake.amount, stake.due, bet.paid, bet.collected, bet.returned, stake.difference,
    )  # fmt: skip


def _finding_cells(
    finding: RecordedFinding, wall: Callable[[float], datetime | None], language: Language
) -> Sequence[Cell]:
    view = finding.view
    words = (view.title, view.expected, view.found, view.remedy, view.reason)
    return (
        view.number, view.coup, seconds(view.t_s), wall(view.t_s), view.code, view.verdict, view.severity,
        view.actor, view.rule, *(each.in_language(language) for each in words), round(view.confidence, 4),
        *_decision(finding.answer or {}),
    )  # fmt: skip


def _decision(line: Mapping[str, Any]) -> Sequence[Cell]:
    said = [line.get(name) for name in ("action", "who", "at", "reason")]
    return [each if isinstance(each, str) else None for each in said]


def seconds(t_s: float) -> float:
    """Media time to the millisecond."""
    return round(t_s, 3)
