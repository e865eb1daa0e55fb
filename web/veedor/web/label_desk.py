"""What the labelling pages show of the label store: pictures in the order of work, and who may see what."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from veedor.datasets.labelled import LabelledPicture
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore, Standing
from veedor.monitor.labelling.tables import table_of
from veedor.monitor.labelling.taken import taken_text
from veedor.monitor.labelling.waiting import Waiting, read_queue
from veedor.monitor.language import Bilingual
from veedor.vision.table import Table

SMALL_PX = 320


class Stage(StrEnum):
    """Where a picture is in the work."""

    WAITING = "waiting"
    BEGUN = "begun"
    DONE = "done"


@dataclass(frozen=True)
class Listed:
    """A picture of the list, with why it is worth labelling."""

    standing: Standing
    why: tuple[Bilingual, ...] = ()

    @property
    def about(self) -> LabelledPicture:
        return self.standing.about

    @property
    def stage(self) -> Stage:
        return stage_of(self.standing)


def stage_of(standing: Standing) -> Stage:
    state = standing.newest.state
    if state is State.DONE:
        return Stage.DONE
    return Stage.WAITING if state is State.PROPOSED else Stage.BEGUN


def may_see(standing: Standing, who: str, *, administrator: bool) -> bool:
    """Whether somebody may see the picture's own labels: not who is to give a second opinion on them.

    Finished by others, they are for its authors, for administrators, and for who has given his opinion.
    """
    if who in standing.second_drafts:
        return False
    mine = who in standing.authors or who in standing.seconds
    return administrator or mine or standing.newest.state is not State.DONE


def may_give_second(standing: Standing, who: str) -> bool:
    """A second opinion is on what others have finished; who has it begun may go on."""
    begun = who in standing.seconds or who in standing.second_drafts
    return who not in standing.authors and (begun or standing.newest.state is State.DONE)


class LabelDesk:
    """The label store of a data folder, opened when it is first asked for."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._store: LabelStore | None = None

    @property
    def store(self) -> LabelStore:
        """LabelFault where it cannot be opened; asked again, it is tried again."""
        with self._lock:
            if self._store is None:
                self._store = LabelStore(self._data)
            return self._store

    def listed(self) -> list[Listed]:
        """Every picture, the queue's first and in its order, then the others as they came."""
        store = self.store
        waiting = {each.picture: each for each in read_queue(store.folder)}
        ids = [each for each in waiting if store.has(each)]
        ids += [about.id for about in store.pictures() if about.id not in waiting]
        return [Listed(store.standing(each), _why(waiting.get(each))) for each in ids]

    def following(self, who: str, after: str = "") -> str | None:
        """The picture to label after one: what waits, and what `who` has begun himself."""
        return _first(
            [
                each.about.id
                for each in self.listed()
                if _is_for(each.standing, who) or each.about.id == after
            ],
            after,
        )

    def following_second(self, who: str, after: str = "") -> str | None:
        """The picture that waits for the second opinion of `who`, after one."""
        wanted = [
            each.about.id
            for each in self.listed()
            if each.about.id == after
            or (may_give_second(each.standing, who) and who not in each.standing.seconds)
        ]
        return _first(wanted, after)

    def taken(self, about: LabelledPicture) -> str:
        """The session and moment of a picture; empty for a still."""
        return taken_text(self._data, about)

    def table(self, about: LabelledPicture) -> Table | None:
        return _table(self._data, self.store.folder, about)

    def small(self, picture: str) -> bytes:
        """A small JPEG of a picture, for lists."""
        return _small(self.store.file_of(picture))


def _why(waiting: Waiting | None) -> tuple[Bilingual, ...]:
    return () if waiting is None else waiting.why


def _is_for(standing: Standing, who: str) -> bool:
    if standing.newest.state is State.PROPOSED:
        return who not in standing.second_drafts
    return standing.newest.state is State.DRAFT and standing.newest.author == who


def _first(ids: list[str], after: str) -> str | None:
    """The one behind `after` in the list, else its first other one."""
    at = ids.index(after) + 1 if after in ids else 0
    return next((each for each in (*ids[at:], *ids[:at]) if each != after), None)


@lru_cache(maxsize=256)
def _small(path: Path) -> bytes:
    data = np.fromfile(path, np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_REDUCED_COLOR_4) if data.size else None
    if image is None:
        raise OSError(f"{path.name}: not a picture")
    height, width = image.shape[:2]
    if width > SMALL_PX:
        image = cv2.resize(image, (SMALL_PX, round(height * SMALL_PX / width)), interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1])


@lru_cache(maxsize=64)
def _table(data: Path, labels: Path, about: LabelledPicture) -> Table | None:
    return table_of(data, labels, about)
