"""Moments of a session at which its record contradicts itself or people contradicted it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from veedor.monitor.language import Bilingual
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.lines import read_lines
from veedor.rules.cards import POINTS
from veedor.rules.event_types import (
    CardDealt,
    CardDrawn,
    CardTurned,
    Checked,
    CoupOpened,
    EventCorrected,
    ShoeStarted,
    TableEvent,
)
from veedor.rules.journal import read_journal
from veedor.rules.settled import corrections_of, settled
from veedor.rules.verdict import Verdict

SEEN = "vision"
CONTRADICTION, DISMISSED, CORRECTED, TAKEN_BACK = "contradiction", "dismissed", "corrected", "taken back"


@dataclass(frozen=True)
class Moment:
    """Something at `t_s` of a session that makes the pictures around it worth looking at."""

    t_s: float
    kind: str
    why: Bilingual


def moments(folder: SessionFolder) -> list[Moment]:
    """All of a session's, in order of time; a journal that cannot be read to its end is read as far."""
    events: Sequence[TableEvent] = read_journal(folder.journal).events if folder.journal.is_file() else ()
    standing = list(settled(events, corrections_of(events)))
    found = [*_corrected(events), *_too_many(standing), *_wrong_totals(standing)]
    found += _of_findings(folder, {event.id: event.t for event in events if event.source == SEEN})
    return sorted(found, key=lambda each: (each.t_s, each.kind, each.why.en))


def _corrected(events: Sequence[TableEvent]) -> Iterator[Moment]:
    by_id = {event.id: event for event in events}
    for event in events:
        if isinstance(event, EventCorrected):
            wrong = by_id.get(event.corrects)
            t_s = event.t if wrong is None else wrong.t
            number = event.corrects or event.id
            yield Moment(
                t_s,
                CORRECTED,
                Bilingual(f"suceso {number} corregido a mano", f"event {number} was corrected"),
            )


def _too_many(events: Sequence[TableEvent]) -> Iterator[Moment]:
    """A card that came more often than the shoe can hold it: one of them was misread."""
    decks: int | None = None
    shown: Counter[str] = Counter()
    faces: dict[str, str] = {}
    for event in events:
        if isinstance(event, ShoeStarted):
            decks, shown, faces = event.decks, Counter(), {}
        elif isinstance(event, CardTurned | CardDrawn):
            face = event.shows
            if not face or "?" in face or faces.get(event.card) == face:
                continue
            if event.card in faces:
                shown[faces[event.card]] -= 1
            faces[event.card] = face
            shown[face] += 1
            if decks is not None and shown[face] > decks:
                yield Moment(
                    event.t,
                    CONTRADICTION,
                    Bilingual(
                        f"{face} por {shown[face]}.ª vez en un sabot de {decks} barajas",
                        f"{face} for the {shown[face]}th time in a shoe of {decks} packs",
                    ),
                )


def _wrong_totals(events: Sequence[TableEvent]) -> Iterator[Moment]:
    """A total that the croupier verified and the cards as read do not make."""
    hands: dict[str, list[str]] = {}
    faces: dict[str, str] = {}
    for event in events:
        if isinstance(event, CoupOpened):
            hands, faces = {}, {}
        elif isinstance(event, CardDealt):
            hands.setdefault(event.to, []).append(event.card)
        elif isinstance(event, CardTurned):
            faces[event.card] = event.shows
        elif isinstance(event, Checked):
            cards = [faces.get(card, "?") for card in hands.get(event.hand, [])]
            if not 2 <= len(cards) <= 3 or any(card[0] == "?" for card in cards):
                continue
            made = sum(POINTS[card[0]] for card in cards) % 10
            if made != event.points:
                told = " ".join(cards)
                yield Moment(
                    event.t,
                    CONTRADICTION,
                    Bilingual(
                        f"{event.hand}: {told} suma {made} y se cantó {event.points}",
                        f"{event.hand}: {told} makes {made}, and {event.points} was called",
                    ),
                )


def _of_findings(folder: SessionFolder, seen_at: Mapping[int, float]) -> Iterator[Moment]:
    """What people or the record itself took back; at the events that were seen and led to it."""
    dismissed: dict[int, bool] = {}
    for _, line in read_lines(folder.decisions, []):
        number, action = line.get("finding"), line.get("action")
        if type(number) is int and action in ("accept", "dismiss", "escalate", "rule", "reopen"):
            dismissed[number] = action == "dismiss"
    last: dict[int, dict[str, object]] = {}
    for place, line in read_lines(folder.findings, []):
        number = line.get("number", place)
        if type(number) is int and isinstance(line.get("t"), int | float):
            last[number] = dict(line)
    for number, line in last.items():
        code = str(line.get("code", "?"))
        if dismissed.get(number):
            kind, why = (
                DISMISSED,
                Bilingual(f"hallazgo {number} {code} descartado", f"finding {number} {code} dismissed"),
            )
        elif line.get("verdict") == Verdict.WITHDRAWN:
            kind, why = (
                TAKEN_BACK,
                Bilingual(f"hallazgo {number} {code} retirado", f"finding {number} {code} taken back"),
            )
        else:
            continue
        events = line.get("events")
        times = {seen_at[each] for each in events if each in seen_at} if isinstance(events, list) else set()
        for t_s in sorted(times or {float(str(line["t"]))}):
            yield Moment(t_s, kind, why)
