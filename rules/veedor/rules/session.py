"""The fold over a whole record: coups one after another, and what carries over from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from veedor.rules.account import Account
from veedor.rules.coup import _HANDLERS as COUP_EVENTS
from veedor.rules.coup import TABLE, Coup
from veedor.rules.coup_numbers import next_coup
from veedor.rules.coup_parts import ZERO, seat_number
from veedor.rules.event_types import (
    BancoCalled,
    BankDeclared,
    BankDeposited,
    BankerLeft,
    BankerSeated,
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    BettingClosed,
    BettingOpened,
    CardDealt,
    CardDrawn,
    CommissionTaken,
    CoupClosed,
    CoupOpened,
    CutCardShown,
    LotDrawn,
    PlayersSeen,
    SabotPassed,
    Said,
    SessionOpened,
    ShoeStarted,
    SuiteWithdrawn,
    TableEvent,
    ViewLost,
    ViewRestored,
)
from veedor.rules.evolving import Evolving
from veedor.rules.profile import RuleProfile
from veedor.rules.rotation import Sequel, expected_holder, unknown
from veedor.rules.session_close import close_coup
from veedor.rules.session_parts import (
    BACK_COLOURS,
    Banco,
    BankState,
    CoupAbandoned,
    ShoeState,
    ShooterState,
    Turn,
)
from veedor.rules.settlement import SuiteState

# Events that, between coups, belong to the coup about to open; and those that show that one has begun.
_WAITING = (BetPlaced, BetChanged, BetRemoved, BankDeclared, BancoCalled, LotDrawn)
_OPENING = (BettingOpened, BettingClosed, CardDrawn, CardDealt)


@dataclass(frozen=True)
class Session(Evolving):
    """Everything the rules need to know about the record so far; pure and total like Coup.

    ``coup`` is the coup in course, or the last one while none is; ``account`` that of the last closed coup;
    ``settled_with`` the bank and suite it was settled with, for evidence that comes late; ``seen`` the kinds
    of settlement this record has shown (paid, collected, commission); ``heard`` and ``called`` tell whether
    words and the call of the croupier reach this record at all. ``unseen`` are the views that are lost now,
    zone and reason; ``sequel`` tells whether coups are missing.
    """

    profile: RuleProfile
    coup: Coup | None = None
    number: int = 0
    account: Account | None = None
    waiting: tuple[TableEvent, ...] = ()
    players: Mapping[str, PlayersSeen] = field(default_factory=dict)
    turns: Mapping[str, Turn] = field(default_factory=dict)
    banco: Banco | None = None
    bank: BankState = field(default_factory=BankState)
    shoe: ShoeState = field(default_factory=ShoeState)
    shooter: ShooterState = field(default_factory=ShooterState)
    settled_with: tuple[Decimal | None, SuiteState] | None = None
    seen: frozenset[str] = frozenset()
    heard: bool = False
    called: bool = False
    unseen: frozenset[tuple[str, str | None]] = frozenset()
    sequel: Sequel = field(default_factory=Sequel)

    @staticmethod
    def start(profile: RuleProfile, bank: Decimal | None = None) -> Session:
        """An empty record; ``bank`` is what the bank holds at its start, if known."""
        return Session(profile, bank=BankState(amount=bank, start=bank))

    def apply(self, event: TableEvent) -> Session:
        """The session after the event; never raises, whatever the order of events."""
        handler = _HANDLERS.get(type(event))
        return self._in_coup(event) if handler is None else handler(self, event)

    @property
    def open_coup(self) -> Coup | None:
        """The coup in course, None between coups."""
        coup = self.coup
        return coup if coup is not None and coup.closed is None else None

    def closes_another(self, event: CoupClosed) -> bool:
        """Whether it names another coup than the one in course, as one that comes late: it ends nothing."""
        coup = self.open_coup
        if coup is None or type(coup.opened) is not CoupOpened or event.coup is None:
            return False
        if coup.opened.coup is None:  # counted by us, so only what lies before it is sure to be another
            return event.coup < coup.number
        return event.coup != coup.number

    def _in_coup(self, event: TableEvent) -> Session:
        fold = COUP_EVENTS.get(type(event))
        if fold is None:
            return self
        coup = self.coup
        if coup is None or coup.closed is not None:
            if isinstance(event, _WAITING):
                return self.evolve(waiting=(*self.waiting[-199:], event))
            if isinstance(event, _OPENING):
                return self.opened(event, None)._in_coup(event)
            if coup is None:
                return self
        return self.evolve(coup=fold(coup, event))

    def opened(self, event: TableEvent, number: int | None) -> Session:
        """The session with a new coup in course."""
        profile = self.profile
        count = number if number is not None else next_coup(self.number)
        lost = frozenset(zone for zone, _ in self.unseen)
        coup = Coup(number=count, players=profile.hands[:-1], bank=profile.bank_hand, opened=event, lost=lost)
        banco = self.banco
        if banco is not None and banco.pending:
            coup = coup.evolve(banco=banco.call)
            banco = replace(banco, pending=False)
        else:
            banco = None
        for early in self.waiting:
            late = isinstance(early, BancoCalled) and coup.banco is None and self.is_late_banco(early)
            coup = coup.evolve(late_banco=early) if late else coup.apply(early)
        called = coup.banco if banco is None else None
        session = self.evolve(coup=coup, number=count, waiting=(), banco=banco)
        session = session.evolve(sequel=self.sequel.opened(event, count))
        if self.sequel.lacks_coups(event, count):
            shooter = replace(self.shooter, must_pass=False)
            session = session.evolve(turns=unknown(self.turns), shooter=shooter)
        return session if called is None else _with_banco(session, called)

    def is_late_banco(self, event: BancoCalled) -> bool:
        """True for a banco called out of time (BC-02): once, at the beginning of the partida (C-03)."""
        if self.profile.reading("C-03") == "002":
            return False
        coup = self.open_coup
        if coup is not None and coup.banco is not None and coup.banco.bettor == event.bettor:
            return False  # said twice
        return bool(self.shoe.coups or self.shoe.bancos)

    def is_repeat_refused(self) -> bool:
        """True if the banco may not be repeated now: not after a null coup, or too often (BC-06)."""
        banco, coup = self.banco, self.coup
        if banco is None or banco.pending or coup is None or coup.closed is None:
            return False
        return not banco.null or banco.repeats >= self.profile.whole("banco_repeats")

    def seat_of(self, person: str | None) -> str | None:
        """``seatN`` for somebody known by a seat or by a bet that names one; else the person as given."""
        if person is None or seat_number(person) is not None or self.coup is None:
            return person
        for bet in self.coup.bets.values():
            if bet.placed.bettor == person and bet.placed.seat is not None:
                return f"seat{bet.placed.seat}"
        return person

    def seats_at(self, pano: str) -> tuple[int, ...]:
        """Numbers of the occupied seats of a paño, in order; empty where nobody was seen."""
        seen = self.players.get(pano)
        if seen is None:
            return ()
        return tuple(sorted({n for person in seen.players if (n := seat_number(person)) is not None}))

    def expected_holder(self, hand: str) -> str | None:
        """The seat that should take the hand now; None where the record does not tell."""
        return expected_holder(self.turns.get(hand), self.seats_at(hand), self.shoe, self.sequel)


def _with_banco(session: Session, call: BancoCalled) -> Session:
    shoe = replace(session.shoe, bancos=session.shoe.bancos + 1)
    return session.evolve(banco=Banco(call), shoe=shoe)


def _session_opened(session: Session, event: SessionOpened) -> Session:
    profile = session.profile
    if event.unit is not None and event.unit > 0:
        profile = replace(profile, numbers={**profile.numbers, "unit": event.unit})
    bank = session.bank
    if event.bank is not None:
        bank = replace(bank, amount=event.bank, start=event.bank)
    return session.evolve(profile=profile, bank=bank)


def _coup_opened(session: Session, event: CoupOpened) -> Session:
    coup = session.open_coup
    if coup is not None and type(coup.opened) is not CoupOpened and not coup.cards:
        # Betting was opened before the coup was announced: it is the same coup.
        number = event.coup if event.coup is not None else coup.number
        turns = unknown(session.turns) if session.sequel.skips_to(number) else session.turns
        sequel = session.sequel.announced(number)
        opened = coup.evolve(number=number, opened=event)
        return session.evolve(coup=opened, number=number, turns=turns, sequel=sequel)
    if coup is not None:
        session = close_coup(session, coup)
    return session.opened(event, event.coup)


def _coup_closed(session: Session, event: CoupClosed | CoupAbandoned) -> Session:
    coup = session.open_coup
    if coup is None or (isinstance(event, CoupClosed) and session.closes_another(event)):
        return session
    return close_coup(session, coup.evolve(closed=event))


def _shoe_started(session: Session, event: ShoeStarted) -> Session:
    bank = replace(session.bank, gone=frozenset())
    return session.evolve(shoe=ShoeState(started=True, decks=event.decks, backs=event.backs or ()), bank=bank)


def _banker_seated(session: Session, event: BankerSeated) -> Session:
    bank = session.bank
    bank = replace(bank, banker=event.banker, coups=0, deposits=())
    if event.amount is not None:
        bank = replace(bank, amount=event.amount, start=event.amount, broken=False)
    return session.evolve(bank=bank)


def _banker_left(session: Session, event: BankerLeft) -> Session:
    bank = session.bank
    gone = bank.gone
    banker = event.banker or bank.banker
    taken = event.amount if event.amount is not None else bank.amount
    if banker and taken is not None and bank.start is not None and taken > bank.start:
        gone = gone | {banker}
    return session.evolve(bank=replace(BankState(gone=gone), start=bank.start))


def _bank_deposited(session: Session, event: BankDeposited) -> Session:
    bank = session.bank
    amount, start = bank.amount, bank.start
    if bank.coups == 0 and not bank.broken:
        if amount is None:
            amount = start = event.amount
        elif not (bank.deposits == () and amount == event.amount):
            # The same sum announced at the opening and then deposited is one bank, not two.
            amount += event.amount
            start = amount
    elif amount is not None:
        amount += event.amount
    deposits = (*bank.deposits[-9:], event)
    return session.evolve(bank=replace(bank, amount=amount, start=start, deposits=deposits))


def _seen(kind: str) -> Callable[[Session, Any], Session]:
    def handle(session: Session, event: TableEvent) -> Session:
        if kind not in session.seen:
            session = session.evolve(seen=session.seen | {kind})
        return session._in_coup(event)

    return handle


def _said(session: Session, event: Said) -> Session:
    session = session.evolve(heard=True)
    if event.words != "repeat":
        return session._in_coup(event)
    banco = session.banco
    if banco is None or session.is_repeat_refused():
        return session
    coup = session.open_coup
    if coup is not None and not coup.cards:
        session = session.evolve(coup=coup.evolve(banco=banco.call))
        return session.evolve(banco=replace(banco, repeats=banco.repeats + 1))
    return session.evolve(banco=replace(banco, repeats=banco.repeats + 1, pending=True))


def _banco_called(session: Session, event: BancoCalled) -> Session:
    coup = session.open_coup
    if coup is None:
        return session._in_coup(event)
    if session.is_late_banco(event):
        return session.evolve(coup=coup.evolve(late_banco=event))
    known = coup.banco is not None
    session = session._in_coup(event)
    return session if known else _with_banco(session, event)


def _sabot_passed(session: Session, event: SabotPassed) -> Session:
    old = session.shooter
    if event.to == old.shooter:
        return session
    return session.evolve(shooter=ShooterState(shooter=event.to, passed_from=old.shooter))


def _card_drawn(session: Session, event: CardDrawn) -> Session:
    session = session._in_coup(event)
    old, shoe = session.shooter, session.shoe
    if event.back is not None and event.back not in shoe.backs and len(shoe.backs) < BACK_COLOURS:
        session = session.evolve(shoe=replace(shoe, backs=(*shoe.backs, event.back)))
    if session.profile.switches["suite"] and event.by:
        if event.by != old.shooter:
            session = session.evolve(shooter=ShooterState(shooter=event.by, passed_from=old.shooter))
        elif old.must_pass:
            session = session.evolve(shooter=replace(old, must_pass=False))
    return session


def _bet_placed(session: Session, event: BetPlaced) -> Session:
    session = session._in_coup(event)
    if event.zone == "suite" and event.amount is not None:
        # A suite left lying is placed again: what stands now is the suite, whatever it had grown to.
        session = session.evolve(shooter=replace(session.shooter, suite=event.amount))
    return session


def _suite_withdrawn(session: Session, event: SuiteWithdrawn) -> Session:
    shooter = session.shooter
    return session.evolve(shooter=replace(shooter, withdrawn=shooter.withdrawn + (event.amount or ZERO)))


def _cut_card(session: Session, event: CutCardShown) -> Session:
    if session.shoe.cut is not None:
        return session
    in_play = session.open_coup is not None
    return session.evolve(shoe=replace(session.shoe, cut=event, cut_in_play=in_play))


def _view_lost(session: Session, event: ViewLost) -> Session:
    return _seeing(session, event, session.unseen | _views(event))._in_coup(event)


def _view_restored(session: Session, event: ViewRestored) -> Session:
    return _seeing(session, event, session.unseen - _views(event))


def _seeing(session: Session, event: TableEvent, unseen: frozenset[tuple[str, str | None]]) -> Session:
    dark = any(zone == TABLE for zone, _ in unseen)
    return session.evolve(unseen=unseen, sequel=session.sequel.seeing(event.t, dark=dark))


def _views(event: ViewLost | ViewRestored) -> frozenset[tuple[str, str | None]]:
    return frozenset((zone, event.reason) for zone in event.zones or (TABLE,))


_HANDLERS: dict[type[TableEvent], Callable[[Session, Any], Session]] = {
    SessionOpened: _session_opened,
    CoupOpened: _coup_opened,
    CoupClosed: _coup_closed,
    CoupAbandoned: _coup_closed,
    ShoeStarted: _shoe_started,
    PlayersSeen: lambda session, event: session.evolve(players={**session.players, event.pano: event}),
    BankerSeated: _banker_seated,
    BankerLeft: _banker_left,
    BankDeposited: _bank_deposited,
    BettingClosed: lambda session, event: session.evolve(called=True)._in_coup(event),
    Said: _said,
    BancoCalled: _banco_called,
    SabotPassed: _sabot_passed,
    CardDrawn: _card_drawn,
    BetPlaced: _bet_placed,
    BetPaid: _seen("paid"),
    BetCollected: _seen("collected"),
    CommissionTaken: _seen("commission"),
    SuiteWithdrawn: _suite_withdrawn,
    CutCardShown: _cut_card,
    ViewLost: _view_lost,
    ViewRestored: _view_restored,
}
