"""A session as reports and evidence bundles tell it, from the files that it left and from nothing else.

Either a session of a data folder, or the output folder of `veedor review`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from veedor.monitor.bookkeeping import Bookkeeper, CoupAccount
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.pages import FindingView
from veedor.monitor.story import CoupStory, Storyteller
from veedor.rules.events import SessionOpened, TableEvent
from veedor.rules.journal import read_journal
from veedor.rules.profile import RuleProfile, load_profile
from veedor.rules.settled import corrections_of, settled
from veedor.rules.verdict import Verdict


@dataclass(frozen=True)
class RecordedWord:
    """A line of findings.jsonl or decisions.jsonl: as it was written, and what it says."""

    raw: bytes
    line: Mapping[str, Any]


@dataclass(frozen=True)
class RecordedFinding:
    """A finding as it stands. `words` is all that was said of it, `decisions` what people did about it.

    `still` and `clip` are there or not; `about` is what its evidence says of itself.
    """

    number: int
    view: FindingView
    words: tuple[RecordedWord, ...]
    decisions: tuple[RecordedWord, ...] = ()
    clip: Path | None = None
    still: Path | bytes | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> Mapping[str, Any]:
        return self.words[-1].line

    @property
    def withdrawn(self) -> bool:
        return self.view.verdict == Verdict.WITHDRAWN

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The decision that stands; None where nobody has decided, or on a verdict that has changed since."""
        for word in reversed(self.decisions):
            line = word.line
            if line.get("action") not in ("accept", "dismiss", "escalate", "rule", "reopen"):
                continue
            if line["action"] != "escalate" and line.get("verdict") not in (None, self.view.verdict):
                continue
            return None if line["action"] == "reopen" else line
        return None

    @property
    def dismissed(self) -> bool:
        return self.answer is not None and self.answer["action"] == "dismiss"

    def still_bytes(self) -> bytes | None:
        """The still, a JPEG; None where there is none (any more)."""
        if isinstance(self.still, Path):
            return self.still.read_bytes() if self.still.is_file() else None
        return self.still


@dataclass(frozen=True)
class RecordedVideo:
    """A recording that the session was judged from; what is not known is 0 or None."""

    name: str
    sha256: str
    start_s: float = 0.0
    stop_s: float = 0.0
    frames: int = 0


@dataclass(frozen=True)
class JudgedBy:
    """What judged a session: the program's version and code, sha256s of models by name and of the profile."""

    version: str | None = None
    code: str | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    profile_sha256: str | None = None


@dataclass(frozen=True)
class Coup:
    """A coup of the session with what it comes to by the rules; `place` counts from 1."""

    place: int
    story: CoupStory
    account: CoupAccount
    until_s: float

    @property
    def bank(self) -> Decimal | None:
        """What was declared for it, else what the bank held."""
        return self.story.bank if self.account.bank is None else self.account.bank

    def holds(self, finding: FindingView) -> bool:
        """By number where it has one; two shoes of one record may both have a coup 1, hence by time too."""
        if finding.coup is not None and finding.coup != self.story.number:
            return False
        return self.story.opened_t <= finding.t_s < self.until_s


@dataclass(frozen=True)
class RecordFiles:
    """Where a session's record lies, and what it says of itself."""

    name: str
    folder: Path
    journal: Path
    table_name: str
    table_file: Path | None
    makers: JudgedBy
    videos: tuple[RecordedVideo, ...] = ()
    started_at: str | None = None
    profile: str | None = None
    profile_file: Path | None = None  # kept with the session


class NightRecord:
    """A session's record, read once."""

    def __init__(self, files: RecordFiles, findings: Iterable[RecordedFinding]) -> None:
        self.files = files
        self.findings = tuple(findings)

    @property
    def name(self) -> str:
        return self.files.name

    @property
    def standing(self) -> tuple[RecordedFinding, ...]:
        """The findings that nobody has taken back, in order of time."""
        there = [each for each in self.findings if not each.withdrawn]
        return tuple(sorted(there, key=lambda each: (each.view.t_s, each.number)))

    @cached_property
    def written(self) -> tuple[TableEvent, ...]:
        """The journal's events as they were written."""
        if not self.files.journal.is_file():
            raise UsageFault(f"{self.files.journal}: " + text(es="no existe", en="no such file"))
        return read_journal(self.files.journal).events

    @cached_property
    def events(self) -> tuple[TableEvent, ...]:
        """The events as they stand: in order of time, corrections applied."""
        return tuple(settled(self.written, corrections_of(self.written)))

    @cached_property
    def opening(self) -> SessionOpened | None:
        return next((each for each in self.written if isinstance(each, SessionOpened)), None)

    @cached_property
    def profile_name(self) -> str:
        """As the table file, the session or its journal names it; UsageFault where nothing does."""
        named = self.files.profile or (self.opening.profile if self.opening else None)
        if not named:
            raise UsageFault(
                f"{self.files.journal}: " + text(es="no nombra reglamento", en="names no profile")
            )
        return named

    @cached_property
    def profile(self) -> RuleProfile:
        kept = self.files.profile_file
        return load_profile(self.profile_name if kept is None else kept, named_in=self.files.journal)

    @cached_property
    def started(self) -> datetime | None:
        """Media time 0 on the wall clock; None where it is not known."""
        for told in (self.opening.started_at if self.opening else None, self.files.started_at):
            try:
                found = datetime.fromisoformat(told) if told else None
            except ValueError:
                continue
            if found is not None and found.tzinfo is not None:
                return found
        return None

    def wall(self, t_s: float) -> datetime | None:
        """A moment on the wall clock, in the time zone of the session's start."""
        return None if self.started is None else self.started + timedelta(seconds=t_s)

    @cached_property
    def coups(self) -> tuple[Coup, ...]:
        """Every coup, as the events stand."""
        teller, books = Storyteller(), Bookkeeper(self.profile)
        for event in self.events:
            teller.feed(event)
            books.feed(event)
        stories = teller.coups
        ends = [*(each.opened_t for each in stories[1:]), float("inf")]
        told = zip(stories, books.accounts, ends[: len(stories)], strict=True)
        return tuple(Coup(place, *each) for place, each in enumerate(told, 1))

    def coup_of(self, finding: FindingView) -> Coup | None:
        return next((each for each in self.coups if each.holds(finding)), None)

    def finding(self, number: int) -> RecordedFinding:
        """A finding by its number, also one taken back; UsageFault where there is none."""
        found = next((each for each in self.findings if each.number == number), None)
        if found is None:
            raise UsageFault(
                text(es=f"{self.name}: no hay hallazgo {number}", en=f"{self.name}: no finding {number}")
            )
        return found
