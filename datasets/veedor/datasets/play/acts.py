"""What people do at the table, in order and without a clock: the script that a stage performs.

An act carries the journal events it makes as templates (``t`` is 0); the stage says when they happen.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from veedor.datasets.play.money import Pile
from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardDropped,
    CardMoved,
    CardPickedUp,
    CardsStuck,
    CardTurned,
    CoupClosed,
    CutCardShown,
    HandPosed,
    HandTaken,
    TableEvent,
)

CROUPIER = "croupier"
BANKER = "banker"


class Place(StrEnum):
    """Where on the felt a stake is meant to stand, whatever the felt."""

    BET = "bet"
    OTHER = "other"
    HALF = "half"
    CABALLO = "caballo"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True)
class Speak:
    """Something said or announced; journalled, and heard by whoever watches."""

    event: TableEvent
    pause_s: float = 0.35


@dataclass(frozen=True)
class Rest:
    """Everybody finishes what he is doing; then `seconds` pass."""

    seconds: float = 0.0


@dataclass(frozen=True)
class PushBet:
    """A bettor pushes a stake in."""

    event: BetPlaced
    seat: int
    place: Place
    piles: tuple[Pile, ...]


@dataclass(frozen=True)
class RaiseBet:
    """A bettor adds `piles` to a stake that stands."""

    event: BetChanged
    seat: int
    piles: tuple[Pile, ...]


@dataclass(frozen=True)
class Draw:
    """The banker slides a card out of the sabot; `face` and `back` are the card's own."""

    event: CardDrawn
    face: str
    back: int


@dataclass(frozen=True)
class Deal:
    """The card at the mouth is brought to a hand."""

    event: CardDealt


@dataclass(frozen=True)
class DrawStuck:
    """Two cards come out of the sabot in one slide."""

    first: Draw
    second: Draw
    event: CardsStuck


@dataclass(frozen=True)
class ShowCut:
    """The cut card comes out; the banker lays it aside."""

    event: CutCardShown


@dataclass(frozen=True)
class Lose:
    """A card leaves the play: onto the floor, into the basket, back into the sabot or off the table.

    `by` is `croupier`, `banker` or `seatN`.
    """

    event: CardDropped | CardMoved
    by: str


@dataclass(frozen=True)
class Recover:
    """A lost card comes back to a hand; the first event is its picking up, the last its coming to rest."""

    card: str
    hand: str
    by: str
    events: tuple[CardPickedUp | CardMoved | CardDealt, ...]


@dataclass(frozen=True)
class Slide:
    """A card lying in one hand goes to another, or away dead."""

    event: CardMoved


@dataclass(frozen=True)
class Take:
    """Somebody lifts a hand's cards and looks at them."""

    event: HandTaken
    seat: int | None  # None is the banker


@dataclass(frozen=True)
class PutBack:
    """The cards that were lifted are laid down; `event` is None where the pose says nothing."""

    hand: str
    pose: str
    event: HandPosed | None = None


@dataclass(frozen=True)
class Turn:
    """Cards of one hand are turned face up, by its holder (`seat`), the banker (None) or the croupier."""

    hand: str
    events: tuple[CardTurned, ...]
    by_croupier: bool = False
    seat: int | None = None


@dataclass(frozen=True)
class Pay:
    """The croupier puts winnings beside a stake."""

    event: BetPaid
    piles: tuple[Pile, ...]


@dataclass(frozen=True)
class Collect:
    """The croupier takes a stake or part of it to the bank."""

    event: BetCollected
    piles: tuple[Pile, ...]


@dataclass(frozen=True)
class Cagnotte:
    """The house's deduction goes into the slot."""

    event: CagnottePaid
    piles: tuple[Pile, ...]


@dataclass(frozen=True)
class Sweep:
    """The croupier puts all the coup's cards into the basket."""

    event: CoupClosed


@dataclass(frozen=True)
class TakeBack:
    """The bettors take what is theirs."""


Act = (
    Speak
    | Rest
    | PushBet
    | RaiseBet
    | Draw
    | Deal
    | DrawStuck
    | ShowCut
    | Lose
    | Recover
    | Slide
    | Take
    | PutBack
    | Turn
    | Pay
    | Collect
    | Cagnotte
    | Sweep
    | TakeBack
)
