"""Server-sent events: the parts of a page that have changed, for as long as who reads them may."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from starlette.responses import StreamingResponse
from veedor.web.door import Door

# Ten looks a second: a person sees a change at once, and an idle page costs a comparison of two numbers.
LOOK_S = 0.1
# A proxy or browser that hears nothing for long gives a stream up.
_KEEP_ALIVE_S = 10.0
_STILL_ALLOWED_S = 3.0


@dataclass(frozen=True)
class Source:
    """What a stream tells of. `version` changes with whatever the parts are made of; `parts` renders them by
    the id of the element that holds each; `finished` once nothing will change any more."""

    version: Callable[[], object]
    parts: Callable[[], Mapping[str, str]]
    finished: Callable[[], bool] = lambda: False
    look_s: float = LOOK_S


class Holding:
    """Asks now and then whether the session of a stream's reader still holds; reading is being there."""

    def __init__(self, door: Door, token: str) -> None:
        self._door = door
        self._token = token
        self._asked_s = asyncio.get_running_loop().time()

    async def holds(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now - self._asked_s < _STILL_ALLOWED_S:
            return True
        self._asked_s = now
        return await self._door.holder(self._token) is not None


def event_stream(source: Source, holding: Holding) -> StreamingResponse:
    return StreamingResponse(changes(source, holding), media_type="text/event-stream")


async def changes(source: Source, holding: Holding) -> AsyncIterator[str]:
    """Each message the parts that have changed, as one JSON object; at the end an event that says which."""
    sent: Mapping[str, str] = {}
    seen: object = None
    quiet_s = 0.0
    while True:
        if not await holding.holds():
            yield "event: signed-out\ndata: {}\n\n"
            return
        version = source.version()
        if version != seen:
            # Whether it is over is asked before: the last state must still be sent.
            seen, finished = version, source.finished()
            parts = source.parts()
            changed = {name: html for name, html in parts.items() if sent.get(name) != html}
            sent = parts
            if changed:
                quiet_s = 0.0
                yield f"data: {json.dumps(changed, ensure_ascii=False)}\n\n"
            if finished:
                yield "event: finished\ndata: {}\n\n"
                return
        elif quiet_s >= _KEEP_ALIVE_S:
            quiet_s = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(source.look_s)
        quiet_s += source.look_s
