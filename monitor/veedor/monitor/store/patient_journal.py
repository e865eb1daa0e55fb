"""A journal that outlives a full disk: what cannot be written waits in memory, in order, until it can be."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import replace
from pathlib import Path

from veedor.monitor.language import counted, text
from veedor.monitor.store.alarms import Alarm, OnceTold
from veedor.monitor.store.lines import encoded, restored_on_fault, write_all
from veedor.rules.events import CoupClosed, TableEvent, encode_event
from veedor.rules.journal import Fsync, JournalWriter


class PatientJournal(JournalWriter):
    """For a table that is being watched: trouble with the disk is an alarm and never an end of the watching.

    Ids stay gapless: an event is numbered when it comes. Each further event, and `settle`, tries again.
    """

    def __init__(self, path: Path, *, fsync: Fsync = Fsync.EVERY_COUP, alarm: Alarm) -> None:
        super().__init__(path, fsync=fsync)
        self._alarm = OnceTold(alarm)
        self._waiting: deque[tuple[bytes, bool]] = deque()  # lines, and whether the disk must have it then

    @property
    def waiting(self) -> int:
        """How many events the file has not got yet."""
        return len(self._waiting)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What keeps events out of the file now."""
        return self._alarm.standing

    def append(self, event: TableEvent) -> TableEvent:
        """Number the event and write it, now or when the disk takes it."""
        numbered = replace(event, id=self.last_id + 1)
        closing = self.fsync is Fsync.EVERY_COUP and type(event) is CoupClosed
        self._waiting.append((encoded(encode_event(numbered)), self.fsync is Fsync.EVERY_EVENT or closing))
        self.last_id += 1
        self.settle()
        return numbered

    def settle(self) -> bool:
        """Write what waits; True when nothing does any more."""
        while self._waiting:
            line, durable = self._waiting[0]
            try:
                with restored_on_fault(self._fd, os.fstat(self._fd).st_size):
                    write_all(self._fd, line)
                self._waiting.popleft()
                if durable:
                    os.fsync(self._fd)
            except OSError as fault:
                waits = text(es="los sucesos esperan en memoria", en="events wait in memory")
                self._alarm.tell("write", f"{self.path}: {fault.strerror or fault}: {waits}")
                return False
        self._alarm.over("write")
        return True

    def close(self) -> None:
        """Close the file; events that it never got are told."""
        if self._fd < 0:
            return
        if not self.settle() and self._waiting:
            self._alarm.tell("lost", f"{self.path}: {self._how_many()}")
        try:
            super().close()
        except OSError as fault:
            self._alarm.tell("close", f"{self.path}: {fault.strerror or fault}")

    def _how_many(self) -> str:
        return counted(
            len(self._waiting),
            es=("suceso perdido al cerrar", "sucesos perdidos al cerrar"),
            en=("event lost on closing", "events lost on closing"),
        )
