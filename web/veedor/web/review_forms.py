"""Forms that make an event of a journal: which fields each kind has, and what somebody wrote in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from veedor.monitor.language import Bilingual, text
from veedor.monitor.what_if import ADDED, Change, ChangeFault, event_of
from veedor.monitor.written_amounts import UnclearAmount, read_amount
from veedor.rules.cards import RANKS, SUITS
from veedor.rules.events import NAME_BY_TYPE, TableEvent, encode_event
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.stakes import DOS_PANOS_ZONES, PUNTO_ZONES

# A replacement stands where the old one stood; one that is further off in time is another event.
NEAR_S = 5.0
_WORDS = ("carta", "no", "abato", "cuadro", "point", "advice", "banco", "repeat")
_LABELS = {
    "shows": ("Carta", "Card"),
    "card": ("Carta n.º", "Card no."),
    "to": ("A", "To"),
    "by": ("Quién", "Who"),
    "zone": ("Dónde", "Where"),
    "amount": ("Importe", "Amount"),
    "seat": ("Asiento", "Seat"),
    "bettor": ("Apostante", "Bettor"),
    "bet": ("Apuesta n.º", "Stake no."),
    "words": ("Palabra", "Word"),
    "point": ("Punto", "Point"),
    "points": ("Puntos", "Points"),
    "hand": ("Mano", "Hand"),
    "pose": ("Cómo quedan", "How they lie"),
    "text": ("Decisión", "Ruling"),
    "effect": ("Efecto", "Effect"),
    "coup": ("Jugada n.º", "Coup no."),
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "card_turned": ("shows", "card", "by"),
    "card_dealt": ("card", "to", "by"),
    "card_moved": ("card", "to", "by"),
    "card_drawn": ("card",),
    "bet_placed": ("zone", "amount", "seat", "bettor", "bet"),
    "bet_changed": ("zone", "amount", "bet"),
    "bet_removed": ("bet",),
    "bet_paid": ("amount", "bet"),
    "bet_collected": ("amount", "bet"),
    "bet_returned": ("amount", "bet"),
    "said": ("by", "words", "point", "to"),
    "banco_called": ("bettor", "seat"),
    "bank_declared": ("amount",),
    "bank_deposited": ("amount",),
    "cagnotte_paid": ("amount",),
    "checked": ("hand", "points"),
    "hand_taken": ("hand", "by"),
    "hand_posed": ("hand", "pose"),
    "ruling": ("by", "text", "effect"),
    "coup_opened": ("coup",),
    "coup_closed": ("coup",),
    "betting_opened": (),
    "betting_closed": (),
}
ADDABLE = (
    "bet_placed", "said", "card_turned", "card_dealt", "card_moved", "bet_paid", "bet_collected",
    "bet_returned", "bet_removed", "cagnotte_paid", "banco_called", "bank_declared", "betting_closed",
    "hand_taken", "checked", "ruling",
)  # fmt: skip
_NUMBERS = frozenset({"seat", "point", "points", "coup"})
_NEEDED = frozenset({"shows", "card", "bet", "hand", "words", "text", "points", "pose", "zone"})


@dataclass(frozen=True)
class FormField:
    """One field: its journal key, its words, what may be chosen, and what stands in it."""

    name: str
    label: Bilingual
    value: str = ""
    options: tuple[str, ...] = ()
    number: bool = False
    needed: bool = False


@dataclass(frozen=True)
class EventForm:
    """The form of one event. `corrects` is the id of the event it replaces, 0 for one that was missed."""

    event: str
    corrects: int
    t: float
    fields: tuple[FormField, ...] = ()
    old: TableEvent | None = field(default=None)
    written_t: str = ""

    def as_written(self, fields: Mapping[str, str]) -> EventForm:
        """The form with what somebody has written into it."""
        kept = tuple(
            replace(each, value=fields.get(f"field-{each.name}", each.value)) for each in self.fields
        )
        return replace(self, fields=kept, written_t=fields.get("field-t", ""))

    def faulty(self, fault: str) -> str:
        """The name of the field that a fault is about; empty where it is about none."""
        name = fault.partition(":")[0]
        return name if name == "t" or any(each.name == name for each in self.fields) else ""


def form_of(event: TableEvent, profile: RuleProfile) -> EventForm:
    """The form that corrects an event; without fields where its kind can only be taken back."""
    name = NAME_BY_TYPE.get(type(event), "")
    line = encode_event(event)
    return EventForm(name, event.id, event.t, _fields(name, line, profile), event)


def empty_form(name: str, t: float, profile: RuleProfile) -> EventForm:
    """The form that adds an event; ChangeFault where that kind is not added by hand."""
    if name not in ADDABLE:
        raise ChangeFault(text(es="no es un suceso que se añada", en="not an event that is added"))
    return EventForm(name, ADDED, t, _fields(name, {}, profile))


def _fields(name: str, line: Mapping[str, object], profile: RuleProfile) -> tuple[FormField, ...]:
    found = []
    for key in _FIELDS.get(name, ()):
        value = line.get(key)
        shown = "" if value is None else str(value)
        options = _options(name, key, profile)
        if shown and options and shown not in options:
            options = (shown, *options)
        needed = key in _NEEDED and not (name == "bet_changed" and key == "zone")
        needed = needed or (name == "said" and key == "by") or (name == "bet_placed" and key == "amount")
        found.append(FormField(key, Bilingual(*_LABELS[key]), shown, options, key in _NUMBERS, needed))
    return tuple(found)


def _options(name: str, key: str, profile: RuleProfile) -> tuple[str, ...]:
    dos_panos = profile.family == DOS_PANOS
    hands = tuple(profile.hands)
    if key == "shows":
        return tuple(rank + suit for suit in SUITS for rank in RANKS)
    if key == "zone":
        return DOS_PANOS_ZONES if dos_panos else PUNTO_ZONES
    if key == "words":
        return _WORDS
    if key == "hand":
        return hands
    if key == "pose":
        return ("crossed", "parallel") if dos_panos else ("tucked", "loose")
    if key == "to" and name in ("card_dealt", "card_moved"):
        return hands if name == "card_dealt" else (*hands, "dead", "shoe", "off_table")
    if key == "by" and name == "said":
        return (*hands[:-1], "banker", "croupier")
    if key == "by" and name == "ruling":
        return ("inspector", "director")
    if key == "effect":
        return ("annul", *(f"annul:{hand}" for hand in hands[:-1]))
    return ()


def changes_of(
    fields: Mapping[str, str], old: TableEvent | None, last_s: float, bets: tuple[str, ...]
) -> tuple[Change, ...]:
    """What a submitted form changes; ChangeFault where what it says is no event.

    `old` is the event it is about, None for one that was missed; `bets` are the stakes there are, so that a
    new one gets a name of its own.
    """
    if "remove" in fields:
        if old is None:
            raise ChangeFault(text(es="nada que quitar", en="nothing to take back"))
        return (Change(old.id),)
    name = NAME_BY_TYPE.get(type(old), "") if old is not None else fields.get("event", "")
    if name not in _FIELDS:
        raise ChangeFault(text(es="no es un suceso que se cambie", en="not an event that is changed"))
    line: dict[str, object] = {} if old is None else _payload(old)
    for key in _FIELDS[name]:
        line.pop(key, None)
        value = fields.get(f"field-{key}", "").strip()
        if value:
            line[key] = (
                _number(key, value) if key in _NUMBERS else _amount(value) if key == "amount" else value
            )
    if name == "bet_placed" and "bet" not in line:
        line["bet"] = _new_bet(bets)
    line |= {"event": name, "t": _time(fields, old)}
    event = event_of(line, last_s)
    if old is None:
        return (Change(ADDED, event),)
    if abs(event.t - old.t) > NEAR_S:
        return (Change(old.id), Change(ADDED, event))
    return (Change(old.id, event),)


def _payload(event: TableEvent) -> dict[str, object]:
    skipped = ("id", "t", "event", "source", "confidence")
    return {key: value for key, value in encode_event(event).items() if key not in skipped}


def _number(key: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", value, re.ASCII):
        raise ChangeFault(f"{key}: " + text(es="se espera una cifra", en="a number is expected"))
    return int(value)


def _amount(value: str) -> str:
    """The amount as a journal has it, written as either language writes it."""
    try:
        return str(read_amount(value))
    except UnclearAmount as fault:
        raise ChangeFault("amount: " + text(es=fault.es, en=fault.en)) from None


def _time(fields: Mapping[str, str], old: TableEvent | None) -> float:
    written = fields.get("field-t", "").strip().replace(",", ".")
    if not written and old is not None:
        return old.t
    if not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,3})?", written, re.ASCII):
        raise ChangeFault("t: " + text(es="se esperan segundos", en="seconds are expected"))
    return float(written)


def _new_bet(bets: tuple[str, ...]) -> str:
    numbers = [int(each[1:]) for each in bets if re.fullmatch(r"b[0-9]{1,9}", each, re.ASCII)]
    return f"b{max(numbers, default=0) + 1}"
