"""Streams of packets whose pictures show what time it is, without a camera."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from veedor.monitor.ring import RingBuffer
from veedor.vision.frames import Frame

FPS = 10
_STEP = 9  # of grey, each picture


def grey_of(number: int) -> int:
    return 16 + (number * _STEP) % 220


def picture(number: int, width: int = 64, height: int = 48) -> np.ndarray:
    return np.full((height, width, 3), grey_of(number), np.uint8)


def frame(number: int, t_s: float) -> Frame:
    return Frame.from_image(number, t_s, picture(number))


@dataclass(frozen=True)
class Film:
    """An encoded film; what a source's container would give."""

    data: bytes

    @classmethod
    def of(cls, pictures: int, *, gop: int = 10, reordered: bool = False, width: int = 64) -> Film:
        content = io.BytesIO()
        with av.open(content, "w", format="mp4") as container:
            frames_between = 2 if reordered else 0
            options = {"preset": "ultrafast", "x264-params": f"keyint={gop}:scenecut=0:b-adapt=0"}
            options["bf"] = str(frames_between)
            stream = container.add_stream("libx264", rate=FPS, options=options)
            stream.width, stream.height, stream.pix_fmt = width, 48, "yuv420p"
            for number in range(pictures):
                shown = av.VideoFrame.from_ndarray(picture(number, width), format="bgr24")
                shown.pts, shown.time_base = number, Fraction(1, FPS)
                container.mux(stream.encode(shown))
            container.mux(stream.encode(None))
        return cls(content.getvalue())

    def play(self, ring: RingBuffer, *, at_s: float = 0.0, numbers: range | None = None) -> None:
        """Give it to the buffer as a source does, the first picture at media time `at_s`; then end."""
        with av.open(io.BytesIO(self.data)) as container:
            stream = container.streams.video[0]
            ring.begin(stream)
            for packet in container.demux(stream):
                if packet.size:
                    t_s = float(packet.pts * packet.time_base)
                    if numbers is None or round(t_s * FPS) in numbers:
                        ring.packet(packet, at_s + t_s)
        ring.end()
        ring.flush()


def pictures_of(clip: Path) -> list[tuple[float, int]]:
    """Time in the clip and mean grey of each picture."""
    with av.open(str(clip)) as container:
        return [(float(each.time), _grey(each)) for each in container.decode(video=0)]


def _grey(shown: Any) -> int:
    return round(float(shown.to_ndarray(format="bgr24").mean()))


def packets_of(clip: Path) -> Iterator[bytes]:
    with av.open(str(clip)) as container:
        for packet in container.demux(video=0):
            if packet.size:
                yield bytes(packet)
