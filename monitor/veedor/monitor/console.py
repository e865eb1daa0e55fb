"""What goes to the console: no word of a file or an argument steers the terminal of whoever reads it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from veedor.rules.plain_text import printable, printable_json

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")  # all but the ends of lines and columns
_LAYOUT = re.compile("([\n\r\t])")


def plain(text: str) -> str:
    """The text with every character that a terminal would obey written out; lines and columns stay.

    A line of JSON, which has none of the first kind, means the same as before.
    """
    text = _CONTROL.sub(lambda found: printable(found.group()), text)
    return "".join(part if _LAYOUT.match(part) else printable_json(part) for part in _LAYOUT.split(text))


class _Plain:
    """A stream that is written to in plain text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with self._naming():
            self._stream.write(text if text.isascii() and text.isprintable() else plain(text))
        return len(text)

    def flush(self) -> None:
        with self._naming():
            self._stream.flush()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """A full disk is told with what it has no room for."""
        try:
            yield
        except OSError as fault:
            fault.filename = fault.filename or getattr(self._stream, "name", None)
            raise

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def plain_streams() -> Iterator[None]:
    """Whatever is printed meanwhile is plain text."""
    earlier = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, _Plain(stream)) for stream in earlier)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = earlier
