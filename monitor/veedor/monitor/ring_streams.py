"""Packets and the streams they belong to, apart from the source that they came from."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from veedor.vision.frames import Frame

TICK = Fraction(1, 90_000)
# Decoding times lie a little before those of the pictures: a file's clock begins so far before its first one.
LEAD_S = 2
KEYFRAME_STEP_S = 1.0
_FORMAT = "nut"
_ENCODER = "libx264"
# Least work for the machine, no pictures held back; 26 keeps pips readable.
_OPTIONS = {"preset": "ultrafast", "tune": "zerolatency", "crf": "26", "threads": "1", "g": "250"}
# Parameter sets of a stream that names none in its header: sequence and picture (and video) parameters.
_PARAMETER_UNITS = {"h264": (7, 8), "hevc": (32, 33, 34)}


@dataclass(frozen=True)
class StoredPacket:
    """A copy of a packet. `t_s` media time of its picture; `pts_s`, `dts_s` by the stream's own clock."""

    data: bytes
    t_s: float
    pts_s: float
    dts_s: float | None
    duration_s: float
    keyframe: bool


def stored_packet(packet: Any, t_s: float) -> StoredPacket:
    base = packet.time_base
    pts_s = t_s if packet.pts is None or base is None else float(packet.pts * base)
    dts_s = None if packet.dts is None or packet.pts is None or base is None else float(packet.dts * base)
    duration_s = float(packet.duration * base) if packet.duration and base else 0.0
    return StoredPacket(bytes(packet), t_s, pts_s, dts_s, duration_s, bool(packet.is_keyframe))


class OwnStream:
    """A stream's parameters, kept beyond the source's life."""

    def __init__(self, template: Any) -> None:
        self._container = av.open(io.BytesIO(), "w", format=_FORMAT)
        self.stream = self._container.add_stream_from_template(template, opaque=True)

    def completed(self, first: StoredPacket) -> None:
        """Take missing parameter sets from the stream's first keyframe."""
        codec = self.stream.codec_context
        if not codec.extradata and codec.name in _PARAMETER_UNITS:
            found = parameter_sets(first.data, codec.name)
            if found:
                codec.extradata = found


class OwnEncoder:
    """Makes packets of pictures."""

    def __init__(self, frame: Frame) -> None:
        height, width = frame.image.shape[:2]
        self.size = (width, height)
        self._container = av.open(io.BytesIO(), "w", format=_FORMAT)
        stream = self._container.add_stream(_ENCODER, rate=25, options=dict(_OPTIONS))
        stream.width, stream.height, stream.pix_fmt = width - width % 2, height - height % 2, "yuv420p"
        stream.time_base = stream.codec_context.time_base = TICK
        self._container.start_encoding()  # the stream knows its parameters only from here on
        self.stream = stream
        self._key_s: float | None = None

    def fits(self, frame: Frame) -> bool:
        return frame.image.shape[:2] == self.size[::-1]

    def packets(self, frame: Frame) -> Iterator[StoredPacket]:
        picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame.image), format="bgr24")
        picture = picture.reformat(width=self.stream.width, height=self.stream.height, format="yuv420p")
        picture.pts, picture.time_base = round(frame.t_s / TICK), TICK
        if self._key_s is None or frame.t_s - self._key_s >= KEYFRAME_STEP_S:
            picture.pict_type = av.video.frame.PictureType.I
            self._key_s = frame.t_s
        for packet in self.stream.encode(picture):
            yield stored_packet(packet, float(packet.pts * packet.time_base))


class SegmentFile:
    """One segment being written."""

    def __init__(self, path: Path, template: Any, first: StoredPacket) -> None:
        self.path, self.start_s = path, first.t_s
        self._shift_s = first.t_s - first.pts_s
        self.last_s = self._newest_s = first.t_s
        self._duration_s = first.duration_s or 0.04
        self._dts = -1
        self._container = av.open(str(path), "w", format=_FORMAT)
        self._stream = self._container.add_stream_from_template(template, opaque=True)
        self._stream.time_base = TICK

    @property
    def stop_s(self) -> float:
        return self._newest_s + self._duration_s

    def write(self, stored: StoredPacket) -> None:
        t_s = stored.pts_s + self._shift_s
        pts = max(0, _ticks(t_s - self.start_s + LEAD_S))
        dts = pts if stored.dts_s is None else _ticks(stored.dts_s + self._shift_s - self.start_s + LEAD_S)
        dts = max(dts, self._dts + 1)
        packet = av.Packet(stored.data)
        packet.stream, packet.time_base = self._stream, TICK
        packet.pts, packet.dts, packet.is_keyframe = max(pts, dts), dts, stored.keyframe
        packet.duration = _ticks(stored.duration_s)
        self._dts = dts
        self._container.mux_one(packet)
        if t_s > self._newest_s:
            self._duration_s = stored.duration_s or min(t_s - self._newest_s, 0.5)
            self._newest_s = t_s
        self.last_s = t_s

    def drift_s(self, stored: StoredPacket) -> float:
        """How far media time has moved against the stream's own clock since the segment began."""
        return abs(stored.pts_s + self._shift_s - stored.t_s)

    def close(self) -> None:
        self._container.close()


def _ticks(seconds: float) -> int:
    return round(seconds / TICK)


def parameter_sets(data: bytes, codec: str) -> bytes:
    """The parameter sets of an Annex B packet, with their start codes; empty where there are none."""
    found = bytearray()
    for unit in data.split(b"\0\0\1")[1:]:
        unit = unit.rstrip(b"\0")
        if unit:
            kind = unit[0] & 0x1F if codec == "h264" else (unit[0] >> 1) & 0x3F
            if kind in _PARAMETER_UNITS[codec]:
                found += b"\0\0\0\1" + unit
    return bytes(found)
