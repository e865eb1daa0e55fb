"""Whether an evidence bundle is, byte for byte, what was signed; and if not, which part of it is another.

The signature covers the manifest, the manifest the content of every member, and both together fix every other
byte of the file (`evidence_bundle_zip`). Nothing is unpacked, and nothing but the file itself is needed.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from veedor.monitor.evidence_bundle_chain import broken_link
from veedor.monitor.evidence_bundle_file import BundleFile, NotABundle
from veedor.monitor.evidence_bundle_keys import SIGNATURE_BYTES
from veedor.monitor.evidence_bundle_manifest import (
    LARGEST_MANIFEST,
    MANIFEST,
    PUBLIC_KEY,
    SIGNATURE,
    Manifest,
    ManifestFault,
    decode_manifest,
)
from veedor.monitor.evidence_bundle_zip import (
    END_SIZE,
    ENTRY_NAME_AT,
    NAME_AT,
    Member,
    directory_entry,
    directory_place,
    end_record,
    entry_sizes,
    header_crc,
    header_sizes,
    local_header,
    member_of,
    offsets,
)
from veedor.monitor.language import text

JOURNAL, CHAIN = "journal.jsonl", "journal-chain.txt"
MOST_DAMAGE = 100
_LOOKED_FURTHER = 1 << 24  # for what follows a member that has grown
_MANIFEST_AT = NAME_AT + len(MANIFEST)
_BEHIND_MANIFEST = NAME_AT + len(SIGNATURE) + SIGNATURE_BYTES
_SMALLEST = _MANIFEST_AT + _BEHIND_MANIFEST + END_SIZE


@dataclass(frozen=True)
class Damage:
    """A part of the file, and what is wrong with it."""

    part: str
    what: str


@dataclass
class Verdict:
    """What a check comes to; `manifest` None where it cannot be trusted."""

    damage: list[Damage] = field(default_factory=list)
    manifest: Manifest | None = None

    @property
    def whole(self) -> bool:
        return not self.damage

    def note(self, part: str, what: str) -> None:
        if len(self.damage) < MOST_DAMAGE:
            self.damage.append(Damage(part, what))


def check_bundle(path: Path) -> Verdict:
    """Check every byte; NotABundle where the file is something else altogether."""
    file = BundleFile(path)
    head = file.cut(0, _MANIFEST_AT)
    if head[:4] != b"PK\3\4" and head[NAME_AT:] != MANIFEST.encode():
        raise NotABundle(f"{path}: " + text(es="no es una prueba de veedor", en="not an evidence bundle"))
    verdict = Verdict()
    size = _signed_size(file)
    if size is None:
        _blame_signature(file, verdict)
        return verdict
    content = file.cut(_MANIFEST_AT, size)
    try:
        verdict.manifest = decode_manifest(content)
    except ManifestFault as fault:
        verdict.note(MANIFEST, str(fault))
        return verdict
    signature = file.cut(_MANIFEST_AT + size + NAME_AT + len(SIGNATURE), SIGNATURE_BYTES)
    _Walk(file, verdict, verdict.manifest).go(content, signature)
    if verdict.whole:
        _check_inside(file, verdict, verdict.manifest)
    return verdict


def member_content(path: Path, manifest: Manifest, name: str) -> bytes:
    """A member of a bundle that was found whole."""
    return _content(BundleFile(path), manifest, name)


def _content(file: BundleFile, manifest: Manifest, name: str) -> bytes:
    at = _MANIFEST_AT + _manifest_size(file) + _BEHIND_MANIFEST
    for each in manifest.listed:
        at += NAME_AT + len(each.member.name)
        if each.member.name == name:
            return file.cut(at, each.member.size)
        at += each.member.size
    return b""


def _manifest_size(file: BundleFile) -> int:
    return header_sizes(file.cut(0, NAME_AT))[0]


def _candidates(file: BundleFile) -> list[int]:
    """What the file says of the manifest's size, in several places: one of them may be damaged."""
    told = header_sizes(file.cut(0, NAME_AT))
    directory_at = directory_place(file.cut(file.size - END_SIZE, END_SIZE))
    if directory_at is not None:
        told += entry_sizes(file.cut(directory_at, ENTRY_NAME_AT))
    between = re.compile(
        re.escape(b"PK\3\4") + b".{%d}" % (NAME_AT - 4) + re.escape(SIGNATURE.encode()), re.DOTALL
    )
    behind = file.search(between, _MANIFEST_AT, _MANIFEST_AT + LARGEST_MANIFEST + _BEHIND_MANIFEST)
    if behind is not None:
        told.append(behind - _MANIFEST_AT)
    room = file.size - _MANIFEST_AT - _BEHIND_MANIFEST
    return [each for each in dict.fromkeys(told) if 0 < each <= min(LARGEST_MANIFEST, room)]


def _signed_size(file: BundleFile) -> int | None:
    """The manifest's size, by the signature that fits; None where none does."""
    for size in _candidates(file):
        content = file.cut(_MANIFEST_AT, size)
        signature = file.cut(_MANIFEST_AT + size + NAME_AT + len(SIGNATURE), SIGNATURE_BYTES)
        try:
            signer = decode_manifest(content).signer
        except ManifestFault:
            continue
        if signer.vouches(signature, content):
            return size
    return None


def _blame_signature(file: BundleFile, verdict: Verdict) -> None:
    """Which of manifest and signature is another, as far as their checksums tell."""
    if file.size < _SMALLEST:
        verdict.note(MANIFEST, text(es="el archivo está cortado", en="the file is cut short"))
        return
    found = _candidates(file)
    if not found:
        verdict.note(MANIFEST, text(es="cortado, o de otra forma", en="cut short, or of another form"))
        return
    size = found[0]
    content = file.cut(_MANIFEST_AT, size)
    changed = text(es="cambiado", en="changed")
    if zlib.crc32(content) != header_crc(file.cut(0, NAME_AT)):
        verdict.note(MANIFEST, changed)
    behind = _MANIFEST_AT + size
    signature = file.cut(behind + NAME_AT + len(SIGNATURE), SIGNATURE_BYTES)
    if zlib.crc32(signature) != header_crc(file.cut(behind, NAME_AT)):
        verdict.note(SIGNATURE, changed)
    if not verdict.damage:
        try:
            decode_manifest(content)
        except ManifestFault as fault:
            verdict.note(MANIFEST, str(fault))
    if not verdict.damage:
        other = text(es="no es la firma de manifest.json", en="not the signature of manifest.json")
        verdict.note(SIGNATURE, other)


class _Walk:
    """Goes through the file from its start, part by part, and notes what is not as it must be."""

    def __init__(self, file: BundleFile, verdict: Verdict, manifest: Manifest) -> None:
        self._file, self._verdict, self._manifest = file, verdict, manifest
        self._at = 0

    def go(self, manifest: bytes, signature: bytes) -> None:
        first = [member_of(MANIFEST, manifest), member_of(SIGNATURE, signature)]
        members = first + [each.member for each in self._manifest.listed]
        digests = [None, None, *(each.sha256 for each in self._manifest.listed)]
        *places, directory_at = offsets(members)
        entries = [directory_entry(*each) for each in zip(members, places, strict=True)]
        behind = [local_header(each) for each in members[1:]] + entries[:1]
        for member, digest, following in zip(members, digests, behind, strict=True):
            self._member(member, digest, following)
        for member, entry in zip(members, entries, strict=True):
            self._expect(
                entry,
                text(es=f"entrada de {member.name} en el índice", en=f"directory entry of {member.name}"),
            )
        end = end_record(len(members), sum(map(len, entries)), directory_at)
        self._expect(end, text(es="fin del zip", en="end of the zip"))
        extra = self._file.size - self._at
        if extra > 0:
            self._verdict.note(text(es="detrás del fin", en="behind the end"), _too_many(extra))

    def _member(self, member: Member, digest: str | None, following: bytes) -> None:
        header_at, header = self._at, local_header(member)
        self._expect(header, text(es=f"cabecera de {member.name}", en=f"header of {member.name}"))
        start, self._at = self._at, self._at + member.size
        if digest is None:
            return  # the signature has spoken for it
        if self._file.digest(start, member.size) == digest:
            return
        self._verdict.note(member.name, self._changed(header_at, following))

    def _changed(self, header_at: int, following: bytes) -> str:
        """How a member differs; what follows it is looked for: it is not to blame for being elsewhere."""
        if self._file.cut(self._at, len(following)) != following:
            pattern = re.compile(re.escape(following), re.DOTALL)
            found = self._file.search(pattern, header_at, self._at + _LOOKED_FURTHER)
            if found is not None:
                more, self._at = found - self._at, found
                return (
                    _too_many(more)
                    if more > 0
                    else text(es=f"faltan {-more} bytes", en=f"{-more} bytes missing")
                )
        if self._at > self._file.size:
            return text(es="falta, o está cortado", en="missing or cut short")
        return text(es="cambiado", en="changed")

    def _expect(self, part: bytes, name: str) -> None:
        found = self._file.cut(self._at, len(part))
        self._at += len(part)
        if len(found) < len(part):
            self._verdict.note(name, text(es="falta, o está cortado", en="missing or cut short"))
        elif found != part:
            self._verdict.note(name, text(es="cambiado", en="changed"))


def _too_many(count: int) -> str:
    return text(es=f"{count} bytes de más", en=f"{count} bytes too many")


def _check_inside(file: BundleFile, verdict: Verdict, manifest: Manifest) -> None:
    """What a signer may have got wrong, or signed without seeing: the journal's chain, the key beside it."""
    if _content(file, manifest, PUBLIC_KEY) != manifest.signer.pem:
        verdict.note(
            PUBLIC_KEY, text(es="otra clave que la que firma", en="another key than the one that signed")
        )
    part = manifest.journal
    lines = [line + b"\n" for line in _content(file, manifest, JOURNAL).split(b"\n")[:-1]]
    rows = _content(file, manifest, CHAIN)
    last = part.head
    if part.lines:  # whoever signed may have put anything there
        last = rows.rstrip(b"\n").rpartition(b"\n")[2].rpartition(b" ")[2].decode("ascii", "replace")
    if len(lines) != part.included:  # before they are counted out: the manifest may name a milliard
        verdict.note(JOURNAL, text(es="no son las líneas anunciadas", en="not the lines that are announced"))
        return
    broken = broken_link(part.session, rows, dict(zip(part.numbers(), lines, strict=True)))
    if broken is not None:
        moved = text(
            es=f"línea {broken}: otra o en otro lugar", en=f"line {broken}: another, or out of place"
        )
        verdict.note(JOURNAL, moved)
    elif (rows.count(b"\n"), last) != (part.lines, part.head):
        verdict.note(CHAIN, text(es="no termina donde se anuncia", en="does not end where announced"))
