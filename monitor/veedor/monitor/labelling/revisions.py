"""One revision of one picture's labels, and how it stands as a line of `revisions.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from veedor.datasets.labelled import MOST_OBJECTS, LabelError, LabelledObject
from veedor.datasets.labelled_json import object_from_json, object_to_json
from veedor.monitor.errors import MonitorError
from veedor.monitor.language import text

SCHEMA = 1
MODEL = "model"  # the author of what the shipped models propose
LONGEST_KEY = 64
CONFIDENCE = "confidence"  # of a proposal; what a person has saved has none


class LabelFault(MonitorError):
    """The label store, or what was to be put into it, cannot be used; one line that says why."""


class Stale(LabelFault):
    """Somebody else's revision came in between; `newest` is it."""

    def __init__(self, newest: Revision) -> None:
        super().__init__(
            text(
                es=f"{newest.picture}: {newest.author} guardó entretanto la revisión {newest.number}",
                en=f"{newest.picture}: {newest.author} has saved revision {newest.number} meanwhile",
            )
        )
        self.newest = newest


class State(StrEnum):
    """How far a revision is. Second opinions are a line of their own for each author."""

    PROPOSED = "proposed"
    DRAFT = "draft"
    DONE = "done"
    SECOND_DRAFT = "second-draft"
    SECOND = "second"

    @property
    def is_second(self) -> bool:
        return self in (State.SECOND_DRAFT, State.SECOND)

    @property
    def is_final(self) -> bool:
        return self in (State.DONE, State.SECOND)


@dataclass(frozen=True)
class Change:
    """What somebody wants saved. `checked` are ids of objects that he has looked at.

    `key` names the attempt: the same one sent again, because its answer was lost, is the same revision.
    """

    objects: tuple[LabelledObject, ...]
    author: str
    based_on: int
    state: State
    checked: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True)
class Revision:
    """A picture's labels as somebody has left them; `number` counts from 0, the proposal."""

    picture: str
    number: int
    based_on: int | None
    author: str
    at: str
    state: State
    objects: tuple[LabelledObject, ...]
    checked: tuple[str, ...] = ()
    key: str = ""

    @property
    def line(self) -> str:
        """Which line of revisions it goes on: the picture's own, or that of an author's second opinion."""
        return line_of(self.state, self.author)


def line_of(state: State, author: str) -> str:
    """Empty for the picture's own line of revisions, else the author of the second opinion."""
    return author if state.is_second else ""


def revision_to_json(revision: Revision) -> dict[str, object]:
    record: dict[str, object] = {
        "schema": SCHEMA, "picture": revision.picture, "number": revision.number,
        "based_on": revision.based_on, "author": revision.author, "at": revision.at,
        "state": revision.state.value,
    }  # fmt: skip
    if revision.key:
        record["key"] = revision.key
    if revision.checked:
        record["checked"] = list(revision.checked)
    record["objects"] = [object_to_json(each) for each in revision.objects]
    return record


def revision_from_json(record: Mapping[str, Any]) -> Revision:
    """LabelError says what of the record is not as it must be."""
    if record.get("schema") != SCHEMA:
        raise LabelError(f"not of schema {SCHEMA}")
    picture, author, at = (_text(record, name) for name in ("picture", "author", "at"))
    number, based_on = record.get("number"), record.get("based_on")
    if not _counts(number) or not (based_on is None or _counts(based_on)):
        raise LabelError("number or based_on is not a number from 0")
    try:
        state = State(_text(record, "state"))
    except ValueError:
        raise LabelError(f"unknown state {record['state']!r:.40}") from None
    key = record.get("key", "")
    if not isinstance(key, str):
        raise LabelError("key is not a text")
    return Revision(
        picture, int(number), based_on, author, at, state,  # type: ignore[arg-type]  # looked at above
        objects_from_json(record.get("objects")), names_from_json(record.get("checked", [])), key,
    )  # fmt: skip


def objects_from_json(records: object) -> tuple[LabelledObject, ...]:
    """Objects of one picture, each id once; LabelError says which is wrong."""
    if not isinstance(records, list) or len(records) > MOST_OBJECTS:
        raise LabelError(f"objects is not a list of up to {MOST_OBJECTS}")
    objects = tuple(object_from_json(each) for each in records)
    if len({each.id for each in objects}) < len(objects):
        raise LabelError("an object's id stands twice")
    return objects


def names_from_json(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise LabelError("checked is not a list of ids")
    if len(names) > MOST_OBJECTS:
        raise LabelError(f"checked has more than {MOST_OBJECTS} ids")
    return tuple(names)


def as_a_person_has_it(objects: Sequence[LabelledObject]) -> tuple[LabelledObject, ...]:
    """Without the model's confidence: what a person has saved is not a guess."""
    return tuple(
        replace(each, extra=tuple(pair for pair in each.extra if pair[0] != CONFIDENCE)) for each in objects
    )


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value:
        raise LabelError(f"{name} is not a text")
    return value


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
