"""An RTSP camera in a process of its own, which tells when its film begins."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
from rtsp_camera import RtspCamera


class NotingCamera(RtspCamera):
    """Tells through `told` when the first packet of a connection's video goes out."""

    def __init__(self, folder: Path, film: Path, told: Connection) -> None:
        super().__init__(folder, film)
        self._told = told

    async def _downward(self, reader: Any, writer: Any) -> None:
        await super()._downward(reader, cast(asyncio.StreamWriter, _Noting(writer, self._told)))


class _Noting:
    def __init__(self, writer: Any, told: Connection) -> None:
        self._writer, self._told, self._begun = writer, told, False

    def write(self, message: bytes) -> None:
        if not self._begun and message[:2] == b"$\0":
            self._begun = True
            self._told.send(time.time())
        self._writer.write(message)

    async def drain(self) -> None:
        await self._writer.drain()


def show(folder: Path, film: Path, told: Connection) -> None:
    """The camera's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with NotingCamera(folder, film, told) as camera:
        told.send(camera.url)
        while told.poll(None):
            if told.recv() == "end":
                return
