"""When a labelled picture was taken, on the clocks that people read: its session's, and the one on the wall.

A picture keeps the timestamp by which any reader finds it again in its recording. Recordings begin anywhere
in a session, so that is no time to look a moment up by on the review's pages.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from veedor.datasets.labelled import LabelledPicture
from veedor.monitor.reviewed_files import read_recordings
from veedor.monitor.store import StoreError
from veedor.monitor.store.layout import session_folder
from veedor.monitor.store.lines import read_object
from veedor.monitor.store.search import wall_clock
from veedor.monitor.wording import clock

STILLS = "stills"  # pictures of no session


def picture_name(session: str, t_s: float) -> str:
    """The name of a picture that the program takes of a session at media time `t_s`."""
    return f"{_stem(session)}-{round(t_s * 1000):09d}"


def taken_text(data: Path, about: LabelledPicture) -> str:
    """The session with the moment, as the review's pages tell times; empty for a still of no session."""
    return "" if about.session == STILLS else moment_text(data, about.session, session_time(data, about))


def moment_text(data: Path, session: str, t_s: float) -> str:
    """A session and a moment of it: the wall's time where it is known, and h:mm:ss since it began."""
    started_at, _ = _session(data, session)
    at = wall_clock(started_at, t_s)
    wall = "" if at is None else f"{at:%H:%M:%S} · "
    return f"{session} · {wall}{clock(t_s)}"


def session_time(data: Path, about: LabelledPicture) -> float:
    """Media time of the picture's session."""
    named = re.fullmatch(rf"{re.escape(_stem(about.session))}-([0-9]{{9,12}})", about.id, re.ASCII)
    if named is not None:
        return int(named[1]) / 1000
    _, offsets = _session(data, about.session)
    return float(about.t) + offsets.get(about.recording, 0.0)


def _stem(session: str) -> str:
    return session.replace("/", "-")[:160]


def _session(data: Path, session: str) -> tuple[str | None, dict[str, float]]:
    """When a session began, and where each of its recordings does; nothing of one that is not there."""
    with suppress(StoreError, OSError):
        return _read(data, session)
    return None, {}


@lru_cache(maxsize=256)
def _read(data: Path, session: str) -> tuple[str | None, dict[str, float]]:
    """Neither ever changes once it is written."""
    folder = session_folder(data, session)
    about = read_object(folder.about)
    if about is None:
        raise StoreError(f"{folder.about}: not there")
    started_at = about.get("started_at")
    offsets = {each.sha256: each.offset_s for each in read_recordings(folder.path) or ()}
    return started_at if isinstance(started_at, str) else None, offsets
