"""What the rules required in a coup beside what happened, hand by hand and stake by stake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from veedor.monitor.coup_view_night import JudgedCoup
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.wording import amount_text, card_name, person_name
from veedor.rules.coup import Coup
from veedor.rules.coup_parts import ZERO
from veedor.rules.duty import Must, banker_duty
from veedor.rules.odds import player_letter
from veedor.rules.outcome import say_of, two_card_total
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.restoration import bank_natural_first
from veedor.rules.tableau import DRAW, OPTIONAL

NATURAL = 8
_DRAWS = Bilingual("pedir carta", "draw")
_STANDS = Bilingual("plantarse", "stand")
_FREE = Bilingual("libre: carta o no", "free to draw or stand")
_SHOWS = Bilingual("mostrarlas, sin tercera", "show them, no third card")
_BANK_HAS_SHOWN = Bilingual("sin tercera: la banca ha abatido", "no third card: the bank has a natural")
_UNKNOWN = Bilingual("no se sabe: hay cartas sin leer", "not known: cards were not read")
_OF_LETTER = {DRAW: _DRAWS, OPTIONAL: _FREE}
_OF_DUTY = {
    Must.DRAW: _DRAWS,
    Must.STAND: _STANDS,
    Must.FREE: Bilingual("libre", "free"),
    Must.INSPECTOR: Bilingual(
        "decide el inspector: las lecturas difieren", "for the inspector: readings differ"
    ),
}
_NEXT = {"keep": Bilingual("sigue la misma", "stays"), "rotate": Bilingual("pasa al siguiente", "passes on")}


@dataclass(frozen=True)
class Requirement:
    """One thing required and what was done; `agrees` None where that is not known or does not matter."""

    who: str
    about: Bilingual
    required: Bilingual
    done: Bilingual
    rule: str = ""
    agrees: bool | None = None


@dataclass(frozen=True)
class StakeRow:
    """A stake: what it played on each hand, and what was due and done to it, as the bettor's net gain.

    `uncovered` stood on the felt but did not play; `due` None while a result is not known, `done` None where
    no settlement was seen; `off` is what was done too much or too little, None where one of them is missing.
    """

    bet: str
    who: str
    zone: str
    amount: Decimal | None
    placed_t: float
    plays: Mapping[str, Decimal] = field(default_factory=dict)
    uncovered: Decimal = ZERO
    due: Decimal | None = None
    done: Decimal | None = None
    late: bool = False
    removed: bool = False

    @property
    def off(self) -> Decimal | None:
        return None if self.due is None or self.done is None else self.done - self.due


@dataclass(frozen=True)
class CoupView:
    """A coup laid out for somebody who decides about it."""

    coup: JudgedCoup
    points: Mapping[str, int | None]
    results: Mapping[str, str | None]
    requirements: tuple[Requirement, ...]
    stakes: tuple[StakeRow, ...]
    bank_after: Decimal | None = None


def view_of(judged: JudgedCoup, profile: RuleProfile) -> CoupView:
    """The coup as its cards and stakes lie."""
    points = {hand.name: hand.points for hand in judged.story.hands}
    coup, settlement = judged.rules, judged.settlement
    if coup is None or settlement is None:
        return CoupView(judged, points, {}, (), ())
    rows: list[Requirement] = []
    if profile.family == DOS_PANOS and coup.cards:
        rows += [_player(coup, hand, profile) for hand in coup.players]
        rows.append(_banker(coup, profile))
    rows += _cagnotte(judged, profile)
    rows += _next_hands(judged)
    after = None if judged.account is None else judged.account.bank_after
    return CoupView(judged, points, settlement.results, tuple(rows), _stakes(judged), after)


def _player(coup: Coup, hand: str, profile: RuleProfile) -> Requirement:
    total = two_card_total(coup, hand)
    about = _about(hand, total)
    third, said = _third(coup, hand), say_of(coup, hand)
    done = _done(None if said is None else said.word, third)
    if total is None:
        return Requirement(hand, about, _UNKNOWN, done)
    if total >= NATURAL:
        return Requirement(hand, about, _SHOWS, done, agrees=third is None)
    if bank_natural_first(coup, hand, profile):
        return Requirement(hand, about, _BANK_HAS_SHOWN, done, agrees=third is None)
    letter = player_letter(total, profile)
    required = _OF_LETTER.get(letter, _STANDS)
    # A card that was asked for against the rule counts as asked for, also where it went back.
    asked = third is not None if said is None else said.word == "carta"
    agrees = None if letter == OPTIONAL else asked is (letter == DRAW)
    return Requirement(hand, about, required, done, agrees=agrees)


def _banker(coup: Coup, profile: RuleProfile) -> Requirement:
    total, duty = two_card_total(coup, coup.bank), banker_duty(coup, profile)
    third = _third(coup, coup.bank)
    said = coup.words.get(coup.bank) or coup.words.get("banker") or ()
    done = _done(said[0].words if said else None, third)
    about = _about("B", total)
    if total is None:
        return Requirement("B", about, _UNKNOWN, done)
    cells = ", ".join(f"{hand} {letter}" for hand, letter in duty.cells)
    required = _OF_DUTY[duty.must]
    if cells:
        required = Bilingual(f"{required.es} (cuadro: {cells})", f"{required.en} (cuadro: {cells})")
    agrees = None
    if duty.must in (Must.DRAW, Must.STAND):
        agrees = (third is not None) is (duty.must is Must.DRAW)
    return Requirement("B", about, required, done, duty.rule, agrees)


def _about(hand: str, total: int | None) -> Bilingual:
    shown = "?" if total is None else str(total)
    spanish, english = (person_name(hand, each) for each in (Language.ES, Language.EN))
    return Bilingual(f"{spanish}, con {shown}", f"{english}, with {shown}")


def _third(coup: Coup, hand: str) -> str | None:
    card = coup.third_of(hand)
    return None if card is None else str(card.face)


def _done(word: str | None, third: str | None) -> Bilingual:
    said = "" if word is None else f"«{word}»; "
    quoted = "" if word is None else f"“{word}”; "
    if third is None:
        return Bilingual(f"{said}sin tercera carta", f"{quoted}no third card")
    shown = card_name(third)
    return Bilingual(f"{said}tercera carta {shown}", f"{quoted}third card {shown}")


def _cagnotte(judged: JudgedCoup, profile: RuleProfile) -> list[Requirement]:
    coup, settlement = judged.rules, judged.settlement
    assert coup is not None and settlement is not None
    if profile.family != DOS_PANOS or not coup.cards:
        return []
    due, seen = settlement.cagnotte, coup.cagnotte if coup.cagnotte_event is not None else None
    agrees = None if due is None or not coup.cagnotte_counted else (seen or ZERO) == due
    none = Bilingual("nada visto", "nothing seen")
    done = none if seen is None else _same(amount_text(seen) if coup.cagnotte_counted else "?")
    about = Bilingual("Cagnotte", "Cagnotte")
    return [Requirement("cagnotte", about, _same(amount_text(due)), done, agrees=agrees)]


def _next_hands(judged: JudgedCoup) -> list[Requirement]:
    if judged.account is None:
        return []
    rows = []
    for hand, who in judged.account.next_hand.items():
        about = Bilingual(f"Próxima mano, {hand}", f"Next hand, {hand}")
        named = Bilingual(person_name(who, Language.ES), person_name(who, Language.EN))
        rows.append(Requirement(hand, about, _NEXT.get(who, named), Bilingual("", "")))
    return rows


def _same(words: str) -> Bilingual:
    return Bilingual(words, words)


def _stakes(judged: JudgedCoup) -> tuple[StakeRow, ...]:
    coup, settlement = judged.rules, judged.settlement
    assert coup is not None and settlement is not None
    rows = []
    for name, bet in coup.bets.items():
        stake, due = settlement.stakes.get(name), settlement.due.get(name)
        done = bet.net if bet.is_touched and bet.counted else None
        if done is None and due is not None and not due.net and not bet.is_touched:
            done = ZERO
        rows.append(
            StakeRow(
                name,
                bet.bettor,
                bet.zone,
                bet.amount,
                bet.placed.t,
                {} if stake is None else stake.covered,
                ZERO if stake is None else stake.uncovered,
                None if due is None else due.net,
                done,
                bet.late,
                bet.removed,
            )
        )
    return tuple(rows)
