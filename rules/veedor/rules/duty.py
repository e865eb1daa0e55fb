"""What the banker must do with his third card: the cuadro, restored play and the readings about them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from veedor.rules.coup import Coup
from veedor.rules.event_types import Said
from veedor.rules.outcome import has_natural, is_annulled, say_of, two_card_total
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.restoration import Fault, Restoration, restoration_of
from veedor.rules.tableau import DRAW, OPTIONAL, STAND


class Must(StrEnum):
    """The banker's duty; INSPECTOR where the readings of the sources part."""

    DRAW = "must_draw"
    STAND = "must_stand"
    FREE = "free"
    INSPECTOR = "inspector"


@dataclass(frozen=True, slots=True)
class Duty:
    """The banker's duty and why: the cells of the cuadro for the live paños, and the rule applied."""

    must: Must
    rule: str
    cells: tuple[tuple[str, str], ...] = ()
    restoration: Restoration | None = None


_FREE = Duty(Must.FREE, "001 VI p4")


def banker_duty(coup: Coup, profile: RuleProfile) -> Duty:
    """The banker's duty as the coup stands; FREE where nothing binds him or a card is not known."""
    if profile.family != DOS_PANOS:
        return _FREE
    known = coup.memo.get("duty")
    if known is None or known[0] is not profile:
        known = coup.memo["duty"] = (profile, _duty(coup, profile))
    duty: Duty = known[1]
    return duty


def _duty(coup: Coup, profile: RuleProfile) -> Duty:
    bank_total = two_card_total(coup, coup.bank)
    if bank_total is None:
        return _FREE
    restoration = restoration_of(coup, profile)
    if bank_total >= 8:
        return Duty(Must.STAND, "001 VI p3", restoration=restoration)
    live = [
        hand
        for hand in coup.players
        if not is_annulled(coup, hand, profile) and not _has_abated(coup, hand, profile)
    ]
    if not live:
        return _FREE
    cells = []
    for hand in live:
        known, third = _third_points(coup, hand, restoration)
        if not known:
            return Duty(Must.FREE, "001 VI p4", restoration=restoration)
        cells.append((hand, profile.tableau.cell(bank_total, third)))
    one_live = len(live) < len([hand for hand in coup.players if not is_annulled(coup, hand, profile)])
    must, rule = _judge(coup, profile, (bank_total, [letter for _, letter in cells], one_live), restoration)
    return Duty(must, rule, tuple(cells), restoration)


def _has_abated(coup: Coup, hand: str, profile: RuleProfile) -> bool:
    return has_natural(coup, hand, profile)


def _third_points(coup: Coup, hand: str, restoration: Restoration | None) -> tuple[bool, int | None]:
    """Whether the hand's third card is known, and its points (None: no third card)."""
    card = coup.third_of(hand)
    if restoration is not None and not restoration.is_done(coup):
        if hand not in restoration.shift.players:
            return True, None
        wanted = restoration.shift.players[hand]
        card = coup.cards.get(wanted) if wanted else None
        if card is None:
            return False, None
    if card is None:
        return True, None
    return card.face.points is not None, card.face.points


def _judge(
    coup: Coup, profile: RuleProfile, cells: tuple[int, list[str], bool], restoration: Restoration | None
) -> tuple[Must, str]:
    bank_total, letters, one_live = cells
    wrong_point = miscall_after_showing(coup)
    if restoration is not None:
        if profile.reading("C-06") == "002" and _first_asked_for_nothing(coup):
            return Must.DRAW, "002 L147"
        return restored_duty(bank_total, letters, fault=restoration.fault, one_live=one_live, profile=profile)
    if wrong_point is not None:
        return _bound(profile, "C-08", "001 VIII.5 p4", (bank_total, letters, one_live))
    if coup.exposed:
        by_croupier = any(event.by == "croupier" for event in coup.exposed.values())
        if by_croupier and profile.reading("C-07") == "001":
            return restored_duty(bank_total, letters, fault=Fault.EXEMPT, one_live=one_live, profile=profile)
        return _bound(profile, "C-07", "001 VIII.2 p3", (bank_total, letters, one_live))
    if one_live and profile.reading("C-21") == "always":
        return _of(letters[0].replace(OPTIONAL, DRAW)), "001 VIII.3 p1"
    if coup.cuadro is not None or coup.advice is not None:
        rule = "001 VI p4" if coup.cuadro is not None else "001 VIII.5 p2"
        if len(set(letters)) == 1 and letters[0] != OPTIONAL:
            return _of(letters[0]), rule
    return Must.FREE, "001 VI p4"


def _of(letter: str) -> Must:
    return Must.DRAW if letter == DRAW else Must.STAND


def restored_duty(
    bank_total: int, letters: list[str], *, fault: Fault, one_live: bool, profile: RuleProfile
) -> tuple[Must, str]:
    """Duty in a restored coup from the cells of the live paños (001 VIII.3); the rule that gives it."""
    if one_live and len(letters) == 1:
        return _of(letters[0].replace(OPTIONAL, DRAW)), "001 VIII.3 p1"
    if profile.reading("G-13") == "compatible" and OPTIONAL in letters:
        fixed = set(letters) - {OPTIONAL}
        if len(fixed) == 1:
            return _of(fixed.pop()), "001 VIII.3 p2"
    if len(set(letters)) == 1 and letters[0] != OPTIONAL:
        return _of(letters[0]), "001 VIII.3 p2"
    if fault is Fault.BANKER:
        forced = DRAW if bank_total <= profile.whole("fault_draw_to") else STAND
        return _of(forced), "001 VIII.3 p3"
    return Must.FREE, "001 VIII.3 p3"


def _bound(
    profile: RuleProfile, reading: str, rule: str, cells: tuple[int, list[str], bool]
) -> tuple[Must, str]:
    """A banker at fault without any card to shift: 001 sends to VIII.3, 000/002 say five or less draws."""
    bank_total, letters, one_live = cells
    plain = _of(DRAW if bank_total <= profile.whole("fault_draw_to") else STAND)
    if profile.reading(reading) == "000":
        return plain, "000 §15 p3-p4"
    if profile.reading(reading) == "franc":
        return _of(profile.tableau.drawing_options().cell(bank_total, None)), rule
    must, _ = restored_duty(bank_total, letters, fault=Fault.BANKER, one_live=one_live, profile=profile)
    return (must, rule) if must is plain else (Must.INSPECTOR, rule)


def _first_asked_for_nothing(coup: Coup) -> bool:
    """C-06: the first paño asked with six or more, the second did not ask."""
    first, second = say_of(coup, coup.players[0]), say_of(coup, coup.players[1])
    asked = first is not None and first.word == "carta" and (two_card_total(coup, coup.players[0]) or 0) >= 6
    return asked and (second is None or second.word != "carta")


def miscall(coup: Coup) -> tuple[Said, int] | None:
    """The banker's first announcement of a point his cards did not have, and the true point."""
    for event, held in coup.points_said:
        if event.by in ("banker", coup.bank) and held:
            points = [coup.cards[card].face.points for card in held if card in coup.cards]
            known = [value for value in points if value is not None]
            if len(known) == len(held) >= 2 and sum(known) % 10 != event.point:
                return event, sum(known) % 10
    return None


def miscall_after_showing(coup: Coup) -> Said | None:
    """The banker's wrong announcement, if a player had shown his cards by then (ER-36)."""
    found = miscall(coup)
    if found is None:
        return None
    event, _ = found
    return event if any(coup.has_shown(hand, event.t) for hand in coup.players) else None
