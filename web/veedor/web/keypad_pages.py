"""The keypad: what is said at a table goes into its journal, and can be corrected there."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response
from veedor.monitor.fault_words.telling import message_of
from veedor.monitor.language import Language
from veedor.monitor.wording import describe
from veedor.rules.errors import RulesError
from veedor.rules.events import decode_event
from veedor.web.keys import RULERS, TABLE_KEYS, entered, hand_keys
from veedor.web.live_pages import Desk, silent_seconds
from veedor.web.site import Commands, Press, Receipt, SiteFault, WatchedTable
from veedor.web.streams import Source, event_stream
from veedor.web.visits import Refusal, Visit, not_there

KEPT = 12
_LOOK_S = 0.2


@dataclass(frozen=True)
class Entry:
    """Something that was entered. `standing`: neither withdrawn nor replaced since, by `fell_by`."""

    receipt: Receipt
    event: Mapping[str, object]
    who: str
    standing: bool = True
    replaces: int | None = None
    fell_by: Press | None = None


@dataclass
class Entries:
    """The last entries of each running session, newest first, as every keypad of that table shows them."""

    _kept: dict[tuple[str, str], deque[Entry]] = field(default_factory=dict)
    version: int = 0

    def of(self, table: WatchedTable) -> list[Entry]:
        return list(self._kept.get((table.id, table.session), ()))

    def add(self, table: WatchedTable, entry: Entry) -> None:
        kept = self._kept.setdefault((table.id, table.session), deque(maxlen=KEPT))
        if any(each.receipt.entry == entry.receipt.entry for each in kept):
            return  # the same press again
        kept.appendleft(entry)
        self.version += 1

    def fell(self, table: WatchedTable, number: int, press: Press) -> None:
        """Entry `number` was withdrawn or replaced."""
        kept = self._kept.get((table.id, table.session), deque())
        for at, each in enumerate(kept):
            if each.receipt.entry == number:
                kept[at] = replace(each, standing=False, fell_by=press)
        self.version += 1


def _press(visit: Visit) -> Press:
    """A key of the browser's own making stands for one press, however often it has to be sent."""
    key = visit.form.get("press", "")
    if key and not re.fullmatch(r"[0-9A-Za-z-]{8,64}", key):
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "press: mal escrito", "press: malformed")
    return Press(visit.who.name, key or None)


class KeypadPages:
    """Handlers of the keypad."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._entries = Entries()

    async def show(self, visit: Visit) -> Response:
        if self._desk.site.commands is None:
            raise not_there()
        table = self._desk.table(visit)
        await self._desk.saw(visit, "saw keypad", table.id)
        return self._desk.renderer.page(
            visit,
            "keypad.html.j2",
            table=table,
            face=table.face,
            parts=self.parts(table.id, visit),
            table_keys=TABLE_KEYS,
            columns=hand_keys(table.face.hands),
            rulers=RULERS,
        )

    async def stream(self, visit: Visit) -> Response:
        table_id = self._desk.table(visit).id

        def version() -> object:
            table = self._desk.current(table_id)
            return table.board.latest()[0], table.session, silent_seconds(table), self._entries.version

        return event_stream(
            Source(version, lambda: self.parts(table_id, visit), look_s=_LOOK_S), self._desk.holding(visit)
        )

    def parts(self, table_id: str, visit: Visit) -> Mapping[str, str]:
        table = self._desk.current(table_id)
        _, state = table.board.latest()
        entries = [(each, self._told(each, visit)) for each in self._entries.of(table)]
        part = self._desk.renderer.part
        return {
            "status": part("live_status.html.j2", visit.language, silent=silent_seconds(table), state=state),
            "running": part("keypad_coup.html.j2", visit.language, state=state),
            "entries": part(
                "keypad_entries.html.j2", visit.language, entries=entries, csrf=visit.csrf, table=table
            ),
        }

    async def enter(self, visit: Visit) -> Response:
        """One key pressed: in the journal's queue before it is answered."""
        table = self._desk.table(visit)
        event, press = self._event(visit, table), _press(visit)
        receipt = await run_in_threadpool(self._sent, table, lambda to: to.send(table.id, event, press))
        self._entries.add(table, Entry(receipt, event, visit.who.name))
        return await self._answer(visit, table, "entered", receipt, event)

    async def correct(self, visit: Visit) -> Response:
        """Another event in the place of an entry, or none: both stay in the journal."""
        table, number = self._desk.table(visit), visit.number("entry")
        kept = next((each for each in self._entries.of(table) if each.receipt.entry == number), None)
        if kept is None:
            raise not_there()
        press = _press(visit)
        if not kept.standing and (press.key is None or kept.fell_by != press):
            raise Refusal(HTTPStatus.CONFLICT, "ya se corrigió", "corrected already")
        event = None if visit.form.get("withdraw") else self._event(visit, table)
        receipt = await run_in_threadpool(
            self._sent, table, lambda to: to.correct(table.id, number, event, press)
        )
        self._entries.fell(table, number, press)
        if event is not None:
            self._entries.add(table, Entry(receipt, event, visit.who.name, replaces=number))
        return await self._answer(visit, table, f"corrected {number}", receipt, event or {})

    def _event(self, visit: Visit, table: WatchedTable) -> dict[str, object]:
        return entered(visit.form.get("key", ""), visit.form, table.face.hands)

    def _sent(self, table: WatchedTable, send: Callable[[Commands], Receipt]) -> Receipt:
        commands = self._desk.site.commands
        if commands is None:
            raise not_there()
        try:
            return send(commands)
        except SiteFault as fault:
            status = HTTPStatus.UNPROCESSABLE_ENTITY if fault.refused else HTTPStatus.SERVICE_UNAVAILABLE
            spanish = f"NO quedó anotado: {message_of(fault, Language.ES)}"
            raise Refusal(status, spanish, f"NOT recorded: {fault}") from fault

    async def _answer(
        self, visit: Visit, table: WatchedTable, act: str, receipt: Receipt, event: Mapping[str, object]
    ) -> Response:
        detail = " ".join(str(part) for part in event.values()) or "withdrawn"
        await self._desk.did(visit, act, f"{table.id}/{table.session}#{receipt.entry}", detail)
        if visit.wants_json:
            told = self._told(Entry(receipt, event, ""), visit) if event else ""
            return JSONResponse({"saved": True, "entry": receipt.entry, "t": receipt.t_s, "told": told})
        return RedirectResponse(f"/tables/{table.id}/keypad", HTTPStatus.SEE_OTHER)

    @staticmethod
    def _told(entry: Entry, visit: Visit) -> str:
        try:
            event = decode_event({"id": 0, "t": entry.receipt.t_s, "source": "operator", **entry.event})
        except RulesError:
            return str(entry.event.get("event", "?"))
        return describe(event, visit.language)
