from __future__ import annotations

from pathlib import Path

import pytest
from veedor.monitor.live_state import Board, LiveState
from veedor.web.live_command import _summary


class Shown(Board):
    """A board at the end of a table's life."""

    def __init__(self, state: LiveState) -> None:
        super().__init__()
        self._end = state

    def latest(self) -> tuple[int, LiveState]:
        return 1, self._end


@pytest.mark.parametrize(
    ("dropped", "told"),
    [(0, None), (1, "1 frame not looked at: the machine"), (941, "941 frames not looked at: the machine")],
)
def test_the_closing_line_says_what_was_not_looked_at(
    dropped: int, told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    line = _summary(Shown(LiveState(dropped=dropped, coups_closed=2)), Path("out"))
    assert line.startswith("2 coups, 0 infractions, 0 to be decided; journal in out")
    assert (told in line) if told is not None else ("\n" not in line)
