"""Findings as the pages show them: what was found, what was decided, where still and clip are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from veedor.monitor.pages import FindingView
from veedor.rules.verdict import Verdict
from veedor.web.site import Answer, Decision, FindingKey, RecordedFinding, Site, WatchedTable

_FRESH_S = 1.0  # what another process decides or cuts is seen so much later


@dataclass(frozen=True)
class ShownFinding:
    """A finding with its addresses. `clip` None until there is one; `decide` where an answer is sent."""

    view: FindingView
    key: FindingKey
    decision: Decision | None
    page: str
    still: str | None
    clip: str | None

    @property
    def decide(self) -> str:
        return f"{self.page}/decision"

    @property
    def stands(self) -> bool:
        """It has not been withdrawn: there is something to decide about."""
        return self.view.verdict != Verdict.WITHDRAWN

    @property
    def is_open(self) -> bool:
        return self.stands and (self.decision is None or self.decision.answer is Answer.ESCALATED)


@dataclass(frozen=True)
class Doubts:
    """Findings of one coup that could not be decided, under one line. `id` on its page."""

    id: str
    key: FindingKey
    coup: int | None
    found: tuple[ShownFinding, ...]

    @property
    def waiting(self) -> int:
        return sum(each.is_open for each in self.found)


def told_and_doubts(
    found: Iterable[ShownFinding],
) -> tuple[tuple[ShownFinding, ...], tuple[Doubts, ...]]:
    """What was told, and what is in doubt by coups, both in the order given; infractions before the rest."""
    told, coups = [], dict[tuple[str, str, int | None], list[ShownFinding]]()
    for each in found:
        if each.view.verdict == Verdict.UNDECIDED:
            coups.setdefault((each.key.table, each.key.session, each.view.coup), []).append(each)
        else:
            told.append(each)
    told.sort(key=lambda each: each.view.verdict != Verdict.BROKEN)
    doubts = [
        Doubts("-".join(("doubts", *map(str, coup))), of[0].key, coup[2], tuple(of))
        for coup, of in coups.items()
    ]
    return tuple(told), tuple(doubts)


class FindingsDesk:
    """Looks decisions and clips up, seldom enough that twenty open pages cost one disk next to nothing."""

    def __init__(self, site: Site, seconds: Callable[[], float] = time.monotonic) -> None:
        self._site = site
        self._seconds = seconds
        self._decisions: dict[tuple[str, str], tuple[float, Mapping[int, Decision]]] = {}
        self._clips: dict[FindingKey, tuple[float, bool]] = {}

    def of_table(self, table: WatchedTable, at_most: int) -> tuple[ShownFinding, ...]:
        """The newest findings of the running session, newest first: so many told, and so many in doubt."""
        _, state = table.board.latest()
        decisions = self._decided(table.id, table.session)
        doubts = [each for each in state.findings if each.verdict == Verdict.UNDECIDED]
        others = [each for each in state.findings if each.verdict != Verdict.UNDECIDED]
        newest = sorted((*others[-at_most:], *doubts[-at_most:]), key=lambda each: each.number, reverse=True)
        shown = []
        for view in newest:
            key = FindingKey(table.id, table.session, view.number)
            still = None if view.still is None else f"/tables/{table.id}/stills/{view.number}.jpg"
            shown.append(self._shown(view, key, decisions.get(view.number), still))
        return tuple(shown)

    def open_of_table(self, table: WatchedTable) -> tuple[FindingView, ...]:
        """Findings of the running session that wait for an answer, oldest first."""
        _, state = table.board.latest()
        decisions = self._decided(table.id, table.session)
        return tuple(
            view
            for view in state.findings
            if view.verdict != Verdict.WITHDRAWN
            and ((decision := decisions.get(view.number)) is None or decision.answer is Answer.ESCALATED)
        )

    def recorded(self, finding: RecordedFinding) -> ShownFinding:
        has_still = self._site.record.still(finding.key) is not None
        still = f"{_page(finding.key)}/still.jpg" if has_still else None
        return self._shown(finding.view, finding.key, finding.decision, still)

    def decide(self, key: FindingKey, answer: Answer, reason: str, who: str) -> Decision:
        """Written down when it returns; raises SiteFault where it is not."""
        decision = Decision(answer, reason, who, datetime.now(UTC).isoformat(timespec="milliseconds"))
        self._site.record.decide(key, decision)
        self._decisions.pop((key.table, key.session), None)
        return decision

    def _shown(
        self, view: FindingView, key: FindingKey, decision: Decision | None, still: str | None
    ) -> ShownFinding:
        clip = f"{_page(key)}/clip.mp4" if self._has_clip(key) else None
        return ShownFinding(view, key, decision, _page(key), still, clip)

    def _decided(self, table: str, session: str) -> Mapping[int, Decision]:
        now = self._seconds()
        asked, decisions = self._decisions.get((table, session), (-_FRESH_S, {}))
        if now - asked >= _FRESH_S:
            decisions = self._site.record.decisions(table, session)
            self._decisions[table, session] = (now, decisions)
        return decisions

    def _has_clip(self, key: FindingKey) -> bool:
        now = self._seconds()
        asked, has = self._clips.get(key, (-_FRESH_S, False))
        if not has and now - asked >= _FRESH_S:
            has = self._site.record.clip(key) is not None
            self._clips[key] = (now, has)
        return has


def _page(key: FindingKey) -> str:
    return f"/findings/{key.table}/{key.session}/{key.number}"
