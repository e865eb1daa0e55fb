"""Short H.264 clips cut from a recording."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import av
import numpy as np
from veedor.vision.frames import Frame

ENCODER = "libx264"
MAX_WIDTH_PX = 1280
# Constant quality 25 keeps pips readable on a table that mostly stands still. One thread: libx264's output
# depends on how many it has, and a review's bytes must not.
_OPTIONS = {"crf": "25", "preset": "veryfast", "threads": "1"}
# For a page that waits, in its cache alone: every core, and keyframes close enough to step from one to any.
_QUICK = {"crf": "25", "preset": "veryfast", "threads": "0", "g": "25"}
_TIME_BASE = Fraction(1, 90_000)
_RATES = (0.001, 1000.0)


def encode_clip(frames: Iterable[Frame], rate_fps: float, *, quick: bool = False) -> bytes | None:
    """The frames as an MP4 file in memory, at most 1280 px wide, starting at time 0; None without frames.

    The same bytes every time, unless it is to be `quick`. Frames no later than the one before are left
    out: recordings may overlap.
    """
    content = io.BytesIO()
    stream: Any = None
    first_s, last = 0.0, -1
    with av.open(content, "w", format="mp4") as container:
        for frame in frames:
            if stream is None:
                stream = _stream(container, frame, rate_fps, _QUICK if quick else _OPTIONS)
                first_s = frame.t_s
            at = round((frame.t_s - first_s) / _TIME_BASE)
            if at <= last:
                continue
            picture = _fitted(frame, stream.width, stream.height)
            picture.pts = last = at
            picture.time_base = _TIME_BASE
            container.mux(stream.encode(picture))
        if stream is None:
            return None
        container.mux(stream.encode(None))
    return content.getvalue()


def _stream(container: Any, frame: Frame, rate_fps: float, options: Mapping[str, str]) -> Any:
    height, width = frame.image.shape[:2]
    ratio = min(1.0, MAX_WIDTH_PX / width)
    sound = rate_fps if math.isfinite(rate_fps) else 25.0
    rate = Fraction(min(max(sound, _RATES[0]), _RATES[1])).limit_denominator(1001)
    stream = container.add_stream(ENCODER, rate=rate, options=dict(options))
    stream.width, stream.height = _even(width * ratio), _even(height * ratio)
    stream.pix_fmt = "yuv420p"
    stream.time_base = _TIME_BASE
    stream.codec_context.time_base = _TIME_BASE
    return stream


def _fitted(frame: Frame, width: int, height: int) -> Any:
    """The picture as it is encoded; from the decoder's own where that is upright, at half the cost."""
    if frame.native is None or frame.turns:
        picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame.image), format="bgr24")
        return picture.reformat(width=width, height=height, format="yuv420p")
    native = frame.native
    picture = native.reformat(
        width=width,
        height=height,
        format="yuv420p",
        src_color_range=native.color_range,
        dst_color_range="MPEG",
    )
    if picture is native:  # as it is already: its type must not decide what the encoder makes a keyframe
        picture = av.VideoFrame.from_ndarray(native.to_ndarray(), format="yuv420p")
        picture.color_range = native.color_range
    picture.pict_type = 0
    return picture


def _even(length: float) -> int:
    """4:2:0 pictures need even sides."""
    return max(2, round(length / 2) * 2)
