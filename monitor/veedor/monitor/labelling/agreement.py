"""How far people agree on the same picture, and on what they do not: for second opinions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.labelled import LabelledObject
from veedor.monitor.labelling.revisions import Revision
from veedor.monitor.labelling.store import LabelStore
from veedor.vision.detections import ObjectClass
from veedor.vision.footprints import CHIPS
from veedor.vision.obb import iou_matrix

SAME_OBJECT_IOU = 0.5
SAME_OUTLINE_IOU = 0.8
UNREAD = "?"


class On(StrEnum):
    """What two people do not agree on."""

    MISSING = "missing"
    KIND = "kind"
    RANK = "rank"
    SUIT = "suit"
    CHIPS = "chips"
    OUTLINE = "outline"


@dataclass(frozen=True)
class Disagreement:
    """One thing that two people see differently; an object is None where its author has none there."""

    picture: str
    on: On
    first: LabelledObject | None
    second: LabelledObject | None
    iou: float = 0.0


@dataclass(frozen=True)
class Agreement:
    """Two authors on the pictures that both have finished. Shares are None where there is nothing to share.

    Objects are the same where their outlines share half of what they cover together (IoU 0.5), whatever they
    are called. `faces` are those that both call a face card; ranks and suits are compared on them.
    """

    authors: tuple[str, str]
    pictures: int = 0
    objects: tuple[int, int] = (0, 0)
    matched: int = 0
    iou_sum: float = 0.0
    same_kind: int = 0
    faces: int = 0
    same_rank: int = 0
    same_suit: int = 0
    stacks: int = 0
    same_chips: int = 0
    ranks: tuple[tuple[str, str], ...] = ()
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def found_share(self) -> float | None:
        """Of what either has marked, how much both have (Dice)."""
        return _share(2 * self.matched, sum(self.objects))

    @property
    def mean_iou(self) -> float | None:
        return self.iou_sum / self.matched if self.matched else None

    @property
    def kind_share(self) -> float | None:
        return _share(self.same_kind, self.matched)

    @property
    def rank_share(self) -> float | None:
        return _share(self.same_rank, self.faces)

    @property
    def suit_share(self) -> float | None:
        return _share(self.same_suit, self.faces)

    @property
    def chips_share(self) -> float | None:
        return _share(self.same_chips, self.stacks)

    @property
    def rank_kappa(self) -> float | None:
        return kappa(self.ranks)

    def with_picture(self, other: Agreement) -> Agreement:
        """These figures and another picture's together."""
        return replace(
            self,
            pictures=self.pictures + other.pictures,
            objects=(self.objects[0] + other.objects[0], self.objects[1] + other.objects[1]),
            ranks=self.ranks + other.ranks,
            disagreements=self.disagreements + other.disagreements,
            **{name: getattr(self, name) + getattr(other, name) for name in _SUMS},
        )


_SUMS = (
    "matched", "iou_sum", "same_kind", "faces", "same_rank", "same_suit", "stacks", "same_chips",
)  # fmt: skip


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa: agreement beyond what two people who guess by their own habits would have.

    1 is complete, 0 no better than chance. None without pairs; 1 where both have only ever said one thing.
    """
    if not pairs:
        return None
    count = len(pairs)
    observed = sum(first == second for first, second in pairs) / count
    firsts, seconds = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    chance = sum(firsts[name] * seconds[name] for name in firsts) / count**2
    return 1.0 if chance == 1.0 else (observed - chance) / (1 - chance)


def agreement_on(first: Revision, second: Revision) -> Agreement:
    """Two authors' finished labels of one picture."""
    pairs = matched(first.objects, second.objects)
    agreed = Agreement(
        (first.author, second.author), 1, (len(first.objects), len(second.objects)), len(pairs)
    )
    found: list[Disagreement] = []
    for one, two, iou in pairs:
        agreed, differing = _compared(agreed, one, two, iou)
        found += [Disagreement(first.picture, each, one, two, iou) for each in differing]
    seen_by_first = {one.id for one, _, _ in pairs}
    seen_by_second = {two.id for _, two, _ in pairs}
    lone = [Disagreement(first.picture, On.MISSING, each, None) for each in first.objects
            if each.id not in seen_by_first]  # fmt: skip
    lone += [Disagreement(first.picture, On.MISSING, None, each) for each in second.objects
             if each.id not in seen_by_second]  # fmt: skip
    return replace(agreed, disagreements=(*lone, *found))


def _compared(
    agreed: Agreement, one: LabelledObject, two: LabelledObject, iou: float
) -> tuple[Agreement, list[On]]:
    """The figures with one more pair, and what its two authors do not agree on."""
    differing = []
    agreed = replace(agreed, iou_sum=agreed.iou_sum + iou)
    if one.kind is not two.kind:
        differing.append(On.KIND)
    else:
        agreed = replace(agreed, same_kind=agreed.same_kind + 1)
        if one.kind is ObjectClass.CARD_FACE:
            pair = (one.rank or UNREAD, two.rank or UNREAD)
            agreed = replace(
                agreed,
                faces=agreed.faces + 1,
                same_rank=agreed.same_rank + (one.rank == two.rank),
                same_suit=agreed.same_suit + (one.suit == two.suit),
                ranks=(*agreed.ranks, pair),
            )
            differing += [On.RANK] * (one.rank != two.rank) + [On.SUIT] * (one.suit != two.suit)
        elif one.kind in CHIPS:
            same = (one.chips, one.count) == (two.chips, two.count)
            agreed = replace(agreed, stacks=agreed.stacks + 1, same_chips=agreed.same_chips + same)
            differing += [] if same else [On.CHIPS]
    if iou < SAME_OUTLINE_IOU:
        differing.append(On.OUTLINE)
    return agreed, differing


def matched(
    first: Sequence[LabelledObject], second: Sequence[LabelledObject]
) -> list[tuple[LabelledObject, LabelledObject, float]]:
    """Pairs that are the same object, best overlap first, each object at most once."""
    shares = _overlaps(first, second)
    overlaps = [
        (float(shares[i, j]), first[i].kind is second[j].kind, -i, -j)
        for i, j in np.argwhere(shares >= SAME_OBJECT_IOU).tolist()
    ]
    taken_first: set[int] = set()
    taken_second: set[int] = set()
    pairs = []
    for iou, _, i, j in sorted(overlaps, reverse=True):
        if -i not in taken_first and -j not in taken_second:
            taken_first.add(-i)
            taken_second.add(-j)
            pairs.append((first[-i], second[-j], iou))
    return pairs


def outline_iou(one: LabelledObject, two: LabelledObject) -> float:
    """The area that both outlines cover over that which either does."""
    return float(_overlaps([one], [two])[0, 0])


def _overlaps(first: Sequence[LabelledObject], second: Sequence[LabelledObject]) -> NDArray[np.float64]:
    """`outline_iou` (n, m) of each with each; equal outlines have 1, whatever rounding left of it."""
    one, two = (np.array([each.corners_px for each in items], np.float64) for items in (first, second))
    return np.round(iou_matrix(one, two), 9)


def agreements_of(store: LabelStore, picture: str) -> Iterator[Agreement]:
    """Every pair of authors who have finished a picture; the author of its own line comes first."""
    finished = store.finals(picture)
    for first, second in combinations(finished.values(), 2):
        yield agreement_on(first, second)


def by_pair(agreements: Iterable[Agreement]) -> list[Agreement]:
    """One line a pair of authors, by their names, whoever was first on which picture."""
    together: dict[tuple[str, str], Agreement] = {}
    for each in agreements:
        ordered = each if each.authors[0] <= each.authors[1] else _turned(each)
        known = together.get(ordered.authors, Agreement(ordered.authors))
        together[ordered.authors] = known.with_picture(ordered)
    return [together[authors] for authors in sorted(together)]


def _turned(each: Agreement) -> Agreement:
    return replace(
        each,
        authors=(each.authors[1], each.authors[0]),
        objects=(each.objects[1], each.objects[0]),
        ranks=tuple((two, one) for one, two in each.ranks),
        disagreements=tuple(replace(d, first=d.second, second=d.first) for d in each.disagreements),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
