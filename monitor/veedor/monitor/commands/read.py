"""`veedor read`: what the models see in still pictures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.language import counted, text

if TYPE_CHECKING:
    from veedor.vision.frames import Image


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "read",
        help=text(es="dice qué se ve en imágenes", en="say what is seen in pictures"),
        description=text(
            es="Dice qué cartas, fichas y manos ven los modelos en imágenes fijas, una línea por imagen.",
            en="Says which cards, chips and hands the models see in still pictures, one line a picture.",
        ),
    )
    parser.add_argument("images", nargs="+", type=Path, metavar=text(es="IMAGEN", en="IMAGE"))
    parser.add_argument(
        "--table",
        type=Path,
        metavar="T",
        help=text(es="mesa: añade mm y zonas", en="table file: adds mm and zones"),
    )
    parser.add_argument(
        "--json", action="store_true", help=text(es="una línea JSON por imagen", en="JSON lines")
    )


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.eyes import open_eyes
    from veedor.monitor.quiet import quiet_libraries
    from veedor.monitor.stills import as_json, look
    from veedor.rules.profile import load_profile
    from veedor.vision.sources import read_image
    from veedor.vision.table_file import load_table

    table = None if args.table is None else load_table(args.table)
    if table is not None:
        load_profile(table.profile, named_in=args.table)  # before any picture is looked at

    def read(path: Path) -> Image:
        with quiet_libraries():  # libpng writes its own line about a truncated file
            return read_image(path)

    pictures = [(path, read(path)) for path in args.images[:1]]  # a bad first picture fails at once
    eyes = open_eyes(threads=2)
    for path in args.images:
        image = pictures.pop()[1] if pictures else read(path)
        line = as_json(look(image, eyes, table), path, table)
        print(json.dumps(line, ensure_ascii=False) if args.json else _summary(line), flush=True)
    return 0


def _summary(line: dict[str, object]) -> str:
    cards, chips, other = line["cards"], line["chips"], line["other"]
    assert isinstance(cards, list) and isinstance(chips, list) and isinstance(other, list)
    faces = sorted(card["rank"] + card["suit"] for card in cards if card["face"] == "up")
    backs = [card["back"] for card in cards if card["face"] == "down"]
    parts = [counted(len(cards), es=("carta", "cartas"), en=("card", "cards"))]
    parts[0] += f": {' '.join(faces)}" if faces else ""
    if backs:
        parts.append(text(es=f"{len(backs)} boca abajo", en=f"{len(backs)} face down"))
    if chips:
        worth = [f"{chip['colour']} {chip['amount'] or ''}".strip() for chip in chips]
        parts.append(text(es="fichas: ", en="chips: ") + ", ".join(worth))
    if other:
        parts.append(", ".join(sorted(each["kind"] for each in other)))
    return f"{line['image']}: {'; '.join(parts)}"
