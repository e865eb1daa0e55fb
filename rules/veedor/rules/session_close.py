"""What the end of a coup does to the session: bank, turns, banco, sabot, faces counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from veedor.rules.account import account_of
from veedor.rules.cards import Card
from veedor.rules.coup import Coup
from veedor.rules.coup_parts import ZERO, CardState
from veedor.rules.event_types import CoupClosed
from veedor.rules.outcome import ANNULLED, BANKER, PLAYER, TIE
from veedor.rules.profile_keys import DOS_PANOS, PUNTO_Y_BANCA
from veedor.rules.rotation import unknown
from veedor.rules.session_parts import Banco, ShooterState, Turn
from veedor.rules.settlement import Settlement, SuiteState, settle

if TYPE_CHECKING:
    from veedor.rules.session import Session

# A face read with less confidence does not count towards an impossible sabot: one misreading a shoe would do.
COUNTING_CONFIDENCE = 0.8


def settlement_now(session: Session, coup: Coup) -> Settlement:
    """What is due in the coup with the bank and the suite as they were before it."""
    if coup.closed is not None and session.settled_with is not None:
        amount, suite = session.settled_with
        return settle(coup, session.profile, amount, suite)
    shooter = session.shooter
    return settle(coup, session.profile, session.bank.amount, SuiteState(shooter.passes, shooter.last_win))


def close_coup(session: Session, coup: Coup) -> Session:
    """The session once the coup is over; one that saw no card changes nothing, unless it was out of sight."""
    if not coup.cards:
        return session.evolve(coup=coup, turns=unknown(session.turns) if coup.is_blind() else session.turns)
    bank, shooter = session.bank, session.shooter
    suite = SuiteState(shooter.passes, shooter.last_win)
    settlement = settle(coup, session.profile, bank.amount, suite)
    settled_with = (bank.amount, suite)
    amount = bank.amount
    if amount is not None:
        known = settlement.cagnotte is not None
        gain = sum(settlement.gains.values(), ZERO) - (settlement.cagnotte or ZERO)
        amount = amount + gain if known else None
    broken = amount is not None and amount <= 0 and session.profile.limited_bank
    deposits = () if broken else bank.deposits
    bank = replace(bank, amount=amount, broken=broken, coups=bank.coups + 1, deposits=deposits)
    turns, next_hand = _next_turns(session, coup, settlement)
    if session.profile.family == PUNTO_Y_BANCA:
        next_hand = _next_sabot(settlement)
    shoe = replace(session.shoe, coups=session.shoe.coups + 1, faces=_count_faces(session.shoe.faces, coup))
    account = session.account
    if account is None or type(coup.closed) is CoupClosed:
        account = account_of(coup, session.profile, settlement, amount, next_hand)
    return session.evolve(
        coup=coup,
        account=account,
        settled_with=settled_with,
        bank=bank,
        turns=turns,
        banco=_banco_after(session, coup, settlement),
        shoe=shoe,
        shooter=_shooter_after(session, coup, settlement),
    )


def counted_cards(coup: Coup) -> list[CardState]:
    """The coup's cards whose faces were read well enough to count towards the sabot."""
    return [
        card
        for card in coup.cards.values()
        if card.face.is_read and (card.turned is None or card.turned.confidence >= COUNTING_CONFIDENCE)
    ]


def _count_faces(faces: Mapping[Card, int], coup: Coup) -> Mapping[Card, int]:
    read = counted_cards(coup)
    if not read:
        return faces
    counted = dict(faces)
    for card in read:
        counted[card.face] = counted.get(card.face, 0) + 1
    return counted


def _next_turns(
    session: Session, coup: Coup, settlement: Settlement
) -> tuple[Mapping[str, Turn], Mapping[str, str]]:
    if session.profile.family != DOS_PANOS:
        return session.turns, {}
    turns = dict(session.turns)
    labels: dict[str, str] = {}
    for hand in coup.players:
        found = settlement.results[hand]
        labels[hand] = "rotate" if found == BANKER else "keep"
        passes = None if found is None or coup.is_blind() else found == BANKER
        if coup.banco is not None:
            continue  # PL-08: the caller held the cards; the turn of the paño waits
        expected = session.expected_holder(hand)
        holder = session.seat_of(coup.holder(hand))
        if expected and holder and holder != expected and _spoke_while_wrong(session, coup, hand, expected):
            turns[hand] = Turn(holder=holder, passes=passes, owed=expected)
            labels[hand] = expected
        else:
            turns[hand] = Turn(holder=expected or holder, passes=passes)
    return turns, labels


def _spoke_while_wrong(session: Session, coup: Coup, hand: str, expected: str) -> bool:
    words = coup.words.get(hand)
    if not words:
        return False
    held = [event for event in coup.taken.get(hand, ()) if event.t <= words[0].t]
    return bool(held) and session.seat_of(held[-1].by) != expected


def _next_sabot(settlement: Settlement) -> dict[str, str]:
    return {"banca": "rotate" if settlement.results["punto"] == PLAYER else "keep"}


def _banco_after(session: Session, coup: Coup, settlement: Settlement) -> Banco | None:
    banco = session.banco
    if banco is None or coup.banco is None:
        return None
    found = list(settlement.results.values())
    ties = all(result in (TIE, ANNULLED) for result in found)
    net: Decimal | None = None
    if settlement.complete:
        net = sum(settlement.gains.values(), ZERO)
    reading = session.profile.reading("G-03")
    zero = net == 0
    null = ties if reading == "both-tie" else zero if reading == "net-zero" else ties or zero
    return replace(banco, null=null)


def _shooter_after(session: Session, coup: Coup, settlement: Settlement) -> ShooterState:
    shooter = session.shooter
    if session.profile.family != PUNTO_Y_BANCA:
        return shooter
    found = settlement.results["punto"]
    if found == PLAYER:
        # C-22: an employee who deals for somebody who retired goes on until punto wins, like any shooter.
        return replace(shooter, passes=0, last_win=ZERO, suite=ZERO, withdrawn=ZERO, must_pass=True)
    if found != BANKER:
        return shooter
    suite = sum((bet.amount or ZERO for bet in coup.bets.values() if bet.zone == "suite"), ZERO)
    taken = sum((bet.commission for bet in coup.bets.values() if bet.zone == "suite"), ZERO)
    return replace(
        shooter, passes=shooter.passes + 1, last_win=suite, suite=2 * suite - taken, withdrawn=ZERO
    )
