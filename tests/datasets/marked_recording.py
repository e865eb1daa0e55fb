"""A recording whose every frame shows a mark at known pixels, and what measures a mark in a picture.

Frames come at an uneven rate and are stored out of order, as cameras and encoders do.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.labelled import LabelledObject, LabelledPicture, LabelledSet
from veedor.vision.detections import ObjectClass

SIZE = (192, 144)
TIME_BASE = Fraction(1, 1000)
# Milliseconds; steps between 7 and 210.
PTS = (0, 40, 47, 120, 160, 290, 500, 520, 560, 600, 733, 740, 800, 1010)


def edges_of(number: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of a frame's mark: the outer edges of its pixels."""
    left, top = 8 + 10 * number, 10 + 6 * number
    return left, top, left + 14 + 2 * (number % 3), top + 20


def frame(number: int) -> NDArray[np.uint8]:
    image = np.full((SIZE[1], SIZE[0], 3), 16, np.uint8)
    left, top, right, bottom = edges_of(number)
    image[top:bottom, left:right] = 235
    return image


def write_recording(path: Path, pts: tuple[int, ...] = PTS, time_base: Fraction = TIME_BASE) -> str:
    """The recording, lossless but for its colours; gives its SHA-256."""
    with av.open(str(path), "w") as container:
        options = {"crf": "0", "bf": "2", "b-adapt": "0", "threads": "1", "g": "6"}
        stream = container.add_stream("libx264", rate=25, options=options)
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = time_base
        for number, each in enumerate(pts):
            picture = av.VideoFrame.from_ndarray(frame(number), format="bgr24")
            picture.pts, picture.time_base = each, time_base
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def decoded(path: Path) -> list[tuple[Fraction, NDArray[np.uint8]]]:
    """Every frame in the order of presentation with its time: one after the other, without seeking."""
    with av.open(str(path)) as container:
        frames = [
            (each.pts * each.time_base, each.to_ndarray(format="bgr24")) for each in container.decode(video=0)
        ]
    return [(time, np.asarray(image, np.uint8)) for time, image in frames]


def measured(image: NDArray[np.uint8]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of what is bright, to a part of a pixel, by how bright the borders are."""
    level = image.astype(np.float64).mean(axis=2)
    level = (level - level.min()) / (level.max() - level.min())
    level[level < 0.2] = 0
    rows, columns = level.max(axis=1), level.max(axis=0)
    left, top = int(np.argmax(columns > 0)), int(np.argmax(rows > 0))
    return left, top, left + float(columns.sum()), top + float(rows.sum())


def mark(number: int) -> LabelledObject:
    left, top, right, bottom = (float(edge) for edge in edges_of(number))
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return LabelledObject("c1", ObjectClass.CARD_FACE, corners, rank="7", suit="H")


def labelled(recording: str, numbers: tuple[int, ...], folder: Path) -> LabelledSet:
    """The marks of some frames as labelled pictures, whose pixels belong into `folder`."""
    pictures = tuple(
        LabelledPicture(
            f"f{number:03d}", recording, PTS[number], TIME_BASE, *SIZE, "night", "t1", "train", "me", 1,
            (mark(number),),
        )
        for number in numbers
    )  # fmt: skip
    return LabelledSet("marks", "1", pictures, folder)
