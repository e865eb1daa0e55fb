"""Scores of labelled sets in words, for `veedor evaluate` and `veedor models promote`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.models.figures import Figure
    from veedor.models.scoring import SetScores


def report(scores: SetScores, figures: Sequence[Figure]) -> str:
    """A set's scores: totals, figures by width, and each thing that went wrong."""
    from veedor.models.evaluation import as_json

    result = as_json(scores, figures)
    pictures, cards, chips = result["pictures"], result["cards"], result["chips"]
    lines = [
        text(
            es=f"{scores.name}: {pictures} imágenes, {cards} cartas, {chips} fichas",
            en=f"{scores.name}: {pictures} pictures, {cards} cards, {chips} chips",
        ),
        *figure_lines(figures),
    ]
    for part in result["by_width_px"]:
        upper = f"–{part['to']}" if part["to"] < 1000 else "+"
        lines.append(_shares_line(f"{part['from']}{upper} px ({part['cards']})", part))
    lines += _listed(text(es="no hallada", en="missed"), result["misses"])
    lines += _listed(text(es="mal leída", en="misread"), result["misread"])
    lines += _listed(text(es="no es carta", en="no card"), result["false_cards"])
    return "\n".join(lines)


def figure_lines(figures: Iterable[Figure]) -> list[str]:
    """One line a figure: share, interval, count, and whether it reaches what it has to."""
    lines = []
    for figure in figures:
        low, high = figure.interval or (0.0, 1.0)
        line = f"  {figure.name}: {percent(figure.value)} ({percent(low)} – {percent(high)})"
        line += f", {figure.right}/{figure.n}"
        if figure.target is not None:
            sign = "≤" if figure.at_most else "≥"
            verdict = (
                text(es="cumple", en="holds") if figure.holds else text(es="NO CUMPLE", en="DOES NOT HOLD")
            )
            line += f", {sign} {percent(figure.target)}: {verdict}"
        lines.append(line)
    return lines


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _shares_line(name: str, part: dict[str, Any]) -> str:
    words = (
        ("recall", text(es="halladas", en="found")),
        ("rank_right", text(es="valor", en="rank")),
        ("suit_right", text(es="palo", en="suit")),
        ("face_right", text(es="cara o dorso", en="face or back")),
    )
    return f"{name}: " + ", ".join(f"{word} {percent(part[key])}" for key, word in words)


def _listed(word: str, entries: list[dict[str, Any]]) -> list[str]:
    lines = []
    for entry in entries:
        x, y = entry["polygon"][0]
        what = f" {entry['card']}" if "card" in entry else ""
        read = f" → {entry['read']}" if "read" in entry else ""
        lines.append(f"  {word}: {entry['picture']} ({x:.0f}, {y:.0f}){what}{read}")
    return lines
