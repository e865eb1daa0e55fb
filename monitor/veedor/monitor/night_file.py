"""Which recordings are to be reviewed, from files: a list of them, or a whole night of several tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.recordings import Video
from veedor.vision.toml_reading import Section, read_toml

_WILD = frozenset("*?[")


@dataclass(frozen=True)
class NightTable:
    """One table of a night: its file, its recordings, what was said, and what it is judged by."""

    file: Path
    videos: tuple[Video, ...]
    events: Path | None = None
    profile: str | None = None
    out: Path | None = None


@dataclass(frozen=True)
class Night:
    """A night file: tables, and the data folder their reviews go to, if any."""

    tables: tuple[NightTable, ...]
    data: Path | None = None


def read_night(path: Path) -> Night:
    """The night described at `path`; names in it are relative to its folder. A fault is one line."""
    top = read_toml(path)
    here = path.absolute().parent
    data = here / top.text("data") if top.has("data") else None
    tables = tuple(_table(each, here, data) for each in top.sections("table"))
    top.finish()
    if not tables:
        raise top.fault("table", text(es="ninguna mesa", en="no table"))
    return Night(tables, data)


def _table(section: Section, here: Path, data: Path | None) -> NightTable:
    videos = [
        Video(found) for pattern in section.texts("recordings") for found in _found(section, here, pattern)
    ]
    if section.has("list"):
        videos += read_list(here / section.text("list"))
    videos += [_video(each, here) for each in section.sections("recording")]
    table = NightTable(
        here / section.text("file"),
        tuple(videos),
        here / section.text("events") if section.has("events") else None,
        _profile(section.text("profile"), here) if section.has("profile") else None,
        here / section.text("out") if section.has("out") else None,
    )
    section.finish()
    if not videos:
        raise section.fault("recordings", text(es="ninguna grabación", en="no recording"))
    if table.out is None and data is None:
        raise section.fault(
            "out", text(es="falta, y falta «data» arriba", en="missing, and so is data above")
        )
    return table


def _profile(named: str, here: Path) -> str:
    return str(here / named) if named.endswith(".toml") else named


def _found(section: Section, here: Path, pattern: str) -> Iterator[Path]:
    """The files of a pattern by name; a name without wild cards stands for itself, there or not."""
    if not _WILD & set(pattern):
        yield here / pattern
        return
    path = Path(pattern)
    root = Path(path.anchor) if path.is_absolute() else here
    relative = path.relative_to(path.anchor) if path.is_absolute() else path
    try:
        files = sorted(each for each in root.glob(str(relative)) if each.is_file())
    except (ValueError, NotImplementedError):
        no_pattern = text(es="no es un patrón", en="not a pattern")
        raise section.fault("recordings", f"{pattern[:80]}: {no_pattern}") from None
    if not files:
        raise section.fault("recordings", f"{pattern}: " + text(es="ningún archivo", en="no file"))
    yield from files


def read_list(path: Path) -> list[Video]:
    """A list of recordings, TOML (`[[recording]]` with `file` and `started`) or CSV with these columns."""
    if path.suffix.lower() == ".csv":
        return list(_of_csv(path))
    top = read_toml(path)
    videos = [_video(each, path.absolute().parent) for each in top.sections("recording")]
    top.finish()
    if not videos:
        raise top.fault("recording", text(es="ninguna grabación", en="no recording"))
    return videos


def _video(section: Section, here: Path) -> Video:
    video = Video(here / section.text("file"), section.moment("started") if section.has("started") else None)
    section.finish()
    return video


def _of_csv(path: Path) -> Iterator[Video]:
    try:
        rows = path.read_text("utf-8-sig").splitlines()
    except OSError as fault:
        raise UsageFault(f"{path}: {fault.strerror or fault}") from fault
    except UnicodeDecodeError:
        raise UsageFault(f"{path}: " + text(es="no es texto UTF-8", en="not UTF-8 text")) from None
    # Spreadsheets of half the world put semicolons.
    separator = ";" if rows and rows[0].count(";") > rows[0].count(",") else ","
    reader = csv.DictReader(rows, delimiter=separator)
    try:
        yield from _of_rows(reader, path)
    except csv.Error as fault:
        raise UsageFault(f"{path}:{reader.line_num}: {fault}") from None


def _of_rows(reader: csv.DictReader[str], path: Path) -> Iterator[Video]:
    here = path.absolute().parent
    if "file" not in (reader.fieldnames or ()):
        raise UsageFault(f"{path}: " + text(es="falta la columna «file»", en="column 'file' is missing"))
    count = 0
    for row in reader:
        named, told = (row.get("file") or "").strip(), (row.get("started") or "").strip()
        if not named:
            continue
        count += 1
        yield Video(here / named, moment(told, f"{path}:{reader.line_num}") if told else None)
    if not count:
        raise UsageFault(f"{path}: " + text(es="ninguna grabación", en="no recording"))


def moment(told: str, where: str) -> datetime:
    """A date and time in ISO 8601; UsageFault says where it stands."""
    try:
        return datetime.fromisoformat(told)
    except ValueError:
        expected = text(
            es="se esperaba fecha y hora como 2026-11-29T22:00:00",
            en="expected a date and time such as 2026-11-29T22:00:00",
        )
        raise UsageFault(f"{where}: {expected}: {told[:60]!r}") from None
