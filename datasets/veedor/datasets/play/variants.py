"""Proper play that is less common: banco and its repeats, a short bank, a broken one, another banker."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from veedor.datasets.play.banco_play import Banco
from veedor.datasets.play.bank_mistakes import NewBanker, ProperRedeposit, ShortBank
from veedor.datasets.play.deviation import Deviation

# How often each is played where it can be; the rest is everyday play.
CHANCES: tuple[tuple[type[Deviation], float], ...] = (
    (ShortBank, 0.2),
    (ProperRedeposit, 0.04),
    (NewBanker, 0.04),
)
BANCO_CHANCE = 0.5  # of the first coup of a talla
MOST_REPEATS = 2


class Variety:
    """Chooses how each clean coup of a session is played."""

    def __init__(self, seed: int, *, limited: bool) -> None:
        self._seed, self._limited = seed, limited
        self._banco: Banco | None = None
        self._repeats = 0

    def choose(self, number: int, *, first_of_talla: bool) -> Deviation:
        """How the coup is played."""
        rng = Random(f"variant/{self._seed}/{number}")
        if self._banco is not None:
            again = Banco(rng)
            again.repeats = self._banco.seat
            self._banco = again
            return again
        if first_of_talla and rng.random() < BANCO_CHANCE:
            self._banco, self._repeats = Banco(rng), 0
            return self._banco
        chance = rng.random()
        for kind, share in CHANCES:
            chance -= share
            if chance < 0:
                return kind(rng) if self._limited or not kind.limited_only else Deviation(rng)
        return Deviation(rng)

    def everyday(self) -> None:
        """This coup is none of these; a banco is not repeated after it."""
        self._banco = None

    def played(self, results: Mapping[str, int]) -> None:
        """Takes note of how it ended: a banco that was null may be repeated (BC-06, G-03)."""
        if self._banco is None:
            return
        self._repeats += 1
        if sum(results.values()) != 0 or self._repeats > MOST_REPEATS:
            self._banco = None
