"""A journal's lines chained by their hashes, so that one left out, put in or moved is noticed.

`chain(0) = SHA-256("veedor journal chain 1\\n" + session + "\\n")`,
`chain(n) = SHA-256(chain(n-1) + SHA-256(line n with its newline))`. A bundle has the whole chain and some of
the lines; two bundles of one session must agree as far as both go.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

_ROW = re.compile(rb"([1-9][0-9]{0,9}) ([0-9a-f]{64}) ([0-9a-f]{64})\n")


@dataclass(frozen=True)
class Link:
    """A line's place in the chain."""

    number: int
    line_sha256: str
    chain: str


def links_of(session: str, lines: Iterable[bytes]) -> Iterator[Link]:
    """The chain of a journal's lines, each with its newline."""
    chain = sha256(f"veedor journal chain 1\n{session}\n".encode()).digest()
    for number, line in enumerate(lines, 1):
        own = sha256(line).digest()
        chain = sha256(chain + own).digest()
        yield Link(number, own.hex(), chain.hex())


def encode_links(links: Iterable[Link]) -> bytes:
    """One row a line: number, SHA-256 of the line, chain up to it."""
    return "".join(f"{each.number} {each.line_sha256} {each.chain}\n" for each in links).encode()


def broken_link(session: str, rows: bytes, lines: Mapping[int, bytes]) -> int | None:
    """The first row that does not follow from those before, or whose line is another; else None.

    `lines` are the lines that are there, by number.
    """
    chain = sha256(f"veedor journal chain 1\n{session}\n".encode()).digest()
    missing = set(lines)
    for number, row in enumerate(io.BytesIO(rows), 1):
        found = _ROW.fullmatch(row)
        if found is None or int(found[1]) != number:
            return number
        own = bytes.fromhex(found[2].decode())
        chain = sha256(chain + own).digest()
        if chain.hex().encode() != found[3]:
            return number
        if number in lines and sha256(lines[number]).digest() != own:
            return number
        missing.discard(number)
    return min(missing) if missing else None


def parting(one: bytes, other: bytes) -> int | None:
    """The first row at which two chains of one session differ, as far as both go; None where they agree."""
    pairs = zip(io.BytesIO(one), io.BytesIO(other), strict=False)
    return next((number for number, (mine, theirs) in enumerate(pairs, 1) if mine != theirs), None)
