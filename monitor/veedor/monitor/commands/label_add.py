"""`veedor label add`: still pictures into the label store, with what the models see in them."""

from __future__ import annotations

import argparse
from pathlib import Path

from veedor.monitor.arguments import add_data
from veedor.monitor.language import counted, text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "add",
        help=text(es="agrega imágenes fijas para etiquetar", en="add still pictures to be labelled"),
        description=text(
            es="Agrega imágenes fijas al depósito de etiquetas, con lo que ven los modelos como propuesta."
            " Una que ya está queda como está.",
            en="Adds still pictures to the label store, with what the models see as the proposal. One that"
            " is there already stays as it is.",
        ),
    )
    parser.add_argument("images", nargs="+", type=Path, metavar=text(es="IMAGEN", en="IMAGE"))
    add_data(parser)
    parser.add_argument(
        "--table",
        type=Path,
        metavar="T",
        help=text(es="mesa: propone fichas y zonas", en="table file: proposes chips and zones"),
    )


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.errors import UsageFault
    from veedor.monitor.eyes import open_eyes
    from veedor.monitor.labelling.proposals import add_still
    from veedor.monitor.labelling.store import LabelStore
    from veedor.monitor.quiet import quiet_libraries
    from veedor.vision.sources import read_image
    from veedor.vision.table_file import load_table

    table = None if args.table is None else load_table(args.table)
    with quiet_libraries():
        for path in args.images:  # a bad one fails before anything is added
            if not path.is_file():
                raise UsageFault(text(es=f"{path}: no existe", en=f"{path}: no such file"))
            read_image(path)
    store = LabelStore(args.data)
    eyes = open_eyes(threads=2)
    for path in args.images:
        with quiet_libraries():
            revision = add_still(store, path, eyes, table)
        count = len(revision.objects)
        objects = counted(count, es=("objeto", "objetos"), en=("object", "objects"))
        print(f"{path}: {revision.picture}, {objects}", flush=True)
    return 0
