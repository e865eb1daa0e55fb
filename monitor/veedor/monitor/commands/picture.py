"""`veedor picture`: one lossless picture of a camera, to calibrate with or to point at chips in."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from veedor.monitor.arguments import add_json
from veedor.monitor.language import counted, text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from veedor.monitor.still_source import seconds

    parser = subparsers.add_parser(
        "picture",
        help=text(es="guarda una imagen de una cámara", en="save a picture of a camera"),
        description=text(
            es="Mira unos segundos una cámara (su número), una dirección RTSP o HTTP, o una grabación, y "
            "guarda una imagen sin pérdida: los valores medios de varias, sin ruido ni manos que pasan. Una "
            "cámara negra, congelada o cortada se rechaza.",
            en="Looks for some seconds at a camera (its number), an RTSP or HTTP address, or a recording, "
            "and saves one lossless picture: the middle values of several, without noise and passing "
            "hands. A camera that is black, frozen or cut off is refused.",
        ),
    )
    parser.add_argument("source", metavar=text(es="FUENTE", en="SOURCE"))
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="P.png",
        help=text(es="archivo de imagen", en="picture file"),
    )
    parser.add_argument(
        "--at", type=seconds, metavar="S",
        help=text(es="de una grabación, la imagen de ese segundo",
                  en="of a recording, the picture at that second"),
    )  # fmt: skip
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.still_source import picture_of, save_picture

    still = picture_of(args.source, args.at)
    save_picture(still.image, args.out)
    height, width = still.image.shape[:2]
    if args.json:
        told = {"picture": str(args.out), "source": still.shown, "width": width, "height": height}
        print(json.dumps(told | {"pictures": still.pictures}, ensure_ascii=False))
        return 0
    made = counted(still.pictures, es=("imagen", "imágenes"), en=("picture", "pictures"))
    print(f"{args.out}: {width} × {height}, " + text(es=f"de {made}", en=f"from {made}"))
    return 0
