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
    names = {"rules": text(es="reglas", en="rules"), "program": text(es="programa", en="program")}
    for name, first, second in found.made:
        told = names.get(name, name.replace("model", text(es="modelo", en="model")))
        lines.append(f"  {told}: {first[:40] or '—'} → {second[:40] or '—'}")
    if not found.made:
        lines.append(text(es="  hechas con lo mismo", en="  made with the same"))
    lines += _section(text(es="hallazgos sólo en A", en="findings only in A"), map(_told, found.only_first))
    lines += _section(text(es="hallazgos sólo en B", en="findings only in B"), map(_told, found.only_second))
    changed = (f"{_told(one)} → {_change(one, other)}" for one, other in found.changed)
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
    return (
        f"{clock(each.t_s):>9}  {coup} {each.coup}  {each.where}: {each.first or '—'} → {each.second or '—'}"
    )
