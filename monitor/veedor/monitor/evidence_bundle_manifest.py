"""What a bundle says of itself: its manifest, read strictly, since a stranger may have written it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veedor.monitor.errors import MonitorError
from veedor.monitor.evidence_bundle_keys import Signer
from veedor.monitor.evidence_bundle_zip import LARGEST_BUNDLE, Member
from veedor.monitor.language import text

KIND, SCHEMA = "veedor evidence", 1
MANIFEST, SIGNATURE, PUBLIC_KEY = "manifest.json", "manifest.sig", "public-key.pem"
LARGEST_MANIFEST = 1 << 20
MOST_MEMBERS = 64
# What a manifest notes: the session has not kept its profile's hash; the profile is another by now.
PROFILE_NOT_HASHED, PROFILE_CHANGED = "profile-not-hashed", "profile-changed"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,40}\.[a-z0-9]{1,8}")
_HEX = re.compile(r"[0-9a-f]{64}")


class ManifestFault(MonitorError):
    """The manifest is not one; the message is for the user."""


@dataclass(frozen=True)
class Listed:
    """A member as the manifest lists it."""

    member: Member
    sha256: str


@dataclass(frozen=True)
class JournalPart:
    """Which of the `lines` of a session's journal a bundle has: inclusive ranges of their numbers."""

    session: str
    lines: int
    head: str
    ranges: tuple[tuple[int, int], ...]

    @property
    def included(self) -> int:
        """How many lines are there."""
        return sum(last - first + 1 for first, last in self.ranges)

    def numbers(self) -> list[int]:
        return [number for first, last in self.ranges for number in range(first, last + 1)]


@dataclass(frozen=True)
class Manifest:
    """`told` is the whole of it, as written."""

    signer: Signer
    listed: tuple[Listed, ...]
    journal: JournalPart
    told: Mapping[str, Any]


def encode_manifest(told: Mapping[str, Any]) -> bytes:
    return (json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def decode_manifest(content: bytes) -> Manifest:
    """The manifest in these bytes; ManifestFault says which part of it is not as it must be."""
    try:
        told = json.loads(content, object_pairs_hook=_once)
        json.dumps(told, ensure_ascii=False, allow_nan=False).encode()  # halves of characters, no numbers
    except (ValueError, RecursionError):
        raise ManifestFault(text(es="no es JSON", en="not JSON")) from None
    if not isinstance(told, dict) or told.get("kind") != KIND:
        raise ManifestFault(text(es="no es de una prueba de veedor", en="not of a veedor evidence bundle"))
    if told.get("schema") != SCHEMA:
        later = text(es="de otra versión del formato", en="of another version of the format")
        raise ManifestFault(f"schema {str(told.get('schema'))[:20]}: {later}")
    try:
        return Manifest(
            Signer(bytes.fromhex(_hex(told["signed_by"]["public_key"]))),
            _listed(told["members"]),
            _journal(told["journal"]),
            told,
        )
    except KeyError as fault:
        raise ManifestFault(text(es=f"falta {fault}", en=f"{fault} is missing")) from None
    except (TypeError, ValueError) as fault:
        raise ManifestFault(str(fault)) from None


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _hex(value: object) -> str:
    if not isinstance(value, str) or _HEX.fullmatch(value) is None:
        raise ValueError(text(es="una suma o clave mal escrita", en="a malformed hash or key"))
    return value


def _whole(value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(text(es="un número imposible", en="an impossible number"))
    return value


def _listed(entries: object) -> tuple[Listed, ...]:
    if not isinstance(entries, list) or len(entries) > MOST_MEMBERS:
        most = f"{MOST_MEMBERS}"
        raise ValueError(text(es=f"más de {most} miembros", en=f"more than {most} members"))
    listed = []
    for each in entries:
        name = each["name"]
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            shown = repr(name)[:60]
            raise ValueError(
                text(es=f"{shown}: no es nombre de un miembro", en=f"{shown}: no name of a member")
            )
        member = Member(name, _whole(each["bytes"], LARGEST_BUNDLE), _whole(each["crc32"], (1 << 32) - 1))
        listed.append(Listed(member, _hex(each["sha256"])))
    names = [each.member.name for each in listed] + [MANIFEST, SIGNATURE]
    if len({each.lower() for each in names}) != len(names):
        raise ValueError(text(es="un miembro está dos veces", en="a member is listed twice"))
    if sum(each.member.size for each in listed) > LARGEST_BUNDLE:
        raise ValueError(text(es="demasiado grande", en="too large"))
    return tuple(listed)


def _journal(told: object) -> JournalPart:
    known = told if isinstance(told, dict) else {}
    session, ranges = known["session"], known["included"]
    lines = _whole(known["lines"], 10**9)
    if not isinstance(session, str) or not isinstance(ranges, list):
        raise TypeError(text(es="«journal» mal escrito", en="malformed `journal`"))
    found, last = [], 0
    for each in ranges:
        pair = each if isinstance(each, list) and len(each) == 2 else [0, 0]
        start, stop = (_whole(number, lines) for number in pair)
        if not last < start <= stop:
            raise ValueError(text(es="líneas fuera de orden", en="lines out of order"))
        found.append((start, stop))
        last = stop
    return JournalPart(session, lines, _hex(known["head"]), tuple(found))
