"""What a reviewed session keeps beside journal and findings: its recordings, its makers, its sight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from veedor.monitor.durable import write_json, write_whole
from veedor.monitor.language import text
from veedor.monitor.store.errors import StoreError
from veedor.monitor.store.lines import read_object
from veedor.vision.errors import PerceptError
from veedor.vision.percept import Percept, decode_percepts, encode_percepts

RECORDINGS, MADE_BY, SIGHT = "recordings.json", "made_by.json", "sight"
KIND = "review"
SCHEMA = 1
_INDEX = "index.json"


@dataclass(frozen=True)
class Recorded:
    """One recording of a session. It shows [start_s, stop_s) of the session's media time.

    Its own first picture is at `offset_s` of the session: before `start_s` where an earlier recording shows
    its beginning as well. `path` is where it lay when it was reviewed; `size` in pixels as shown, after the
    rotation that its metadata orders.
    """

    path: Path
    sha256: str
    start_s: float
    stop_s: float
    size: tuple[int, int]
    offset_s: float = 0.0
    rotation_deg: int = 0
    frames: int = 0
    bytes: int = 0
    started_at: str | None = None
    fault: str | None = None


@dataclass(frozen=True)
class MadeBy:
    """What a review was made with. `inputs` and `models` are sha256s by name; `profile` an id.

    `of` is the session that looked at the same recordings first, None for that one itself.
    """

    version: str
    code: str
    models: Mapping[str, str]
    profile: str
    profile_sha256: str
    inputs: Mapping[str, str]
    of: str | None = None

    def same_as(self, other: MadeBy) -> bool:
        """Whether both give the same results."""
        return replace(self, of=None) == replace(other, of=None)


def write_recordings(folder: Path, recordings: Sequence[Recorded]) -> None:
    """`recordings.json` of a session's folder."""
    listed = [asdict(each) | {"path": str(each.path), "size": list(each.size)} for each in recordings]
    write_json(folder / RECORDINGS, {"schema": SCHEMA, "recordings": listed})


def read_recordings(folder: Path) -> tuple[Recorded, ...] | None:
    """The recordings of a session; None where it has no such file, StoreError where that cannot be used."""
    path = folder / RECORDINGS
    if not path.is_file():
        return None
    try:
        listed = (read_object(path) or {})["recordings"]
        return tuple(_recorded(each) for each in listed)
    except (KeyError, TypeError, ValueError):
        raise StoreError(f"{path}: " + text(es="dañado", en="damaged")) from None


def _recorded(entry: Mapping[str, Any]) -> Recorded:
    width, height = entry["size"]
    known = {name: entry[name] for name in Recorded.__dataclass_fields__ if name in entry}
    times = {name: float(entry[name]) for name in ("start_s", "stop_s", "offset_s") if name in entry}
    return Recorded(**known | times | {"path": Path(entry["path"]), "size": (int(width), int(height))})


def write_made_by(folder: Path, made_by: MadeBy) -> None:
    """`made_by.json` of a session's folder."""
    write_json(folder / MADE_BY, {"schema": SCHEMA} | asdict(made_by))


def read_made_by(folder: Path) -> MadeBy | None:
    """What a review was made with; None where nothing says so."""
    found = read_object(folder / MADE_BY)
    try:
        return None if found is None else MadeBy(**{n: found[n] for n in MadeBy.__dataclass_fields__})
    except (KeyError, TypeError):
        return None


def write_sight(folder: Path, runs: Iterable[Sequence[Percept]]) -> None:
    """What was seen, run by run in order of time, in the session's media time and numbering."""
    place = folder / SIGHT
    place.mkdir(exist_ok=True)
    index = []
    for number, run in enumerate(each for each in runs if each):
        name = f"{number:05d}.percepts"
        write_whole(place / name, encode_percepts(run))
        index.append({"file": name, "start_s": run[0].t_s, "stop_s": run[-1].t_s})
    write_json(place / _INDEX, {"schema": SCHEMA, "runs": index})


def read_sight(folder: Path, t0_s: float, t1_s: float) -> Iterator[Percept]:
    """What was seen in t0_s <= t_s < t1_s; nothing where nothing is kept. StoreError for a damaged file."""
    for name, start_s, stop_s in _runs(folder / SIGHT / _INDEX):
        if stop_s < t0_s or start_s >= t1_s:
            continue
        path = folder / SIGHT / name
        try:
            run = decode_percepts(path.read_bytes())
        except (OSError, PerceptError) as fault:
            raise StoreError(f"{path}: {getattr(fault, 'strerror', None) or fault}") from fault
        yield from (each for each in run if t0_s <= each.t_s < t1_s)


def _runs(index: Path) -> list[tuple[str, float, float]]:
    """File, beginning and end of each run."""
    listed = (read_object(index) or {}).get("runs", ())
    try:
        return [(Path(each["file"]).name, float(each["start_s"]), float(each["stop_s"])) for each in listed]
    except (KeyError, TypeError, ValueError):
        raise StoreError(f"{index}: " + text(es="dañado", en="damaged")) from None
