"""The events of the journal: one frozen dataclass for each, named after what happened.

Payload fields have the names of the journal's keys and come first; ``t``, ``id``, ``source``,
``confidence`` and ``frames`` are common to all and keyword-only. An optional payload that is absent is None.
Amounts are Decimal, in table units. Events say what happened, legal or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class TableEvent:
    """What every event carries.

    ``t`` is media time in seconds from the session's start; ``id`` is 0 until a journal gives one;
    ``confidence`` is 0–1; ``frames`` are the first and last video frame that show it, None without video.
    """

    t: float
    id: int = 0
    source: str = "vision"
    confidence: float = 1.0
    frames: tuple[int, int] | None = None


@dataclass(frozen=True)
class SessionOpened(TableEvent):
    """Start of a record; the only wall-clock time in it is ``started_at`` (ISO 8601 with offset)."""

    profile: str
    started_at: str | None = None
    unit: Decimal | None = None
    bank: Decimal | None = None
    seats: int | None = None
    schema: int = SCHEMA


@dataclass(frozen=True)
class ShoeStarted(TableEvent):
    """A new talla or sabot; ``backs`` are the colours of its cards' backs, where they are told."""

    decks: int | None = None
    backs: tuple[str, ...] | None = None


@dataclass(frozen=True)
class PlayersSeen(TableEvent):
    """The people at one paño (``seatN`` or bettor ids)."""

    pano: str
    players: tuple[str, ...]


@dataclass(frozen=True)
class BankerSeated(TableEvent):
    """A banker takes the bank."""

    banker: str | None = None
    amount: Decimal | None = None


@dataclass(frozen=True)
class BankerLeft(TableEvent):
    """The banker leaves, withdrawing ``amount``."""

    banker: str | None = None
    amount: Decimal | None = None


@dataclass(frozen=True)
class BankDeclared(TableEvent):
    """The stake the banker announces for the coup."""

    amount: Decimal


@dataclass(frozen=True)
class BankDeposited(TableEvent):
    """Money put into the bank."""

    amount: Decimal


@dataclass(frozen=True)
class CoupOpened(TableEvent):
    """A coup begins."""

    coup: int | None = None


@dataclass(frozen=True)
class CoupClosed(TableEvent):
    """All stakes of the coup are settled and its cards gone."""

    coup: int | None = None


@dataclass(frozen=True)
class BettingOpened(TableEvent):
    """Stakes may be placed."""


@dataclass(frozen=True)
class BettingClosed(TableEvent):
    """The croupier has called "ya no va más"."""


@dataclass(frozen=True)
class BetPlaced(TableEvent):
    """A stake stands in a zone."""

    bet: str
    zone: str
    amount: Decimal | None = None
    bettor: str | None = None
    seat: int | None = None
    chips: tuple[str, ...] | None = None


@dataclass(frozen=True)
class BetChanged(TableEvent):
    """A stake raised, lowered or moved; ``amount`` is the new total."""

    bet: str
    zone: str | None = None
    amount: Decimal | None = None


@dataclass(frozen=True)
class BetRemoved(TableEvent):
    """A stake taken away by its bettor."""

    bet: str


@dataclass(frozen=True)
class BancoCalled(TableEvent):
    """Somebody has said "banco"."""

    bettor: str
    seat: int | None = None


@dataclass(frozen=True)
class LotDrawn(TableEvent):
    """The order of the paños, drawn by lot."""

    order: tuple[str, ...]


@dataclass(frozen=True)
class CardDrawn(TableEvent):
    """A card has left the sabot, ``face`` up or down; ``back`` is its colour, where that was seen."""

    card: str
    by: str | None = None
    face: str = "down"
    shows: str | None = None
    back: str | None = None


@dataclass(frozen=True)
class CardsStuck(TableEvent):
    """Two or more cards came out together."""

    cards: tuple[str, ...]


@dataclass(frozen=True)
class CardDealt(TableEvent):
    """A card reaches a hand."""

    card: str
    to: str
    by: str | None = None


@dataclass(frozen=True)
class CardMoved(TableEvent):
    """A card goes on to another hand, ``dead``, ``shoe`` or ``off_table``."""

    card: str
    to: str
    by: str | None = None


@dataclass(frozen=True)
class CardTurned(TableEvent):
    """A face becomes visible."""

    card: str
    shows: str
    by: str | None = None


@dataclass(frozen=True)
class CardDropped(TableEvent):
    """A card falls on the floor or into the basket; ``seen`` says whether its face was."""

    card: str
    where: str
    by: str | None = None
    seen: bool = False


@dataclass(frozen=True)
class CardPickedUp(TableEvent):
    """A card is taken up from the floor."""

    card: str
    by: str | None = None


@dataclass(frozen=True)
class HandTaken(TableEvent):
    """Somebody lifts a hand's cards."""

    hand: str
    by: str | None = None


@dataclass(frozen=True)
class HandPosed(TableEvent):
    """The cards lie ``crossed``, ``parallel``, ``tucked`` under the sabot or ``loose``."""

    hand: str
    pose: str


@dataclass(frozen=True)
class CutCardShown(TableEvent):
    """The cut card has come out."""

    cards_below: int | None = None


@dataclass(frozen=True)
class Said(TableEvent):
    """Words that matter: carta, no, abato, banco, cuadro, advice, repeat, or point with its number."""

    by: str
    words: str
    to: str | None = None
    point: int | None = None


@dataclass(frozen=True)
class Checked(TableEvent):
    """The croupier has verified a total."""

    hand: str
    points: int


@dataclass(frozen=True)
class BetPaid(TableEvent):
    """Winnings put beside a stake, without the stake."""

    bet: str
    amount: Decimal | None = None


@dataclass(frozen=True)
class BetCollected(TableEvent):
    """A stake, or part of it, taken by the bank."""

    bet: str
    amount: Decimal | None = None


@dataclass(frozen=True)
class BetReturned(TableEvent):
    """A stake, or part of it, given back without playing."""

    bet: str
    amount: Decimal | None = None


@dataclass(frozen=True)
class CagnottePaid(TableEvent):
    """The house deduction dropped in the slot."""

    amount: Decimal | None = None


@dataclass(frozen=True)
class CommissionTaken(TableEvent):
    """Punto y banca: what the house keeps of a winning stake."""

    bet: str
    amount: Decimal | None = None


@dataclass(frozen=True)
class SuiteWithdrawn(TableEvent):
    """Punto y banca: what the shooter takes off the suite."""

    amount: Decimal | None = None


@dataclass(frozen=True)
class SabotPassed(TableEvent):
    """The sabot goes to its next holder."""

    to: str


@dataclass(frozen=True)
class Ruling(TableEvent):
    """A decision of the inspector or the Director."""

    by: str
    text: str
    effect: str | None = None


@dataclass(frozen=True)
class ViewLost(TableEvent):
    """The zones cannot be seen: occlusion, glare, frame gap, moved camera."""

    zones: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class ViewRestored(TableEvent):
    """The zones can be seen again."""

    zones: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class EventCorrected(TableEvent):
    """A person puts ``replacement``, or nothing, in the place of event ``corrects``; the old line stays.

    The replacement counts under the correction's id, which a further one names; ``corrects`` 0 adds it anew.
    """

    corrects: int
    replacement: TableEvent | None = None
    by: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class UnknownEvent(TableEvent):
    """An event this version does not know; kept, reported, not judged."""

    name: str
    payload: Mapping[str, object]


EVENT_TYPES: tuple[type[TableEvent], ...] = (
    SessionOpened,
    ShoeStarted,
    PlayersSeen,
    BankerSeated,
    BankerLeft,
    BankDeclared,
    BankDeposited,
    CoupOpened,
    CoupClosed,
    BettingOpened,
    BettingClosed,
    BetPlaced,
    BetChanged,
    BetRemoved,
    BancoCalled,
    LotDrawn,
    CardDrawn,
    CardsStuck,
    CardDealt,
    CardMoved,
    CardTurned,
    CardDropped,
    CardPickedUp,
    HandTaken,
    HandPosed,
    CutCardShown,
    Said,
    Checked,
    BetPaid,
    BetCollected,
    BetReturned,
    CagnottePaid,
    CommissionTaken,
    SuiteWithdrawn,
    SabotPassed,
    Ruling,
    ViewLost,
    ViewRestored,
    EventCorrected,
)
