"""`veedor store`: the index of a data folder, made anew from its files or compared with them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from veedor.monitor.arguments import add_data, add_json
from veedor.monitor.language import text
from veedor.rules.plain_text import printable

_MOST_TOLD = 50  # faults of the files


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "store",
        help=text(es="rehace o comprueba el almacén", en="rebuild or check the store"),
        description=text(
            es="El almacén (store.sqlite) es un índice de la carpeta de datos: «rebuild» lo rehace con los "
            "registros, hallazgos y decisiones; «check» lo compara con ellos y no cambia nada.",
            en="The store (store.sqlite) is an index of the data folder: `rebuild` makes it anew from the "
            "journals, findings and decisions; `check` compares it with them and changes nothing.",
        ),
    )
    parser.add_argument("action", choices=("rebuild", "check"), metavar="rebuild|check")
    add_data(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    return (
        _rebuild(args.data, as_json=args.json)
        if args.action == "rebuild"
        else _check(args.data, as_json=args.json)
    )


def _rebuild(data: Path, *, as_json: bool) -> int:
    from veedor.monitor.store.rebuild import rebuild

    done = rebuild(data)
    if as_json:
        replaced = None if done.replaced is None else str(done.replaced)
        print(
            json.dumps({"rows": done.rows, "faults": done.faults, "replaced": replaced}, ensure_ascii=False)
        )
        return 0
    print(_rows(done.rows))
    if done.replaced is not None:
        kept = text(es="el almacén que no servía queda en", en="the store that could not be used is kept as")
        print(f"{kept} {done.replaced}")
    _tell(done.faults)
    return 0


def _check(data: Path, *, as_json: bool) -> int:
    from veedor.monitor.store.rebuild import check

    found = check(data)
    if as_json:
        shown = {"rows": found.rows, "differences": found.differences, "faults": found.faults}
        print(json.dumps(shown, ensure_ascii=False))
    else:
        print(_rows(found.rows))
        for line in found.differences:
            print(printable(line))
        if not found.differences:
            print(text(es="dice lo mismo que los archivos", en="says the same as the files"))
        _tell(found.faults)
    return 1 if found.differences else 0


def _rows(rows: Mapping[str, int]) -> str:
    names = {
        "sessions": text(es="sesiones", en="sessions"),
        "events": text(es="sucesos", en="events"),
        "coups": text(es="jugadas", en="coups"),
        "findings": text(es="hallazgos", en="findings"),
        "decisions": text(es="decisiones", en="decisions"),
        "clips": text(es="pruebas", en="evidence"),
    }
    return ", ".join(f"{names[name]}: {count}" for name, count in rows.items())


def _tell(faults: Sequence[str]) -> None:
    for line in faults[:_MOST_TOLD]:
        print(printable(line), file=sys.stderr)
    if len(faults) > _MOST_TOLD:
        rest = len(faults) - _MOST_TOLD
        print(text(es=f"y {rest} más", en=f"and {rest} more"), file=sys.stderr)
