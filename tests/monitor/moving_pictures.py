"""Small videos for tests, written by PyAV."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np


def write_pictures(
    path: Path, pictures: Iterable[np.ndarray], *, rate: int = 10, crf: int = 10, rotation: int = 0
) -> Path:
    """An H.264 video of pictures (h, w, 3), a key frame every ten, shown turned by `rotation`."""
    with av.open(str(path), "w") as container:
        options = {"g": "10", "crf": str(crf), "threads": "1"}
        stream = container.add_stream("libx264", rate=rate, options=options)
        stream.pix_fmt, stream.time_base = "yuv420p", Fraction(1, 90_000)
        for number, image in enumerate(pictures):
            if not number:
                stream.height, stream.width = image.shape[:2]
                if rotation:
                    stream.set_display_rotation(rotation)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = number * (90_000 // rate), Fraction(1, 90_000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def write_video(path: Path, frames: int, *, size: tuple[int, int] = (160, 96), rate: int = 10) -> Path:
    """One whose frame n is of grey level 20 + 16 (n mod 15)."""
    greys = (np.full((size[1], size[0], 3), 20 + 16 * (n % 15), np.uint8) for n in range(frames))
    return write_pictures(path, greys, rate=rate)


def grey_of(image: np.ndarray) -> int:
    """Number of the frame that a picture of `write_video` is."""
    return round((float(image.mean()) - 16) / 16)  # every encoding darkens by up to three levels
