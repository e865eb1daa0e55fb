"""The scorecard as a page in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from veedor.models.figures import Figure
from veedor.models.reliability import Reliability
from veedor.models.scorecard import Scorecard, SetResult
from veedor.vision.reader import MIN_PROB

_SETS = {
    "felt-webcam": "frames of a webcam over felt, cards with indices",
    "felt-webcam-noindex": "the same frames, every corner index covered",
    "phone-photos": "the test part of phone photographs, upright boxes, no suits",
    "photoreal": "path-traced tables, each looked at with its table file",
    "photoreal, without its table file": "the same pictures as if nothing were known of the table",
    "photoreal, chip set enrolled": "the same, its chips enrolled on the stacks before players and in the "
    "bank instead of told by the names of their colours",
    "rendered": "own drawings of looks and decks that no training shows",
}
_NOT_HERE = """\
- whole sessions, findings and false findings a table-hour: `tests/benchmarks/planted.py`, on drawn sessions;
- the detector's weights without tiles, tables and reader, as ultralytics' own `predict` uses them:
  `SIDE_BY_SIDE.md`;
- speed: `veedor bench`; the times above are those of one look on the machine that wrote this page;
- calibration without a person: `veedor calibrate`;
- infrared and grey pictures, real dealt sessions, real chips: no labelled pictures of these are at hand.
"""


def page(card: Scorecard) -> str:
    """The whole page."""
    parts = [_HEAD, _weights(card), _targets(card.figures)]
    parts += ["## All figures\n"] + [_set_part(result) for result in card.results]
    parts.append(_reliability_part(card.reliabilities))
    parts.append(_not_measured(card))
    return "\n".join(parts)


_HEAD = """\
# Scorecard

Written by `veedor evaluate --all --scorecard`; the same figures for machines are in `scores.json`.
None of the pictures was trained on. Shares are of everything that was asked for, found or not, unless a
line says otherwise; the interval is Wilson's of 95 %. A card or stack of which less than half is visible is
not asked for, and finding it is no fault. A box counts as found from an overlap (IoU) of 0.5.

What has to be reached in face or back and in what a bet plays is asked of those found, because it lies at or
above what is asked of finding them; everything else is asked of all.
"""


def _weights(card: Scorecard) -> str:
    lines = ["| weights | sha256 |", "| --- | --- |"]
    lines += [f"| {name} | `{sha}` |" for name, sha in sorted(card.hashes.items())]
    return "\n".join(lines) + "\n"


def _targets(figures: Sequence[Figure]) -> str:
    held = [figure for figure in figures if figure.target is not None]
    lines = ["## What has to be reached\n", "| set | figure | measured | 95 % | of | to reach | holds |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for figure in held:
        sign = "≤" if figure.at_most else "≥"
        lines.append(
            f"| {figure.set_name} | {figure.name} | {_share(figure.value)} | {_interval(figure)} "
            f"| {figure.n} | {sign} {figure.target} | {'yes' if figure.holds else '**no**'} |"
        )
    reached = sum(figure.holds is True for figure in held)
    lines.append(f"\n{reached} of {len(held)} hold.\n")
    return "\n".join(lines)


def _set_part(result: SetResult) -> str:
    what = _SETS.get(result.name, "labelled pictures")
    lines = [f"### {result.name}\n"]
    lines.append(f"{result.pictures} pictures: {what}. {result.median_ms:.0f} ms a picture (median).\n")
    lines += ["| figure | measured | 95 % | right | of |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {each.name} | {_share(each.value)} | {_interval(each)} | {each.right} | {each.n} |"
        for each in result.figures
    ]
    return "\n".join(lines) + "\n"


def _reliability_part(parts: Sequence[Reliability]) -> str:
    lines = ["## Can the reader's probabilities be believed?\n"]
    lines.append(
        "Of cards found, how far sureness and rightness are apart (expected calibration error, bins below); "
        f"a sign below {MIN_PROB} is given out as `?`.\n"
    )
    lines += [
        "| set | sign | read | error | told | right, of those told |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in parts:
        told = f"{one.told_right} ({_share(one.told_right / one.told)})" if one.told else "–"
        lines.append(f"| {one.set_name} | {one.what} | {one.n} | {one.error:.3f} | {one.told} | {told} |")
    lines.append("\n| set | sign | sure | read | mean sureness | right |")
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for one in parts:
        for each in one.bins:
            lines.append(
                f"| {one.set_name} | {one.what} | {each.low:g}–{each.high:g} | {each.n} | {each.sure:.3f} "
                f"| {_share(each.right / each.n)} |"
            )
    return "\n".join(lines) + "\n"


def _not_measured(card: Scorecard) -> str:
    lines = ["## Not measured here\n"]
    lines += [f"- the set `{name}`: its pictures were not there;" for name in card.absent]
    return "\n".join(lines) + ("\n" if card.absent else "") + _NOT_HERE


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(figure: Figure) -> str:
    return "–" if figure.interval is None else f"{figure.interval[0]:.3f}–{figure.interval[1]:.3f}"
