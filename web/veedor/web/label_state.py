"""What one picture's page is told: its objects, whence they are, and the table's chips and zones."""

from __future__ import annotations

from dataclasses import dataclass

from veedor.datasets.labelled import LabelledObject
from veedor.datasets.labelled_json import object_to_json
from veedor.monitor.labelling.agreement import Disagreement, agreement_on
from veedor.monitor.labelling.revisions import CONFIDENCE, Revision, as_a_person_has_it
from veedor.monitor.labelling.store import LabelStore
from veedor.monitor.language import Language
from veedor.vision.table import Table
from veedor.web import zone_words


@dataclass(frozen=True)
class Opinion:
    """Whose labels of a picture a page is about: the picture's own, or an author's second opinion."""

    picture: str
    second_of: str | None = None

    def newest(self, store: LabelStore) -> Revision:
        """The newest revision; a second opinion that is not begun starts from what the model has seen."""
        if self.second_of is None:
            return store.latest(self.picture)
        return store.latest_second(self.picture, self.second_of) or store.proposal(self.picture)


def revision_json(revision: Revision) -> dict[str, object]:
    """A revision as the page keeps it: objects without the model's confidence."""
    return {
        "number": revision.number, "state": revision.state.value, "author": revision.author,
        "at": revision.at, "key": revision.key, "checked": list(revision.checked),
        "objects": [object_to_json(each) for each in as_a_person_has_it(revision.objects)],
    }  # fmt: skip


def scores_json(proposal: Revision) -> dict[str, float]:
    """How sure the model was, by object."""
    scores = {}
    for each in proposal.objects:
        written = dict(each.extra).get(CONFIDENCE)
        if written is not None:
            try:
                scores[each.id] = float(written)
            except ValueError:
                continue
    return scores


def table_json(table: Table | None, language: Language) -> dict[str, object]:
    """The chips by value and the zones in words; neither where the picture is of no known table."""
    if table is None:
        return {"chips": [], "zones": []}
    chips = sorted(table.chips, key=lambda chip: chip.value)
    zones = [(zone.name, zone_words.place(zone.name, language)) for zone in table.layout.zones]
    return {
        "chips": [
            {"name": chip.name, "value": chip.value, "plaque": chip.plaque, "rgb": list(chip.colour_rgb)}
            for chip in chips
        ],
        "zones": [{"name": name, "words": words} for name, words in sorted(zones, key=lambda each: each[1])],
    }


def other_json(own: Revision, other: Revision) -> dict[str, object]:
    """Another author's labels beside the picture's own, and what the two do not agree on."""
    differing = agreement_on(own, other).disagreements
    return {
        "author": other.author,
        "objects": [object_to_json(each) for each in other.objects],
        "differences": [_difference(each) for each in differing],
    }


def _difference(each: Disagreement) -> dict[str, object]:
    return {"on": each.on.value, "own": _id(each.first), "other": _id(each.second), "iou": round(each.iou, 3)}


def _id(labelled: LabelledObject | None) -> str | None:
    return None if labelled is None else labelled.id
