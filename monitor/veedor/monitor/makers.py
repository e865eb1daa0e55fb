"""Which weights and rules judged what: told by every session, and for every finding of it.

A review says it once, in `made_by.json`. A watched session may go on after a restart with other weights, so
`makers.jsonl` gets a line at every start; a finding was judged by the last start before it was told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version as program_version
from pathlib import Path

from veedor.monitor.eyes import model_hashes
from veedor.monitor.model_versions import models_among
from veedor.monitor.reviewed_files import read_made_by
from veedor.monitor.store.layout import SessionFolder, session_folders
from veedor.monitor.store.lines import append_line, read_lines, read_object
from veedor.monitor.utc import utc_now
from veedor.rules.verdict import Verdict

MAKERS = "makers.jsonl"
SCHEMA = 1


@dataclass(frozen=True)
class Makers:
    """What judges from `at` on (empty: from the beginning): sha256 of each model, the rules, the program."""

    at: str
    models: Mapping[str, str]
    rules: str
    program: str


@dataclass(frozen=True)
class JudgedFinding:
    """A finding that stands, and what judged it; `makers` None where nothing tells."""

    session: str
    number: int
    code: str
    verdict: str
    t_s: float
    makers: Makers | None


def note_makers(folder: SessionFolder, profile: str) -> None:
    """Write down what a watched session is judged by from now on; StoreError where the disk refuses."""
    record = {
        "schema": SCHEMA,
        "at": utc_now(),
        "models": model_hashes(),
        "rules": profile,
        "program": program_version("veedor"),
    }
    append_line(folder.path / MAKERS, lambda _: record)


def makers_of(folder: SessionFolder) -> tuple[Makers, ...]:
    """What judged a session, in order of time; empty where nothing tells."""
    made = read_made_by(folder.path)
    if made is not None:
        rules = f"{made.profile} {made.profile_sha256[:12]}"
        return (Makers("", dict(sorted(made.models.items())), rules, f"{made.version} {made.code[:12]}"),)
    found = []
    for _, line in read_lines(folder.path / MAKERS, []):
        models, at = line.get("models"), line.get("at")
        if isinstance(models, dict) and isinstance(at, str):
            digests = {str(name): str(digest) for name, digest in sorted(models.items())}
            found.append(Makers(at, digests, str(line.get("rules", "")), str(line.get("program", ""))))
    return tuple(found)


def judged(data: Path, session: str | None = None) -> Iterator[JudgedFinding]:
    """Every finding that stands, of one session or of all, with what judged it last."""
    for folder in session_folders(data):
        if session is not None and folder.session != session:
            continue
        makers = makers_of(folder)
        last: dict[int, JudgedFinding] = {}
        for place, line in read_lines(folder.findings, []):
            number, t_s = line.get("number", place), line.get("t")
            if type(number) is not int or not isinstance(t_s, int | float):
                continue
            by = _at(makers, line.get("at"))
            if by is None:
                by = _of_evidence(folder, number)
            last[number] = JudgedFinding(
                folder.session,
                number,
                str(line.get("code", "?")),
                str(line.get("verdict", "?")),
                float(t_s),
                by,
            )
        yield from (each for each in last.values() if each.verdict != Verdict.WITHDRAWN)


def _at(makers: tuple[Makers, ...], at: object) -> Makers | None:
    """What judged at a time; one of a session without times by the only one there is."""
    if not isinstance(at, str):
        return makers[-1] if len(makers) == 1 else None
    before = [each for each in makers if _moment(each.at) <= _moment(at)]
    return before[-1] if before else None


def _moment(at: str) -> float:
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return float("-inf")
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


def _of_evidence(folder: SessionFolder, number: int) -> Makers | None:
    """What a finding's own evidence says, of sessions from before `makers.jsonl`."""
    if not folder.evidence.is_dir():
        return None
    for place in sorted(folder.evidence.glob(f"{number:04d}-*")):
        versions = (read_object(place / "finding.json") or {}).get("versions")
        if isinstance(versions, dict):
            models = dict(sorted(models_among(versions).items()))
            return Makers("", models, str(versions.get("profile", "")), str(versions.get("veedor", "")))
    return None
