"""`veedor label version`: what people have called done, frozen for training and measuring."""

from __future__ import annotations

import argparse
import json
from collections import Counter

from veedor.monitor.arguments import add_data, add_json
from veedor.monitor.language import counted, text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "version",
        help=text(es="congela las etiquetas terminadas", en="freeze the labels that are done"),
        description=text(
            es="Congela la última revisión terminada de cada imagen en DIR/labels/versions/N: imágenes, "
            "etiquetas, mesas, partes por sesión y el sha256 de cada archivo. No cambia nunca más.",
            en="Freezes the newest done revision of every picture as DIR/labels/versions/N: pictures, "
            "labels, tables, splits by session and every file's sha256. It never changes again.",
        ),
    )
    add_data(parser)
    parser.add_argument(
        "--held-out",
        type=float,
        default=0.2,
        metavar="SHARE",
        help=text(
            es="parte de las sesiones que se reserva para medir (0.2)",
            en="the share of the sessions that is held out to measure on (0.2)",
        ),
    )
    parser.add_argument(
        "--check",
        type=int,
        metavar="N",
        help=text(
            es="comprueba la versión N en vez de hacer una", en="check version N instead of making one"
        ),
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.datasets.formats.splits import Shares
    from veedor.monitor.errors import UsageFault
    from veedor.monitor.labelling.versions import freeze, read

    if not args.data.is_dir():
        raise UsageFault(text(es=f"{args.data}: no existe esa carpeta", en=f"{args.data}: no such folder"))
    if args.check is not None:
        version = read(args.data, args.check)
        folder, counts = version.folder, dict(Counter(str(each.split) for each in version.pictures))
        objects = sum(len(each.objects) for each in version.pictures)
    else:
        if not 0.0 <= args.held_out < 1.0:
            bounds = text(es="de 0 a menos de 1", en="from 0 to less than 1")
            raise UsageFault(f"--held-out {args.held_out:g}: {bounds}")
        frozen = freeze(args.data, Shares(args.held_out / 2, args.held_out / 2))
        folder, counts, objects = frozen.folder, dict(frozen.pictures), frozen.objects
    held_out = sum(count for split, count in counts.items() if split != "train")
    if args.json:
        told = {"version": str(folder), "pictures": counts, "objects": objects}
        print(json.dumps(told, ensure_ascii=False))
        return 0
    pictures = counted(sum(counts.values()), es=("imagen", "imágenes"), en=("picture", "pictures"))
    things = counted(objects, es=("objeto", "objetos"), en=("object", "objects"))
    shares = ", ".join(f"{split} {count}" for split, count in sorted(counts.items()))
    print(f"{folder}: {pictures} ({shares}), {things}")
    if not held_out:
        print(
            text(
                es="ninguna sesión quedó reservada: con esta versión no se puede medir",
                en="no session was held out: nothing can be measured with this version",
            )
        )
    return 0
