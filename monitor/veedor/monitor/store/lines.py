"""Files of JSON lines that only grow: written line by line, read in spite of a torn end."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from veedor.monitor.language import text
from veedor.monitor.store.errors import StoreError

Line = Mapping[str, Any]


def append_line(path: Path, make: Callable[[int], Line]) -> Line:
    """Append what `make` gives for the line's number, from 1, and return it once the disk has it.

    Several processes may append to one file. A torn last line, of a writer that was killed, is cut off first;
    if the disk has no room for the line, the file stays as it was and StoreError says so.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as fault:
        raise StoreError(f"{path}: {fault.strerror or fault}") from fault
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        whole, count = without_torn_end(path, fd)
        line = make(count + 1)
        append_on_disk(fd, encoded(line), whole)
        return line
    except OSError as fault:
        raise StoreError(f"{path}: {fault.strerror or fault}") from fault
    finally:
        os.close(fd)


def encoded(line: Line) -> bytes:
    """The line as it stands in the file."""
    return (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()


def append_on_disk(fd: int, data: bytes, length: int) -> None:
    """Add `data` to a file of `length` bytes and wait for the disk; if that fails, the file is as it was."""
    with restored_on_fault(fd, length):
        write_all(fd, data)
        os.fsync(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it; a file system that is nearly full takes a part first and then refuses."""
    while data:
        data = data[os.write(fd, data) :]


@contextmanager
def restored_on_fault(fd: int, length: int) -> Iterator[None]:
    """Cut the file back to `length` if writing to it fails: half a line would spoil the next one."""
    try:
        yield
    except OSError:
        os.ftruncate(fd, length)
        raise


def without_torn_end(path: Path, fd: int) -> tuple[int, int]:
    """Cut off a torn last line, of a writer that was killed; the bytes and the lines that stay."""
    whole = count = 0
    for line in whole_lines(path):
        whole += len(line)
        count += 1
    if whole < os.fstat(fd).st_size:
        os.ftruncate(fd, whole)
    return whole, count


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines as they stand, each with its newline, without a last one that is still being written."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def read_lines(path: Path, faults: list[str]) -> Iterator[tuple[int, Line]]:
    """Each line that can be read, with its number; the others are told in `faults`. None without the file."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    except OSError as fault:
        raise StoreError(f"{path}: {fault.strerror or fault}") from fault
    with file:
        for number, raw in enumerate(file, 1):
            if not raw.endswith(b"\n"):
                torn = text(es="la última línea está cortada", en="last line is cut short")
                faults.append(f"{path}:{number}: {torn}")
                return
            try:
                line = json.loads(raw)
            except (ValueError, RecursionError):
                line = None
            if isinstance(line, dict):
                yield number, line
            else:
                faults.append(f"{path}:{number}: " + text(es="no es un objeto JSON", en="not a JSON object"))


def read_object(path: Path) -> Line | None:
    """The JSON object in a small file; None where there is no such file or it holds something else."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
