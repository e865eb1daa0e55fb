"""One picture of whatever can be watched: a camera, a network stream, a recording, a picture file."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veedor.vision.frames import Image

PICTURES = 9  # of a recording or a camera, whose middle values show the felt without noise and hands
LOOKED_S = 4.0  # at a camera: longer than it takes to know that it repeats one picture
PATIENCE_S = 12.0
LATEST_S = 1e8  # three years: no recording is as long
DARK, FLAT = 12.0, 3.0  # grey levels: of a lens cap, of a picture with nothing in it

_GAPS = {
    "no connection": "sin conexión",
    "stream cut": "la señal se cortó",
    "stream stalled": "la señal se detuvo",
    "picture frozen": "la imagen está congelada",
    "pictures damaged": "las imágenes llegan dañadas",
    "presentation time jumped": "el tiempo de la señal saltó",
    "wrong rate": "la señal llega a otro ritmo",
    "no video in the stream": "la señal no trae video",
}


@dataclass(frozen=True)
class Still:
    """A picture, what it is of (no password in it), and how many pictures it was made from."""

    image: Image
    shown: str
    pictures: int


def picture_of(source: str, at_s: float | None = None) -> Still:
    """A picture of the source; of a recording the one at `at_s`, else the middle values of several.

    UsageFault in one line for a source that cannot be opened, that is black or blank, or that stands still.
    """
    from veedor.monitor.quiet import quiet_libraries
    from veedor.vision.sources import StillPictureError, is_picture, read_image
    from veedor.vision.stream_address import is_live

    if at_s is not None and (is_live(source) or is_picture(source)):
        raise UsageFault(
            text(
                es=f"--at {at_s:g}: solo una grabación tiene segundos",
                en=f"--at {at_s:g}: only a recording has seconds",
            )
        )
    with quiet_libraries():
        if is_live(source):
            still = _of_camera(source)
        elif is_picture(source):
            return Still(read_image(source), source, 1)
        else:
            try:
                still = _of_recording(source, at_s)
            except StillPictureError:  # whatever its name says
                if at_s is not None:
                    raise
                return Still(read_image(source), source, 1)
    _refuse_blank(still)
    return still


def save_picture(image: Image, path: Path) -> None:
    """Write a picture without loss: the same pixels come back."""
    import cv2
    from veedor.monitor.durable import write_whole

    if path.suffix.lower() != ".png":
        raise UsageFault(
            text(es=f"{path}: se espera un nombre .png", en=f"{path}: a name in .png is expected")
        )
    if not path.parent.is_dir():
        raise UsageFault(text(es=f"{path.parent}: no es una carpeta", en=f"{path.parent}: not a folder"))
    done, content = cv2.imencode(".png", image)
    assert done
    try:
        write_whole(path, content.tobytes())
    except OSError as fault:
        raise UsageFault(f"{path}: {fault.strerror or fault}") from None


def seconds(written: str) -> float:
    """A time in a recording, for argparse."""
    number = float(written)
    if not 0 <= number <= LATEST_S:
        raise ValueError(written)
    return number


def _of_recording(source: str, at_s: float | None) -> Still:
    from veedor.vision.sources import VideoSource

    video = VideoSource(source)
    if at_s is not None:
        frame = next(video.frames(at_s), None)
        if frame is None:
            long = video.info.duration_s
            raise UsageFault(
                text(es=f"{source}: dura {long:.1f} s: no hay imagen a los {at_s:g} s",
                     en=f"{source}: is {long:.1f} s long: no picture at {at_s:g} s")
            )  # fmt: skip
        return Still(frame.image, source, 1)
    step = video.info.duration_s / PICTURES
    frames = [next(video.frames((number + 0.5) * step), None) for number in range(PICTURES)]
    images = [frame.image for frame in frames if frame is not None] or [next(video.frames()).image]
    return Still(_middle(images), source, len(images))


def _of_camera(source: str) -> Still:
    from veedor.vision.errors import SourceError
    from veedor.vision.stream_address import stream_address
    from veedor.vision.streams import LiveStream, StreamGap

    try:
        address = stream_address(source)
        stream = LiveStream(address)
        stream.connect()
    except SourceError as fault:
        raise UsageFault(str(fault)) from None
    stop = threading.Event()
    stream.start(stop)
    images: list[Image] = []
    gap: StreamGap | None = None
    try:
        until, first_s, next_s = time.monotonic() + PATIENCE_S, math.nan, -math.inf
        while time.monotonic() < until:
            item = stream.take()
            if isinstance(item, StreamGap):
                gap = item if item.until_s is None else None
                images.clear()
                first_s, next_s = math.nan, -math.inf
            elif item is not None:
                gap = None
                first_s = item.t_s if math.isnan(first_s) else first_s
                if item.t_s >= next_s and len(images) < PICTURES:
                    images.append(item.image)
                    next_s = item.t_s + LOOKED_S / PICTURES
                if item.t_s - first_s >= LOOKED_S:
                    return Still(_middle(images), address.shown, len(images))
    finally:
        stop.set()
        stream.join(5.0)
    why = str(gap.reason) if gap is not None else "no connection"
    told = text(es=_GAPS.get(why, why), en=why)
    raise UsageFault(
        text(
            es=f"{address.shown}: ninguna imagen fiable en {PATIENCE_S:g} s: {told}",
            en=f"{address.shown}: no picture to be trusted in {PATIENCE_S:g} s: {told}",
        )
    )


def _middle(images: Sequence[Image]) -> Image:
    import numpy as np

    if len(images) == 1:
        return images[0]
    # Slice by slice: nine 4K pictures at once would take gigabytes.
    middle = np.empty_like(images[0])
    for row in range(0, len(middle), 128):
        middle[row : row + 128] = np.median([image[row : row + 128] for image in images], axis=0)
    return middle


def _refuse_blank(still: Still) -> None:
    import cv2

    grey = cv2.cvtColor(still.image, cv2.COLOR_BGR2GRAY)
    mean, spread = (float(part[0][0]) for part in cv2.meanStdDev(grey))
    if spread >= FLAT and float(grey.max()) > DARK:
        return
    if mean <= DARK:
        raise UsageFault(
            text(es=f"{still.shown}: la imagen es negra", en=f"{still.shown}: the picture is black")
        )
    raise UsageFault(
        text(es=f"{still.shown}: no se ve nada, todo es de un color",
             en=f"{still.shown}: nothing to be seen, all is of one colour")
    )  # fmt: skip
