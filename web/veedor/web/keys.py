"""The keys of the keypad: what is written on each, its hot key, and the event it enters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus

from veedor.monitor.entry_checks import MOST_AMOUNT
from veedor.monitor.language import Language
from veedor.monitor.written_amounts import UnclearAmount, read_amount
from veedor.monitor.written_text import shows
from veedor.web.visits import Refusal

LONGEST_RULING = 500
MOST_SEATS = 20
LONGEST_AMOUNT = 40
RULERS = ("inspector", "director")


class Needs(StrEnum):
    """What must be given with a key."""

    NOTHING = ""
    SEAT = "seat"
    AMOUNT = "amount"
    RULING = "ruling"


@dataclass(frozen=True)
class Key:
    """`hot` is the key of a keyboard, the same in both languages."""

    id: str
    es: str
    en: str
    hot: str = ""
    event: Mapping[str, object] = field(default_factory=dict)
    needs: Needs = Needs.NOTHING

    def told(self, language: Language) -> str:
        return self.es if language is Language.ES else self.en


@dataclass(frozen=True)
class HandKeys:
    """A hand's column: its words, and its point 0 to 9 by `point:HAND:N`."""

    hand: str
    es: str
    en: str
    words: tuple[Key, ...]


TABLE_KEYS = (
    Key("coup", "Jugada", "New coup", "j", {"event": "coup_opened"}),
    Key("open", "Hagan juego", "Place your bets", "h", {"event": "betting_opened"}),
    Key("closed", "No va más", "No more bets", "n", {"event": "betting_closed"}),
    Key("bank", "Banca de…", "Bank of…", "b", {"event": "bank_declared"}, Needs.AMOUNT),
    Key("deposit", "Depósito…", "Deposit…", "p", {"event": "bank_deposited"}, Needs.AMOUNT),
    Key("left", "Deja la banca", "Bank left", "i", {"event": "banker_left"}),
    Key("banco", "Banco", "Banco", "o", {"event": "banco_called"}, Needs.SEAT),
    Key("ruling", "Resolución", "Ruling", "y", {"event": "ruling"}, Needs.RULING),
)
_SPEAKERS = {
    "P1": ("Paño 1", "Paño 1", "qazr"),
    "banker": ("Banca", "Bank", "wsxt"),
    "P2": ("Paño 2", "Paño 2", "edcf"),
}
_WORDS = (
    ("carta", "Carta", "Card"),
    ("no", "No", "No card"),
    ("abato", "Abato", "Abato"),
    ("repeat", "Repite", "Repeats"),
)


def hand_keys(hands: tuple[str, ...]) -> tuple[HandKeys, ...]:
    """The columns of a table whose hands speak: first paño, bank, second paño. None where no hand does."""
    if not hands:
        return ()
    return tuple(_column(each) for each in ("P1", "banker", "P2") if each in (*hands, "banker"))


def _column(hand: str) -> HandKeys:
    es, en, hot = _SPEAKERS[hand]
    words = [
        Key(f"said:{hand}:{word}", spanish, english, hot[at], {"event": "said", "by": hand, "words": word})
        for at, (word, spanish, english) in enumerate(_WORDS)
    ]
    if hand == "banker":
        event = {"event": "said", "by": hand, "words": "cuadro"}
        words.append(Key("said:banker:cuadro", "Cuadro", "Cuadro", "g", event))
    return HandKeys(hand, es, en, tuple(words))


def entered(key_id: str, form: Mapping[str, str], hands: tuple[str, ...]) -> dict[str, object]:
    """The event that a key enters with what the form gives along; Refusal where either makes no sense."""
    point = re.fullmatch(r"point:(\w{1,8}):(\d)", key_id)
    columns = hand_keys(hands)
    if point is not None and point.group(1) in {column.hand for column in columns}:
        return {"event": "said", "by": point.group(1), "words": "point", "point": int(point.group(2))}
    all_keys = (*TABLE_KEYS, *(key for column in columns for key in column.words))
    key = next((each for each in all_keys if each.id == key_id), None)
    if key is None:
        raise _senseless("tecla desconocida", "unknown key")
    event = dict(key.event)
    if key.needs is Needs.SEAT:
        seat = _seat(form.get("seat", ""))
        event |= {"bettor": f"seat{seat}", "seat": seat}
    elif key.needs is Needs.AMOUNT:
        event["amount"] = _amount(form.get("amount", ""))
    elif key.needs is Needs.RULING:
        event |= _ruling(form)
    return event


def _seat(written: str) -> int:
    if re.fullmatch(r"[0-9]{1,2}", written.strip()) and 1 <= int(written) <= MOST_SEATS:
        return int(written)
    raise _senseless(f"asiento: de 1 a {MOST_SEATS}", f"seat: 1 to {MOST_SEATS}")


def _amount(written: str) -> str:
    if len(written) > LONGEST_AMOUNT:
        raise _senseless(
            f"importe: hasta {LONGEST_AMOUNT} caracteres", f"amount: up to {LONGEST_AMOUNT} characters"
        )
    try:
        amount = read_amount(written)
    except UnclearAmount as fault:
        raise _senseless(f"importe: {fault.es}", f"amount: {fault.en}") from None
    if not 0 < amount <= MOST_AMOUNT:
        raise _senseless("importe: más que 0 y hasta 10^12", "amount: more than 0, at most 10^12")
    return str(amount)


def _ruling(form: Mapping[str, str]) -> dict[str, object]:
    words, by = " ".join(form.get("text", "").split()), form.get("by", "inspector")
    if not 0 < len(words) <= LONGEST_RULING:
        raise _senseless(
            f"resolución: de 1 a {LONGEST_RULING} caracteres", f"ruling: 1 to {LONGEST_RULING} characters"
        )
    if not shows(words):
        raise _senseless(
            "resolución: tiene caracteres que no se ven", "ruling: has characters that do not show"
        )
    if by not in RULERS:
        raise _senseless("resuelve el inspector o el director", "inspector or director rules")
    return {"by": by, "text": words}


def _senseless(es: str, en: str) -> Refusal:
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, es, en)
