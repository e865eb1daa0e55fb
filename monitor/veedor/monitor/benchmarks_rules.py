"""How fast the rule checker is, and that its memory does not grow with the record.

The record is made up as it goes: clean coups of bacará a dos paños, cards from a seeded source, each played
by the rules and settled to the unit, so that every rule has its usual work and nothing is found.
"""

from __future__ import annotations

import gc
import random
import resource
import sys
import time
from collections.abc import Iterator
from decimal import Decimal

from veedor.rules.cards import Card, full_deck, total
from veedor.rules.checker import Checker
from veedor.rules.events import (
    BetCollected,
    BetPaid,
    BetPlaced,
    BettingClosed,
    BettingOpened,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandTaken,
    PlayersSeen,
    Said,
    ShoeStarted,
    TableEvent,
)
from veedor.rules.profile import load_profile

EVENTS_TIMED = 200_000
EVENTS_MEASURED = 1_000_000
COUPS_A_SHOE = 32  # nine cards at most a coup, 312 in the sabot
STAKE = Decimal(100)
_HANDS = ("P1", "P2", "B")
_SEATS = {"P1": (1, 2, 3), "P2": (6, 7, 8)}


class _Table:
    """Plays clean coups one after another, as events."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.t = 0.0
        self.coup = 0
        self.shoe: list[Card] = []
        self.turn = {"P1": 0, "P2": 0}
        self.tableau = load_profile("dos-panos-limitada").tableau

    def tick(self, seconds: float = 1.0) -> float:
        self.t = round(self.t + seconds, 3)
        return self.t

    def events(self) -> Iterator[TableEvent]:
        while True:
            if self.coup % COUPS_A_SHOE == 0:
                self.shoe = [card for card in full_deck() for _ in range(6)]
                self.rng.shuffle(self.shoe)
                yield ShoeStarted(6, t=self.tick())
                for pano, seats in _SEATS.items():
                    yield PlayersSeen(pano, tuple(f"seat{n}" for n in seats), t=self.t)
            self.coup += 1
            yield from self._play()

    def _play(self) -> Iterator[TableEvent]:
        yield CoupOpened(self.coup, t=self.tick())
        yield BettingOpened(t=self.t)
        for pano, seats in _SEATS.items():
            for seat in seats[:2]:
                bet = f"b{self.coup}-{seat}"
                yield BetPlaced(bet, pano, STAKE, seat=seat, t=self.tick())
        yield BettingClosed(t=self.tick())
        hands: dict[str, list[Card]] = {hand: [] for hand in _HANDS}
        ids: dict[str, list[str]] = {hand: [] for hand in _HANDS}
        for index in range(6):
            yield from self._deal(_HANDS[index % 3], hands, ids)
        points = {hand: total(cards) or 0 for hand, cards in hands.items()}
        natural = {hand: points[hand] >= 8 for hand in _HANDS}
        for pano in ("P1", "P2"):
            seat = _SEATS[pano][self.turn[pano]]
            yield HandTaken(pano, f"seat{seat}", t=self.tick(2))
            word = "abato" if natural[pano] else "carta" if points[pano] <= 5 else "no"
            yield Said(pano, word, t=self.tick(2), source="voice")
            if natural[pano]:
                yield from self._turn(pano, ids[pano], hands[pano])
        thirds: dict[str, int | None] = {}
        for pano in ("P1", "P2"):
            thirds[pano] = None
            if points[pano] <= 5:
                yield from self._deal(pano, hands, ids)
                yield from self._turn(pano, ids[pano][2:], hands[pano][2:])
                thirds[pano] = hands[pano][2].points
        live = [pano for pano in ("P1", "P2") if not natural[pano]]
        if live and points["B"] < 8 and self.tableau.cell(points["B"], thirds[live[0]]) != "P":
            yield from self._deal("B", hands, ids)
        else:
            yield Said("banker", "no", t=self.tick(), source="voice")
        for hand in _HANDS:
            if not natural[hand] or hand == "B":
                yield from self._turn(hand, ids[hand][:2], hands[hand][:2])
        yield from self._turn("B", ids["B"][2:], hands["B"][2:])
        yield from self._settle(hands, natural)

    def _deal(
        self, hand: str, hands: dict[str, list[Card]], ids: dict[str, list[str]]
    ) -> Iterator[TableEvent]:
        card = f"c{sum(map(len, ids.values())) + 1}"
        hands[hand].append(self.shoe.pop())
        ids[hand].append(card)
        yield CardDrawn(card, "banker", t=self.tick(0.4))
        yield CardDealt(card, hand, t=self.tick(0.4))

    def _turn(self, hand: str, ids: list[str], cards: list[Card]) -> Iterator[TableEvent]:
        by = "banker" if hand == "B" else hand
        for card, face in zip(ids, cards, strict=True):
            yield CardTurned(card, str(face), by, t=self.tick(0.3))

    def _settle(self, hands: dict[str, list[Card]], natural: dict[str, bool]) -> Iterator[TableEvent]:
        gain = Decimal(0)
        bank = total(hands["B"]) or 0
        for pano in ("P1", "P2"):
            mine = total(hands[pano]) or 0
            won, lost = mine > bank, mine < bank
            if natural[pano] and not natural["B"]:
                won, lost = True, False
            elif natural["B"] and not natural[pano] and len(hands[pano]) == 3:
                won, lost = False, True
            for seat in _SEATS[pano][:2]:
                bet = f"b{self.coup}-{seat}"
                if won:
                    yield BetPaid(bet, STAKE, t=self.tick())
                elif lost:
                    yield BetCollected(bet, STAKE, t=self.tick())
            gain += 2 * STAKE * (lost - won)
            if lost:
                self.turn[pano] = (self.turn[pano] + 1) % 3
        if gain > 0:
            yield CagnottePaid(gain * Decimal("0.02"), t=self.tick())
        yield CoupClosed(self.coup, t=self.tick())


def bench_rules(
    *, seed: int = 1, timed: int = EVENTS_TIMED, measured: int = EVENTS_MEASURED
) -> dict[str, object]:
    """Events a second on one core, checker included, and the memory the checker holds over a long record.

    Memory is the interpreter's allocated blocks (of at most 512 bytes each) after a tenth of the record and
    after all of it, both between coups, and by how much the process's peak grew in between.
    Time is that of this process alone, so that neighbours on a busy machine do not count.
    """
    memory = _memory(seed, measured)  # first, as the record held ready below would set the peak
    events = [event for event, _ in zip(_Table(seed).events(), range(timed), strict=False)]
    checker = Checker(load_profile("dos-panos-limitada"))
    gc.collect()
    gc.freeze()  # the record held ready is no part of the checker's work
    start = time.process_time()
    found = sum(len(checker.feed(event)) for event in events)
    seconds = time.process_time() - start
    gc.unfreeze()
    return {
        "events": timed,
        "events_per_s": round(timed / seconds),
        "findings": found,
        "memory_events": measured,
        **memory,
    }


def _memory(seed: int, count: int) -> dict[str, int]:
    checker = Checker(load_profile("dos-panos-limitada"))
    stream = _Table(seed + 1).events()
    blocks, peaks_kib = [], []
    for part in (count // 10, count - count // 10):
        for _ in range(part):
            checker.feed(next(stream))
        event = next(stream)
        while not isinstance(event, CoupClosed):
            checker.feed(event)
            event = next(stream)
        checker.feed(event)
        gc.collect()
        blocks.append(sys.getallocatedblocks())
        peaks_kib.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return {
        "blocks_after_a_tenth": blocks[0],
        "blocks_at_the_end": blocks[1],
        "peak_kib": peaks_kib[1],
        "peak_growth_kib": peaks_kib[1] - peaks_kib[0],
    }
