"""Plays coups for the tests, event by event; every part of one can be made wrong.

A hand is written ``4H 9S``; what is not said is played properly. Payments are worked out here on their own,
so that the code under test is not its own judge.
"""

from decimal import Decimal

from veedor.rules.cards import POINTS
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
    CommissionTaken,
    CoupClosed,
    CoupOpened,
    HandTaken,
    PlayersSeen,
    SabotPassed,
    Said,
    ShoeStarted,
)
from veedor.rules.finding import standing
from veedor.rules.profile import load_profile

SEATS = {"P1": ("seat1", "seat2"), "P2": ("seat6", "seat7")}


def value(cards):
    return sum(POINTS[card[0]] for card in cards) % 10


class Record:
    """A list of events with a clock; ``play`` and ``punto`` append whole coups."""

    def __init__(self, profile="dos-panos-limitada", bank=5000, readings=None, **config):
        self.profile = load_profile(profile).with_readings(readings or {}).with_config(config)
        self.bank = None if bank is None else Decimal(bank)
        self.events = []
        self.t = 0.0
        self.coup = 0
        self.bets = 0

    def add(self, kind, *args, dt=1.0, **fields):
        self.t = round(self.t + dt, 3)
        event = kind(*args, t=fields.pop("t", self.t), id=len(self.events) + 1, **fields)
        self.events.append(event)
        return event

    def check(self):
        checker = Checker(self.profile, bank=self.bank)
        return checker, checker.judge(self.events)

    def findings(self):
        return standing(self.check()[1])

    def codes(self):
        return [finding.code for finding in self.findings()]

    @property
    def account(self):
        return self.check()[0].account

    # -- bacará a dos paños ---------------------------------------------------------------------------------

    def begin(self, *, shoe=True, players=SEATS):
        if shoe:
            self.add(ShoeStarted, 6)
        for pano, people in players.items():
            self.add(PlayersSeen, pano, tuple(people), dt=0)

    def open(self, bets=(("A", 1, "P1", 100), ("B", 6, "P2", 100)), *, call=True):
        self.coup += 1
        self.add(CoupOpened, self.coup, dt=5)
        self.add(BettingOpened)
        for bettor, seat, zone, amount in bets:
            self.bet(bettor, seat, zone, amount)
        if call:
            self.add(BettingClosed, dt=3)
        return [event for event in self.events if isinstance(event, BetPlaced)][-len(bets) :]

    def bet(self, bettor, seat, zone, amount, **fields):
        self.bets += 1
        amount = None if amount is None else Decimal(str(amount))
        return self.add(BetPlaced, f"b{self.bets}", zone, amount, bettor, seat, **fields)

    def card(self, to, by="banker", *, face="down", shows=None, dealt_by=None):
        number = 1 + sum(1 for e in self.events[self.start :] if isinstance(e, CardDrawn))
        card = f"c{number}"
        self.add(CardDrawn, card, by, face, shows, dt=0.5)
        if to is not None:
            self.add(CardDealt, card, to, dealt_by, dt=0.5)
        return card

    @property
    def start(self):
        places = [n for n, event in enumerate(self.events) if isinstance(event, CoupOpened)]
        return places[-1] if places else 0

    def deal(self, order=("P1", "P2", "B", "P1", "P2", "B"), by="banker"):
        self.ids = {"P1": [], "P2": [], "B": [], "punto": [], "banca": []}
        for hand in order:
            self.ids[hand].append(self.card(hand, by))

    def turn(self, hand, faces, by=None, *, first=0, dt=0.3):
        by = by or ("banker" if hand == "B" else hand)
        for card, face in zip(self.ids[hand][first:], faces, strict=False):
            self.add(CardTurned, card, face, by, dt=dt)

    def third(self, hand, face, **fields):
        self.ids[hand].append(self.card(hand, **fields))
        self.add(CardTurned, self.ids[hand][-1], face, "banker", dt=0.3)

    def speak(self, hand, word, holder, *, lift=True):
        if lift:
            self.add(HandTaken, hand, holder, dt=1.5)
        self.add(Said, hand, word, dt=2, source="voice")

    def play(
        self,
        p1="2H KS",
        p2="QD 7D",
        b="3C 4H",
        say=("carta", "no"),
        thirds=("3S", None, None),
        holders=("seat1", "seat6"),
        bets=(("A", 1, "P1", 100), ("B", 6, "P2", 100)),
        settle=True,
    ):
        """One coup of bacará a dos paños; by default P1 2+3=5, P2 7, bank 7: A loses, B ties."""
        placed = self.open(bets)
        self.deal()
        hands = {"P1": p1.split(), "P2": p2.split(), "B": b.split()}
        for hand, word, holder in zip(("P1", "P2"), say, holders, strict=True):
            if word is not None:
                self.speak(hand, word, holder)
            if word == "abato":
                self.turn(hand, hands[hand])
        for hand, face in zip(("P1", "P2", "B"), thirds, strict=True):
            if face is not None:
                self.third(hand, face)
                hands[hand].append(face)
        if thirds[2] is None:
            self.add(Said, "banker", "no", source="voice")
        self.show(hands, say)
        if settle:
            self.settle(hands, placed, say)
        return hands

    def show(self, hands, say=(None, None)):
        for hand, word in zip(("P1", "P2"), say, strict=True):
            if word != "abato":
                self.turn(hand, hands[hand][:2])
        self.turn("B", hands["B"][:2])

    def settle(self, hands, placed, say=(None, None), *, close=True):
        """Pays and collects even money on whole stakes of one paño, ties untouched."""
        gain = Decimal(0)
        for bet in placed:
            outcome = self.outcome(hands, bet.zone, say)
            if outcome > 0:
                self.add(BetPaid, bet.bet, bet.amount)
            elif outcome < 0:
                self.add(BetCollected, bet.bet, bet.amount)
            gain -= outcome * bet.amount
        if gain > 0:
            self.add(CagnottePaid, gain * self.profile.amount("cagnotte_rate"))
        if close:
            self.add(CoupClosed, self.coup)

    def outcome(self, hands, zone, say):
        mine, bank = value(hands[zone]), value(hands["B"])
        word = dict(zip(("P1", "P2"), say, strict=True))[zone]
        natural = len(hands[zone]) == 2 and mine >= 8 and word not in ("no", "carta")
        bank_natural = len(hands["B"]) == 2 and bank >= 8
        if natural and not bank_natural:
            return 1
        if bank_natural and not natural and len(hands[zone]) > 2:
            return -1
        return (mine > bank) - (mine < bank)

    # -- punto y banca, punto banco --------------------------------------------------------------------------

    def punto(
        self,
        punto="TH 6C",
        banca="2D 5S",
        thirds=(None, None),
        bets=(("seat2", 2, "suite", 50), ("seat4", 4, "banca", 100), ("seat1", 1, "punto", 80)),
        shooter="seat2",
        holder="seat1",
        suite_tax=0,
        settle=True,
        order=("punto", "banca", "punto", "banca"),
        first=True,
    ):
        """One hand of punto y banca; by default punto 6, banca 7, nobody draws."""
        placed = self.open(bets)
        self.deal(order, by=shooter)
        hands = {"punto": punto.split(), "banca": banca.split()}
        self.add(HandTaken, "punto", holder)
        if first:
            self.turn("punto", hands["punto"], holder)
        self.turn("banca", hands["banca"], shooter, dt=1)
        if not first:
            self.turn("punto", hands["punto"], holder)
        for hand, face in zip(("punto", "banca"), thirds, strict=True):
            if face is not None:
                self.third(hand, face, by=shooter)
                hands[hand].append(face)
        if settle:
            self.settle_punto(hands, placed, suite_tax)
        return placed

    def settle_punto(self, hands, placed, suite_tax=0):
        won = (value(hands["punto"]) > value(hands["banca"])) - (
            value(hands["punto"]) < value(hands["banca"])
        )
        for bet in placed:
            if bet.zone == "tie":
                if won == 0:
                    self.add(BetPaid, bet.bet, bet.amount * 8)
                else:
                    self.add(BetCollected, bet.bet, bet.amount)
                continue
            outcome = won if bet.zone == "punto" else -won
            if outcome > 0:
                self.add(BetPaid, bet.bet, bet.amount)
                if bet.zone == "banca":
                    rate = self.profile.amount("commission_rate")
                    self.add(CommissionTaken, bet.bet, bet.amount * rate)
                elif bet.zone == "suite" and suite_tax:
                    self.add(CommissionTaken, bet.bet, Decimal(suite_tax))
            elif outcome < 0:
                self.add(BetCollected, bet.bet, bet.amount)
        self.add(CoupClosed, self.coup)


def argentina(shooter="seat2", **config):
    record = Record("punto-y-banca-ar", None, **config)
    record.add(SabotPassed, shooter)
    return record


def puerto_rico(shooter="seat1", **config):
    record = Record("punto-banco-pr", None, **config)
    record.add(SabotPassed, shooter)
    return record


def dos_panos(**fields):
    record = Record(**fields)
    record.begin()
    return record


def due(record):
    """Net gains that are not nothing."""
    return {who: net for who, net in record.account.payouts.items() if net}
