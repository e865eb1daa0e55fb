"""A clip out of finished segments, as the camera sent it: packets are copied, nothing is encoded again.

What browsers cannot play is the exception.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
from veedor.monitor.ring_segments import Segment
from veedor.monitor.ring_streams import LEAD_S, TICK

GAP_S = 0.5  # so long without a picture is a gap that is told
# Others, motion JPEG above all, no browser plays from an MP4: those alone are encoded, and only for a clip.
_FIT_FOR_MP4 = frozenset({"h264", "hevc", "av1", "vp9", "mpeg4"})
_OPTIONS = {"preset": "veryfast", "crf": "23", "threads": "1"}


@dataclass(frozen=True)
class Cut:
    """What a clip holds. It begins at the keyframe at or before what was asked for.

    `gaps` are the parts of the stretch asked for in which there is no picture.
    """

    start_s: float
    stop_s: float
    gaps: tuple[tuple[float, float], ...]
    bytes: int
    pictures: int


@dataclass
class _Piece:
    """Packets of one segment from the first that is wanted on, with their media times."""

    kind: tuple[object, ...]
    container: Any
    packets: list[tuple[float, Any]]


def cut(segments: Sequence[Segment], span: tuple[float, float], about_s: float, out: Path) -> Cut | None:
    """Write [start, stop] of `span` as an MP4 file that is whole or not there; None where no picture is.

    Where the camera was changed for another within the stretch, the clip is of the one at `about_s`.
    """
    pieces: list[_Piece] = []
    try:
        for segment in segments:
            piece = _piece(segment, span)
            if piece is not None:
                pieces.append(piece)
        wanted = _of_one_kind(pieces, about_s)
        return _write(wanted, span, out) if wanted else None
    finally:
        for piece in pieces:
            piece.container.close()


def _piece(segment: Segment, span: tuple[float, float]) -> _Piece | None:
    """None where the segment has been deleted meanwhile, cannot be read, or holds nothing that is wanted."""
    try:
        container = av.open(str(segment.path), format="nut")
    except (OSError, av.error.FFmpegError):
        return None
    packets: list[tuple[float, Any]] = []
    stream = container.streams.video[0] if container.streams.video else None
    try:
        for packet in container.demux(stream) if stream is not None else ():
            if not packet.size or packet.pts is None:
                continue
            t_s = float(packet.pts * packet.time_base) - LEAD_S + segment.start_s
            if packet.is_keyframe and t_s <= span[0]:
                packets.clear()  # nothing before it is needed
            packets.append((t_s, packet))
    except (OSError, av.error.FFmpegError):
        pass  # what could be read is used
    last = max((place for place, (t_s, _) in enumerate(packets) if t_s <= span[1]), default=-1)
    del packets[last + 1 :]
    if stream is None or not packets:
        container.close()
        return None
    codec = stream.codec_context
    kind = (codec.name, codec.width, codec.height, bytes(codec.extradata or b""))
    return _Piece(kind, container, packets)


def _of_one_kind(pieces: Sequence[_Piece], about_s: float) -> list[_Piece]:
    if not pieces:
        return []
    nearest = min(pieces, key=lambda each: min(abs(t_s - about_s) for t_s, _ in each.packets))
    return [each for each in pieces if each.kind == nearest.kind]


def _write(pieces: Sequence[_Piece], span: tuple[float, float], out: Path) -> Cut:
    packets = [each for piece in pieces for each in piece.packets]
    times = sorted(t_s for t_s, _ in packets)
    first_s = times[0]
    part = out.with_name(out.name + ".part")
    try:
        with av.open(str(part), "w", format="mp4", options={"movflags": "+faststart"}) as container:
            template = pieces[0].container.streams.video[0]
            if template.codec_context.name in _FIT_FOR_MP4:
                _copy(container, template, packets, first_s)
            else:
                _encode(container, template, packets, first_s)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(out)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return Cut(first_s, times[-1], gaps_between(times, span), out.stat().st_size, len(packets))


def _copy(container: Any, template: Any, packets: Sequence[tuple[float, Any]], first_s: float) -> None:
    stream = container.add_stream_from_template(template, opaque=True)
    stream.time_base = TICK
    for packet, pts, dts in _timed(packets, first_s):
        packet.stream, packet.time_base, packet.pts, packet.dts = stream, TICK, pts, dts
        container.mux_one(packet)


def _encode(container: Any, template: Any, packets: Sequence[tuple[float, Any]], first_s: float) -> None:
    stream = container.add_stream("libx264", rate=25, options=dict(_OPTIONS))
    codec = template.codec_context
    stream.width, stream.height, stream.pix_fmt = codec.width & ~1, codec.height & ~1, "yuv420p"
    stream.time_base = stream.codec_context.time_base = TICK
    for t_s, packet in packets:
        for picture in packet.decode():
            shown = picture.reformat(
                stream.width,
                stream.height,
                "yuv420p",
                src_color_range=picture.color_range,
                dst_color_range="MPEG",
            )
            shown.pts, shown.time_base = round((t_s - first_s) / TICK), TICK
            container.mux(stream.encode(shown))
    container.mux(stream.encode(None))


def _timed(packets: Sequence[tuple[float, Any]], first_s: float) -> Iterator[tuple[Any, int, int]]:
    """Each packet with its picture's time and the time to decode it, which rises and never lies after."""
    pictures = [round((t_s - first_s) / TICK) for t_s, _ in packets]
    in_order = sorted(pictures)
    for place in range(1, len(in_order)):
        in_order[place] = max(in_order[place], in_order[place - 1] + 1)
    ahead = max(due - shown for due, shown in zip(in_order, pictures, strict=True))
    for (_, packet), shown, due in zip(packets, pictures, in_order, strict=True):
        yield packet, shown, due - ahead


def gaps_between(times: Sequence[float], span: tuple[float, float]) -> tuple[tuple[float, float], ...]:
    """Parts of a stretch that lie between two pictures too far apart, or before the first, after the last."""
    marks = [span[0], *(each for each in times if span[0] < each < span[1]), span[1]]
    if times[0] <= span[0]:
        # A picture from just before shows how the stretch begins.
        before = max(each for each in times if each <= span[0])
        marks[0] = before
    found = [(max(a, span[0]), b) for a, b in pairwise(marks) if b - a > GAP_S]
    return tuple((round(start, 3), round(stop, 3)) for start, stop in found)
