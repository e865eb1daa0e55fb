"""The label store of a data folder: pictures, and every revision of what people say stands in them.

`DIR/labels/pictures/ID.png` is lossless, cut from the recording at its presentation time;
`DIR/labels/revisions.jsonl` is only added to, a revision a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from veedor.datasets.labelled import MOST_OBJECTS, LabelledObject, LabelledPicture, LabelledSet
from veedor.monitor.durable import write_whole
from veedor.monitor.labelling.revision_log import RevisionLog, Written
from veedor.monitor.labelling.revisions import (
    LONGEST_KEY,
    MODEL,
    Change,
    LabelFault,
    Revision,
    Stale,
    State,
    as_a_person_has_it,
    line_of,
)
from veedor.monitor.language import text
from veedor.monitor.utc import utc_now
from veedor.vision.frames import Image

LABELS, PICTURES = "labels", "pictures"


@dataclass(frozen=True)
class Standing:
    """How far a picture is, without reading its objects: the newest revision of its own line, the people
    who have worked on that, and whose second opinions are finished or begun."""

    about: LabelledPicture
    newest: Written
    authors: tuple[str, ...]
    seconds: tuple[str, ...]
    second_drafts: tuple[str, ...]


class LabelStore:
    """Pictures and revisions below `data`; several processes and threads may have it open."""

    def __init__(self, data: Path) -> None:
        self.folder = data / LABELS
        self._log = RevisionLog(self.folder)
        try:
            (self.folder / PICTURES).mkdir(exist_ok=True)
        except OSError as fault:
            raise LabelFault(f"{fault.filename}: {fault.strerror or fault}") from fault

    def pictures(self) -> tuple[LabelledPicture, ...]:
        """What each picture is, without its objects, in the order in which they came."""
        return tuple(self._log.about().values())

    def about(self, picture: str) -> LabelledPicture:
        """What a picture is; LabelFault where there is none of that id."""
        found = self._log.picture(picture)
        if found is None:
            raise LabelFault(text(es=f"{picture:.80}: no existe", en=f"{picture:.80}: no such picture"))
        return found

    def has(self, picture: str) -> bool:
        return self._log.picture(picture) is not None

    def file_of(self, picture: str) -> Path:
        """Where the picture's pixels stand."""
        return self.folder / PICTURES / f"{self.about(picture).id}.png"

    def latest(self, picture: str) -> Revision:
        """The newest revision of the picture's own line, whoever left it."""
        return self._log.revision(self._newest(picture, ""))

    def latest_second(self, picture: str, author: str) -> Revision | None:
        """The newest revision of an author's second opinion."""
        mine = [each for each in self._log.written(picture) if each.line == author and author]
        return self._log.revision(mine[-1]) if mine else None

    def proposal(self, picture: str) -> Revision:
        """What the picture came with: revision 0."""
        self.about(picture)
        return self._log.revision(self._log.written(picture)[0])

    def revisions(self, picture: str) -> tuple[Revision, ...]:
        """All of them, oldest first, second opinions among them."""
        self.about(picture)
        return tuple(self._log.revision(each) for each in self._log.written(picture))

    def final(self, picture: str) -> Revision | None:
        """The newest revision of the picture's own line that somebody has called done."""
        done = [each for each in self._log.written(picture) if each.state is State.DONE]
        return self._log.revision(done[-1]) if done else None

    def finals(self, picture: str) -> dict[str, Revision]:
        """What each person has finished by himself, by author, the one who finished the picture first.

        That is before he could see another's opinion: what is settled later, between two, is nobody's own.
        """
        done = [each for each in self._log.written(picture) if each.state.is_final]
        seconds: dict[str, Written] = {}
        for each in done:
            if each.line:
                seconds.setdefault(each.author, each)
        seen = min((each.number for each in seconds.values()), default=None)
        own = [each for each in done if not each.line and (seen is None or each.number < seen)]
        first = {each.author: each for each in own if each.author == own[0].author}
        each_one = first | {author: each for author, each in seconds.items() if author not in first}
        return {author: self._log.revision(each) for author, each in each_one.items()}

    def standing(self, picture: str) -> Standing:
        about, written = self.about(picture), self._log.written(picture)
        people = dict.fromkeys(each.author for each in written if each.number and not each.line)
        ended = {each.line: each.state for each in written if each.line}
        seconds = tuple(name for name, state in ended.items() if state is State.SECOND)
        begun = tuple(name for name in ended if name not in seconds)
        return Standing(about, self._newest(picture, ""), tuple(people), seconds, begun)

    def add(
        self, picture: LabelledPicture, image: Image, *, author: str = MODEL, state: State = State.PROPOSED
    ) -> Revision:
        """Put a picture in, its pixels BGR, with its objects as revision 0; one that is there stays as it is.

        LabelFault where another picture has the id, or the pixels are not of the size it says.
        """
        if image.shape[:2] != (picture.height, picture.width):
            raise LabelFault(f"{picture.id}: {image.shape[1]} x {image.shape[0]} px is not its size")
        made, png = cv2.imencode(".png", image)
        if not made:
            raise LabelFault(f"{picture.id}: cannot be written as PNG")
        return self._put(picture, png.tobytes(), author, state)

    def save(
        self, picture: str, objects: Sequence[LabelledObject], author: str, based_on: int, state: State
    ) -> Revision:
        """A new revision, on disk when it returns. Stale where `based_on` is not the newest of its line."""
        return self.save_change(picture, Change(tuple(objects), author, based_on, state))

    def save_change(self, picture: str, change: Change) -> Revision:
        """As `save`; an attempt that is repeated under its key is answered with what it has left."""
        _check(picture, change)
        with self._log.changing():
            self.about(picture)
            line = line_of(change.state, change.author)
            for each in self._log.written(picture):
                if change.key and (each.key, each.author, each.line) == (change.key, change.author, line):
                    return self._log.revision(each)
            newest = self._head(picture, line)
            if newest.number != change.based_on:
                raise Stale(self._log.revision(newest))
            ids = {each.id for each in change.objects}
            revision = Revision(
                picture, len(self._log.written(picture)), change.based_on, change.author, utc_now(),
                change.state,
                as_a_person_has_it(change.objects), tuple(each for each in change.checked if each in ids),
                change.key,
            )  # fmt: skip
            self._log.append(revision)
        return revision

    def import_set(self, labels: LabelledSet, author: str, state: State = State.DONE) -> tuple[Revision, ...]:
        """Take a set's pictures and objects in: new pictures with its files, known ones as new revisions.

        A picture whose newest revision says the same already gets none. Gives the revisions that were made.
        """
        for each in labels.pictures:
            self._check_same(each)
        made = []
        for each in labels.pictures:
            if not self.has(each.id):
                image = cv2.imdecode(_pixels(labels.file_of(each)), cv2.IMREAD_COLOR)
                if image is None:
                    raise LabelFault(f"{labels.file_of(each)}: not a picture")
                made.append(self.add(each, np.asarray(image, np.uint8), author=author, state=state))
                continue
            newest = self.latest(each.id)
            if newest.objects != as_a_person_has_it(each.objects) or newest.state is not state:
                made.append(self.save(each.id, each.objects, author, newest.number, state))
        return tuple(made)

    def as_set(self, name: str, *, done_only: bool) -> LabelledSet:
        """The store as labelled pictures: the newest done revision of each, or the newest at all."""
        pictures = []
        for about in self.pictures():
            revision = self.final(about.id) if done_only else self.latest(about.id)
            if revision is not None:
                pictures.append(
                    replace(about, author=revision.author, revision=revision.number, objects=revision.objects)
                )
        return LabelledSet(name, f"r{self._log.lines}", tuple(pictures), self.folder / PICTURES)

    def _put(self, picture: LabelledPicture, png: bytes, author: str, state: State) -> Revision:
        if not 0 <= len(picture.objects) <= MOST_OBJECTS:
            raise LabelFault(f"{picture.id}: more than {MOST_OBJECTS} objects")
        with self._log.changing():
            self._check_same(picture)
            if self.has(picture.id):
                return self.proposal(picture.id)
            try:
                write_whole(self.folder / PICTURES / f"{picture.id}.png", png)
            except OSError as fault:
                raise LabelFault(f"{fault.filename or self.folder}: {fault.strerror or fault}") from fault
            revision = Revision(picture.id, 0, None, author, utc_now(), state, picture.objects)
            self._log.append(revision, replace(picture, author=author, revision=0))
        return revision

    def _check_same(self, picture: LabelledPicture) -> None:
        known = self._log.picture(picture.id)
        if known is not None and _identity(known) != _identity(picture):
            raise LabelFault(
                text(
                    es=f"{picture.id}: ya hay otra imagen con ese nombre",
                    en=f"{picture.id}: another picture has that id",
                )
            )

    def _newest(self, picture: str, line: str) -> Written:
        self.about(picture)
        return [each for each in self._log.written(picture) if each.line == line][-1]

    def _head(self, picture: str, line: str) -> Written:
        """What a change of that line builds on: its newest, or the proposal."""
        written = self._log.written(picture)
        return next((each for each in reversed(written) if each.line == line), written[0])


def _check(picture: str, change: Change) -> None:
    if change.state is State.PROPOSED or change.author == MODEL:
        raise LabelFault(f"{picture}: only revision 0 is a proposal")
    if len(change.key) > LONGEST_KEY or len(change.objects) > MOST_OBJECTS:
        raise LabelFault(f"{picture}: more than {MOST_OBJECTS} objects, or a key that is too long")
    if len({each.id for each in change.objects}) < len(change.objects):
        raise LabelFault(f"{picture}: an object's id stands twice")


def _identity(picture: LabelledPicture) -> tuple[object, ...]:
    return picture.recording, picture.t, picture.width, picture.height


def _pixels(path: Path) -> np.ndarray:
    try:
        return np.fromfile(path, np.uint8)
    except OSError as fault:
        raise LabelFault(f"{path}: {fault.strerror or fault}") from fault
