"""A piece of a session's video for a browser, at once where the recording's own packets will do.

What is H.264 already is copied from the keyframe before the piece on; anything else is encoded, and so is
what has its keyframe long before: a recorder may make one in a night.
"""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import av
from veedor.monitor.reviewed import ReviewedSession
from veedor.monitor.reviewed_files import Recorded
from veedor.monitor.reviewed_pictures import source_of
from veedor.vision.sources import VideoSource

_PLAYED = frozenset({"yuv420p", "yuvj420p"})  # 8 bits, 4:2:0: what every browser decodes
_SAME_S = 1e-6
_LONGEST_LEAD_S = 20.0  # from the keyframe to the piece
_SHORTEST_S = 1.0  # shorter or reversed ones are shown so long


def piece_of(session: ReviewedSession, start_s: float, stop_s: float) -> bytes:
    """An MP4 file that holds every picture of a stretch; StoreError where there is none any more."""
    stop_s = _stop(start_s, stop_s)
    copied = _copied(session, start_s, stop_s)
    return session.stretch(start_s, stop_s) if copied is None else copied


def first_of(session: ReviewedSession, start_s: float, stop_s: float) -> float:
    """The media time of the piece's first picture, which is at time 0 of the file."""
    stop_s = _stop(start_s, stop_s)
    found = _playable(session, start_s, stop_s)
    if found is not None:
        recorded, source = found
        first = _key_of(recorded, source, start_s)
        if first is not None:
            return _media_s(first, source, recorded)
    times = session.frame_times(start_s, stop_s)
    return times[0] if times else start_s


def _stop(start_s: float, stop_s: float) -> float:
    return max(stop_s, start_s + _SHORTEST_S)


def _copied(session: ReviewedSession, start_s: float, stop_s: float) -> bytes | None:
    found = _playable(session, start_s, stop_s)
    if found is None:
        return None
    recorded, source = found
    content = io.BytesIO()
    first: Any = None
    try:
        with av.open(str(recorded.path)) as container, av.open(content, "w", format="mp4") as out:
            stream = container.streams.video[0]
            copy = out.add_stream_from_template(stream)
            for packet in _from_key(container, source, start_s - recorded.offset_s):
                if first is None:
                    first = packet.pts
                # In order of decoding: a few pictures past the end may come before the last of the piece.
                if packet.dts is not None and _own_s(packet.dts, source) >= stop_s - recorded.offset_s:
                    break
                if packet.pts < first:
                    continue
                packet.pts -= first
                packet.dts = None if packet.dts is None else packet.dts - first
                packet.stream = copy
                out.mux(packet)
    except (av.error.FFmpegError, ValueError, OSError):
        return None
    return content.getvalue() or None


def _playable(session: ReviewedSession, start_s: float, stop_s: float) -> tuple[Recorded, VideoSource] | None:
    """The one recording that shows the whole stretch, if browsers play what it holds."""
    for recorded in session.recordings:
        if recorded.start_s <= start_s + _SAME_S and stop_s <= recorded.stop_s + _SAME_S:
            source = source_of(recorded)
            if source is None or source.fault is not None or recorded.rotation_deg:
                return None
            try:
                with av.open(str(recorded.path)) as container:
                    context = container.streams.video[0].codec_context
                    plays = context.name == "h264" and context.pix_fmt in _PLAYED
            except (av.error.FFmpegError, OSError):
                return None
            first = _key_of(recorded, source, start_s) if plays else None
            near = first is not None and start_s - _media_s(first, source, recorded) <= _LONGEST_LEAD_S
            return (recorded, source) if near else None
    return None


def _key_of(recorded: Recorded, source: VideoSource, start_s: float) -> Any:
    """The packet of the keyframe that a piece begins with; None where there is none that can be read."""
    try:
        with av.open(str(recorded.path)) as container:
            return next(_from_key(container, source, start_s - recorded.offset_s), None)
    except (av.error.FFmpegError, OSError, ValueError):
        return None


def _from_key(container: Any, source: VideoSource, own_s: float) -> Any:
    """Packets from the last keyframe at or before a moment of the recording's own time."""
    stream = container.streams.video[0]
    origin, base = source.timestamp(0)
    wanted = origin + int(Fraction(own_s).limit_denominator(1_000_000) / base)
    container.seek(max(wanted, origin), stream=stream, backward=True, any_frame=False)
    begun = False
    for packet in container.demux(stream):
        if packet.pts is None or not packet.size:
            continue
        begun = begun or packet.is_keyframe
        if begun:
            yield packet


def _own_s(pts: int, source: VideoSource) -> float:
    origin, base = source.timestamp(0)
    return float((pts - origin) * base)


def _media_s(packet: Any, source: VideoSource, recorded: Recorded) -> float:
    return round(_own_s(packet.pts, source) + recorded.offset_s, 6)
