"""Folders given instead of recordings stand for the recordings in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import counted, text
from veedor.monitor.recordings import Video

# What recorders, phones and converters write; other files beside recordings are lists, notes and pictures.
VIDEO_ENDINGS = (
    ".mp4", ".mkv", ".avi", ".mov", ".m4v", ".ts", ".m2ts", ".mts", ".mpg", ".mpeg", ".webm", ".flv", ".wmv",
    ".asf", ".3gp", ".ogv", ".dav", ".h264", ".h265", ".264", ".265",
)  # fmt: skip
_DIGITS = re.compile(r"(\d+)")


def opened_folders(videos: Iterable[Video]) -> tuple[tuple[Video, ...], tuple[str, ...]]:
    """The recordings, each folder replaced by those in it in the order of their names; a line on what of a
    folder is left out. What was told of a folder's beginning is its first recording's."""
    found: list[Video] = []
    notes: list[str] = []
    for video in videos:
        if not video.path.is_dir():
            found.append(video)
            continue
        inside, note = _inside(video.path)
        found += [
            replace(video, path=path, started=None if n else video.started) for n, path in enumerate(inside)
        ]
        notes += [note] if note else []
    return tuple(found), tuple(notes)


def _inside(folder: Path) -> tuple[list[Path], str | None]:
    try:
        files = [each for each in folder.iterdir() if each.is_file() and not each.name.startswith(".")]
    except OSError as fault:
        raise UsageFault(f"{folder}: {fault.strerror or fault}") from fault
    videos = sorted((each for each in files if each.suffix.lower() in VIDEO_ENDINGS), key=_by_name)
    if not videos:
        endings = " ".join(VIDEO_ENDINGS)
        none = text(
            es=f"carpeta sin grabaciones; se buscan {endings} que estén en ella, no en las de dentro",
            en=f"a folder without recordings; {endings} in it are looked for, not in those inside it",
        )
        raise UsageFault(f"{folder}: {none}")
    rest = len(files) - len(videos)
    if not rest:
        return videos, None
    left = counted(
        rest,
        es=("archivo que no es vídeo se deja fuera", "archivos que no son vídeo se dejan fuera"),
        en=("file that is no video is left out", "files that are no videos are left out"),
    )
    return videos, f"{folder}: {left}"


def _by_name(path: Path) -> list[tuple[int, str]]:
    """cam 2 comes before cam 10."""
    parts = _DIGITS.split(path.name.lower())
    return [(int(part), "") if part.isdigit() and len(part) < 20 else (-1, part) for part in parts]
