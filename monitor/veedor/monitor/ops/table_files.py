"""Table files while their tables are watched: changes are found, and what cannot be used does no harm."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from veedor.monitor.errors import MonitorError
from veedor.monitor.fault_words.telling import in_words
from veedor.monitor.language import text
from veedor.monitor.ops.config import WatchConfig, WatchedTable, kept_copy, usable_table
from veedor.monitor.ops.logs import alarm
from veedor.monitor.private_folder import private_folder
from veedor.rules.errors import RulesError
from veedor.vision.errors import VisionError

log = logging.getLogger(__name__)
_alarm = partial(alarm, log)

SETTLED_S = 2.0  # calibrating and enrolling write one after the other

_Stamp = tuple[int, int, int]  # when it was changed, how long it is, which file it is


@dataclass
class _Known:
    """A table's file as it is used: `stamp` and `digest`; `changed_at` since when it has been another."""

    table: WatchedTable
    stamp: _Stamp | None
    digest: str
    fault: str = ""
    changed_at: float | None = None


class TableFiles:
    """The table files of a service. `clock` gives monotonic seconds."""

    def __init__(self, config: WatchConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._data, self._clock = config.data, clock
        self._known: dict[str, _Known] = {}
        for each in config.tables:
            content = _content(each.file)
            self._known[each.id] = _Known(each, _stamp(each.file), _digest(content))
            self._keep(each.file, content)

    @property
    def faults(self) -> dict[str, str]:
        """Why a table's file is not used as it is now, by table."""
        return {name: known.fault for name, known in self._known.items() if known.fault}

    def changed(self) -> list[str]:
        """Tables whose file says something else by now, and can be used."""
        return [name for name, known in self._known.items() if self._is_new(known)]

    def _is_new(self, known: _Known) -> bool:
        file, now = known.table.file, self._clock()
        stamp = _stamp(file)
        if stamp != known.stamp:
            known.stamp, known.changed_at = stamp, now
        if known.changed_at is None or now - known.changed_at < SETTLED_S:
            return False
        known.changed_at = None
        content = _content(file)
        fault = self._fault(known.table)
        if _stamp(file) != stamp:
            known.stamp = None  # it changed meanwhile: what was read may be half of it
            return False
        if fault and fault != known.fault:
            kept = text(es="la mesa se vigila como estaba", en="the table is watched as it was")
            _alarm(f"{fault}; {kept}")
        known.fault = fault
        if fault or _digest(content) == known.digest:
            return False
        known.digest = _digest(content)
        self._keep(file, content)
        return True

    def _fault(self, table: WatchedTable) -> str:
        try:
            found = usable_table(table.file, table.source)
        except (MonitorError, VisionError, RulesError) as fault:
            return in_words(fault)
        if found.id == table.id:
            return ""
        other = text(
            es=f"la mesa se llama ahora {found.id!r:.60}: hay que reiniciar el servicio",
            en=f"the table is called {found.id!r:.60} now: the service has to be started anew",
        )
        return f"{table.file}: {other}"

    def _keep(self, file: Path, content: bytes) -> None:
        """What a process that starts while the file cannot be used is to read."""
        copy = kept_copy(self._data, file)
        try:
            private_folder(copy.parent)
            part = copy.with_suffix(".part")
            part.write_bytes(content)
            part.replace(copy)
        except OSError as fault:
            log.error("%s: %s", copy, fault.strerror or fault)


def _stamp(file: Path) -> _Stamp | None:
    with suppress(OSError):
        found = os.stat(file)
        return found.st_mtime_ns, found.st_size, found.st_ino
    return None


def _content(file: Path) -> bytes:
    with suppress(OSError):
        return file.read_bytes()
    return b""


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
