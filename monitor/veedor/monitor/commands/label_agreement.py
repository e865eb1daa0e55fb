"""`veedor label agreement`: how far people agree on the pictures that two of them have labelled."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_data, add_json
from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.monitor.labelling.agreement import Agreement


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "agreement",
        help=text(es="acuerdo entre quienes etiquetan", en="agreement between labellers"),
        description=text(
            es="Cuánto coinciden dos personas en las imágenes que ambas terminaron: objetos, clase, valor,"
            " palo, y kappa de Cohen en el valor.",
            en="How far two people agree on the pictures that both have finished: objects, class, rank,"
            " suit, and Cohen's kappa on the rank.",
        ),
    )
    add_data(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.errors import UsageFault
    from veedor.monitor.labelling.agreement import agreements_of, by_pair
    from veedor.monitor.labelling.store import LABELS, LabelStore

    if not (args.data / LABELS).is_dir():
        raise UsageFault(text(es=f"{args.data}: no tiene etiquetas", en=f"{args.data}: has no labels"))
    store = LabelStore(args.data)
    pairs = by_pair(each for about in store.pictures() for each in agreements_of(store, about.id))
    if args.json:
        print(json.dumps([as_json(each) for each in pairs], ensure_ascii=False))
        return 0
    for each in pairs:
        print(_line(each))
    if not pairs:
        print(text(es="ninguna imagen con dos opiniones", en="no picture with two opinions yet"))
    return 0


def as_json(each: Agreement) -> dict[str, object]:
    """The figures of one pair of authors; None where there is nothing to share."""
    return {
        "authors": list(each.authors), "pictures": each.pictures, "objects": list(each.objects),
        "matched": each.matched, "found": each.found_share, "iou": each.mean_iou, "kind": each.kind_share,
        "faces": each.faces, "rank": each.rank_share, "suit": each.suit_share, "rank_kappa": each.rank_kappa,
        "stacks": each.stacks, "chips": each.chips_share, "disagreements": len(each.disagreements),
    }  # fmt: skip


def _line(each: Agreement) -> str:
    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.3f}"

    names = {
        "found_share": text(es="hallados", en="found"), "kind_share": text(es="clase", en="class"),
        "rank_share": text(es="valor", en="rank"), "suit_share": text(es="palo", en="suit"),
        "rank_kappa": "kappa", "chips_share": text(es="fichas", en="chips"), "mean_iou": "IoU",
    }  # fmt: skip
    figures = ", ".join(f"{name} {share(getattr(each, field))}" for field, name in names.items())
    pictures = text(es=f"{each.pictures} imágenes", en=f"{each.pictures} pictures")
    return f"{each.authors[0]} / {each.authors[1]}: {pictures}, {figures}"
