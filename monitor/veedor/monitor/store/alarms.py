"""Troubles that go on are told once, when they begin, not with every event."""

from __future__ import annotations

from collections.abc import Callable, Mapping

# Takes one line for the operator: the file or the disk, and what is wrong. Called from any thread.
Alarm = Callable[[str], None]


class OnceTold:
    """Passes a trouble on when it begins or changes, and again only after it was over."""

    def __init__(self, alarm: Alarm) -> None:
        self._alarm = alarm
        self._standing: dict[str, str] = {}

    def tell(self, kind: str, line: str) -> bool:
        """A trouble of this kind; whether it was told, as the first of its kind or another than before."""
        if self._standing.get(kind) == line:
            return False
        self._standing[kind] = line
        self._alarm(line)
        return True

    def over(self, kind: str) -> None:
        """There is none of this kind (any more)."""
        self._standing.pop(kind, None)

    @property
    def standing(self) -> tuple[str, ...]:
        """What goes on now."""
        return tuple(self._standing.values())

    @property
    def standing_by_kind(self) -> Mapping[str, str]:
        """The same by kind."""
        return dict(self._standing)
