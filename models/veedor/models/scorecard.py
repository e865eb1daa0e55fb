"""The scorecard: every figure of every set with one set of weights, and its form for the next comparison."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from veedor.datasets.replacing import replace_text
from veedor.models.enrolled_set import with_enrolled_chips
from veedor.models.errors import EvaluationError
from veedor.models.evaluation import evaluate, rounded
from veedor.models.figures import Figure, figures_of
from veedor.models.labels import LabelledSet, read_json
from veedor.models.model_files import ModelSet
from veedor.models.reliability import Reliability, reliabilities
from veedor.models.scoring import SetScores

SCHEMA = 1
BLIND = ", without its table file"
ENROLLED = ", chip set enrolled"
KNOWN_BY_CHIPS = ("bets: value", "bets: top chip", "bets: amount right")
KNOWN_BY_TABLE = (*KNOWN_BY_CHIPS, "bets: plays", "bets: near", "bets: count", "bets: amount")


@dataclass(frozen=True)
class SetResult:
    """One set looked at once."""

    name: str
    pictures: int
    figures: tuple[Figure, ...]
    median_ms: float
    scores: SetScores


@dataclass(frozen=True)
class Scorecard:
    """`hashes` are the sha256 of the weights; `absent` names the sets that were not there to be measured."""

    hashes: Mapping[str, str]
    results: tuple[SetResult, ...]
    reliabilities: tuple[Reliability, ...]
    absent: tuple[str, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(figure for result in self.results for figure in result.figures)


def measure(
    sets: Sequence[LabelledSet],
    models: ModelSet,
    progress: Callable[[str, int, int], None] = lambda name, done, total: None,
    *,
    more_looks: bool = True,
    absent: tuple[str, ...] = (),
) -> Scorecard:
    """Look at all sets; those with tables also without them and with enrolled chips, if `more_looks`."""
    results = []
    for labelled in sets:
        results.append(_result(labelled, models, progress, labelled.name, lambda figure: figure))
        if more_looks and any(picture.table is not None for picture in labelled.pictures):
            bare = replace(
                labelled, pictures=tuple(replace(picture, table=None) for picture in labelled.pictures)
            )
            results.append(_result(bare, models, progress, labelled.name + BLIND, _told_without_table))
            known = with_enrolled_chips(labelled)
            results.append(_result(known, models, progress, labelled.name + ENROLLED, _told_with_chips))
    scores = [result.scores for result in results if result.name == result.scores.name]
    return Scorecard(models.hashes, tuple(results), tuple(reliabilities(scores)), absent)


def _result(
    labelled: LabelledSet,
    models: ModelSet,
    progress: Callable[[str, int, int], None],
    name: str,
    told: Callable[[Figure], Figure | None],
) -> SetResult:
    scores = evaluate(labelled, models, lambda done, total: progress(name, done, total))
    figures = [told(replace(figure, set_name=name)) for figure in figures_of(scores)]
    median = float(np.median(scores.took_ms)) if scores.took_ms else 0.0
    kept = tuple(figure for figure in figures if figure is not None)
    return SetResult(name, scores.pictures, kept, median, scores)


def _told_without_table(figure: Figure) -> Figure | None:
    """A second look at the same pictures is held to nothing, and knows nothing of what bets mean."""
    if figure.name.startswith(KNOWN_BY_TABLE):
        return None
    return replace(figure, target=None, counts=False)


def _told_with_chips(figure: Figure) -> Figure | None:
    """Only the reading of chips differs."""
    return figure if figure.name.startswith(KNOWN_BY_CHIPS) else None


def as_record(card: Scorecard) -> dict[str, Any]:
    """What the regression file holds; times are left out, they are the machine's."""
    return {
        "schema": SCHEMA,
        "weights": dict(sorted(card.hashes.items())),
        "sets": {result.name: {"pictures": result.pictures} for result in card.results},
        "absent": list(card.absent),
        "figures": [_figure_record(figure) for figure in card.figures],
        "reliability": [_reliability_record(each) for each in card.reliabilities],
    }


def write_record(card: Scorecard, path: Path) -> None:
    """Write the regression file, whole or not at all."""
    replace_text(path, json.dumps(as_record(card), indent=1, ensure_ascii=False) + "\n")


def read_record(path: Path) -> dict[str, Any]:
    """The content of a regression file; EvaluationError names the file and the fault."""
    record = read_json(path)
    if record.get("schema") != SCHEMA:
        raise EvaluationError(f"{path}: not a record of scores of schema {SCHEMA}")
    return record


def _figure_record(figure: Figure) -> dict[str, Any]:
    wrong = [key for key, right in sorted(figure.items.items()) if right == figure.at_most]
    record: dict[str, Any] = {
        "set": figure.set_name,
        "figure": figure.name,
        "right": figure.right,
        "n": figure.n,
        "value": rounded(figure.value),
        "interval": None if figure.interval is None else [rounded(part) for part in figure.interval],
        "target": figure.target,
        "at_most": figure.at_most,
        "holds": figure.holds,
    }
    if figure.target is not None and figure.items:
        record["wrong"] = wrong
    return record


def _reliability_record(one: Reliability) -> dict[str, Any]:
    return {
        "set": one.set_name,
        "what": one.what,
        "n": one.n,
        "error": rounded(one.error),
        "told": one.told,
        "told_right": one.told_right,
        "bins": [
            {"from": each.low, "to": each.high, "n": each.n, "sure": rounded(each.sure), "right": each.right}
            for each in one.bins
        ],
    }
