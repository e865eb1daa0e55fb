"""Who sits where, who holds each hand, what they like to stake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from veedor.datasets.errors import DatasetError
from veedor.datasets.play.acts import Place
from veedor.datasets.play.money import ChipSet, Pile, half_up, take
from veedor.datasets.play.reckoning import PANOS


@dataclass(frozen=True)
class Situation:
    """A table between two coups."""

    coup: int
    seats: Mapping[str, tuple[int, ...]]  # occupied seats of each paño, ascending
    holder: Mapping[str, int]  # the seat whose turn it is to hold each hand
    previous: Mapping[str, int | None]  # who held it in the coup before
    bank: int
    unit: int
    chips: ChipSet
    next_bet: int = 1

    def pano_of(self, seat: int) -> str:
        return next(pano for pano in PANOS if seat in self.seats[pano])

    def next_seat(self, pano: str, seat: int) -> int:
        """The seat that holds after `seat` when the bank has won (PL-06, PL-07)."""
        seats = self.seats[pano]
        return next((other for other in seats if other > seat), seats[0])

    def after(self, results: Mapping[str, int], *, bank: int, bets: int) -> Situation:
        """The table once a coup is over: the hand is ceded where the bank won."""
        holder = {
            pano: self.next_seat(pano, self.holder[pano]) if results.get(pano, 0) < 0 else self.holder[pano]
            for pano in PANOS
        }
        return replace(
            self,
            coup=self.coup + 1,
            holder=holder,
            previous=dict(self.holder),
            bank=bank,
            next_bet=self.next_bet + bets,
        )


@dataclass(frozen=True)
class Stake:
    """A stake as it is put down. `piles` are worth `amount`."""

    bet: str
    seat: int
    place: Place
    zone: str
    amount: int
    piles: tuple[Pile, ...]

    @property
    def bettor(self) -> str:
        return f"seat{self.seat}"


def seat_people(rng: Random, panos: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Three to five of each paño's seats, at random."""
    return {
        pano: tuple(sorted(rng.sample(numbers, min(len(numbers), rng.choice((3, 4, 4, 5))))))
        for pano, numbers in panos.items()
    }


class Bettors:
    """Draws the stakes of one coup."""

    def __init__(self, table: Situation, rng: Random, least: int = 0, most: int | None = None) -> None:
        self.table = table
        self.rng = rng
        self._count = 0
        # Half and caballo stakes are of twice these amounts and an odd unit; all stay within the limits.
        limit = float("inf") if most is None else most
        self._amounts = tuple(
            amount
            for amount in table.chips.easy_amounts(table.unit, chips=4, most=20)
            if least <= amount <= limit
        )
        self._halves = tuple(
            amount
            for amount in table.chips.easy_amounts(table.unit, chips=3, most=6)
            if least <= 2 * amount and 2 * amount + table.unit <= limit
        )
        if not self._amounts or not self._halves:
            raise DatasetError(f"stakes: no chips of this set make one from {least} to {most}")

    def draw(self) -> list[Stake]:
        """Four to seven stakes; each paño gets at least one of its own players' straight stakes."""
        stakes: list[Stake] = []
        for pano in PANOS:
            seats = list(self.table.seats[pano])
            self.rng.shuffle(seats)
            count = min(len(seats), self.rng.choice((2, 3, 3, 4)))
            stakes.append(self.straight(seats[0]))
            stakes += [self.any_kind(seat, stakes) for seat in seats[1:count]]
        self.rng.shuffle(stakes)
        return stakes

    def any_kind(self, seat: int, others: list[Stake]) -> Stake:
        """A stake of any lawful kind; the middle of a paño takes two at most."""
        taken = sum(
            stake.place in (Place.OTHER, Place.CABALLO)
            and self.table.pano_of(stake.seat) == self.table.pano_of(seat)
            for stake in others
        )
        kinds = [Place.BET, Place.BET, Place.HALF]
        if taken < 2:
            kinds += [Place.OTHER, Place.CABALLO]
        match self.rng.choice(kinds):
            case Place.HALF:
                return self.half(seat)
            case Place.OTHER:
                return self.other(seat)
            case Place.CABALLO:
                return self.caballo(seat)
            case _:
                return self.straight(seat)

    def straight(self, seat: int) -> Stake:
        return self.stake(seat, Place.BET, self.table.pano_of(seat), self.rng.choice(self._amounts))

    def other(self, seat: int) -> Stake:
        zone = "P2" if self.table.pano_of(seat) == "P1" else "P1"
        return self.stake(seat, Place.OTHER, zone, self.rng.choice(self._amounts))

    def half(self, seat: int) -> Stake:
        """A stake on the half line whose halves are whole units, so that nothing is left to rounding."""
        amount = self.rng.choice(self._halves)
        piles = self.table.chips.piles(amount) * 2
        return self.stake(seat, Place.HALF, f"half:{self.table.pano_of(seat)}", 2 * amount, piles)

    def caballo(self, seat: int, *, odd: bool | None = None) -> Stake:
        """A stake on both paños; the first takes the odd unit."""
        unit = self.table.unit
        if odd is None:
            odd = self.rng.random() < 0.4
        small = self.rng.choice([amount for amount in self._halves[:4] if self._shareable(amount, odd=odd)])
        piles = self.table.chips.piles(small) * 2
        if odd:
            piles += self.table.chips.piles(unit)
        amount = 2 * small + (unit if odd else 0)
        assert half_up(amount, unit) == small + (unit if odd else 0)
        return self.stake(seat, Place.CABALLO, "caballo", amount, piles)

    def _shareable(self, small: int, *, odd: bool) -> bool:
        """Whether the chips of a stake of twice `small` (and the odd unit) can be parted as it may be due."""
        unit, chips = self.table.unit, self.table.chips
        piles = merged(chips.piles(small) * 2 + (chips.piles(unit) if odd else ()))
        parts = (small, small + unit, unit) if odd else (small,)
        return len(piles) <= 4 and all(take(piles, part) is not None for part in parts)

    def forbidden(self, seat: int) -> Stake:
        return self.stake(seat, Place.FORBIDDEN, "forbidden", self.rng.choice(self._amounts[:4]))

    def stake(
        self, seat: int, place: Place, zone: str, amount: int, piles: tuple[Pile, ...] | None = None
    ) -> Stake:
        """The next stake of the coup, with its id."""
        bet = f"b{self.table.next_bet + self._count}"
        self._count += 1
        return Stake(bet, seat, place, zone, amount, merged(piles or self.table.chips.piles(amount)))

    @property
    def count(self) -> int:
        return self._count


def merged(piles: tuple[Pile, ...]) -> tuple[Pile, ...]:
    """Piles of one chip put together while a stack stays low; plaques stay apart."""
    out: list[Pile] = []
    for pile in piles:
        for index, other in enumerate(out):
            if other.chip == pile.chip and not pile.plaque and other.count + pile.count <= 4:
                out[index] = replace(other, count=other.count + pile.count)
                break
        else:
            out.append(pile)
    return tuple(out)
