"""The file `revisions.jsonl`: only ever added to, on disk before it is answered, shared by processes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from veedor.datasets.errors import DatasetError
from veedor.datasets.labelled import LabelledPicture
from veedor.datasets.labelled_json import picture_from_json, picture_to_json
from veedor.monitor.durable import sync_folder
from veedor.monitor.file_lock import held
from veedor.monitor.labelling.revisions import (
    LabelFault,
    Revision,
    State,
    line_of,
    revision_from_json,
    revision_to_json,
)
from veedor.monitor.language import text
from veedor.monitor.private_folder import private_folder
from veedor.monitor.store.lines import append_on_disk, encoded

_LOCK = "revisions.lock"


@dataclass(frozen=True)
class Written:
    """Where a revision stands in the file, and what of it is asked for often."""

    number: int
    author: str
    at: str
    state: State
    key: str
    start: int
    length: int
    objects: int

    @property
    def line(self) -> str:
        return line_of(self.state, self.author)


class RevisionLog:
    """Keeps in memory where each revision stands, not what it holds. For any number of threads.

    The first revision of a picture brings, beside its objects, what the picture is (`about`).
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "revisions.jsonl"
        self._lock_path = folder / _LOCK
        self._lock = threading.RLock()
        self._read_to = self._lines = 0
        self._about: dict[str, LabelledPicture] = {}
        self._written: dict[str, list[Written]] = {}
        try:
            private_folder(folder)
            with self.changing():
                pass
        except OSError as fault:
            raise LabelFault(f"{fault.filename or folder}: {fault.strerror or fault}") from fault

    @property
    def lines(self) -> int:
        return self._lines

    def about(self) -> dict[str, LabelledPicture]:
        """Every picture by its id, in the order in which they came."""
        with self._lock:
            self._catch_up()
            return dict(self._about)

    def picture(self, picture: str) -> LabelledPicture | None:
        """What a picture is; None where there is none of that id."""
        with self._lock:
            self._catch_up()
            return self._about.get(picture)

    def written(self, picture: str) -> tuple[Written, ...]:
        """A picture's revisions so far; empty where there is no such picture."""
        with self._lock:
            self._catch_up()
            return tuple(self._written.get(picture, ()))

    def revision(self, where: Written) -> Revision:
        with self._lock, self.path.open("rb") as file:
            file.seek(where.start)
            return revision_from_json(_without_about(json.loads(file.read(where.length)))[0])

    @contextmanager
    def changing(self) -> Iterator[None]:
        """No other process and no other thread adds anything meanwhile; a torn last line has been cut off."""
        with self._lock, held(self._lock_path):
            self._catch_up()
            if self.path.is_file() and self.path.stat().st_size > self._read_to:
                os.truncate(self.path, self._read_to)
            yield

    def append(self, revision: Revision, about: LabelledPicture | None = None) -> None:
        """On disk when it returns, or the file as it was: the disk may have no room. While `changing`."""
        record = revision_to_json(revision)
        if about is not None:
            record["about"] = picture_to_json(about.with_objects(()))
        data = encoded(record)
        is_new = not self.path.exists()
        try:
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                append_on_disk(fd, data, self._read_to)
            finally:
                os.close(fd)
            if is_new:
                sync_folder(self.path.parent)
        except OSError as fault:
            raise LabelFault(f"{self.path}: {fault.strerror or fault}") from fault
        self._keep(revision, about, self._read_to, len(data))

    def _catch_up(self) -> None:
        """Read what was added since, by this process or another; a line without its end is not there yet."""
        try:
            if not self.path.is_file() or self.path.stat().st_size == self._read_to:
                return
            with self.path.open("rb") as file:
                file.seek(self._read_to)
                for raw in file:
                    if not raw.endswith(b"\n"):
                        return
                    self._take(raw)
        except OSError as fault:
            raise LabelFault(f"{self.path}: {fault.strerror or fault}") from fault

    def _take(self, raw: bytes) -> None:
        where = f"{self.path}:{self._lines + 1}"
        try:
            record, about = _without_about(json.loads(raw))
            revision = revision_from_json(record)
            known = len(self._written.get(revision.picture, ()))
            if revision.number != known or (known == 0) != (about is not None):
                raise ValueError(text(es="revisión fuera de orden", en="revision out of order"))
        except (ValueError, RecursionError, DatasetError) as fault:
            raise LabelFault(f"{where}: {fault}") from fault
        self._keep(revision, about, self._read_to, len(raw))

    def _keep(self, revision: Revision, about: LabelledPicture | None, start: int, length: int) -> None:
        if about is not None:
            self._about[revision.picture] = about
        where = Written(
            revision.number, revision.author, revision.at, revision.state, revision.key, start, length,
            len(revision.objects),
        )  # fmt: skip
        self._written.setdefault(revision.picture, []).append(where)
        self._read_to, self._lines = start + length, self._lines + 1


def _without_about(record: object) -> tuple[dict[str, object], LabelledPicture | None]:
    if not isinstance(record, dict):
        raise ValueError(text(es="no es un objeto JSON", en="not a JSON object"))
    about = record.pop("about", None)
    return record, None if about is None else picture_from_json(about)
