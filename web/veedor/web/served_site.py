"""The site of `veedor serve`: the tables of a data folder, through their bus and its store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from veedor.monitor.bus import BoardBridge, BusFault, CommandClient, Refused, bus_folder, tables_on
from veedor.monitor.bus_board import SILENT_S
from veedor.monitor.felt_svg import FeltDrawing, draw_felt
from veedor.monitor.language import Bilingual, Language
from veedor.monitor.store import Store, StoreError
from veedor.monitor.store.layout import is_name, session_folder
from veedor.rules.errors import RulesError
from veedor.rules.profile import load_profile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.vision.errors import VisionError
from veedor.vision.table_file import load_table
from veedor.web.site import Press, Receipt, SiteFault, TableFace, WatchedTable
from veedor.web.store_record import StoreRecord

_LOOK_S = 1.0
_NO_FELT = FeltDrawing("0 0 1 1", ())
_NO_PROFILE = Bilingual("", "")


class BusCommands:
    """Operators' entries over the bus."""

    def __init__(self, folder: Path) -> None:
        self._client = CommandClient(folder)

    def send(self, table: str, event: Mapping[str, object], press: Press) -> Receipt:
        return _receipt(lambda: self._client.send_operator_event(table, event, by=press.by, key=press.key))

    def correct(self, table: str, entry: int, event: Mapping[str, object] | None, press: Press) -> Receipt:
        return _receipt(lambda: self._client.correct_event(table, entry, event, by=press.by, key=press.key))

    def close(self) -> None:
        self._client.close()


def _receipt(ask: Callable[[], Mapping[str, object]]) -> Receipt:
    try:
        answer = ask()
    except BusFault as fault:
        raise SiteFault(str(fault), fault.spanish, refused=isinstance(fault, Refused)) from fault
    number, t_s = answer.get("id"), answer.get("t")
    if not isinstance(number, int) or not isinstance(t_s, (int, float)):
        raise SiteFault(f"an answer without number and time: {answer!r:.100}")
    return Receipt(number, float(t_s))


@dataclass
class _Followed:
    """A table on the bus; `heard_s` when its process was last known to be well."""

    bridge: BoardBridge
    heard_s: float
    faces: dict[str, TableFace] = field(default_factory=dict)


class ServedSite:
    """Follows every table that has left word in the data folder. `language` is of who asks for none."""

    def __init__(self, data: Path, store: Store, language: Language) -> None:
        self.language = language
        self.record = StoreRecord(store)
        self.commands = BusCommands(bus_folder(data))
        self._data = data
        self._store = store
        self._followed: dict[str, _Followed] = {}
        self._looked_s = float("-inf")
        self._tables: tuple[WatchedTable, ...] = ()
        self._lock = threading.Lock()

    def tables(self) -> Sequence[WatchedTable]:
        with self._lock:
            now = time.monotonic()
            if now - self._looked_s >= _LOOK_S:
                self._looked_s = now
                self._tables = tuple(self._table(name, now) for name in self._names())
            return self._tables

    def close(self) -> None:
        with self._lock:
            for each in self._followed.values():
                each.bridge.close()
            self._followed.clear()
        self.commands.close()

    def _names(self) -> list[str]:
        return [name for name in tables_on(bus_folder(self._data)) if is_name(name)]

    def _table(self, name: str, now: float) -> WatchedTable:
        followed = self._followed.get(name)
        if followed is None:
            followed = self._followed[name] = _Followed(BoardBridge(bus_folder(self._data), name), now)
        if followed.bridge.alive:
            followed.heard_s = now
        silent_s = now - followed.heard_s
        session = self._session(name, followed.bridge)
        drawn = f"{session} {self._drawn_of(name, session)}"
        face = followed.faces.get(drawn)
        if face is None:
            face = self._face(name, session)
            if face.felt is not _NO_FELT:
                followed.faces = {drawn: face}
        silent_s = 0.0 if silent_s == 0.0 else silent_s + SILENT_S
        return WatchedTable(name, session, face, followed.bridge.board, silent_s)

    def _session(self, name: str, bridge: BoardBridge) -> str:
        told = bridge.health.get("session")
        if not isinstance(told, str):
            told = ""
            with suppress(StoreError):  # an index that is made anew stops no page
                told = next((each.session for each in self._store.sessions(name, limit=1)), "")
        return told.rpartition("/")[2]

    def _drawn_of(self, name: str, session: str) -> int:
        """Which table file of the session it is: a table's process that starts anew may bring another."""
        with suppress(OSError):
            return session_folder(self._data, f"{name}/{session}").table_file.stat().st_mtime_ns
        return 0

    def _face(self, name: str, session: str) -> TableFace:
        if not session:
            return TableFace(name, _NO_PROFILE, "", _NO_FELT, self.language)
        full = f"{name}/{session}"
        known = None
        with suppress(StoreError):
            known = self._store.session(full)
        source = known.source or "" if known is not None else ""
        try:
            table = load_table(session_folder(self._data, full).table_file)
            profile = load_profile(table.profile)
        except (VisionError, RulesError):
            shown = known.table_name if known is not None else name
            return TableFace(shown, _NO_PROFILE, source, _NO_FELT, self.language)
        hands = ("P1", "P2") if profile.family == DOS_PANOS else ()
        named = Bilingual(profile.names["es"], profile.names["en"])
        return TableFace(table.name, named, source, draw_felt(table), self.language, hands)
