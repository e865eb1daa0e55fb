"""`veedor compare`: two reviews of one night, with other weights or rules, and what they say differently."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_data, add_json
from veedor.monitor.language import counted, text
from veedor.rules.plain_text import printable
from veedor.rules.telling import clock

if TYPE_CHECKING:
    from veedor.monitor.compare import Comparison, Difference, Told


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "compare",
        help=text(es="compara dos revisiones de una noche", en="compare two reviews of one night"),
        description=text(
            es="Compara dos sesiones de las mismas grabaciones, revisadas con otros modelos u otras reglas: "
            "hallazgos de una sola, veredictos cambiados, cartas e importes leídos de otro modo. Termina con "
            "1 si algo difiere.",
            en="Compares two sessions of the same recordings, reviewed with other weights or rules: findings "
            "of one alone, changed verdicts, cards and amounts read otherwise. Ends with 1 if anything "
            "differs.",
        ),
    )
    parser.add_argument("first", metavar="A", help=text(es="sesión MESA/INICIO", en="a session, TABLE/START"))
    parser.add_argument("second", metavar="B", help=text(es="la otra", en="the other one"))
    add_data(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.compare import compare_sessions

    found = compare_sessions(args.data, args.first, args.second)
    if args.json:
        print(json.dumps(asdict(found) | {"agrees": found.agrees}, ensure_ascii=False))
    else:
        print("\n".join(printable(line) for line in _lines(found)))
    return 0 if found.agrees else 1


def _lines(found: Comparison) -> list[str]:
    lines = [f"A {found.first}", f"B {found.second}"]
    for name, first, second in found.made:
        lines.append(f"  {_maker(name)}: {first[:40] or '—'} → {second[:40] or '—'}")
    both = text(es="en las dos", en="in both")
    lines += [f"  {_maker(name)}: {shown[:40]} ({both})" for name, shown in found.alike]
    if not found.made and not found.alike:
        lines.append(
            text(
                es="  ninguna de las dos dice con qué reglas y modelos se hizo",
                en="  neither says what rules and models it was made with",
            )
        )
    for letter, coups in zip("AB", found.corrected, strict=True):
        if coups:
            by_hand = text(es="golpes corregidos por personas", en="coups corrected by people")
            lines.append(f"  {letter}: {by_hand}: {', '.join(map(str, coups))}")
    only_first = (_told(each) + _by_hand("A" if each.corrected else "") for each in found.only_first)
    only_second = (_told(each) + _by_hand("B" if each.corrected else "") for each in found.only_second)
    lines += _section(text(es="hallazgos sólo en A", en="findings only in A"), only_first)
    lines += _section(text(es="hallazgos sólo en B", en="findings only in B"), only_second)
    changed = (
        f"{_told(one)} → {_change(one, other)}"
        + _by_hand(("A" if one.corrected else "") + ("B" if other.corrected else ""))
        for one, other in found.changed
    )
    lines += _section(text(es="hallazgos que cambian", en="findings that changed"), changed)
    titles = {
        "cards": text(es="cartas leídas de otro modo", en="cards read otherwise"),
        "stake": text(es="apuestas leídas de otro modo", en="stakes read otherwise"),
        "settled": text(es="pagos leídos de otro modo", en="settlements read otherwise"),
    }
    for what, title in titles.items():
        lines += _section(title, (_difference(each) for each in found.differences if each.what == what))
    same = counted(
        found.same, es=("hallazgo igual", "hallazgos iguales"), en=("finding alike", "findings alike")
    )
    return [*lines, f"{same}, {found.coups[0]} / {found.coups[1]} " + text(es="golpes", en="coups")]


def _maker(name: str) -> str:
    names = {"rules": text(es="reglas", en="rules"), "program": text(es="programa", en="program")}
    return names.get(name, name.replace("model", text(es="modelo", en="model")))


def _by_hand(letters: str) -> str:
    """Says that a person has put the coup right, in the record of A, of B or of both; nothing else."""
    if not letters:
        return ""
    where = text(es=" y ", en=" and ").join(letters)
    return text(es=f"  [corregido por una persona en {where}]", en=f"  [corrected by a person in {where}]")


def _section(title: str, each: Iterable[str]) -> list[str]:
    lines = [f"  {line}" for line in each]
    return [f"{title} ({len(lines)}):", *lines] if lines else []


def _told(each: Told) -> str:
    coup = text(es="golpe", en="coup")
    where = f"{clock(each.t_s):>9}  {coup} {each.coup}"
    return f"{where}  {each.code}  {each.actor}  {each.verdict} {each.confidence:.2f}"


def _change(one: Told, other: Told) -> str:
    parts = [f"{other.verdict} {other.confidence:.2f}"]
    if one.found != other.found:
        parts.append(other.found)
    if one.expected != other.expected:
        parts.append(other.expected)
    return "; ".join(parts)


def _difference(each: Difference) -> str:
    coup = text(es="golpe", en="coup")
    letters = "".join({"first": "A", "second": "B"}[name] for name in each.corrected)
    seen = f"{each.where}: {each.first or '—'} → {each.second or '—'}"
    return f"{clock(each.t_s):>9}  {coup} {each.coup}  {seen}{_by_hand(letters)}"
