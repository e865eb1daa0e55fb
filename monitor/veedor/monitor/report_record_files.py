"""Opens a session's record: of a data folder, or of a review's output folder."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from veedor.monitor.errors import UsageFault
from veedor.monitor.finding_views import finding_view
from veedor.monitor.language import Bilingual, text
from veedor.monitor.model_versions import models_among
from veedor.monitor.pages import FindingView
from veedor.monitor.report_record import (
    JudgedBy,
    NightRecord,
    RecordedFinding,
    RecordedVideo,
    RecordedWord,
    RecordFiles,
)
from veedor.monitor.reviewed_files import MADE_BY, read_made_by, read_recordings
from veedor.monitor.store import layout
from veedor.monitor.store.lines import read_object
from veedor.monitor.store.rows import FindingRow, State
from veedor.monitor.store.truth import info_of
from veedor.rules.checker import Checker
from veedor.rules.errors import ProfileError
from veedor.rules.event_codec import MOST_SECONDS
from veedor.rules.events import SessionOpened
from veedor.rules.finding import Finding, standing
from veedor.rules.journal import read_journal
from veedor.rules.profile import load_profile
from veedor.rules.rulebook import rulebook
from veedor.rules.settled import corrections_of, settled
from veedor.vision.errors import VisionError
from veedor.vision.table import Table
from veedor.vision.table_file import load_table

_OUTPUT, _CLIPS, _STILLS, _REPORT, _STAMP = (
    "findings.jsonl",
    "clips",
    "stills",
    "report.html",
    ".work/inputs.json",
)
_STILL = re.compile(rb'id="finding-(\d+)".{0,400}?src="data:image/jpeg;base64,([A-Za-z0-9+/=]+)"', re.DOTALL)


def open_record(where: str, data: Path | None, table_file: Path | None = None) -> NightRecord:
    """A session by its name, TABLE/START, of the data folder; or a review's folder. UsageFault where none is.

    `table_file` stands in where the session has kept none.
    """
    if data is not None and (data / layout.TABLES / where).is_dir() and where.count("/") == 1:
        return _of_data(data, where, table_file)
    folder = Path(where)
    if (folder / layout.JOURNAL).is_file():
        return _of_review(folder, table_file)
    if data is None:
        hint = text(
            es="no es carpeta de una revisión; ¿falta --data?", en="no review's folder; is --data missing?"
        )
    else:
        hint = text(
            es=f"ni sesión de {data} ni carpeta de una revisión",
            en=f"neither a session of {data} nor a review's folder",
        )
    raise UsageFault(f"{where[:200]}: {hint}")


def _of_data(data: Path, session: str, table_file: Path | None) -> NightRecord:
    folder = layout.session_folder(data, session)
    info = info_of(folder)
    kept = _table_file(folder.path, table_file)
    makers, about = _makers(folder.path), _evidence(folder)
    if makers is None:
        told: Mapping[str, Any] = next(
            (each["versions"] for each in about.values() if isinstance(each.get("versions"), dict)), {}
        )
        makers = JudgedBy(told.get("veedor"), models=models_among(told))
    files = RecordFiles(
        session, folder.path, folder.journal, info.table_name, kept, makers, _videos(folder.path),
        info.started_at, _profile_of(kept) or info.profile, _profile_file(folder.path),
    )  # fmt: skip
    words: dict[int, list[RecordedWord]] = {}
    for count, word in enumerate(_words(folder.findings), 1):
        words.setdefault(_number(word.line.get("number", count)), []).append(word)
    decisions: dict[int, list[RecordedWord]] = {}
    for word in _words(folder.decisions):
        decisions.setdefault(_number(word.line.get("finding")), []).append(word)
    return NightRecord(
        files,
        [
            _recorded(session, number, said, decisions.get(number, ()), about.get(number, {}))
            for number, said in sorted(words.items())
            if number > 0
        ],
    )


def _recorded(
    session: str,
    number: int,
    said: Sequence[RecordedWord],
    decisions: Sequence[RecordedWord],
    about: Mapping[str, Any],
) -> RecordedFinding:
    folder = about.get("folder")
    here = folder if isinstance(folder, Path) else None

    def file(name: str) -> Path | None:
        path = None if here is None else here / name
        return path if path is not None and path.is_file() else None

    view = _row(session, number, said[-1].line).view()
    return RecordedFinding(
        number, view, tuple(said), tuple(decisions), file(layout.CLIP), file(layout.STILL), about
    )


def _row(session: str, number: int, line: Mapping[str, Any]) -> FindingRow:
    """A line as the store has it, for its way of printing."""
    t_s, sure = (_finite(line.get(name)) for name in ("t", "confidence"))
    coup = line.get("coup")
    code, actor = str(line.get("code", "?")), str(line.get("actor", "none"))
    verdict, severity = str(line.get("verdict", "?")), str(line.get("severity", "info"))
    return FindingRow(
        session, session.partition("/")[0], number, code, verdict, severity,
        coup if type(coup) is int else 0, t_s, actor, sure, None, 1, line, State.OPEN, False, False, False,
    )  # fmt: skip


def _finite(value: object) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) <= MOST_SECONDS else 0.0


def _evidence(folder: layout.SessionFolder) -> dict[int, dict[str, Any]]:
    """What each folder of evidence says of itself, by the finding's number."""
    found = {}
    for each in sorted(folder.evidence.iterdir()) if folder.evidence.is_dir() else ():
        about = read_object(each / layout.FINDING)
        if about is not None and layout.is_name(each.name) and type(about.get("number")) is int:
            found[about["number"]] = dict(about) | {"folder": each}
    return found


def _of_review(folder: Path, table_file: Path | None) -> NightRecord:
    kept = _table_file(folder, table_file)
    table = _table(kept)
    stamp = read_object(folder / _STAMP) or {}
    makers = _makers(folder)
    if makers is None:
        makers = JudgedBy(stamp.get("version"), stamp.get("code"), models_among(stamp))
    name = folder.resolve().name
    files = RecordFiles(
        name, folder, folder / layout.JOURNAL, table.name if table else name, kept, makers,
        _videos(folder) or _stamped_videos(stamp), _started(folder), table.profile if table else None,
        _profile_file(folder),
    )  # fmt: skip
    judged = _judged(files)
    stills = _stills(folder / _REPORT)
    findings = []
    for number, word in enumerate(_words(folder / _OUTPUT), 1):
        stem = f"{number:03d}-{word.line.get('code')}"
        clip, still = folder / _CLIPS / f"{stem}.mp4", folder / _STILLS / f"{stem}.jpg"
        view = _judged_view(number, word.line, judged) or _titled(_row(name, number, word.line).view())
        findings.append(
            RecordedFinding(
                number, view, (word,), (), clip if clip.is_file() else None,
                still if still.is_file() else stills.get(number),
            )
        )  # fmt: skip
    return NightRecord(files, findings)


def _judged(files: RecordFiles) -> list[Finding]:
    """The journal judged again: a review's findings are written in one language, and pages want two."""
    events = read_journal(files.journal).events
    opening = next((each for each in events if isinstance(each, SessionOpened)), None)
    named = files.profile_file or files.profile or (opening.profile if opening else None)
    try:
        checker = Checker(load_profile(named or ""))
    except ProfileError:
        return []
    return standing(checker.judge(settled(events, corrections_of(events))))


def _judged_view(number: int, line: Mapping[str, Any], judged: Sequence[Finding]) -> FindingView | None:
    """The same finding among those judged, if it still says the same in one of the languages."""
    for each in judged:
        for language in ("en", "es"):
            told = each.to_json(language)
            if all(line.get(name) == value for name, value in told.items() if name != "revises"):
                return finding_view(number, each)
    return None


def _titled(view: FindingView) -> FindingView:
    """With the rule's name, for a line that has only its code."""
    entry = rulebook().codes.get(view.code)
    if entry is None or view.title.en != view.code:
        return view
    return replace(view, title=Bilingual(entry.texts["es"].name, entry.texts["en"].name))


def _words(path: Path) -> list[RecordedWord]:
    """The whole lines of a file that can be read; none without the file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    found = []
    for raw in content.split(b"\n")[:-1]:
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict):
            found.append(RecordedWord(raw + b"\n", line))
    return found


def _number(value: object) -> int:
    return value if type(value) is int else 0


def _table_file(folder: Path, given: Path | None) -> Path | None:
    kept = folder / layout.TABLE
    return kept if kept.is_file() else given


def _table(path: Path | None) -> Table | None:
    try:
        return None if path is None else load_table(path)
    except VisionError:
        return None  # a copy that cannot be used any more; the record does without


def _profile_file(folder: Path) -> Path | None:
    """The rules as they were when the session was judged, where it has kept them."""
    kept = folder / layout.PROFILE
    return kept if kept.is_file() else None


def _started(folder: Path) -> str | None:
    """When the first recording of a review began, by its own clock."""
    return next((each.started_at for each in read_recordings(folder) or ()), None)


def _profile_of(table_file: Path | None) -> str | None:
    table = _table(table_file)
    return None if table is None else table.profile


def _makers(folder: Path) -> JudgedBy | None:
    made = read_made_by(folder)
    if made is None or not (folder / MADE_BY).is_file():
        return None
    return JudgedBy(made.version, made.code, dict(made.models), made.profile_sha256)


def _videos(folder: Path) -> tuple[RecordedVideo, ...]:
    return tuple(
        RecordedVideo(each.path.name, each.sha256, each.start_s, each.stop_s, each.frames)
        for each in read_recordings(folder) or ()
    )


def _stamped_videos(stamp: Mapping[str, Any]) -> tuple[RecordedVideo, ...]:
    named = sorted((name, digest) for name, digest in stamp.items() if name.startswith("video "))
    return tuple(RecordedVideo(name, str(digest)) for name, digest in named)


def _stills(report: Path) -> dict[int, bytes]:
    """The stills that a review's report has inside, by number of the finding."""
    if not report.is_file():
        return {}
    found = {}
    for number, encoded in _STILL.findall(report.read_bytes()):
        try:
            found[int(number)] = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            continue
    return found
