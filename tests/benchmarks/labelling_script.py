"""A scripted labeller: puts right in the labelling page what differs from what was drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import dist
from typing import Any
from urllib.parse import parse_qs

from veedor.datasets.labelled import Corners, LabelledObject
from veedor.datasets.labelled_json import KIND_BY_NAME, kind_name, object_from_json
from veedor.monitor.labelling.agreement import matched, outline_iou
from veedor.monitor.labelling.store import LabelStore
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CARDS, CHIPS

SAME_OUTLINE = 0.85  # below it a person would drag the corners
READY = "document.body.dataset.ready === 'yes'"
TO_STAGE = """([x, y]) => {
  const at = new DOMMatrix(getComputedStyle(document.getElementById('picture')).transform);
  const on = document.getElementById('stage').getBoundingClientRect();
  return [on.left + at.e + x * at.a, on.top + at.f + y * at.a];
}"""
HANDLES = """[...document.querySelectorAll('#handles .corner')].map((handle) => {
  const on = document.getElementById('stage').getBoundingClientRect();
  return [on.left + Number(handle.getAttribute('cx')), on.top + Number(handle.getAttribute('cy'))];
})"""
NOT_LOOKED_AT = "document.querySelector('.shape.chosen:not(.checked)')?.dataset.id ?? ''"

Truth = dict[str, tuple[LabelledObject, ...]]


@dataclass
class Work:
    """What was done in the page: how many objects of which kind of trouble, keys pressed, drags made."""

    objects: int = 0
    right: int = 0
    corrected: int = 0
    added: int = 0
    deleted: int = 0
    keys: int = 0
    drags: int = 0
    acknowledged: list[tuple[str, int, str, str]] = field(
        default_factory=list
    )  # picture, number, key, labels


class Labeller:
    """Works through pictures; `chips` names the table's set by value, as the page's keys do.

    `between` is called with the number of objects done after each one.
    """

    def __init__(self, page: Any, truth: Truth, chips: list[str], between: Callable[[int], None]) -> None:
        self.page, self.truth, self.chips, self.between = page, truth, chips, between
        self.work = Work()
        page.on("response", self._note)

    def picture(self, store: LabelStore) -> None:
        """The picture that is open, from the first object to the last."""
        self.until(READY)
        name = self.page.evaluate("document.body.dataset.picture")
        proposed = store.proposal(name).objects
        pairs = {one.id: two for one, two, _ in matched(proposed, self.truth[name])}
        by_id = {each.id: each for each in proposed}
        seen: set[str] = set()
        while (chosen := self._chosen()) and chosen not in seen:
            seen.add(chosen)
            self._object(by_id[chosen], pairs.get(chosen))
            self.work.objects += 1
            self.between(self.work.objects)
        marked = {each.id for each in pairs.values()}
        for each in self.truth[name]:
            if each.id not in marked:
                self._add(each)
        self.press("Shift+Enter")
        self.page.wait_for_url(lambda url: name not in url.partition("?")[0], wait_until="domcontentloaded")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.work.keys += len(keys)

    def until(self, expression: str) -> None:
        for _ in range(600):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(expression)

    def _chosen(self) -> str:
        """The object that the page has chosen, if it has not been looked at."""
        return str(self.page.evaluate(NOT_LOOKED_AT))

    def _object(self, proposed: LabelledObject, true: LabelledObject | None) -> None:
        if true is None:
            self.press("x")
            self.work.deleted += 1
            return
        before = self.work.keys + self.work.drags
        self._content(proposed, true)
        if outline_iou(proposed, true) < SAME_OUTLINE:
            self._outline(true.corners_px)
        changed = self.work.keys + self.work.drags > before
        self.work.corrected += changed
        self.work.right += not changed
        self.press("Enter")

    def _content(self, had: LabelledObject, true: LabelledObject) -> None:
        """Class, rank and suit, or chips, where they are not what was drawn."""
        if had.kind is not true.kind and not {had.kind, true.kind} <= set(CHIPS):
            if {had.kind, true.kind} == set(CARDS):
                self.press("f")
            else:
                self.press("g")
                self.page.select_option("#kind", kind_name(true.kind))
                self.press("Enter")
        if true.kind is ObjectClass.CARD_FACE:
            if had.rank != true.rank and true.rank:
                self.press(true.rank.lower())
            if had.suit != true.suit and true.suit:
                self.press(true.suit.lower())
        if true.chips and had.chips != true.chips:
            self._chips(had, true.chips)

    def _chips(self, had: LabelledObject, chips: tuple[str, ...]) -> None:
        digits = [f"Shift+Digit{self.chips.index(name) + 1}" for name in chips]
        if had.chips is None and (had.count or 0) > 1:
            # One key says of which kind all of them are; else it is built from the bottom.
            whole = had.count == len(chips) and len(set(chips)) == 1
            self.press(*(digits[:1] if whole else ["1", *digits]))
            return
        self.press(*["Shift+Backspace"] * len(had.chips or ()), *digits)

    def _outline(self, true: Corners) -> None:
        """Close up, drag each corner to the nearest true one, and back."""
        self.press(" ")
        places = [self.page.evaluate(TO_STAGE, list(corner)) for corner in true]
        had = self._handles()
        turns = [places[turn:] + places[:turn] for turn in range(4)]
        wanted = min(turns, key=lambda each: sum(map(dist, each, had)))
        for _ in range(2):  # a corner cannot pass over the others: it may have to wait for them
            for number, place in enumerate(wanted):
                self._drag_corner(number, place)
            if max(map(dist, self._handles(), wanted)) < 6:
                break
        self.press(" ")

    def _handles(self) -> list[tuple[float, float]]:
        """Where the corners of the chosen object are on the screen."""
        found = self.page.evaluate(HANDLES)
        return [(float(x), float(y)) for x, y in found]

    def _drag_corner(self, number: int, to: Sequence[float]) -> None:
        at = self._handles()[number]
        if dist(at, to) < 3:
            return
        self.page.mouse.move(*at)
        self.page.mouse.down()
        self.page.mouse.move(*to, steps=3)
        self.page.mouse.up()
        self.work.drags += 1

    def _add(self, true: LabelledObject) -> None:
        """Draw a box round it from corner to corner, then put the corners right."""
        self.press("Home")
        xs, ys = [x for x, _ in true.corners_px], [y for _, y in true.corners_px]
        left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
        from_x, from_y = self.page.evaluate(TO_STAGE, [left, top])
        to_x, to_y = self.page.evaluate(TO_STAGE, [right, bottom])
        self.page.keyboard.down("Shift")
        self.page.mouse.move(from_x, from_y)
        self.page.mouse.down()
        self.page.mouse.move(to_x, to_y, steps=3)
        self.page.mouse.up()
        self.page.keyboard.up("Shift")
        self.work.drags += 1
        self.work.added += 1
        kind = self.page.evaluate("document.getElementById('kind').value")
        self._content(LabelledObject("new", KIND_BY_NAME[kind], true.corners_px), true)
        self._outline(true.corners_px)
        self.press("Enter")

    def _note(self, response: Any) -> None:
        """What the server has acknowledged, with what was sent."""
        if (
            response.request.method != "POST"
            or not response.url.endswith("/labels")
            or response.status != 200
        ):
            return
        fields = parse_qs(response.request.post_data or "")
        name = response.url.rsplit("/", 2)[1]
        self.work.acknowledged.append((name, fields["key"][0], fields["labels"][0]))


def lost(store: LabelStore, work: Work) -> list[str]:
    """Attempts that were acknowledged and are not in the store as they were sent."""
    gone = []
    for name, key, sent in work.acknowledged:
        objects = tuple(object_from_json(each) for each in json.loads(sent)["objects"])
        if not any((each.key, each.objects) == (key, objects) for each in store.revisions(name)):
            gone.append(f"{name}, attempt {key}")
    return gone
