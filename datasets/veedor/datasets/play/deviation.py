"""What somebody does otherwise than the rules want: the points of a coup where a deviation may step in.

The base class is proper play. Each planted code is a small subclass that overrides the one or two points it
needs; a coup is played again with other cards until the deviation has happened.
"""

from __future__ import annotations

from enum import Enum
from random import Random
from typing import TYPE_CHECKING, ClassVar

from veedor.datasets.errors import DatasetError
from veedor.datasets.play.acts import Take
from veedor.datasets.play.people import Stake
from veedor.datasets.play.reckoning import Duty
from veedor.rules.events import BetCollected, BetPaid, CardTurned, HandTaken

if TYPE_CHECKING:
    from veedor.datasets.play.coup import CoupPlay, CoupRecord


class Before(Enum):
    """What a deviation needs of the coup before its own."""

    NOTHING = "nothing"
    A_COUP = "a coup"
    BANK_WIN = "bank win"
    CUT_CARD = "cut card"


class Deviation:
    """Proper play."""

    code: ClassVar[str] = ""
    #: What the coup before must bring.
    needs: ClassVar[Before] = Before.NOTHING
    #: How many findings come of it.
    findings: ClassVar[int] = 1
    #: The mistake was put right during play, so nothing is restored at the showdown.
    put_right: ClassVar[bool] = False
    #: The planted codes whose remedy is the restoring of the coup.
    restored_codes: ClassVar[tuple[str, ...]] = ()
    #: One player plays against the whole bank.
    is_banco: ClassVar[bool] = False
    #: Only in the first coup of a session.
    only_first: ClassVar[bool] = False
    #: Limits that the profile must set.
    limits: ClassVar[tuple[str, ...]] = ()
    #: Only where the bank is limited.
    limited_only: ClassVar[bool] = False
    #: It can be shown on a felt, not only in a journal.
    on_felt: ClassVar[bool] = True

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.out_of_play: set[str] = set()  # bets that do not play

    def before_open(self, play: CoupPlay) -> None:
        """Between coups, before this one is opened."""

    def opened(self, play: CoupPlay) -> None:
        """The betting is open, no stake is down yet."""

    def stakes(self, play: CoupPlay, stakes: list[Stake]) -> list[Stake]:
        """The stakes put down before the call."""
        return stakes

    def before_call(self, play: CoupPlay) -> None:
        """Between the last stake and "ya no va más"."""

    def after_call(self, play: CoupPlay) -> None:
        """Between the call and the first card."""

    def deal(self, play: CoupPlay, index: int, hand: str) -> None:
        """The card `index` (0..5), due to `hand`."""
        play.deal_to(hand)

    def dealt(self, play: CoupPlay) -> None:
        """Six cards lie, nobody has touched them."""

    def take(self, play: CoupPlay, pano: str) -> None:
        """The paño's cards are lifted."""
        seat = play.table.holder[pano]
        play.do(Take(HandTaken(pano, f"seat{seat}", t=0.0), seat))

    def speak(self, play: CoupPlay) -> None:
        """The paños pronounce."""
        for pano in play.playing:
            play.speak(pano)

    def word(self, play: CoupPlay, pano: str) -> str:
        """What the paño says."""
        return play.proper_word(pano)

    def serve(self, play: CoupPlay) -> None:
        """Third cards."""
        play.serve()

    def look(self, play: CoupPlay) -> None:
        """Everybody lifts his cards and pronounces."""
        play.look()

    def restored_draw(self, play: CoupPlay, bound: Duty, *, draws: bool) -> bool:
        """Whether the banker takes a card in restored play, where proper play says `draws`."""
        return draws

    def shows(self, play: CoupPlay, hand: str) -> bool:
        """Whether a hand is turned at the showdown."""
        return True

    def shown(self, play: CoupPlay, hand: str, events: tuple[CardTurned, ...]) -> None:
        """A hand has been turned at the showdown."""

    def payment(self, play: CoupPlay, stake: Stake, amount: int) -> int:
        """What the croupier pays (or, negative, takes) where `amount` is due."""
        return amount

    def settled(self, play: CoupPlay, stake: Stake, event: BetPaid | BetCollected | None) -> None:
        """A stake has been settled by `event`."""

    def paid(self, play: CoupPlay) -> None:
        """Every stake is settled."""

    def cagnotte(self, play: CoupPlay, fee: int) -> int:
        """What the croupier drops in the slot where `fee` is due."""
        return fee

    def closed(self, play: CoupPlay) -> None:
        """Between coups, after this one."""

    def happened(self, record: CoupRecord) -> bool:
        """Whether the played coup shows the deviation as it was meant."""
        return len(record.planted) == (self.findings if self.code else 0)


DEVIATIONS: dict[str, type[Deviation]] = {}


def plantable(kind: type[Deviation]) -> type[Deviation]:
    """Registers a deviation under its code."""
    DEVIATIONS[kind.code] = kind
    return kind


def deviation_for(code: str, rng: Random) -> Deviation:
    """The deviation of that code; raises DatasetError naming the known ones."""
    try:
        return DEVIATIONS[code](rng)
    except KeyError:
        known = ", ".join(sorted(DEVIATIONS))
        raise DatasetError(f"infraction {code!r}: cannot be planted; one of {known}") from None
