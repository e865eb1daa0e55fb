"""The answer to somebody who was handed evidence bundles: do they hold, who signed, what do they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veedor.monitor.evidence_bundle_chain import parting
from veedor.monitor.evidence_bundle_check import CHAIN, Damage, Verdict, check_bundle, member_content
from veedor.monitor.evidence_bundle_manifest import PROFILE_CHANGED, PROFILE_NOT_HASHED, Manifest
from veedor.monitor.language import text


@dataclass(frozen=True)
class Report:
    """One bundle's check. `pinned` None where no key was given to compare with."""

    path: Path
    damage: tuple[Damage, ...]
    manifest: Manifest | None
    pinned: bool | None
    parted: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.damage and self.pinned is not False and not self.parted

    def lines(self) -> Iterable[str]:
        """What a person reads of it."""
        yield from (f"{each.part}: {each.what}" for each in self.damage)
        yield from self.parted
        if self.manifest is None:
            yield text(
                es="lo demás no se comprobó: sin manifiesto firmado nada responde por ello",
                en="the rest was not checked: without a signed manifest nothing vouches for it",
            )
            return
        if not self.damage:
            yield text(es="cada byte es como se firmó", en="every byte is as it was signed")
        yield from self._signer(self.manifest)
        yield from _story(self.manifest.told)

    def _signer(self, manifest: Manifest) -> Iterable[str]:
        shown = manifest.signer.shown
        yield text(es=f"clave que firma: {shown}", en=f"signed by key: {shown}")
        if self.pinned is None:
            yield text(
                es="NO se comparó con ninguna clave conocida (--key): cualquiera puede firmar con una suya",
                en="NOT compared with a key you know (--key): anybody can sign with one of their own",
            )
        elif self.pinned:
            yield text(es="es la clave esperada", en="it is the expected key")
        else:
            yield text(es="NO es la clave esperada", en="it is NOT the expected key")

    def to_json(self) -> dict[str, Any]:
        told = self.manifest.told if self.manifest is not None else {}
        names = ("session", "table", "finding", "code", "verdict", "moment", "last_word", "missing", "notes")
        return {
            "file": str(self.path),
            "holds": self.holds,
            "damage": [{"part": each.part, "what": each.what} for each in self.damage],
            "key": None if self.manifest is None else self.manifest.signer.fingerprint,
            "pinned": self.pinned,
            "journals_part": list(self.parted),
        } | {name: told.get(name) for name in names}


def verify_all(paths: Sequence[Path], pin: str | None) -> list[Report]:
    """Check each bundle, and those of one session against one another."""
    reports: list[Report] = []
    journals: dict[tuple[str, str], tuple[Path, bytes]] = {}
    for path in paths:
        verdict: Verdict = check_bundle(path)
        manifest = verdict.manifest
        pinned = None if pin is None or manifest is None else manifest.signer.fingerprint == pin
        parted: tuple[str, ...] = ()
        if manifest is not None and verdict.whole:
            rows = member_content(path, manifest, CHAIN)
            key = (manifest.journal.session, manifest.signer.hex)
            other, known = journals.setdefault(key, (path, rows))
            row = parting(known, rows)
            if row is not None:
                parted = (
                    text(
                        es=f"su registro y el de {other} difieren desde la línea {row}: se cambió",
                        en=f"its journal and that of {other} differ from line {row} on: it was changed",
                    ),
                )
        reports.append(Report(path, tuple(verdict.damage), manifest, pinned, parted))
    return reports


def _story(told: Mapping[str, Any]) -> Iterable[str]:
    """What the manifest says the bundle is of; strangers may have written it."""
    named = [str(told.get(name, "?"))[:120] for name in ("table", "session", "finding", "code", "moment")]
    table, session, number, code, moment = named
    yield text(
        es=f"mesa {table}, sesión {session}, hallazgo {number}: {code}, {moment}",
        en=f"table {table}, session {session}, finding {number}: {code}, {moment}",
    )
    missing, notes = told.get("missing"), told.get("notes")
    if isinstance(missing, dict) and missing:
        names = ", ".join(str(each)[:40] for each in list(missing)[:10])
        yield text(es=f"no contiene: {names}", en=f"does not contain: {names}")
    words = {
        PROFILE_NOT_HASHED: text(
            es="el reglamento es el de hoy: la sesión no guardó su suma",
            en="the profile is today's: the session has not kept its hash",
        ),
        PROFILE_CHANGED: text(
            es="el reglamento no es con el que se juzgó: se cambió después",
            en="the profile is not the one that judged: it was changed since",
        ),
    }
    for each in notes if isinstance(notes, list) else ():
        if isinstance(each, str) and each in words:
            yield words[each]
