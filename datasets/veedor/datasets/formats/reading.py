"""Opens what others have written without trusting it: paths, numbers, JSON and pictures."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.labelled import LARGEST_PX, MOST_OBJECTS
from veedor.vision.errors import SourceError
from veedor.vision.sources import read_image

LARGEST_FILE = 256 << 20  # bytes of labels; half a million pictures take less
LARGEST_PICTURE = 100_000_000  # pixels
# Wide enough for a shape drawn over the edge, narrow enough that nothing downstream overflows.
_NUMBER = re.compile(r"[+-]?(\d{1,20}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_PNG = b"\x89PNG\r\n\x1a\n"


def read_bytes(path: Path) -> bytes:
    """A file of labels; FormatFault where there is none or it is larger than any is."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FormatFault(path, f"larger than {LARGEST_FILE >> 20} MiB")
        return path.read_bytes()
    except OSError as fault:
        raise FormatFault(path, _why(fault)) from None


def read_text(path: Path) -> str:
    """A UTF-8 file, with or without a byte order mark."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatFault(path, "not a text in UTF-8") from None


def read_json(path: Path) -> Any:
    """A JSON file without NaN and infinities."""
    return parse_json(read_text(path), path)


def parse_json(text: str, path: Path, line: int | None = None) -> Any:
    def refuse(word: str) -> None:
        raise FormatFault(path, f"{word} is not a number", line)

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise FormatFault(path, "nested too deeply", line) from None
    except ValueError as fault:
        where = line if line is not None else getattr(fault, "lineno", None)
        raise FormatFault(path, f"not JSON: {getattr(fault, 'msg', fault)}", where) from None


def number(text: object) -> float | None:
    """A finite number that may be a place in or near a picture, else None."""
    if isinstance(text, str):
        if _NUMBER.fullmatch(text.strip()) is None:
            return None
        value = float(text)
    elif isinstance(text, int | float) and not isinstance(text, bool):
        if abs(text) > LARGEST_PX:  # an int too large for a float among them
            return None
        value = float(text)
    else:
        return None
    return value if math.isfinite(value) and abs(value) <= LARGEST_PX else None


def whole(text: object) -> int | None:
    """A number from 0, else None."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text if 0 <= text < 10**9 else None
    return int(text) if isinstance(text, str) and _WHOLE.fullmatch(text) else None


def inside(root: Path, name: object, told_by: Path, line: int | None = None) -> Path:
    """The file that a name in a label file means, below `root` and nowhere else, links followed."""
    if isinstance(name, list | dict | set):  # not shown: a few lines of YAML may hold more than any memory
        raise FormatFault(told_by, f"a {type(name).__name__} is not a file's name", line)
    if not isinstance(name, str) or not name or "\x00" in name or len(name) > 1000:
        raise FormatFault(told_by, f"{name!r:.80} is not a file's name", line)
    plain = PurePosixPath(name.replace("\\", "/"))
    if plain.is_absolute() or ".." in plain.parts or ":" in "".join(plain.parts[:1]):
        raise FormatFault(told_by, f"the name {name!r:.80} leads out of the folder", line)
    try:
        found = (root / plain).resolve()
        if not found.is_relative_to(root.resolve()):
            raise FormatFault(told_by, f"the name {name!r:.80} leads out of the folder", line)
    except OSError as fault:
        raise FormatFault(told_by, f"{name!r:.80}: {_why(fault)}", line) from None
    return root / plain


def first_there(places: Sequence[Path]) -> Path:
    """The first of some places at which a file is; the first of all where none is."""
    return next((place for place in places if place.is_file()), places[0])


def check_count(objects: Sequence[object], told_by: Path, line: int | None = None) -> None:
    """FormatFault where one picture has more objects than can be labelled."""
    if len(objects) > MOST_OBJECTS:
        raise FormatFault(told_by, f"{len(objects)} objects are more than {MOST_OBJECTS}", line)


def read_picture(path: Path) -> NDArray[np.uint8]:
    """A picture's pixels, BGR, turned as its metadata orders; none so large that it fills the memory."""
    try:
        with path.open("rb") as file:
            head = file.read(24)
    except OSError as fault:
        raise FormatFault(path, _why(fault)) from None
    if head.startswith(_PNG):
        claimed = int.from_bytes(head[16:20], "big") * int.from_bytes(head[20:24], "big")
        if claimed > LARGEST_PICTURE:
            raise FormatFault(path, f"{claimed} pixels are more than {LARGEST_PICTURE}")
    try:
        image = read_image(path)
    except SourceError as fault:
        raise FormatFault(path, str(fault).removeprefix(f"{path}: ")) from None
    if image.shape[0] * image.shape[1] > LARGEST_PICTURE or max(image.shape) > LARGEST_PX:
        raise FormatFault(path, f"{image.shape[1]} x {image.shape[0]} px are more than can be labelled")
    return image


def _why(fault: OSError) -> str:
    if isinstance(fault, FileNotFoundError | NotADirectoryError):
        return "no such file"
    return fault.strerror or str(fault)
