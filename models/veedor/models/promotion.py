"""New weights take the place of the shipped ones only if nothing that counts got worse."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from veedor.datasets.replacing import replacing
from veedor.models.checkpoints import install_checkpoint
from veedor.models.errors import PromotionError
from veedor.models.figures import Figure
from veedor.models.labels import LabelledSet
from veedor.models.model_files import MODEL_NAMES, load_models
from veedor.models.registry import ModelEntry, checked_path, read_manifest, record
from veedor.models.reliability import Reliability
from veedor.models.scorecard import Scorecard, measure

# One thing more wrong than right may be chance on a small set; on a large one no more than this share may.
TOLERANCE = 0.005
TOLERATED_THINGS = 1
CALIBRATION_TOLERANCE = 0.03
CALIBRATION_READINGS = 50  # of fewer the calibration error is mostly chance

_FIGURES_OF = {
    "detector": ("recall", "precision", "face or back, of those found", "bets: found", "chips precision"),
    "reader": ("rank", "suit", "rank, 30 px or wider"),
    "stacks": ("bets: count of piles right, of those told",),
}


@dataclass(frozen=True)
class Change:
    """A figure with the weights of before and after, on the same pictures.

    `lost` and `gained` count single things where they can be compared one by one. `fault` says in what way
    it got worse, None where it did not.
    """

    before: Figure
    after: Figure
    lost: int | None
    gained: int | None
    fault: str | None = None

    @property
    def name(self) -> str:
        return f"{self.before.set_name}: {self.before.name}"


@dataclass(frozen=True)
class Comparison:
    """What became better and worse. `calibration` are faults of the reader's probabilities, in words."""

    changes: tuple[Change, ...]
    calibration: tuple[str, ...]
    before: Scorecard
    after: Scorecard

    @property
    def faults(self) -> tuple[str, ...]:
        """Each figure that got worse, in one line; empty if the new weights may replace the old ones."""
        worse = tuple(f"{each.name}: {each.fault}" for each in self.changes if each.fault is not None)
        return worse + self.calibration


def candidate_files(folder: Path) -> dict[str, Path]:
    """The models that a candidate's manifest describes, checked; PromotionError if there is none."""
    found = {name: checked_path(folder, name) for name in read_manifest(folder) if name in MODEL_NAMES}
    if not found:
        raise PromotionError(f"{folder}: its manifest describes none of {', '.join(MODEL_NAMES)}")
    return found


def compare(
    candidate: Path,
    weights: Path,
    sets: Sequence[LabelledSet],
    *,
    threads: int = 2,
    progress: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> Comparison:
    """Look at all sets with the weights of a folder and with a candidate's in their place."""
    new = candidate_files(candidate)
    old = {name: checked_path(weights, name) for name in MODEL_NAMES}
    before = measure(sets, load_models(old, threads=threads), progress, more_looks=False)
    after = measure(sets, load_models(old | new, threads=threads), progress, more_looks=False)
    return Comparison(
        tuple(_changes(before, after)),
        tuple(_calibration_faults(before.reliabilities, after.reliabilities)),
        before,
        after,
    )


def install(candidate: Path, weights: Path, comparison: Comparison) -> list[str]:
    """Put a candidate's files in the place of the folder's, with their figures; the names of its models.

    PromotionError if anything that counts got worse.
    """
    if comparison.faults:
        raise PromotionError(f"{candidate}: not promoted: {comparison.faults[0]}")
    entries = read_manifest(candidate)
    names = sorted(candidate_files(candidate))
    for name in names:
        entry = entries[name]
        target = weights / f"{name}.onnx"
        with replacing(target) as part:
            shutil.copyfile(candidate / entry.file, part)
        record(weights, replace(entry, file=target.name, scores=_scores(name, comparison.after)))
        install_checkpoint(name, candidate, weights)
    for name, kept in read_manifest(weights).items():
        if name not in names and name in MODEL_NAMES:
            record(weights, replace(kept, scores=_kept_scores(kept, comparison.after)))
    return names


def _scores(name: str, card: Scorecard) -> dict[str, dict[str, float]]:
    wanted = _FIGURES_OF[name]
    scores: dict[str, dict[str, float]] = {}
    for figure in card.figures:
        if figure.name in wanted and figure.value is not None:
            scores.setdefault(figure.set_name, {})[figure.name] = round(figure.value, 4)
    return scores


def _kept_scores(entry: ModelEntry, card: Scorecard) -> Mapping[str, Mapping[str, float]]:
    """Scores of a model that stays: end to end they depend on the others, so those measured anew replace."""
    return {**entry.scores, **_scores(entry.name, card)}


def _changes(before: Scorecard, after: Scorecard) -> list[Change]:
    new = {(figure.set_name, figure.name): figure for figure in after.figures}
    changes = []
    for old in before.figures:
        figure = new.get((old.set_name, old.name), replace(old, right=0, n=0, items={}))
        changes.append(_change(old, figure))
    return changes


def _only_found_more(before: Figure, after: Figure) -> bool:
    """Whether a share of what was found fell by one thing that was not found at all before."""
    wrong = (after.n - after.right) - (before.n - before.right)
    return after.n > before.n and after.right >= before.right and wrong <= TOLERATED_THINGS


def _change(before: Figure, after: Figure) -> Change:
    lost = gained = None
    net = _net_loss(before, after)
    if before.items and before.items.keys() == after.items.keys():
        good = not before.at_most  # of a figure that has to stay low, an item that counts is a bad one
        lost = sum(was is good and after.items[key] is not good for key, was in before.items.items())
        gained = sum(was is not good and after.items[key] is good for key, was in before.items.items())
        net = float(lost - gained)
    fault = None
    if before.counts and net > max(TOLERATED_THINGS, TOLERANCE * before.n):
        fault = f"{_told(before)} became {_told(after)}"
    elif before.holds and after.holds is False and not _only_found_more(before, after):
        fault = f"reached {before.target} with {_told(before)} and does not with {_told(after)}"
    return Change(before, after, lost, gained, fault)


def _net_loss(before: Figure, after: Figure) -> float:
    """How many things fewer are right, of as many as before."""
    if before.value is None:
        return 0.0
    if after.value is None:
        return float(before.n)
    fall = after.value - before.value if before.at_most else before.value - after.value
    return fall * before.n


def _calibration_faults(before: Sequence[Reliability], after: Sequence[Reliability]) -> list[str]:
    new = {(one.set_name, one.what): one for one in after}
    faults = []
    for old in before:
        now = new.get((old.set_name, old.what))
        if now is None or min(old.n, now.n) < CALIBRATION_READINGS:
            continue
        if now.error > old.error + CALIBRATION_TOLERANCE:
            faults.append(
                f"{old.set_name}: calibration error of the {old.what} {old.error:.3f} became {now.error:.3f}"
            )
    return faults


def _told(figure: Figure) -> str:
    return f"{figure.right}/{figure.n}" + ("" if figure.value is None else f" ({figure.value:.3f})")
