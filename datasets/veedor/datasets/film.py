"""H.264 video files with exact frame times, written whole or not at all."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

CRF = 24  # 1080p: 7 MB a coup; 20 gives 60 MB, most of it sensor noise
PRESET = "veryfast"
KEYFRAME_EVERY_S = 2


class Film:
    """Encodes BGR pictures one after another; frame `n` is shown at `n / fps` seconds."""

    def __init__(self, path: Path, size: tuple[int, int], fps: Fraction) -> None:
        self._container = av.open(str(path), "w", format="mp4")
        # One thread: with more, the bytes would depend on their number.
        options = {"crf": str(CRF), "preset": PRESET, "threads": "1"}
        self._stream = self._container.add_stream("libx264", rate=fps, options=options)
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = 1 / fps
        self._stream.gop_size = max(1, round(KEYFRAME_EVERY_S * fps))
        self._count = 0

    def add(self, image_bgr: NDArray[np.uint8]) -> None:
        """The next frame, uint8 (H, W, 3)."""
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image_bgr), format="bgr24")
        frame.pts = self._count
        frame.time_base = self._stream.codec_context.time_base
        self._count += 1
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def close(self) -> None:
        for packet in self._stream.encode(None):
            self._container.mux(packet)
        self._container.close()
