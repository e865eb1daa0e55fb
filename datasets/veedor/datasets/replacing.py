"""Files that take another's place in one step, so that a kill leaves the earlier one whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes `path`'s place when the block ends well, else it goes."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write a file in UTF-8, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
