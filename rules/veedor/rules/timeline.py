"""Events and accounts in words, Spanish and English, for people who read a coup."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal

from veedor.rules.account import Account
from veedor.rules.coup import Coup
from veedor.rules.event_types import TableEvent, UnknownEvent
from veedor.rules.events import NAME_BY_TYPE

# A phrase for each event; braces are payload fields, a part in brackets is left out if its field is absent.
_PHRASES: dict[str, tuple[str, str]] = {
    "session_opened": ("se abre el registro ({profile})", "record opened ({profile})"),
    "shoe_started": ("sabot nuevo[ de {decks} barajas]", "new sabot[ of {decks} packs]"),
    "players_seen": ("en {pano}: {players}", "at {pano}: {players}"),
    "banker_seated": ("toma la banca[ {banker}][ con {amount}]", "bank taken[ by {banker}][ with {amount}]"),
    "banker_left": (
        "deja la banca[ {banker}][ y retira {amount}]",
        "bank left[ by {banker}][ withdrawing {amount}]",
    ),
    "bank_declared": ("la banca anuncia {amount}", "the bank declares {amount}"),
    "bank_deposited": ("depósito de {amount} en la banca", "{amount} put into the bank"),
    "coup_opened": ("se abre la jugada[ {coup}]", "coup[ {coup}] opens"),
    "coup_closed": ("termina la jugada[ {coup}]", "coup[ {coup}] ends"),
    "betting_opened": ("se abren las apuestas", "betting opens"),
    "betting_closed": ("«ya no va más»", '"ya no va más"'),
    "bet_placed": (
        "[{bettor} ]pone[ {amount}] en {zone} ({bet})",
        "[{bettor} ]puts[ {amount}] on {zone} ({bet})",
    ),
    "bet_changed": ("{bet} pasa a[ {amount}][ {zone}]", "{bet} becomes[ {amount}][ {zone}]"),
    "bet_removed": ("se retira {bet}", "{bet} is taken away"),
    "banco_called": ("{bettor} dice «banco»", '{bettor} says "banco"'),
    "lot_drawn": ("sorteo: {order}", "lot: {order}"),
    "card_drawn": ("sale {card}[ ({by})]", "{card} drawn[ ({by})]"),
    "cards_stuck": ("{cards} salen pegadas", "{cards} come out together"),
    "card_dealt": ("{card} a {to}[ ({by})]", "{card} to {to}[ ({by})]"),
    "card_moved": ("{card} pasa a {to}[ ({by})]", "{card} moved to {to}[ ({by})]"),
    "card_turned": ("{card} es {shows}[ ({by})]", "{card} shows {shows}[ ({by})]"),
    "card_dropped": ("{card} cae: {where}[ ({by})]", "{card} falls: {where}[ ({by})]"),
    "card_picked_up": ("se recoge {card}[ ({by})]", "{card} picked up[ ({by})]"),
    "hand_taken": ("[{by} ]levanta {hand}", "[{by} ]lifts {hand}"),
    "hand_posed": ("cartas de {hand}: {pose}", "cards of {hand}: {pose}"),
    "cut_card_shown": (
        "carta de corte[, {cards_below} por debajo]",
        "cut card[, {cards_below} below]",
    ),
    "said": ("{by}: «{words}[ {point}]»[ a {to}]", '{by}: "{words}[ {point}]"[ to {to}]'),
    "checked": ("el croupier verifica {hand}: {points}", "the croupier verifies {hand}: {points}"),
    "bet_paid": ("se paga {bet}[: {amount}]", "{bet} paid[ {amount}]"),
    "bet_collected": ("se cobra {bet}[: {amount}]", "{bet} collected[ {amount}]"),
    "bet_returned": ("se devuelve {bet}[: {amount}]", "{bet} returned[ {amount}]"),
    "cagnotte_paid": ("a la cagnotte[ {amount}]", "[{amount} ]to the cagnotte"),
    "commission_taken": ("comisión de {bet}[: {amount}]", "commission on {bet}[: {amount}]"),
    "suite_withdrawn": ("se retira[ {amount}] de la suite", "[{amount} ]withdrawn from the suite"),
    "sabot_passed": ("el sabot pasa a {to}", "the sabot passes to {to}"),
    "ruling": ("{by} decide: {text}", "{by} rules: {text}"),
    "view_lost": ("vista perdida[: {zones}][ ({reason})]", "view lost[: {zones}][ ({reason})]"),
    "view_restored": ("vista recuperada[: {zones}]", "view restored[: {zones}]"),
    "event_corrected": (
        "[{by} ]corrige el suceso {corrects}[: {replacement}][ ({reason})]",
        "[{by} ]corrects event {corrects}[: {replacement}][ ({reason})]",
    ),
}
_RESULTS = {
    "player": ("gana el paño", "player wins"),
    "banker": ("gana la banca", "bank wins"),
    "tie": ("empate", "tie"),
    "annulled": ("nula", "null"),
    None: ("sin decidir", "not known"),
}
_DUTIES = {
    "must_draw": ("la banca debe pedir", "the bank must draw"),
    "must_stand": ("la banca debe plantarse", "the bank must stand"),
    "free": ("la banca es libre", "the bank is free"),
    "inspector": ("decide el inspector", "the inspector decides"),
}
_NEXT = {"keep": ("sigue", "keeps"), "rotate": ("rota", "rotates")}


def _word(pair: tuple[str, str], lang: str) -> str:
    return pair[0] if lang == "es" else pair[1]


def _shown(value: object, lang: str) -> str:
    if isinstance(value, TableEvent):
        return describe(value, lang)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def describe(event: TableEvent, lang: str = "en") -> str:
    """One event as a phrase."""
    if isinstance(event, UnknownEvent):
        return f"{event.name}?"
    values = {f.name: getattr(event, f.name) for f in fields(event)}
    text = _word(_PHRASES[NAME_BY_TYPE[type(event)]], lang)
    out = ""
    for index, part in enumerate(text.replace("]", "[").split("[")):
        name = part.partition("{")[2].partition("}")[0]
        if index % 2 and values.get(name) in (None, ()):
            continue
        out += part.format_map({key: _shown(value, lang) for key, value in values.items()})
    return out


def hands_line(coup: Coup, account: Account) -> str:
    """Hands with their faces and points: ``P1 8 (2H AS 5C)``."""
    parts = []
    for hand, ids in account.final_hands.items():
        faces = " ".join(str(coup.cards[card].face) for card in ids if card in coup.cards)
        points = account.points.get(hand)
        parts.append(f"{hand} {'?' if points is None else points} ({faces})")
    return "   ".join(parts)


def _money(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def account_lines(account: Account, lang: str = "en") -> list[str]:
    """Results, duty, what is due and who holds next, one thing a line."""
    spanish = lang == "es"
    results = ", ".join(f"{hand}: {_word(_RESULTS[found], lang)}" for hand, found in account.results.items())
    lines = [f"{'resultado' if spanish else 'result'}: {results}"]
    if "P1" in account.results:
        lines.append(_word(_DUTIES[account.banker_duty.value], lang))
    nets = [f"{who} {'+' if net > 0 else ''}{_money(net)}" for who, net in sorted(account.payouts.items())]
    if nets:
        lines.append(f"{'corresponde' if spanish else 'due'}: {', '.join(nets)}")
    if account.cagnotte is not None and "P1" in account.results:
        lines.append(f"cagnotte: {_money(account.cagnotte)}")
    if account.bank_after is not None:
        lines.append(f"{'banca después' if spanish else 'bank afterwards'}: {_money(account.bank_after)}")
    if account.next_hand:
        said = ", ".join(
            f"{hand} {_word(_NEXT.get(who, (who, who)), lang)}" for hand, who in account.next_hand.items()
        )
        lines.append(f"{'próxima mano' if spanish else 'next hand'}: {said}")
    return lines
