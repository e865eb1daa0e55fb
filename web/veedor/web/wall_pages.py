"""Several tables at a glance: calm while nothing is wrong, readable from three metres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from veedor.monitor.live_state import LiveState
from veedor.monitor.pages import FindingView
from veedor.rules.verdict import Verdict
from veedor.web.live_pages import Desk, silent_seconds
from veedor.web.site import WatchedTable
from veedor.web.streams import Source, event_stream
from veedor.web.visits import Visit

_LOOK_S = 0.25
_MOST_COLUMNS = 5


@dataclass(frozen=True)
class Tile:
    """A table on the wall. `lamp` silent, ended, blind (none of it is seen), partly or live.

    `waiting` findings are open; of these `broken` accuse somebody, and `alert` is the newest.
    """

    id: str
    name: str
    lamp: str
    silent_s: int
    state: LiveState
    waiting: int
    broken: int
    alert: FindingView | None
    last: FindingView | None


class WallPages:
    """Handlers of the wall."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, visit: Visit) -> Response:
        await self._desk.saw(visit, "saw wall", "")
        parts = await run_in_threadpool(self.parts, visit)
        return self._desk.renderer.page(visit, "wall.html.j2", parts=parts)

    async def stream(self, visit: Visit) -> Response:
        def version() -> object:
            tables = self._desk.site.tables()
            return [
                (table.id, table.session, table.board.latest()[0], silent_seconds(table),
                 tuple(view.number for view in self._desk.findings.open_of_table(table)))
                for table in tables
            ]  # fmt: skip

        source = Source(version, lambda: self.parts(visit), look_s=_LOOK_S)
        return event_stream(source, self._desk.holding(visit))

    def parts(self, visit: Visit) -> Mapping[str, str]:
        """The tiles, and above them in large letters what matters most.

        Tables that are not seen; the newest alert that nobody has answered; how many findings are open.
        """
        tiles = [self._tile(table) for table in self._desk.site.tables()]
        columns = min(_MOST_COLUMNS, max(1, round(len(tiles) ** 0.5 + 0.3)))
        part = self._desk.renderer.part
        return {
            "alert": part("wall_alert.html.j2", visit.language, tiles=tiles),
            "tiles": part("wall_tiles.html.j2", visit.language, tiles=tiles, columns=columns),
        }

    def _tile(self, table: WatchedTable) -> Tile:
        _, state = table.board.latest()
        waiting = self._desk.findings.open_of_table(table)
        broken = [view for view in waiting if view.verdict == Verdict.BROKEN]
        silent = silent_seconds(table)
        if silent:
            lamp = "silent"
        elif state.finished:
            lamp = "ended"
        elif any(each.zone == "" for each in state.unseen):
            lamp = "blind"
        else:
            lamp = "partly" if state.unseen else "live"
        return Tile(
            table.id, table.face.name, lamp, silent, state, len(waiting), len(broken),
            broken[-1] if broken else None, state.findings[-1] if state.findings else None,
        )  # fmt: skip
