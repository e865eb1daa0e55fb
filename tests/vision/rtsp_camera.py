"""A real RTSP camera on loopback for tests: a server from a registry package behind a wire that can fail."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import av
import numpy as np
import pytest

SIZE = (320, 180)


class _Silent:
    def __getattr__(self, name: str) -> object:
        return lambda *args, **kwargs: None


def picture(number: int, size: tuple[int, int] = SIZE, seed: int = 5) -> np.ndarray:
    """A patterned ground with sensor noise and a bar that moves with `number`."""
    width, height = size
    ground = np.random.default_rng(1).integers(40, 200, (height // 20 + 1, width // 20 + 1, 3), np.uint8)
    image = ground.repeat(20, 0).repeat(20, 1)[:height, :width].astype(np.int16)
    left = number * width // 60 % width
    image[height // 3 : height // 2, left : left + width // 8] = (
        255 - image[height // 3 : height // 2, left : left + width // 8]
    )
    noise = np.random.default_rng((seed, number)).integers(-5, 6, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def write_stream(
    path: Path,
    seconds: float,
    *,
    rate: int = 12,
    size: tuple[int, int] = SIZE,
    still: tuple[float, float] | None = None,
    b_pictures: int = 0,
) -> Path:
    """A file to be streamed: a key picture a second, pictures out of order only with `b_pictures`.

    In the seconds of `still` it is the same picture again and again.
    """
    options = {"g": str(rate), "bf": str(b_pictures), "crf": "20", "threads": "1", "preset": "veryfast"}
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for number in range(round(seconds * rate)):
            frozen = still is not None and still[0] <= number / rate < still[1]
            image = picture(round(still[0] * rate) if still and frozen else number, size)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
        container.mux(stream.encode(None))
    return path


class RtspCamera:
    """Serves one file, over and over, as `url`.

    `drop` is the share of video packets that the wire loses, `hold` lets nothing through, `refuse` answers
    nobody; `cut` ends all connections.
    """

    def __init__(self, folder: Path, film: Path) -> None:
        self._folder = folder / "served"
        self._folder.mkdir()
        self.drop, self.hold, self.refuse = 0.0, False, False
        self._random = random.Random(7)
        self._open: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self.show(film)
        self._server_port, self.port = _free_port(), _free_port()
        self.url = f"rtsp://127.0.0.1:{self.port}/live.mp4?play_count=0"
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def show(self, film: Path) -> None:
        """Serve another file to whoever connects from now on."""
        shutil.copy(film, self._folder / "next.mp4")
        os.replace(self._folder / "next.mp4", self._folder / "live.mp4")

    def cut(self) -> None:
        """End all connections."""
        self._loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in list(self._open)])

    def __enter__(self) -> RtspCamera:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        import aio_rtsp_toolkit.server as server
        from aio_sockets import aio_sockets

        server.logger = aio_sockets.logger = _Silent()
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        camera = await server.RtspServer(str(self._folder), host="127.0.0.1", port=self._server_port).start()
        wire = await asyncio.start_server(self._wire, "127.0.0.1", self.port)
        self._ready.set()
        await self._stop.wait()
        wire.close()
        await camera.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _wire(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuse:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        self._open |= {writer, far_writer}
        up = asyncio.create_task(self._upward(reader, far_writer))
        try:
            await self._downward(far_reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            up.cancel()
            self._open -= {writer, far_writer}
            writer.transport.abort()
            far_writer.transport.abort()

    async def _upward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            writer.write(data)

    async def _downward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on answers whole and packets one by one, except those that get lost."""
        while True:
            first = await reader.readexactly(1)
            if first == b"$":
                head = await reader.readexactly(3)
                message = first + head + await reader.readexactly(struct.unpack(">H", head[1:])[0])
                while self.hold:
                    await asyncio.sleep(0.02)
                if head[0] == 0 and self._random.random() < self.drop:
                    continue
            else:
                message = first + await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: *(\d+)", message)
                message += await reader.readexactly(int(length[1]) if length else 0)
            writer.write(message)
            await writer.drain()


@contextmanager
def rtsp_camera(folder: Path, film: Path) -> Iterator[RtspCamera]:
    """A camera that streams `film`; the test is skipped, saying so, where the server is not installed."""
    pytest.importorskip("aio_rtsp_toolkit", reason="aio-rtsp-toolkit is not installed: no RTSP server")
    with RtspCamera(folder, film) as camera:
        yield camera


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
