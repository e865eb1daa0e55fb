"""Two looks at one night, with other weights or other rules: what they say differently.

Both sessions show the same recordings; times of the second are told on the first one's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from veedor.monitor.compare_coups import CoupSeen, coups_of, with_corrected
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.makers import makers_of
from veedor.monitor.model_versions import as_versions
from veedor.monitor.reviewed import ReviewedSession, open_reviewed
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.lines import read_lines
from veedor.rules.events import EventCorrected
from veedor.rules.journal import read_journal
from veedor.rules.settled import corrections_of, settled
from veedor.rules.verdict import Verdict

SAME_MOMENT_S = 6.0  # a finding may be certain a little later with other weights
SAME_COUP_S = 15.0
SURE_STEP = 0.1  # confidences that differ by less say the same

Item = TypeVar("Item")


@dataclass(frozen=True)
class Told:
    """A finding that stands at the end of a session; `t_s` on the first session's clock.

    `corrected`: a person has corrected the record of its coup.
    """

    number: int
    code: str
    verdict: str
    coup: int
    t_s: float
    actor: str
    expected: str
    found: str
    confidence: float
    corrected: bool = False


@dataclass(frozen=True)
class Difference:
    """Something of a coup that the two have differently; `first` or `second` empty where one has nothing.
    `corrected` names those whose record of the coup a person has corrected: first, second."""

    what: str  # cards, stake, settled
    coup: int
    t_s: float
    where: str
    first: str
    second: str
    corrected: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """`made` holds what the two were made with where that differs: name, of the first, of the second;
    `alike` what is the same of both; `corrected` the coups that people have corrected, of each."""

    first: str
    second: str
    made: tuple[tuple[str, str, str], ...]
    only_first: tuple[Told, ...]
    only_second: tuple[Told, ...]
    changed: tuple[tuple[Told, Told], ...]
    same: int
    differences: tuple[Difference, ...]
    coups: tuple[int, int]
    alike: tuple[tuple[str, str], ...] = ()
    corrected: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def agrees(self) -> bool:
        return not (self.only_first or self.only_second or self.changed or self.differences)


def compare_sessions(data: Path, first: str, second: str) -> Comparison:
    """Compare two sessions of a data folder; UsageFault where they are not of the same recordings."""
    one, other = open_reviewed(data, first), open_reviewed(data, second)
    shift_s = _shift_s(one, other)
    mine, yours = _coups(one.folder, 0.0), _coups(other.folder, shift_s)
    by_hand = _corrected(mine), _corrected(yours)
    own, theirs = _told(one.folder, 0.0, by_hand[0]), _told(other.folder, shift_s, by_hand[1])
    pairs = _paired(own, theirs, _finding_distance)
    changed = tuple((own[a], theirs[b]) for a, b in pairs if _differs(own[a], theirs[b]))
    left, right = {a for a, _ in pairs}, {b for _, b in pairs}
    made, alike = _made(one, other)
    return Comparison(
        first,
        second,
        made,
        tuple(each for place, each in enumerate(own) if place not in left),
        tuple(each for place, each in enumerate(theirs) if place not in right),
        changed,
        len(pairs) - len(changed),
        tuple(_coup_differences(mine, yours)),
        (len(mine), len(yours)),
        alike,
        by_hand,
    )


def _corrected(coups: Iterable[CoupSeen]) -> tuple[int, ...]:
    return tuple(each.number for each in coups if each.corrected)


def _shift_s(one: ReviewedSession, other: ReviewedSession) -> float:
    """What to add to the second's times to have them on the first's clock."""
    starts = {each.sha256: each.offset_s for each in one.recordings}
    for each in other.recordings:
        if each.sha256 in starts:
            return round(starts[each.sha256] - each.offset_s, 6)
    raise UsageFault(
        text(
            es=f"{one.session} y {other.session}: ninguna grabación en común",
            en=f"{one.session} and {other.session}: no recording in common",
        )
    )


def made_with(folder: SessionFolder) -> dict[str, str]:
    """What a session was last judged by, by name: each model's sha256, rules, program."""
    makers = makers_of(folder)
    if not makers:
        return {}
    last = makers[-1]
    return {**as_versions(last.models), "rules": last.rules, "program": last.program}


def _made(
    one: ReviewedSession, other: ReviewedSession
) -> tuple[tuple[tuple[str, str, str], ...], tuple[tuple[str, str], ...]]:
    """What the two were made with: where it differs, and what is the same."""
    first, second = made_with(one.folder), made_with(other.folder)
    names = [*first, *(name for name in second if name not in first)]
    differs = [name for name in names if first.get(name) != second.get(name)]
    return (
        tuple((name, first.get(name, ""), second.get(name, "")) for name in differs),
        tuple((name, first[name]) for name in names if name not in differs),
    )


def _told(folder: SessionFolder, shift_s: float, corrected: Container[int]) -> list[Told]:
    last: dict[int, Told | None] = {}
    for place, line in read_lines(folder.findings, []):
        number = line.get("number", place)
        try:
            told = Told(
                int(number), str(line["code"]), str(line["verdict"]), int(line["coup"]),
                round(float(line["t"]) + shift_s, 3), str(line["actor"]), str(line.get("expected", "")),
                str(line.get("found", "")), float(line.get("confidence", 1.0)),
                int(line["coup"]) in corrected,
            )  # fmt: skip
        except (KeyError, TypeError, ValueError):
            continue
        last[told.number] = None if told.verdict == Verdict.WITHDRAWN else told
    return sorted(
        (each for each in last.values() if each is not None), key=lambda each: (each.t_s, each.code)
    )


def _coups(folder: SessionFolder, shift_s: float) -> list[CoupSeen]:
    if not folder.journal.is_file():
        return []
    events = read_journal(folder.journal).events
    corrections = corrections_of(events)
    times = {each.id: each.t for each in events if not isinstance(each, EventCorrected)}
    # Where the event stands that was put right, and where what is there instead does.
    put_right = [times.get(each.corrects) for each in corrections.values()]
    put_right += [each.replacement.t for each in corrections.values() if each.replacement is not None]
    coups = coups_of(replace(event, t=event.t + shift_s) for event in settled(events, corrections))
    return with_corrected(coups, [round(t_s + shift_s, 3) for t_s in put_right if t_s is not None])


def _finding_distance(one: Told, other: Told) -> float | None:
    if (one.code, one.actor) != (other.code, other.actor):
        return None
    gap = abs(one.t_s - other.t_s)
    return gap if one.coup == other.coup or gap <= SAME_MOMENT_S else None


def _differs(one: Told, other: Told) -> bool:
    words = (one.verdict, one.expected, one.found) != (other.verdict, other.expected, other.found)
    return words or abs(one.confidence - other.confidence) >= SURE_STEP


def _paired(
    first: Sequence[Item], second: Sequence[Item], distance: Callable[[Item, Item], float | None]
) -> list[tuple[int, int]]:
    """Places of what belongs together, the nearest first; `distance` None for what cannot."""
    near = sorted(
        (gap, a, b)
        for a, one in enumerate(first)
        for b, other in enumerate(second)
        if (gap := distance(one, other)) is not None
    )
    pairs: list[tuple[int, int]] = []
    for _, a, b in near:
        if all(a != x and b != y for x, y in pairs):
            pairs.append((a, b))
    return sorted(pairs)


def _coup_differences(first: Sequence[CoupSeen], second: Sequence[CoupSeen]) -> Iterable[Difference]:
    def distance(one: CoupSeen, other: CoupSeen) -> float | None:
        gap = abs(one.t_s - other.t_s)
        return gap if gap <= SAME_COUP_S else None

    for a, b in _paired(first, second, distance):
        one, other = first[a], second[b]
        by_hand = tuple(name for name, coup in (("first", one), ("second", other)) if coup.corrected)
        for hand in sorted({*one.hands, *other.hands}):
            mine, yours = " ".join(one.hands.get(hand, ())), " ".join(other.hands.get(hand, ()))
            if mine != yours:
                yield Difference("cards", one.number, one.t_s, hand, mine, yours, by_hand)
        for each in (
            *_money("stake", one, one.stakes, other.stakes),
            *_money("settled", one, one.settled, other.settled),
        ):
            yield replace(each, corrected=by_hand)


def _money(
    what: str, coup: CoupSeen, first: Mapping[str, Decimal | None], second: Mapping[str, Decimal | None]
) -> Iterable[Difference]:
    for zone in sorted({*first, *second}):
        mine, yours = (_amount(each, zone) for each in (first, second))
        if mine != yours:
            yield Difference(what, coup.number, coup.t_s, zone, mine, yours)


def _amount(amounts: Mapping[str, Decimal | None], zone: str) -> str:
    if zone not in amounts:
        return ""
    amount = amounts[zone]
    return "?" if amount is None else f"{amount:f}"
