"""Small videos for tests, written by PyAV."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np


def write_video(path: Path, frames: int, *, size: tuple[int, int] = (160, 96), rate: int = 10) -> Path:
    """An H.264 video whose frame n is of grey level 20 + 16 (n mod 15), a key frame every ten."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=rate, options={"g": "10", "crf": "10", "threads": "1"})
        stream.width, stream.height, stream.pix_fmt = size[0], size[1], "yuv420p"
        stream.time_base = Fraction(1, 90_000)
        for number in range(frames):
            image = np.full((size[1], size[0], 3), 20 + 16 * (number % 15), np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = number * (90_000 // rate), Fraction(1, 90_000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def grey_of(image: np.ndarray) -> int:
    """Number of the frame that a picture of `write_video` is."""
    return round((float(image.mean()) - 16) / 16)  # every encoding darkens by up to three levels
