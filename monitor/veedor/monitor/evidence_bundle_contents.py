"""What goes into an evidence bundle: everything that a finding rests on, in files that any program opens."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

from veedor.monitor.durable import json_content
from veedor.monitor.errors import UsageFault
from veedor.monitor.evidence_bundle_chain import Link, encode_links, links_of
from veedor.monitor.evidence_bundle_manifest import PROFILE_CHANGED, PROFILE_NOT_HASHED, JournalPart
from veedor.monitor.language import Language, text
from veedor.monitor.report import embedded, render_report
from veedor.monitor.report_record import Coup, NightRecord, RecordedFinding, RecordedWord
from veedor.monitor.report_selection import decided_on, head_of
from veedor.monitor.rule_words import rule_record
from veedor.monitor.store.lines import whole_lines
from veedor.rules.errors import JournalError
from veedor.rules.events import EventCorrected, SessionOpened, ShoeStarted, TableEvent, decode_event
from veedor.rules.profile import SHIPPED, profiles_folder

_TEXTS = ("title", "expected", "found", "remedy", "reason")


@dataclass(frozen=True)
class Contents:
    """A bundle's files but for manifest and signature, and what the manifest says of them."""

    files: tuple[tuple[str, bytes], ...]
    journal: JournalPart
    missing: Mapping[str, str]
    notes: tuple[str, ...]


def contents_of(record: NightRecord, finding: RecordedFinding) -> Contents:
    """Gather a finding's evidence; UsageFault where a file is not the one that was made for it."""
    missing: dict[str, str] = {}
    notes: list[str] = []
    clip, still = _pictures(finding, missing)
    lines, rows, part = _journal(record, finding)
    profile, table = _profile(record, missing, notes), _table(record, missing)
    files: list[tuple[str, bytes | None]] = [
        ("finding.json", json_content(_finding(record, finding))),
        ("findings.jsonl", _raw(finding.words)),
        ("decisions.jsonl", _raw(finding.decisions)),
        ("journal.jsonl", lines),
        ("journal-chain.txt", rows),
        ("made-by.json", json_content(_made_by(record))),
        ("profile.toml", profile),
        ("table.toml", table),
        ("page.html", _page(record, finding, still).encode()),
        ("still.jpg", still),
        ("clip.mp4", clip),
    ]
    there = tuple((name, content) for name, content in files if content is not None)
    return Contents(there, part, missing, tuple(notes))


def _pictures(finding: RecordedFinding, missing: dict[str, str]) -> tuple[bytes | None, bytes | None]:
    clip = finding.clip.read_bytes() if finding.clip is not None else None
    still = finding.still_bytes()
    for name, content in (("clip", clip), ("still", still)):
        known = finding.about.get(name)
        digest = known.get("sha256") if isinstance(known, dict) else None
        if content is None:
            missing[name] = "removed" if finding.about.get("removed") else "none"
        elif isinstance(digest, str) and sha256(content).hexdigest() != digest:
            path = finding.clip if name == "clip" else finding.still
            where = path if isinstance(path, Path) else name
            changed = text(
                es="no es el archivo que se hizo para este hallazgo (SHA-256)",
                en="not the file that was made for this finding (SHA-256)",
            )
            raise UsageFault(f"{where}: {changed}")
    return clip, still


def _journal(record: NightRecord, finding: RecordedFinding) -> tuple[bytes, bytes, JournalPart]:
    """The lines about the finding's coup, and the chain of all lines."""
    coup = record.coup_of(finding.view)
    rests_on = {each for each in finding.line.get("events", ()) if type(each) is int}
    shoe = _last_shoe(record, finding.view.t_s)
    kept: list[tuple[int, bytes]] = []
    links: list[Link] = []
    taken: set[int] = set()
    try:
        lines = list(whole_lines(record.files.journal))
    except OSError as fault:
        raise UsageFault(f"{record.files.journal}: {fault.strerror or fault}") from fault
    for link, line in zip(links_of(record.name, lines), lines, strict=True):
        links.append(link)
        event = _event(line)
        if event is not None and _belongs(event, coup, rests_on | taken | shoe):
            taken.add(event.id)
            kept.append((link.number, line))
    part = JournalPart(
        record.name, len(links), links[-1].chain if links else "0" * 64, _ranges(number for number, _ in kept)
    )
    return b"".join(line for _, line in kept), encode_links(links), part


def _belongs(event: TableEvent, coup: Coup | None, ids: set[int]) -> bool:
    if isinstance(event, SessionOpened) or event.id in ids:
        return True
    if isinstance(event, EventCorrected):
        return event.corrects in ids
    return coup is not None and coup.story.opened_t <= event.t < coup.until_s


def _last_shoe(record: NightRecord, t_s: float) -> set[int]:
    """The shoe that was played."""
    ids = [each.id for each in record.events if isinstance(each, ShoeStarted) and each.t <= t_s]
    return set(ids[-1:])


def _event(line: bytes) -> TableEvent | None:
    try:
        found = json.loads(line)
        return decode_event(found) if isinstance(found, dict) else None
    except (ValueError, RecursionError, JournalError):
        return None


def _ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def _finding(record: NightRecord, finding: RecordedFinding) -> dict[str, Any]:
    view, moment = finding.view, record.wall(finding.view.t_s)
    line = {name: value for name, value in finding.line.items() if name not in ("texts", "seq", "revises")}
    told: dict[str, Any] = {
        "schema": 1,
        "session": record.name,
        "table": record.files.table_name,
        "number": finding.number,
        "moment": None if moment is None else moment.isoformat(timespec="milliseconds"),
        "finding": line,
        "texts": {
            str(language): {name: getattr(view, name).in_language(language) for name in _TEXTS}
            for language in Language
        },
        "rule": rule_record(view.code, view.rule),
    }
    clip = finding.about.get("clip")
    if isinstance(clip, dict):
        told["clip"] = {name: clip[name] for name in ("start_s", "stop_s", "gaps") if name in clip}
    return told


def _made_by(record: NightRecord) -> dict[str, Any]:
    makers = record.files.makers
    return {
        "schema": 1,
        "judged_by": {
            "veedor": makers.version,
            "code_sha256": makers.code,
            "models_sha256": dict(makers.models),
            "profile": record.profile_name,
            "profile_sha256": makers.profile_sha256,
        },
        "bundled_by": {"veedor": metadata.version("veedor")},
        "recordings": [
            {"name": each.name, "sha256": each.sha256, "start_s": each.start_s, "stop_s": each.stop_s}
            for each in record.files.videos
        ],
    }


def _profile(record: NightRecord, missing: dict[str, str], notes: list[str]) -> bytes | None:
    named = record.profile_name
    shipped = profiles_folder() / f"{named}.toml"
    path = record.files.profile_file or (shipped if named in SHIPPED else Path(named))
    try:
        content = path.read_bytes()
    except OSError:
        missing["profile"] = "unreadable"
        return None
    known = record.files.makers.profile_sha256
    if known is None and record.files.profile_file is not None:
        return content
    if known is None:
        notes.append(PROFILE_NOT_HASHED)
    elif sha256(content).hexdigest() != known:
        notes.append(PROFILE_CHANGED)
    return content


def _table(record: NightRecord, missing: dict[str, str]) -> bytes | None:
    path = record.files.table_file
    if path is None:
        missing["table"] = "none"
        return None
    try:
        return path.read_bytes()
    except OSError as fault:
        raise UsageFault(f"{path}: {fault.strerror or fault}") from fault


def _page(record: NightRecord, finding: RecordedFinding, still: bytes | None) -> str:
    """The coup as a page for people, with the still inside and the clip beside it."""
    head = head_of(record, "?", Language.ES)
    view = finding.view if still is None else embedded(finding.view, still)
    if finding.clip is not None:
        view = replace(view, clip="clip.mp4")
    coup = record.coup_of(finding.view)
    coups = [] if coup is None else [coup.story]
    accounts = [] if coup is None else [coup.account]
    return render_report(head, coups, accounts, [view], decided_on([finding]))


def _raw(words: Sequence[RecordedWord]) -> bytes:
    return b"".join(each.raw for each in words)


def last_word(finding: RecordedFinding) -> Iterator[str]:
    """When something was last said of the finding, as its lines tell."""
    for word in (*finding.words, *finding.decisions):
        at = word.line.get("at")
        if isinstance(at, str):
            yield at
