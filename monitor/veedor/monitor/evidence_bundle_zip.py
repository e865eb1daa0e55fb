"""The one form of zip that an evidence bundle has: every byte of it follows from names, sizes and checksums.

Members are stored, never compressed, in a fixed order, with fixed times, no extra fields, no comments and
nothing between or behind them. Whoever knows the members therefore knows the file, and each byte that is
otherwise is a fault; any program that opens zip files reads it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

LARGEST_BUNDLE = (1 << 31) - 1  # no zip64: what is larger is no bundle
_LOCAL = struct.Struct("<4s5H3I2H")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_VERSION, _FLAGS, _STORED = 20, 0x0800, 0  # 0x0800: names are UTF-8
_MADE_BY = (3 << 8) | _VERSION  # Unix
_TIME, _DATE = 0, (0 << 9) | (1 << 5) | 1  # 1980-01-01 00:00, the zero of zip
_ATTRIBUTES = 0o100644 << 16
NAME_AT = _LOCAL.size
ENTRY_NAME_AT = _ENTRY.size
END_SIZE = _END.size


@dataclass(frozen=True)
class Member:
    """One file of a bundle, by what its places in the zip need."""

    name: str
    size: int
    crc32: int


def member_of(name: str, content: bytes) -> Member:
    return Member(name, len(content), zlib.crc32(content))


def local_header(member: Member) -> bytes:
    """What stands before a member's content."""
    name = member.name.encode()
    sizes = (member.crc32, member.size, member.size)
    return _LOCAL.pack(b"PK\3\4", _VERSION, _FLAGS, _STORED, _TIME, _DATE, *sizes, len(name), 0) + name


def directory_entry(member: Member, offset: int) -> bytes:
    """A member's line in the directory at the end of the file."""
    name = member.name.encode()
    fixed = (b"PK\1\2", _MADE_BY, _VERSION, _FLAGS, _STORED, _TIME, _DATE)
    sizes = (member.crc32, member.size, member.size)
    return _ENTRY.pack(*fixed, *sizes, len(name), 0, 0, 0, 0, _ATTRIBUTES, offset) + name


def end_record(count: int, directory_bytes: int, directory_at: int) -> bytes:
    """The last bytes of the file."""
    return _END.pack(b"PK\5\6", 0, 0, count, count, directory_bytes, directory_at, 0)


def offsets(members: Sequence[Member]) -> list[int]:
    """Where each member's header begins, and where the directory does."""
    places = [0]
    for member in members:
        places.append(places[-1] + NAME_AT + len(member.name.encode()) + member.size)
    return places


def pack(files: Sequence[tuple[str, bytes]]) -> bytes:
    """The bundle of these files in this order."""
    members = [member_of(name, content) for name, content in files]
    *places, directory_at = offsets(members)
    parts: list[bytes] = []
    for member, (_, content) in zip(members, files, strict=True):
        parts += (local_header(member), content)
    directory = b"".join(map(directory_entry, members, places))
    return b"".join([*parts, directory, end_record(len(members), len(directory), directory_at)])


def header_sizes(header: bytes) -> list[int]:
    """Both sizes that a member's header tells."""
    return list(_LOCAL.unpack_from(header)[7:9]) if len(header) >= NAME_AT else []


def directory_place(end: bytes) -> int | None:
    """Where an end record says that the directory begins; None where it is too short to say."""
    return int(_END.unpack_from(end)[6]) if len(end) >= END_SIZE else None


def entry_sizes(entry: bytes) -> list[int]:
    """Both sizes that a directory entry tells."""
    return list(_ENTRY.unpack_from(entry)[8:10]) if len(entry) >= ENTRY_NAME_AT else []


def header_crc(header: bytes) -> int | None:
    """The checksum that a member's header tells of its content."""
    return int(_LOCAL.unpack_from(header)[6]) if len(header) >= NAME_AT else None
