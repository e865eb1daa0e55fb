"""Files that take another's place in one step, so that a kill leaves the earlier one whole."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NO_FILE = "there already, and no regular file"


def refuse_all_but_a_file(path: Path) -> None:
    """OSError where something else than a file is at `path`: a device's place must not be taken by one."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise FileExistsError(errno.EEXIST, NO_FILE, str(path))


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """A fault of the system meanwhile that names no file, such as a full disk, is that of `path`."""
    try:
        yield
    except OSError as fault:
        if fault.filename is None:
            fault.filename = str(path)
        raise


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to; it takes `path`'s place when the block ends well, else it goes."""
    refuse_all_but_a_file(path)
    part = path.with_name(f".{path.name}.part")
    try:
        with naming(path):
            yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write a file in UTF-8, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
