"""Words of others made safe to show: a record must not steer the terminal of whoever reads it."""

from __future__ import annotations

import re

# Control characters (C0, C1), the marks that turn the direction of writing, and halves of a surrogate pair.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with every character that a terminal would obey, or could not print, written as ``\\x1b``."""
    return _UNSAFE.sub(lambda found: _escaped(found.group()), text)


def printable_json(line: str) -> str:
    """A line of JSON that means the same and holds no such character."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", line)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
