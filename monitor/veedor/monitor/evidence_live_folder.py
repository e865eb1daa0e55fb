"""A finding's evidence as a folder: clip, still with outlines, what the finding says; whole or not there."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import av
import numpy as np
from veedor.monitor.drawing import jpeg, outlined
from veedor.monitor.durable import sync_folder, write_json
from veedor.monitor.evidence import STILL_QUALITY, STILL_WIDTH_PX, outlines_of
from veedor.monitor.ring_cut import Cut
from veedor.monitor.rule_words import rule_record
from veedor.monitor.store import layout
from veedor.monitor.store.lines import read_object
from veedor.monitor.store.session_record import texts_of
from veedor.monitor.utc import utc_now
from veedor.rules.events import TableEvent, encode_event
from veedor.rules.finding import Finding
from veedor.vision.frames import Image
from veedor.vision.percept import Percept
from veedor.vision.table import ChipType

SCHEMA = 1
_UNFINISHED = ".part"


@dataclass(frozen=True)
class Found:
    """A finding with what is known of its moment. `still` is a picture for where the clip has none."""

    number: int
    finding: Finding
    events: tuple[TableEvent, ...]
    percept: Percept | None = None
    still: bytes | None = None


@dataclass(frozen=True)
class Origin:
    """Which session a finding is of, and what judged it. `versions` by name: program, profile, models."""

    session: str
    started_at: str | None
    versions: Mapping[str, str]
    chips: Sequence[ChipType] = ()


class EvidenceFolder:
    """The folder of one finding below a session's `evidence` folder."""

    def __init__(self, evidence: Path, number: int, code: str) -> None:
        self.name = layout.evidence_name(number, code)
        self.path = evidence / self.name
        self._part = evidence / f".{self.name}{_UNFINISHED}"

    def about(self) -> Mapping[str, Any] | None:
        """What its `finding.json` says, None before it is made."""
        return read_object(self.path / layout.FINDING)

    def begin(self) -> Path:
        """A place for the files, empty; nothing is seen of it until `finish`."""
        shutil.rmtree(self._part, ignore_errors=True)
        self._part.mkdir(parents=True)
        return self._part

    def finish(self, about: Mapping[str, Any]) -> None:
        """What lies in that place becomes the evidence, in one step."""
        write_json(self._part / layout.FINDING, about)
        sync_folder(self._part)
        self._part.rename(self.path)
        sync_folder(self.path.parent)

    def abandon(self) -> None:
        shutil.rmtree(self._part, ignore_errors=True)

    def rewrite(self, about: Mapping[str, Any]) -> None:
        """Another word on a finding whose evidence is made."""
        write_json(self.path / layout.FINDING, about)


def remove_unfinished(evidence: Path) -> None:
    """What a kill has left half made; a folder of which something is there, is whole."""
    for part in evidence.glob(f".*{_UNFINISHED}"):
        shutil.rmtree(part, ignore_errors=True)


def describe(found: Found, origin: Origin) -> dict[str, Any]:
    """The part of `finding.json` that does not depend on pictures."""
    finding = found.finding
    line = dict(finding.to_json("en")) | ({"subject": finding.subject} if finding.subject else {})
    line.pop("revises", None)
    return {
        "schema": SCHEMA,
        "session": origin.session,
        "number": found.number,
        "moment": _wall(origin.started_at, finding.t),
        "finding": line,
        "texts": texts_of(found.number, finding),
        "rule": rule_record(finding.code, finding.rule),
        "events": [encode_event(each) for each in found.events],
        "versions": dict(origin.versions),
    }


def describe_files(folder: Path, cut: Cut | None, span: tuple[float, float]) -> dict[str, Any]:
    """The part of `finding.json` about the files in `folder`; what is missing is told as a gap."""
    clip, still = folder / layout.CLIP, folder / layout.STILL
    about: dict[str, Any] = {
        "clip": {"start_s": span[0], "stop_s": span[1], "gaps": [list(span)]},
        "made_at": utc_now(),
    }
    if cut is not None:
        about["clip"] = _file(clip) | {
            "start_s": round(cut.start_s, 3),
            "stop_s": round(cut.stop_s, 3),
            "gaps": [list(each) for each in cut.gaps],
        }
    if still.is_file():
        about["still"] = _file(still)
    return about


def still_of_clip(clip: Path, start_s: float, found: Found, chips: Sequence[ChipType]) -> bytes | None:
    """The picture that the outlines were found in, or that of the moment, with the outlines drawn in."""
    t_s = found.finding.t if found.percept is None else found.percept.t_s
    image = picture_at(clip, t_s - start_s)
    if image is None:
        return found.still
    outlines = [] if found.percept is None else outlines_of(found.percept, chips)
    return jpeg(outlined(image, outlines, width_px=STILL_WIDTH_PX), STILL_QUALITY)


def picture_at(clip: Path, t_s: float) -> Image | None:
    """The last picture of a clip that is shown at `t_s` seconds, None before its first."""
    shown = None
    try:
        with av.open(str(clip)) as container:
            stream = container.streams.video[0]
            container.seek(max(0, int(t_s / stream.time_base)), stream=stream)
            for picture in container.decode(stream):
                if picture.time is not None and picture.time > t_s + 0.005:
                    break
                shown = picture
    except (OSError, av.error.FFmpegError):
        return None
    if shown is None:
        return None
    image = np.asarray(shown.to_ndarray(format="bgr24"), np.uint8)
    turns = round(shown.rotation / 90) % 4
    return np.ascontiguousarray(np.rot90(image, turns)) if turns else image


def _wall(started_at: str | None, t_s: float) -> str | None:
    try:
        start = datetime.fromisoformat(started_at) if started_at is not None else None
    except ValueError:
        return None
    return None if start is None else (start + timedelta(seconds=t_s)).isoformat(timespec="milliseconds")


def _file(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"file": path.name, "bytes": len(content), "sha256": sha256(content).hexdigest()}
