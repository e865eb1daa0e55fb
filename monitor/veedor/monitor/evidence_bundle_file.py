"""A bundle's bytes, read as they are needed, however large it says it is."""

from __future__ import annotations

import mmap
import re
from hashlib import sha256
from pathlib import Path

from veedor.monitor.errors import MonitorError
from veedor.monitor.evidence_bundle_zip import LARGEST_BUNDLE
from veedor.monitor.language import text

_BLOCK = 1 << 20


class NotABundle(MonitorError):
    """The file cannot be read, or is nothing like an evidence bundle."""


class BundleFile:
    """A bundle's bytes, read as they are needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if not path.is_file():  # nor a pipe, which could be waited for for ever
                raise NotABundle(f"{path}: " + text(es="no hay tal archivo", en="no such file"))
            with path.open("rb") as file:
                self.size = file.seek(0, 2)
                if self.size > LARGEST_BUNDLE:
                    raise NotABundle(f"{path}: " + text(es="demasiado grande", en="too large for a bundle"))
                self._bytes: mmap.mmap | bytes = (
                    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self.size else b""
                )
        except OSError as fault:
            raise NotABundle(f"{path}: {fault.strerror or fault}") from fault

    def cut(self, start: int, length: int) -> bytes:
        """So many bytes from there, fewer where the file ends before."""
        return bytes(self._bytes[start : max(start, start + length)])

    def digest(self, start: int, length: int) -> str:
        """SHA-256 of a stretch."""
        found = sha256()
        for at in range(start, start + length, _BLOCK):
            found.update(self.cut(at, min(_BLOCK, start + length - at)))
        return found.hexdigest()

    def search(self, pattern: re.Pattern[bytes], start: int, stop: int) -> int | None:
        """Where the pattern is first found between two places."""
        found = pattern.search(self._bytes, start, max(start, min(stop, self.size)))
        return None if found is None else found.start()
