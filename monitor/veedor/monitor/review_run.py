"""A review that is asked for: its inputs opened and checked, and what its results depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import veedor.rules
import veedor.vision
from veedor.datasets.digests import sha256_of
from veedor.monitor.announcements import Announcements, past_the_end, read_announcements
from veedor.monitor.durable import sha256_of_all
from veedor.monitor.errors import UsageFault
from veedor.monitor.eyes import model_hashes
from veedor.monitor.language import Language
from veedor.monitor.model_versions import as_versions
from veedor.monitor.recordings import Session, Video, open_session
from veedor.monitor.reviewed_files import MadeBy, Recorded
from veedor.monitor.utc import utc_text
from veedor.rules.profile import SHIPPED, RuleProfile, load_profile, profiles_folder
from veedor.vision.perceive import PerceiverSettings
from veedor.vision.percept import FORMAT
from veedor.vision.segments import SEGMENT_S
from veedor.vision.table import Table
from veedor.vision.table_file import load_table


@dataclass(frozen=True)
class ReviewOrder:
    """What is asked for: recordings of one table, to a folder of their own (`out`), as a session of a data
    folder (`data`), or both.

    `segment_s` is how much perception a kill can cost each worker at most; `profile` judges instead of the
    table's own; `replace`: finished results of other inputs in `out` may go.
    """

    videos: tuple[Video, ...]
    table: Path
    out: Path | None = None
    data: Path | None = None
    events: Path | None = None
    profile: str | None = None
    workers: int = 1
    segment_s: float = SEGMENT_S
    language: Language = Language.EN
    replace: bool = False
    leave_out_unreadable: bool = False


@dataclass(frozen=True)
class ReviewRun:
    """The inputs of one review, opened and checked."""

    order: ReviewOrder
    table: Table
    profile: RuleProfile
    announcements: Announcements
    session: Session
    made_by: MadeBy
    damage: tuple[str, ...] = ()  # lines on what turned out to be unreadable

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the inputs could not be used or is to be known, by file names without folders."""
        faults = [each.fault for each in self.session.recordings if each.fault is not None]
        late: tuple[str, ...] = ()
        if self.order.events is not None:
            late = past_the_end(self.announcements, self.order.events.name, self.session.duration_s)
        return (*self.session.notes, *faults, *self.damage, *self.announcements.notes, *late)


def open_run(order: ReviewOrder, opened: Callable[[int], None] = lambda count: None) -> ReviewRun:
    """Open what an order names; every fault of the inputs is told here, before any work is done."""
    table = load_table(order.table)
    if table.camera is None:
        raise UsageFault(f"{order.table}: not calibrated; nothing can be placed on its felt")
    if order.profile is None:
        profile = load_profile(table.profile, named_in=order.table)
    else:
        profile = load_profile(order.profile)
    announcements = Announcements() if order.events is None else read_announcements(order.events)
    session = open_session(
        order.videos, table.camera, opened, leave_out_unreadable=order.leave_out_unreadable
    )
    made_by = _made_by(order, order.profile or table.profile, profile.id, session)
    return ReviewRun(order, table, profile, announcements, session, made_by)


def profile_file(id_or_path: str) -> Path:
    """The file of a rule profile, a shipped one or a casino's own."""
    return profiles_folder() / f"{id_or_path}.toml" if id_or_path in SHIPPED else Path(id_or_path)


def _made_by(order: ReviewOrder, named: str, profile_id: str, session: Session) -> MadeBy:
    inputs = {"table": sha256_of(order.table)}
    if order.events is not None:
        inputs["events"] = sha256_of(order.events)
    for number, each in enumerate(session.recordings):
        inputs[f"recording {number}"] = each.sha256
        inputs[f"shows {number}"] = f"{each.start_s:.6f}-{each.stop_s:.6f} from {each.offset_s:.6f}"
    if session.started is not None:
        inputs["started"] = session.started.isoformat()
    code = hashlib.sha256()
    for area in (veedor.rules, veedor.vision):
        # In a checkout the code changes and the version does not.
        code.update(sha256_of_all(Path(str(area.__file__)).parent.rglob("*.py")).encode())
    return MadeBy(
        metadata.version("veedor"),
        code.hexdigest(),
        model_hashes(),
        profile_id,
        sha256_of(profile_file(named)),
        inputs,
    )


def percepts_depend_on(run: ReviewRun) -> dict[str, str]:
    """Everything that percepts of a recording depend on but the recording itself."""
    return as_versions(run.made_by.models) | {
        "table": run.made_by.inputs["table"],
        "version": run.made_by.version,
        "code": sha256_of_all(Path(str(veedor.vision.__file__)).parent.glob("*.py")),
        "percept format": str(FORMAT),
        "perception": repr(PerceiverSettings()),
        "segment_s": repr(run.order.segment_s),
    }


def recorded(run: ReviewRun) -> list[Recorded]:
    """The recordings as a session's files have them."""
    found = []
    for each in run.session.recordings:
        info = each.source.info
        started = None if each.started is None else utc_text(each.started.at)
        found.append(
            Recorded(
                each.path.absolute(),
                each.sha256,
                each.start_s,
                each.stop_s,
                (info.width, info.height),
                each.offset_s,
                info.rotation_deg,
                info.frames,
                each.path.stat().st_size,
                started,
                each.fault,
            )
        )
    return found
