"""RTSP cameras in a process of their own, which tell when their film begins."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import av

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
from rtsp_camera import RtspCamera

READY_S = 2.0  # a connection's film is cut ready for so long after it was asked for


class NotingCamera(RtspCamera):
    """Tells through `told` when the first packet of a connection's video goes out."""

    def __init__(self, folder: Path, film: Path, told: Connection) -> None:
        super().__init__(folder, film)
        self.url = self.url.partition("?")[0]
        self._told = told

    async def _downward(self, reader: Any, writer: Any) -> None:
        await super()._downward(reader, cast(asyncio.StreamWriter, _Noting(writer, self.begins)))

    def begins(self) -> None:
        """A connection's first packet goes out."""
        self._told.send(time.time())


class RunningCamera(NotingCamera):
    """Whoever connects gets the film from where it is now, as from a camera that runs all the time.

    The film begins with the first connection's first packet. A later connection is made to wait for the
    moment of the key picture that its film begins with.
    """

    def __init__(self, folder: Path, film: Path, told: Connection) -> None:
        super().__init__(folder, film, told)
        self.film = film
        self._begun: float | None = None
        self._plays_at = 0.0

    def begins(self) -> None:
        if self._begun is None:
            self._begun = time.time()
            super().begins()

    async def _wire(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.refuse and self._begun is not None:
            rest = self._folder.parent / "rest.mp4"
            starts_s = cut_from(self.film, rest, time.time() - self._begun + READY_S)
            if starts_s is not None:
                os.replace(rest, self._folder / "live.mp4")
                self._plays_at = self._begun + starts_s
        await super()._wire(reader, writer)

    async def _upward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            if data.startswith(b"PLAY "):
                await asyncio.sleep(max(0.0, self._plays_at - time.time()))
            writer.write(data)


class _Noting:
    def __init__(self, writer: Any, begins: Any) -> None:
        self._writer, self._begins, self._begun = writer, begins, False

    def write(self, message: bytes) -> None:
        if not self._begun and message[:2] == b"$\0":
            self._begun = True
            self._begins()
        self._writer.write(message)

    async def drain(self) -> None:
        await self._writer.drain()


def cut_from(film: Path, out: Path, start_s: float) -> float | None:
    """Copy the film from the key picture at or before `start_s`; that picture's time, None past the end."""
    with av.open(str(film)) as source, av.open(str(out), "w") as target:
        stream = source.streams.video[0]
        copy = target.add_stream_from_template(stream)
        assert stream.time_base is not None
        source.seek(int(start_s / stream.time_base), stream=stream, backward=True)
        first: int | None = None
        for packet in source.demux(stream):
            if packet.pts is None or packet.dts is None:
                continue
            first = packet.dts if first is None else first
            packet.pts, packet.dts, packet.stream = packet.pts - first, packet.dts - first, copy
            target.mux(packet)
        return None if first is None else float(first * stream.time_base)


def show(folder: Path, film: Path, told: Connection, *, running: bool = False) -> None:
    """The camera's process. It takes what to set, as (name, value) of the camera, ("cut", None) and "end"."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kind = RunningCamera if running else NotingCamera
    with kind(folder, film, told) as camera:
        told.send(camera.url)
        while told.poll(None):
            order = told.recv()
            if order == "end":
                return
            name, value = order
            if name == "cut":
                camera.cut()
            else:
                setattr(camera, name, value)
