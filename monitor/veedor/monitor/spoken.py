"""From what was said at a dos paños table, in Spanish, to journal events.

The words are those of the regulation and of the trade: "hagan juego", "ya no va más", "carta", "no",
"abato", "banco", "cuadro", points by number. What has no fixed wording, or no known speaker where one is
needed, gives no event: a transcript may leave things out but must not invent them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from veedor.monitor.spanish_numbers import amount_in, number_in, plain
from veedor.monitor.transcript import Cue
from veedor.rules.coup_numbers import next_coup
from veedor.rules.events import (
    BancoCalled,
    BankDeclared,
    BettingClosed,
    BettingOpened,
    CoupOpened,
    Ruling,
    Said,
    ShoeStarted,
    TableEvent,
)

_ORDINALS = {"primer": "P1", "primero": "P1", "uno": "P1", "1": "P1", "segundo": "P2", "dos": "P2", "2": "P2"}
_PANO = re.compile(r"\b(?:(primer|segundo)o? pano|pano (uno|dos|1|2|primero|segundo)|p(1|2))\b")
_SEAT = re.compile(r"\b(?:asiento|puesto|plaza|seat) ?(?:numero )?(\w+)\b")
_ROLES = (
    (re.compile(r"\b(banquero|banquera|banker)\b"), "banker"),
    (re.compile(r"\b(crupier|croupier|crupie|pagador)\b"), "croupier"),
    (re.compile(r"\b(inspector|inspectora)\b"), "inspector"),
    (re.compile(r"\b(director|directora)\b"), "director"),
)
_STAFF = frozenset({"croupier", "inspector", "director"})
_HANDS = frozenset({"P1", "P2", "banker"})

_NEW_SHOE = re.compile(r"\b(nueva talla|nuevo sabot|comienza la talla|empieza la talla)\b")
_COUP = re.compile(r"\b(?:jugada|golpe|coup) (?:numero )?(\w+)|\bnueva jugada\b")
_OPEN = re.compile(r"\bhagan (sus )?(juego|apuestas)\b|\bpueden apostar\b")
_CLOSED = re.compile(r"\bno va mas\b|\bno van mas\b")
_BANK = re.compile(r"\b(?:banca (?:es )?de|banca declarada|la banca pone|(?:hay |pongo )?en banca)\b")
_BANCO = re.compile(r"^(?:hago |yo )?banco\b(?! de)")
_SPEECH = (
    (re.compile(r"\b(abato|abate|me tumbo|natural)\b"), "abato"),
    (re.compile(r"\bcuadro\b"), "cuadro"),
    (re.compile(r"^(repit[aeo]\w*|puede repetir|como dice)\b"), "repeat"),
    (re.compile(r"^(no pidas?|pida(?:la|s)?|plante(?:se|te)|yo (?:pediria|me plantaria))\b"), "advice"),
    (re.compile(r"\b(carta|pido)\b(?! (?:para|al?)\b)"), "carta"),
    (re.compile(r"^no\b(?! va)|\b(me planto|plantado|servido|no quiero)\b"), "no"),
)
_POINT = re.compile(
    r"^(?:el )?(?:puntos? )?(?:de )?"
    r"(cero|bacara|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|\d)(?: puntos?)?$"
)
_RULING = re.compile(
    r"\b(queda anulad\w+|se anula|se rectifica|decido|resuelvo|la carta (?:vuelve|pasa|queda))\b"
)


@dataclass(frozen=True)
class Spoken:
    """The events of a transcript, and the cues that gave none."""

    events: tuple[TableEvent, ...]
    not_understood: tuple[Cue, ...]


def events_of(cues: Iterable[Cue]) -> Spoken:
    """Journal events of the cues, source `voice`, each at the moment within its cue where the words stand.

    "Hagan juego" opens a coup where no words have opened one since the last "hagan juego".
    """
    ear = Ear()
    events: list[TableEvent] = []
    missed: list[Cue] = []
    for cue in cues:
        heard = ear.hear(cue)
        events += heard
        if not heard:
            missed.append(cue)
    return Spoken(tuple(events), tuple(missed))


class Ear:
    """Hears one cue after another. `numbered`: it counts the coups; else it leaves that to the table.

    `coup_is_open` tells whether one has been opened since the last "hagan juego".
    """

    def __init__(self, *, numbered: bool = True) -> None:
        self.coup_is_open = False
        self._numbered = numbered
        self._coup = 0

    def hear(self, cue: Cue) -> list[TableEvent]:
        """The events of a cue; none where it is not understood."""
        events: list[TableEvent] = []
        for event in _of_cue(cue):
            if isinstance(event, CoupOpened):
                events.append(self._opened(event.coup, event.t))
                continue
            if isinstance(event, BettingOpened):
                if not self.coup_is_open:
                    events.append(self._opened(None, event.t))
                self.coup_is_open = False
            events.append(event)
        return events

    def _opened(self, number: int | None, t: float) -> CoupOpened:
        self.coup_is_open = True
        if self._numbered:
            number = self._coup = number if number is not None else next_coup(self._coup)
        return CoupOpened(number, t=t, source="voice")


def _of_cue(cue: Cue) -> Iterator[TableEvent]:
    speaker = None if cue.speaker is None else who(plain(cue.speaker))
    sentences = [part for part in re.split(r"[.;!?]+(?!\d)|…", cue.words) if plain(part)]
    length = max(sum(len(part) for part in sentences), 1)
    before = 0
    for sentence in sentences:
        t = round(cue.start_s + (cue.end_s - cue.start_s) * before / length, 3)
        before += len(sentence)
        yield from _of_sentence(plain(sentence), speaker, t)


def who(phrase: str) -> str | None:
    """The journal's name of a person or hand named in a plain phrase: P1, P2, seatN, or a role."""
    pano = _PANO.search(phrase)
    if pano is not None:
        return _ORDINALS[next(part for part in pano.groups() if part is not None)]
    seat = _SEAT.search(phrase)
    if seat is not None:
        number = number_in(seat.group(1))
        if number is not None:
            return f"seat{number}"
    return next((role for pattern, role in _ROLES if pattern.search(phrase)), None)


def _of_sentence(words: str, speaker: str | None, t: float) -> Iterator[TableEvent]:
    for pattern, make in _TABLE_CALLS:
        found = pattern.search(words)
        if found is not None:
            event = make(words, found, t)
            if event is not None:
                yield event
                return
    if _RULING.search(words) and speaker in ("inspector", "director"):
        yield Ruling(speaker, words, t=t, source="voice")
    elif _BANCO.search(words):
        seat = speaker if speaker is not None and speaker.startswith("seat") else who(words)
        if seat is not None and seat.startswith("seat"):
            yield BancoCalled(seat, int(seat[4:]), t=t, source="voice")
    else:
        yield from _speech(words, speaker, t)


def _speech(words: str, speaker: str | None, t: float) -> Iterator[TableEvent]:
    """A hand's words, by whoever says them; the croupier's "primer paño, carta" repeats the hand's own."""
    by = speaker if speaker is not None and speaker not in _STAFF else who(words)
    if by is None:
        return
    bare = " ".join(_PANO.sub(" ", words).split()) if by in _HANDS else words
    for pattern, said in _SPEECH:
        if pattern.search(bare):
            if said == "advice" or by in _HANDS or by.startswith("seat"):
                yield Said(by, said, t=t, source="voice")
            return
    point = _POINT.match(re.sub(r"\b(banquero|banquera|banca|tiene|son)\b ?", "", bare).strip())
    if point is not None and by in _HANDS:
        figure = 0 if point.group(1) == "bacara" else number_in(point.group(1))
        if figure is not None and figure <= 9:
            yield Said(by, "point", point=figure, t=t, source="voice")


def _coup(words: str, found: re.Match[str], t: float) -> TableEvent | None:
    number = None if found.group(1) is None else number_in(found.group(1))
    if found.group(1) is not None and number is None:
        return None
    return CoupOpened(number, t=t, source="voice")


def _bank(words: str, found: re.Match[str], t: float) -> TableEvent | None:
    amount = amount_in(words)
    return None if amount is None else BankDeclared(amount, t=t, source="voice")


_Maker = Callable[[str, "re.Match[str]", float], TableEvent | None]
_TABLE_CALLS: tuple[tuple[re.Pattern[str], _Maker], ...] = (
    (_CLOSED, lambda words, found, t: BettingClosed(t=t, source="voice")),
    (_OPEN, lambda words, found, t: BettingOpened(t=t, source="voice")),
    (_NEW_SHOE, lambda words, found, t: ShoeStarted(t=t, source="voice")),
    (_BANK, _bank),
    (_COUP, _coup),
)
