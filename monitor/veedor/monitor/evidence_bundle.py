"""An evidence bundle: one file that shows a finding and proves that it is as the installation signed it."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from veedor.monitor.errors import UsageFault
from veedor.monitor.evidence_bundle_contents import Contents, contents_of, last_word
from veedor.monitor.evidence_bundle_keys import Signer, SigningKey
from veedor.monitor.evidence_bundle_manifest import (
    KIND,
    MANIFEST,
    PUBLIC_KEY,
    SCHEMA,
    SIGNATURE,
    encode_manifest,
)
from veedor.monitor.evidence_bundle_zip import LARGEST_BUNDLE, member_of, pack
from veedor.monitor.language import text
from veedor.monitor.report_record import NightRecord, RecordedFinding
from veedor.monitor.store.layout import evidence_name

_WHAT = {
    "README.txt": "how to check this bundle, in Spanish and English",
    PUBLIC_KEY: "the key that signed, for other programs",
    "finding.json": "the finding, its texts and the rule's text in Spanish and English",
    "findings.jsonl": "every word on the finding, in the order said",
    "decisions.jsonl": "what people decided about it",
    "journal.jsonl": "the journal's lines about the coup, as they were written",
    "journal-chain.txt": "number, SHA-256 and chain of every line of the journal",
    "made-by.json": "program, models, profile and recordings, by their SHA-256",
    "profile.toml": "the rule profile",
    "table.toml": "the table file: layout, chips, calibration",
    "page.html": "the coup for people, with the still inside",
    "still.jpg": "the picture of the moment, with what was recognised",
    "clip.mp4": "the seconds that show it",
}
_README = """veedor: prueba de un hallazgo / evidence of a finding
{name}

ESPAÑOL
Abra page.html en un navegador; clip.mp4 y still.jpg se ven con cualquier programa.
Para comprobar que nada ha cambiado, en cualquier máquina con veedor, sin datos ni conexión:

    veedor evidence verify ARCHIVO.zip --key HUELLA

La huella de la clave debe conocerse por otro camino (teléfono, acta), no por este archivo. Sin veedor:

    openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in manifest.json -sigfile manifest.sig

y compare el SHA-256 de cada archivo con el que da manifest.json.

ENGLISH
Open page.html in a browser; any program shows clip.mp4 and still.jpg.
To check that nothing has changed, on any machine with veedor, without data or network:

    veedor evidence verify FILE.zip --key FINGERPRINT

The key's fingerprint must be known by another way (telephone, minutes), not from this file. Without veedor:

    openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in manifest.json -sigfile manifest.sig

and compare the SHA-256 of each file with the one in manifest.json.
"""


def make_bundle(record: NightRecord, number: int, key: SigningKey) -> bytes:
    """The bundle of a finding: the same bytes for the same record and key.

    UsageFault where there is no such finding, or its files are not those that were made for it.
    """
    finding = record.finding(number)
    contents = contents_of(record, finding)
    readme = _README.format(name=f"{record.name} · {number} · {finding.view.code}").encode()
    files = [("README.txt", readme), (PUBLIC_KEY, key.signer.pem), *contents.files]
    manifest = encode_manifest(_manifest(record, finding, contents, key.signer, files))
    whole = [(MANIFEST, manifest), (SIGNATURE, key.sign(manifest)), *files]
    if sum(len(content) + 1024 for _, content in whole) > LARGEST_BUNDLE:
        raise UsageFault(
            f"{record.name} {number}: " + text(es="demasiado grande", en="too large for a bundle")
        )
    return pack(whole)


def bundle_name(record: NightRecord, finding: RecordedFinding) -> str:
    """What the file is called unless somebody asks for another name."""
    session = record.name.replace("/", "-")
    return f"evidence-{session}-{evidence_name(finding.number, finding.view.code)}.zip"


def _manifest(
    record: NightRecord,
    finding: RecordedFinding,
    contents: Contents,
    signer: Signer,
    files: list[tuple[str, bytes]],
) -> dict[str, Any]:
    part = contents.journal
    moment = record.wall(finding.view.t_s)
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "session": record.name,
        "table": record.files.table_name,
        "finding": finding.number,
        "code": finding.view.code,
        "verdict": finding.view.verdict,
        "moment": None if moment is None else moment.isoformat(timespec="milliseconds"),
        "last_word": max(last_word(finding), default=None),
        "signed_by": {
            "algorithm": "Ed25519",
            "public_key": signer.hex,
            "fingerprint": signer.fingerprint,
        },
        "journal": {
            "session": part.session,
            "lines": part.lines,
            "head": part.head,
            "included": [list(each) for each in part.ranges],
        },
        "missing": dict(contents.missing),
        "notes": list(contents.notes),
        "members": [_entry(name, content) for name, content in files],
    }


def _entry(name: str, content: bytes) -> dict[str, Any]:
    member = member_of(name, content)
    return {
        "name": name,
        "bytes": member.size,
        "crc32": member.crc32,
        "sha256": sha256(content).hexdigest(),
        "what": _WHAT[name],
    }
