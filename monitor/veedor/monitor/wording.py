"""Journal events, zones, hands and amounts in words, Spanish and English, as pages and reports print them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Protocol

from veedor.monitor.language import Language, either
from veedor.rules import events as ev
from veedor.rules.events import TableEvent
from veedor.rules.telling import NOBODY, UNCOUNTED, in_words
from veedor.rules.telling import clock as clock

SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}

_ZONES = {
    "P1": ("paño 1", "paño 1"),
    "P2": ("paño 2", "paño 2"),
    "caballo": ("a caballo", "a caballo"),
    "half:P1": ("media, paño 1", "half line, paño 1"),
    "half:P2": ("media, paño 2", "half line, paño 2"),
    "half:caballo": ("media a caballo", "half line a caballo"),
    "forbidden": ("lugar prohibido", "forbidden place"),
    "punto": ("punto", "punto"),
    "banca": ("banca", "banca"),
    "suite": ("suite", "suite"),
    "tie": ("empate", "tie"),
}
_PEOPLE = {
    "P1": ("paño 1", "paño 1"),
    "P2": ("paño 2", "paño 2"),
    "B": ("banca", "bank"),
    "banker": ("banquero", "banker"),
    "croupier": ("crupier", "croupier"),
    "inspector": ("inspector", "inspector"),
    "table": ("mesa", "table"),
    "none": ("nadie", "nobody"),
    "dead": ("carta muerta", "dead card"),
    "shoe": ("el sabot", "the shoe"),
    "off_table": ("fuera de la mesa", "off the table"),
}
_POSES = {
    "crossed": ("cruzadas", "crossed"),
    "parallel": ("paralelas", "parallel"),
    "tucked": ("bajo el sabot", "tucked"),
    "loose": ("sueltas", "loose"),
}


def zone_name(zone: str, language: Language) -> str:
    return either(_ZONES.get(zone, (zone or "?", zone or "?")), language)


def person_name(person: str | None, language: Language) -> str:
    """`seat3` as a person reads it; roles and hands likewise; anything else as it stands."""
    if not person:
        return "?"
    if person.startswith("seat") and person[4:].isdigit():
        return either((f"asiento {person[4:]}", f"seat {person[4:]}"), language)
    return either(_PEOPLE.get(person, (person, person)), language)


def card_name(shows: str | None) -> str:
    """`7H` as `7♥`, `TD` as `10♦`, an unread card as `?`."""
    if shows is None or len(shows) < 2 or shows == "??":
        return "?"
    rank = "10" if shows[0] == "T" else shows[0]
    return rank + SUIT_SIGNS.get(shows[1], "")


def amount_text(amount: Decimal | None) -> str:
    """An amount as it is, no needless zeros, thousands set off with a thin space; `?` when unknown."""
    if amount is None or not amount.is_finite():
        return "?"
    whole = amount.to_integral_value()
    shown = f"{int(amount):,}" if amount == whole else f"{amount.normalize():,f}"
    return shown.replace(",", "\u202f")


def signed_amount(amount: Decimal) -> str:
    """An amount with its sign in front, `±0` for none."""
    sign = "+" if amount > 0 else "−" if amount < 0 else "±"
    return sign + amount_text(abs(amount))


class Stake(Protocol):
    """A stake as it stands in a coup."""

    @property
    def bet(self) -> str: ...
    @property
    def amount(self) -> Decimal | None: ...
    @property
    def zone(self) -> str: ...
    @property
    def who(self) -> str: ...


def describe(event: TableEvent, language: Language, stakes: Iterable[Stake] = ()) -> str:
    """One short sentence without a final stop. Of the coup's `stakes` it names the one it is about."""
    if isinstance(event, _OF_A_STAKE):
        meant = next((each for each in stakes if each.bet == event.bet), None)
        event = event if meant is None else replace(event, bet=_stake_name(meant, language))
    teller = _SENTENCES.get(type(event))
    if teller is None:
        return ev.event_name(type(event)).replace("_", " ")
    return either(teller(event, language), language)


_OF_A_STAKE = (
    ev.BetChanged, ev.BetRemoved, ev.BetPaid, ev.BetCollected, ev.BetReturned, ev.CommissionTaken,
)  # fmt: skip


def _stake_name(stake: Stake, language: Language) -> str:
    amount = UNCOUNTED if stake.amount is None else amount_text(stake.amount)
    who = NOBODY if stake.who == "?" else stake.who
    facts = {"bet": stake.bet, "stake": amount, "bettor": who, "zone": stake.zone}
    return in_words(facts, str(language))["bet"]


# One entry for each event; attributes are those of its own class, which the key guarantees.
_Teller = Callable[..., tuple[str, str]]


def _bet(event: ev.BetPlaced, language: Language) -> tuple[str, str]:
    who = event.bettor or (None if event.seat is None else f"seat{event.seat}")
    tail = f"{amount_text(event.amount)}, {zone_name(event.zone, language)} ({person_name(who, language)})"
    return f"postura de {tail}", f"bet of {tail}"


def _changed(event: ev.BetChanged, language: Language) -> tuple[str, str]:
    parts = [] if event.amount is None else [amount_text(event.amount)]
    parts += [] if event.zone is None else [zone_name(event.zone, language)]
    now = f": {', '.join(parts)}" if parts else ""
    return f"cambia {event.bet}{now}", f"{event.bet} changed{now}"


def _said(event: ev.Said, language: Language) -> tuple[str, str]:
    who = person_name(event.by, language)
    words = str(event.point) if event.point is not None else event.words
    if words in ("advice", "repeat"):
        spanish, english = {"advice": ("aconseja", "gives advice"), "repeat": ("repite", "repeats")}[words]
        return f"{who} {spanish}", f"{who} {english}"
    return f"{who}: «{words}»", f"{who}: “{words}”"


def _settled(verbs: tuple[str, str]) -> _Teller:
    def tell(event: ev.BetPaid, language: Language) -> tuple[str, str]:
        tail = f"{event.bet}: {amount_text(event.amount)}"
        return f"{verbs[0]} {tail}", f"{verbs[1]} {tail}"

    return tell


def _amount(labels: tuple[str, str]) -> _Teller:
    def tell(event: ev.BankDeclared, language: Language) -> tuple[str, str]:
        return f"{labels[0]}: {amount_text(event.amount)}", f"{labels[1]}: {amount_text(event.amount)}"

    return tell


def _fixed(spanish: str, english: str) -> _Teller:
    return lambda event, language: (spanish, english)


def _hand_taken(event: ev.HandTaken, language: Language) -> tuple[str, str]:
    who, hand = person_name(event.by, language), person_name(event.hand, language)
    return f"{who} toma las cartas de {hand}", f"{who} takes the cards of {hand}"


def _hand_posed(event: ev.HandPosed, language: Language) -> tuple[str, str]:
    hand, pose = person_name(event.hand, language), either(_POSES[event.pose], language)
    return f"cartas de {hand}: {pose}", f"cards of {hand}: {pose}"


def _corrected(event: ev.EventCorrected, language: Language) -> tuple[str, str]:
    place = event.replacement
    es, en = ("nada", "nothing") if place is None else (describe(place, language),) * 2
    return f"en vez del suceso {event.corrects}: {es}", f"in the place of event {event.corrects}: {en}"


def _moved(event: ev.CardMoved, language: Language) -> tuple[str, str]:
    to = person_name(event.to, language)
    return f"{event.card} pasa a {to}", f"{event.card} moved to {to}"


# Reasons that this program's own eyes give; others stand as they were written.
VIEW_REASONS = {
    "frame gap": (
        "no se miraron todas las imágenes: falta procesador o llegan pocas",
        "not all pictures were looked at: too little processor, or too few come",
    ),
    "restart": ("el programa empezó de nuevo", "the program started anew"),
    "cameras disagree": ("las cámaras no concuerdan", "cameras disagree"),
    "no connection": ("sin conexión con la cámara", "no connection to the camera"),
    "stream cut": ("la cámara cortó", "stream cut"),
    "stream stalled": ("la cámara no envía nada", "stream stalled"),
    "picture frozen": ("imagen congelada", "picture frozen"),
    "pictures damaged": ("imágenes dañadas", "pictures damaged"),
    "presentation time jumped": ("el reloj de la cámara saltó", "presentation time jumped"),
    "wrong rate": ("el reloj de la cámara no marcha bien", "wrong rate"),
    "picture of another shape": ("imagen de otra forma", "picture of another shape"),
    "no video in the stream": ("la cámara no envía vídeo", "no video in the stream"),
    "covered": ("tapada", "covered"),
    "camera moved": ("cámara movida", "camera moved"),
    "lines not seen": ("no se ven las líneas del paño", "the felt's lines are not seen"),
    "end of the pictures": ("fin de las imágenes", "end of the pictures"),
    "not recorded": ("sin grabación", "not recorded"),
}


def view_reason(reason: str, language: Language) -> str:
    """Why the view was lost, in words."""
    return either(VIEW_REASONS.get(reason, (reason, reason)), language)


def _view(spanish: str, english: str) -> _Teller:
    def tell(event: ev.ViewLost, language: Language) -> tuple[str, str]:
        where = ", ".join(event.zones) or either(_PEOPLE["table"], language)
        why = view_reason(event.reason or "", language)
        tail = where + (f" ({why})" if why else "")
        return f"{spanish}: {tail}", f"{english}: {tail}"

    return tell


_SENTENCES: dict[type[TableEvent], _Teller] = {
    ev.SessionOpened: _fixed("se abre la sesión", "session opened"),
    ev.ShoeStarted: _fixed("nueva talla", "new shoe"),
    ev.CoupOpened: lambda e, la: (
        ("nueva jugada", "new coup") if e.coup is None else (f"jugada {e.coup}", f"coup {e.coup}")
    ),
    ev.CoupClosed: _fixed("fin de la jugada", "coup closed"),
    ev.BettingOpened: _fixed("hagan juego", "betting opened"),
    ev.BettingClosed: _fixed("ya no va más", "ya no va más (betting closed)"),
    ev.BankDeclared: _amount(("banca", "bank stake")),
    ev.BankDeposited: _amount(("depósito en banca", "bank deposit")),
    ev.CagnottePaid: _amount(("cagnotte", "cagnotte")),
    ev.SuiteWithdrawn: _amount(("retirada de la suite", "suite withdrawn")),
    ev.BetPlaced: _bet,
    ev.BetChanged: _changed,
    ev.BetRemoved: lambda e, la: (f"se retira {e.bet}", f"{e.bet} removed"),
    ev.BetPaid: _settled(("pagada", "paid")),
    ev.BetCollected: _settled(("cobrada", "collected")),
    ev.BetReturned: _settled(("devuelta", "returned")),
    ev.CommissionTaken: _settled(("comisión", "commission")),
    ev.PlayersSeen: lambda e, la: (
        f"{person_name(e.pano, la)}: {len(e.players)} {'jugador' if len(e.players) == 1 else 'jugadores'}",
        f"{person_name(e.pano, la)}: {len(e.players)} {'player' if len(e.players) == 1 else 'players'}",
    ),
    ev.BankerSeated: _fixed("el banquero toma la banca", "banker takes the bank"),
    ev.BankerLeft: _fixed("el banquero deja la banca", "banker leaves the bank"),
    ev.BancoCalled: lambda e, la: (
        f"{person_name(e.bettor, la)}: «banco»", f"{person_name(e.bettor, la)}: “banco”",
    ),
    ev.CardDrawn: lambda e, la: (f"sale {e.card} del sabot", f"{e.card} leaves the shoe"),
    ev.CardDealt: lambda e, la: (
        f"{e.card} a {person_name(e.to, la)}", f"{e.card} to {person_name(e.to, la)}",
    ),
    ev.CardMoved: _moved,
    ev.CardTurned: lambda e, la: (
        f"{e.card} es {card_name(e.shows)}", f"{e.card} is {card_name(e.shows)}",
    ),
    ev.CardDropped: lambda e, la: (f"cae {e.card}", f"{e.card} dropped"),
    ev.CardPickedUp: lambda e, la: (f"{e.card} recogida del suelo", f"{e.card} picked up from the floor"),
    ev.CardsStuck: lambda e, la: (
        f"salen pegadas {', '.join(e.cards)}", f"came out together: {', '.join(e.cards)}",
    ),
    ev.HandTaken: _hand_taken,
    ev.HandPosed: _hand_posed,
    ev.Said: _said,
    ev.Checked: lambda e, la: (
        f"verificado {person_name(e.hand, la)}: {e.points}", f"checked {person_name(e.hand, la)}: {e.points}",
    ),
    ev.CutCardShown: _fixed("sale la carta de corte", "cut card shown"),
    ev.SabotPassed: lambda e, la: (
        f"el sabot pasa a {person_name(e.to, la)}", f"shoe passed to {person_name(e.to, la)}",
    ),
    ev.LotDrawn: lambda e, la: (f"sorteo: {', '.join(e.order)}", f"lot: {', '.join(e.order)}"),
    ev.Ruling: lambda e, la: (
        f"decisión de {person_name(e.by, la)}: {e.text}", f"ruling by {person_name(e.by, la)}: {e.text}",
    ),
    ev.ViewLost: _view("vista perdida", "view lost"),
    ev.ViewRestored: _view("vista recuperada", "view restored"),
    ev.EventCorrected: _corrected,
}  # fmt: skip
