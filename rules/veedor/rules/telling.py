"""Facts of a finding in words that a person at the table uses: whose stake, which card, where, when."""

from __future__ import annotations

import re
from collections.abc import Mapping

from veedor.rules.coup_parts import Bet, plain

UNCOUNTED = "?"
NOBODY = "none"  # nobody's arm was seen with the stake

# The few English words that facts carry as values.
_SPANISH_WORDS = {
    "draw": "pedir",
    "stand": "plantarse",
    "draw or stand": "pedir o plantarse",
}
_PLACES = {
    "P1": ("en el paño 1", "on paño 1"),
    "P2": ("en el paño 2", "on paño 2"),
    "caballo": ("a caballo", "a caballo"),
    "half:P1": ("en la media del paño 1", "on the half line of paño 1"),
    "half:P2": ("en la media del paño 2", "on the half line of paño 2"),
    "half:caballo": ("en la media a caballo", "on the half line a caballo"),
    "forbidden": ("en lugar prohibido", "in a forbidden place"),
    "punto": ("a punto", "on punto"),
    "banca": ("a banca", "on banca"),
    "suite": ("en la suite", "on the suite"),
    "tie": ("al empate", "on the tie"),
}
_VIEWS = {  # parts of the layout that a view may be lost of
    "banker_hand": ("la mano de la banca", "the bank's hand"),
    "P1.hand": ("la mano del paño 1", "the hand of paño 1"),
    "P2.hand": ("la mano del paño 2", "the hand of paño 2"),
    "punto.hand": ("la mano de punto", "punto's hand"),
    "banca.hand": ("la mano de banca", "banca's hand"),
    "cagnotte": ("la cagnotte", "the cagnotte"),
    "suite": ("la suite", "the suite"),
    "table": ("la mesa", "the table"),
}
_PLACED = ("zone", "now_zone")  # facts that are places
_SEAT = re.compile(r"\bseat(\d+)\b")  # a journal's word for a person
_CARDS = re.compile(r"\bc(\d+)(?:, c\d+)*\b")  # cards are numbered as they leave the sabot


def clock(t_s: float) -> str:
    """Media time as m:ss.t or h:mm:ss.t, tenths of a second last."""
    tenths = round(t_s * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest // 10:02d}.{rest % 10}"
    return f"{hours}:{minutes:02d}:{seconds}" if hours else f"{minutes}:{seconds}"


def stake_facts(bet: Bet) -> dict[str, str]:
    """What `{bet}` and `{owner}` of a text are made of: a number of the journal means nothing to people."""
    return {"bet": bet.id, "stake": plain(bet.amount), "bettor": bet.bettor, "zone": bet.zone}


def in_words(facts: Mapping[str, str], lang: str) -> dict[str, str]:
    """The facts as texts print them; those that nobody knows are left out."""
    spanish = lang == "es"
    told = {key: value for key, value in facts.items() if value is not None and value != "None"}
    if "stake" in told:
        told |= _stake(told, spanish=spanish)
    for key in _PLACED:
        if key in told:
            told[key] = _place(told[key], spanish=spanish)
    if "what" in told:
        told["what"] = _VIEWS.get(told["what"], (told["what"],) * 2)[0 if spanish else 1]
    if told.get("bettor") == NOBODY:
        told["bettor"] = "quien la puso" if spanish else "whoever placed it"
    if spanish:
        told = {key: _SPANISH_WORDS.get(value, value) for key, value in told.items()}
    return {key: _people_and_cards(value, spanish=spanish) for key, value in told.items()}


def _stake(facts: Mapping[str, str], *, spanish: bool) -> dict[str, str]:
    """`bet`, the stake by amount, person and place, and `owner`, by the person alone."""
    who, amount, zone = facts.get("bettor", NOBODY), facts["stake"], facts.get("zone", "")
    counted = amount != UNCOUNTED
    # Where it lay is what such a finding is about, and said there.
    place = f" {_place(zone, spanish=spanish)}" if zone and zone != "forbidden" else ""
    if spanish:
        of = "" if who == NOBODY else f" {'del' if _SEAT.fullmatch(who) else 'de'} {who}"
        whole = f"la postura{f' de {amount}' if counted else ''}{of}{place}"
        return {"bet": whole, "owner": f"la postura{of}"}
    whose = "the" if who == NOBODY else f"{who}'s"
    return {"bet": f"{whose} {amount if counted else 'stake'}{place}", "owner": f"{whose} stake"}


def _place(zone: str, *, spanish: bool) -> str:
    if not zone:
        return ""
    return _PLACES.get(zone, (f"en {zone}", f"on {zone}"))[0 if spanish else 1]


def _people_and_cards(value: str, *, spanish: bool) -> str:
    value = _SEAT.sub(r"asiento \1" if spanish else r"seat \1", value)
    return _CARDS.sub(lambda found: _cards(found.group(), spanish=spanish), value)


def _cards(ids: str, *, spanish: bool) -> str:
    """`c8` as the eighth card; `c8, c9` as both."""
    numbers = [int(each) for each in re.findall(r"\d+", ids)]
    if spanish:
        each = [f"{number}.ª" for number in numbers]
        return f"la {each[0]} carta" if len(each) == 1 else f"las cartas {', '.join(each)}"
    each = [f"{number}{_ending(number)}" for number in numbers]
    return f"the {', '.join(each)} card{'s' if len(each) > 1 else ''}"


def _ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
