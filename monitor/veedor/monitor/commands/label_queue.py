"""`veedor label queue`: the pictures of the data folder that would teach most, into the label store."""

from __future__ import annotations

import argparse
import json

from veedor.monitor.arguments import add_data, add_json, whole_number
from veedor.monitor.language import counted, current, text
from veedor.monitor.progress import show_count

MOST = 5000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "queue",
        help=text(es="qué imágenes enseñan más", en="which pictures teach most"),
        description=text(
            es="Ordena los cuadros de las sesiones por lo que enseñan (lecturas dudosas, cambios entre "
            "miradas, contradicciones, hallazgos descartados, correcciones, mesa nueva), elige los que se "
            "distinguen y los agrega al depósito de etiquetas con la propuesta de los modelos.",
            en="Ranks the frames of the sessions by what they teach (doubtful readings, changes between "
            "looks, contradictions, dismissed findings, corrections, a new table), chooses those that differ "
            "and adds them to the label store with what the models propose.",
        ),
    )
    add_data(parser)
    parser.add_argument("--table", metavar="T", help=text(es="solo esta mesa", en="this table alone"))
    parser.add_argument(
        "--take",
        type=whole_number(1, MOST),
        default=100,
        metavar="N",
        help=text(es="cuántas imágenes (100)", en="how many pictures (100)"),
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.errors import UsageFault
    from veedor.monitor.labelling.queue import Order, fill
    from veedor.monitor.labelling.taken import moment_text
    from veedor.monitor.quiet import quiet_libraries
    from veedor.monitor.store.layout import session_folders

    folders = list(session_folders(args.data))
    if not folders:
        raise UsageFault(
            text(es=f"{args.data}: no contiene sesiones", en=f"{args.data}: holds no sessions of any table")
        )
    if args.table is not None and all(each.table_id != args.table for each in folders):
        raise UsageFault(
            text(
                es=f"{args.data}: ninguna sesión de la mesa {args.table}",
                en=f"{args.data}: no session of a table {args.table}",
            )
        )
    with quiet_libraries():
        queued = fill(Order(args.data, args.take, args.table), show_count)
    if args.json:
        told = [
            {
                "picture": each.picture.id,
                "session": each.session,
                "t": round(each.t_s, 3),
                "score": each.waiting.score,
                "why": [{"es": why.es, "en": why.en} for why in each.waiting.why],
            }
            for each in queued
        ]
        print(json.dumps({"pictures": told}, ensure_ascii=False))
        return 0
    for each in queued:
        why = "; ".join(why.in_language(current()) for why in each.waiting.why)
        print(f"{each.waiting.score:6.3f}  {moment_text(args.data, each.session, each.t_s)}  {why}")
    print(
        counted(
            len(queued), es=("imagen agregada", "imágenes agregadas"), en=("picture added", "pictures added")
        )
    )
    return 0
