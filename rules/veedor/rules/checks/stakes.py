"""Stakes: when, where and how much (BT-01, BT-02, BK-11, ER-07, ER-38, PL-01, PL-03, AR-04, PR-02)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from veedor.rules.coup import Coup
from veedor.rules.coup_parts import ZERO, Bet, plain
from veedor.rules.event_types import (
    BetChanged,
    BetPlaced,
    BetRemoved,
    BetReturned,
    BettingClosed,
    CardDealt,
    CoupClosed,
    TableEvent,
)
from veedor.rules.outcome import ANNULLED, BANKER, TIE, is_annulled, result
from veedor.rules.profile_keys import DOS_PANOS, FAMILIES, PUNTO_BANCO
from veedor.rules.session_close import settlement_now
from veedor.rules.session_parts import CoupAbandoned
from veedor.rules.stakes import FORBIDDEN, in_play
from veedor.rules.telling import clock, stake_facts
from veedor.rules.verdict import Judgement, Moment, Reason, Step, rule, undecided


def bets_are_down(moment: Moment) -> bool:
    """True at the call, or, where no call was heard, once the deal is complete."""
    before, coup = moment.coup_before, moment.coup
    if type(moment.event) is BettingClosed:
        return before is None or before.call is None
    if coup.call is not None or type(moment.event) is not CardDealt:
        return False
    need = 2 * (len(coup.players) + 1)
    return sum(map(len, coup.hands.values())) == need and not any(c.third for c in coup.cards.values())


def standing_bets(coup: Coup) -> list[Bet]:
    """Bets placed in time and still there."""
    return [bet for bet in coup.bets.values() if not bet.late and not bet.removed]


@rule("BET_AFTER_NMV", FAMILIES, (BetPlaced, BettingClosed, CoupClosed, CoupAbandoned), standing=True)
def late_bets(moment: Moment) -> Sequence[Judgement] | None:
    """BT-01: no stake after the call."""
    coup = moment.coup
    ended = type(moment.event) in (CoupClosed, CoupAbandoned)
    if coup.call is None:
        return _unheard_call(coup, moment.event) if ended else None
    found = []
    for bet in coup.bets.values():
        if bet.late:
            facts = {**stake_facts(bet), "call": clock(coup.call.t)}
            found.append(
                Judgement(
                    "BET_AFTER_NMV",
                    bet.placed.t,
                    bet.bettor,
                    (coup.call, bet.placed),
                    facts=facts,
                    subject=bet.id,
                )
            )
    return found


def _unheard_call(coup: Coup, event: TableEvent) -> Sequence[Judgement]:
    """A stake after a card with no call heard: one of the two is a fault, which one is not known."""
    drawn = [card.drawn for card in coup.cards.values() if card.drawn]
    if not drawn or (coup.settling is None and type(event) is CoupAbandoned):
        return ()
    first = min(drawn, key=lambda draw: draw.t)
    after = [bet for bet in coup.bets.values() if bet.placed.t > first.t]
    if not after:
        return ()
    bet = after[0]
    reason = Reason("call")
    evidence = (first, bet.placed)
    return (undecided("BET_AFTER_NMV", reason, t=bet.placed.t, actor=bet.bettor, evidence=evidence),)


@rule("BET_CHANGED", FAMILIES, (BetChanged, BetRemoved))
def changed_bets(moment: Moment) -> Sequence[Judgement]:
    """ER-07, ER-38: what stands after the call is not raised, lowered, moved or withdrawn."""
    event, coup = moment.event, moment.coup_before
    assert isinstance(event, BetChanged | BetRemoved)
    if coup is None or coup.closed is not None or coup.call is None or event.t <= coup.call.t:
        return ()
    bet = coup.bets.get(event.bet)
    if bet is None or bet.late or bet.zone == FORBIDDEN or bet.is_touched or _is_free(coup, bet, moment):
        return ()
    if isinstance(event, BetChanged):
        same_amount = event.amount is None or event.amount == bet.amount
        if same_amount and event.zone in (None, bet.zone):
            return ()
        stake = settlement_now(moment.before, coup).stakes.get(bet.id)
        if stake and stake.uncovered and event.amount == (bet.amount or ZERO) - stake.uncovered:
            return ()  # the part the bank does not cover is taken back
        now = {"now": plain(event.amount or bet.amount), "now_zone": event.zone or bet.zone}
    else:
        now = {"now": "0", "now_zone": ""}
    facts = {**stake_facts(bet), "was": plain(bet.amount), **now}
    steps = (Step("restore_bet", {"bet": bet.id, "amount": plain(bet.amount), "zone": bet.zone}),)
    return (
        Judgement(
            "BET_CHANGED", event.t, bet.bettor, (coup.call, bet.placed, event), facts=facts, steps=steps,
            subject=f"{bet.id}@{event.t}",
        ),
    )  # fmt: skip


def _is_free(coup: Coup, bet: Bet, moment: Moment) -> bool:
    """True once the stake no longer plays: its paños are null or tied, or won and waiting to be taken."""
    parts = in_play(bet.zone, bet.amount or ZERO, moment.profile)
    hands = [hand if hand in coup.players else coup.players[0] for hand in parts]
    if not hands:
        return True
    if all(is_annulled(coup, hand, moment.profile) for hand in hands):
        return True
    found = [result(coup, hand, moment.profile) for hand in hands]
    if None in found:
        return False
    if coup.settling is None:
        return True
    return all(one in (TIE, ANNULLED) or one != BANKER for one in found)


@rule("BET_POSITION_FORBIDDEN AR_PUNTO_POSITION", FAMILIES, (BettingClosed, CardDealt))
def positions(moment: Moment) -> Sequence[Judgement]:
    """BT-02 and AR-04: where no stake may lie."""
    if not bets_are_down(moment) or moment.profile.family == PUNTO_BANCO:
        return ()
    if moment.profile.reading("C-19") == "000" and moment.profile.family == DOS_PANOS:
        return ()
    code = "BET_POSITION_FORBIDDEN" if moment.profile.family == DOS_PANOS else "AR_PUNTO_POSITION"
    return [
        Judgement(
            code,
            moment.event.t,
            bet.bettor,
            (bet.placed, moment.event),
            facts=stake_facts(bet),
            subject=bet.id,
        )
        for bet in standing_bets(moment.coup)
        if bet.zone == FORBIDDEN
    ]


@rule("BET_LIMITS", FAMILIES, (BettingClosed, CardDealt))
def limits(moment: Moment) -> Sequence[Judgement]:
    """BK-11: minimum and maximum of the authorisation, by bettor and zone."""
    low, high = moment.profile.limit("bet_min"), moment.profile.limit("bet_max")
    if (low is None and high is None) or not bets_are_down(moment):
        return ()
    sums: dict[tuple[str, str], list[Bet]] = {}
    for bet in standing_bets(moment.coup):
        if bet.zone not in (FORBIDDEN, "tie", "suite"):
            sums.setdefault((bet.bettor, bet.zone), []).append(bet)
    found = []
    for (bettor, zone), bets in sums.items():
        if any(bet.amount is None for bet in bets):
            continue
        total = sum((bet.amount or ZERO for bet in bets), ZERO)
        if (low is not None and total < low) or (high is not None and total > high):
            facts = {
                "amount": plain(total),
                "zone": zone,
                "low": plain(low or ZERO),
                "high": "∞" if high is None else plain(high),
            }
            evidence = (*[bet.placed for bet in bets], moment.event)
            found.append(Judgement("BET_LIMITS", moment.event.t, bettor, evidence, facts=facts, subject=zone))
    return found


@rule("PR_TIE_BET_MIN", (PUNTO_BANCO,), (BettingClosed, CardDealt))
def tie_minimum(moment: Moment) -> Sequence[Judgement]:
    """PR-02: a tie bet under the minimum needs the minimum on punto or banca."""
    low = moment.profile.limit("bet_min")
    if low is None or not bets_are_down(moment):
        return ()
    bets = standing_bets(moment.coup)
    main: dict[str, Decimal] = {}
    for bet in bets:
        if bet.zone in ("punto", "banca"):
            # Chips that could not be counted are taken to be enough: never an accusation on a guess.
            main[bet.bettor] = max(main.get(bet.bettor, ZERO), low if bet.amount is None else bet.amount)
    return [
        Judgement(
            "PR_TIE_BET_MIN",
            moment.event.t,
            bet.bettor,
            (bet.placed, moment.event),
            facts={"amount": plain(bet.amount), "low": plain(low)},
            subject=bet.id,
        )
        for bet in bets
        if bet.zone == "tie"
        and bet.amount is not None
        and bet.amount < low
        and main.get(bet.bettor, ZERO) < low
    ]


@rule("MIN_PLAYERS", (DOS_PANOS,), (BettingClosed, CardDealt))
def players(moment: Moment) -> Sequence[Judgement]:
    """PL-01: at least two players at each paño, kept throughout."""
    if not bets_are_down(moment):
        return ()
    need = moment.profile.whole("min_players")
    return [
        Judgement(
            "MIN_PLAYERS",
            moment.event.t,
            "table",
            (seen, moment.event),
            facts={"pano": pano, "count": str(len(seen.players)), "need": str(need)},
            subject=pano,
        )
        for pano in moment.coup.players
        if (seen := moment.after.players.get(pano)) is not None and len(seen.players) < need
    ]


@rule("COVER_ORDER", (DOS_PANOS,), (BetReturned,))
def cover(moment: Moment) -> Sequence[Judgement]:
    """PL-03 with G-01: a limited bank covers seat by seat; only what it does not reach is given back."""
    event, coup = moment.event, moment.coup
    assert isinstance(event, BetReturned)
    bet = coup.bets.get(event.bet)
    if coup.call is None or coup.closed is not None or bet is None or bet.late or event.amount is None:
        return ()
    if bet.amount is None or any(coup.hands.values()) or coup.stuck is not None:
        return ()
    stake = settlement_now(moment.after, coup).stakes.get(bet.id)
    if stake is None or bet.returned <= stake.uncovered:
        return ()
    facts = {**stake_facts(bet), "returned": plain(bet.returned), "due": plain(stake.uncovered)}
    steps = (Step("restore_bet", {"bet": bet.id, "amount": plain(bet.amount), "zone": bet.zone}),)
    evidence = (coup.call, bet.placed, event)
    return (
        Judgement("COVER_ORDER", event.t, "croupier", evidence, facts=facts, steps=steps, subject=bet.id),
    )


RULES = (late_bets, changed_bets, positions, limits, tie_minimum, players, cover)
