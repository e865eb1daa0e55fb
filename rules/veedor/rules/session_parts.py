"""What a session remembers between coups: whose turn it is, the banco, the bank, the sabot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from veedor.rules.cards import Card
from veedor.rules.coup_parts import ZERO
from veedor.rules.event_types import BancoCalled, BankDeposited, CutCardShown, TableEvent


@dataclass(frozen=True)
class CoupAbandoned(TableEvent):
    """Not a journal event: the next coup opened, or the record ended, while this coup was still open."""


@dataclass(frozen=True)
class RecordEnded(TableEvent):
    """Not a journal event: there is no more."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Who has the hand of a paño.

    ``holder`` had it in the last coup (None: nobody yet); ``passes`` says that he must cede it (PL-07), None
    where the result was not known; ``owed`` is a player whose turn another took and spoke in (ER-08).
    """

    holder: str | None = None
    passes: bool | None = False
    owed: str | None = None


@dataclass(frozen=True, slots=True)
class Banco:
    """A banco in course: its call, repeats asked for, whether the last coup was null, a repeat pending."""

    call: BancoCalled
    repeats: int = 0
    null: bool = False
    pending: bool = False


@dataclass(frozen=True, slots=True)
class BankState:
    """The bank's money: ``amount`` None where it cannot be known; ``start`` what it was constituted with."""

    amount: Decimal | None = None
    start: Decimal | None = None
    broken: bool = False
    deposits: tuple[BankDeposited, ...] = ()
    banker: str | None = None
    coups: int = 0
    gone: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ShoeState:
    """The sabot: coups played from it, the cut card, every face counted, and the colours of its backs.

    ``backs`` are those told or else the first two seen: a talla is of two colours (EQ-04).
    """

    started: bool = False
    coups: int = 0
    decks: int | None = None
    cut: CutCardShown | None = None
    cut_in_play: bool = False
    bancos: int = 0
    faces: Mapping[Card, int] = field(default_factory=dict)
    backs: tuple[str, ...] = ()


BACK_COLOURS = 2


@dataclass(frozen=True, slots=True)
class ShooterState:
    """Punto y banca: who throws the sabot, passes won, the suite; ``must_pass`` after the punto has won."""

    shooter: str | None = None
    passes: int = 0
    last_win: Decimal = ZERO
    suite: Decimal = ZERO
    withdrawn: Decimal = ZERO
    must_pass: bool = False
    passed_from: str | None = None
