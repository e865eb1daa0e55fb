"""`veedor models`: what the shipped weights are, and whether new ones may take their place."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veedor.monitor.arguments import add_data, add_json
from veedor.monitor.commands.evaluate import add_data_option, data_folder
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.progress import show_count
from veedor.rules.telling import clock

if TYPE_CHECKING:
    from veedor.models.labels import LabelledSet
    from veedor.models.promotion import Comparison

PAGE, RECORD = "SCORECARD.md", "scores.json"


@dataclass(frozen=True)
class PromotionOrder:
    """What is compared: a candidate's folder, sets in `data`, held-out pictures of `labels`.

    `into` is the folder of weights to replace in, the installed ones if None.
    """

    candidate: Path
    data: Path | None = None
    into: Path | None = None
    labels: tuple[Path, ...] = ()


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "models",
        help=text(es="los modelos instalados y su reemplazo", en="the installed models, and replacing them"),
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar=text(es="ACCIÓN", en="ACTION"))
    shown = actions.add_parser(
        "list", help=text(es="qué modelos hay y qué vieron", en="which models there are and what they saw")
    )
    add_json(shown)
    _add_judged(actions)
    promote = actions.add_parser(
        "promote",
        help=text(
            es="reemplaza modelos si nada de lo que cuenta empeora",
            en="replace models if nothing that counts gets worse",
        ),
        description=text(
            es="Compara los modelos de una carpeta con los instalados, imagen por imagen, y los instala solo "
            "si nada de lo que cuenta empeoró; si no, dice qué empeoró y termina con 1.",
            en="Compares a folder's models with the installed ones picture by picture, and installs them "
            "only if nothing that counts got worse; else says what did and ends with 1.",
        ),
    )
    promote.add_argument(
        "candidate",
        type=Path,
        metavar=text(es="CARPETA", en="DIR"),
        help=text(
            es="carpeta con manifest.toml, como la deja «veedor train»",
            en="a folder with a manifest.toml, as `veedor train` leaves it",
        ),
    )
    add_data_option(promote)
    add_promotion_options(promote)
    promote.add_argument(
        "--labels",
        type=Path,
        action="append",
        default=[],
        metavar="VERSION",
        help=text(
            es="versión de imágenes etiquetadas cuya parte reservada cuenta también (repetible)",
            en="a version of labelled pictures whose held-out part counts as well (repeatable)",
        ),
    )
    promote.add_argument(
        "--dry-run",
        action="store_true",
        help=text(es="compara y no instala nada", en="compare and install nothing"),
    )
    add_json(promote)


def _add_judged(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    judged = actions.add_parser(
        "judged",
        help=text(es="qué modelos juzgaron cada hallazgo", en="which weights judged which finding"),
        description=text(
            es="Dice de cada hallazgo de una carpeta de datos con qué modelos y reglas se juzgó.",
            en="Tells of every finding of a data folder by which weights and rules it was judged.",
        ),
    )
    add_data(judged)
    judged.add_argument("--session", metavar="S", help=text(es="sólo esta sesión", en="this session alone"))
    judged.add_argument(
        "--finding", type=int, metavar="N", help=text(es="sólo este hallazgo", en="this finding alone")
    )
    judged.add_argument(
        "--by",
        metavar="SHA256",
        help=text(
            es="sólo lo juzgado por estos pesos (comienzo del sha256)",
            en="only what these weights judged (the beginning of the sha256)",
        ),
    )
    add_json(judged)


def _judged(args: argparse.Namespace) -> int:
    from veedor.monitor.makers import judged
    from veedor.monitor.store.layout import session_folders

    if not any(True for _ in session_folders(args.data)):
        raise UsageFault(text(es=f"{args.data}: no contiene sesiones", en=f"{args.data}: holds no sessions"))
    found = [each for each in judged(args.data, args.session) if args.finding in (None, each.number)]
    if args.by is not None:
        found = [
            each
            for each in found
            if each.makers is not None
            and any(digest.startswith(args.by) for digest in each.makers.models.values())
        ]
    if args.json:
        print(json.dumps([asdict(each) for each in found], ensure_ascii=False))
        return 0
    for each in found:
        by = text(es="no se sabe", en="not known")
        if each.makers is not None:
            models = (f"{name} {digest[:12]}" for name, digest in each.makers.models.items())
            by = "; ".join((*models, each.makers.rules, each.makers.program))
        print(f"{each.session}  {each.number}  {clock(each.t_s)}  {each.code}  {each.verdict}: {by}")
    return 0


def add_promotion_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--into",
        type=Path,
        metavar="DIR",
        help=text(
            es="carpeta de modelos que se reemplazan (si no, los instalados)",
            en="the folder of weights to replace in (else the installed ones)",
        ),
    )


def run(args: argparse.Namespace) -> int:
    if args.action == "list":
        return _list(as_json=args.json)
    if args.action == "judged":
        return _judged(args)
    order = PromotionOrder(args.candidate, args.data, args.into, tuple(args.labels))
    return promote(order, dry_run=args.dry_run, as_json=args.json)


def promote(order: PromotionOrder, *, dry_run: bool = False, as_json: bool = False) -> int:
    """Compare and, if nothing got worse, install. 0 if it did or would, 1 if something got worse."""
    from veedor.models.labelled_sets import load_set, sets_there
    from veedor.models.promotion import candidate_files, compare, install
    from veedor.models.registry import weights_folder

    candidate, weights = order.candidate, order.into or weights_folder()
    folder = data_folder(order.data, dict(os.environ), needed=False)
    held_out = [_held_out(each) for each in order.labels]  # one that will not do is refused at once
    candidate_files(candidate)  # what is no folder of weights is refused before anything is said
    sets = [load_set(name, folder) for name in sets_there(folder)] + held_out
    if len(sets) == 1:
        only = text(
            es="sin conjuntos etiquetados: se compara solo con dibujos propios (use --data)",
            en="no labelled sets: compared on own drawings only (give --data)",
        )
        print(only, file=sys.stderr)
    comparison = compare(
        candidate, weights, sets, progress=lambda name, done, total: show_count(done, total, name)
    )
    installed: list[str] = []
    if not comparison.faults and not dry_run:
        installed = install(candidate, weights, comparison)
        _write_pages(weights, comparison)
    if as_json:
        print(json.dumps(_as_json(comparison, installed), ensure_ascii=False))
    else:
        print(_report(comparison, installed))
    return 1 if comparison.faults else 0


def _held_out(version: Path) -> LabelledSet:
    from veedor.models.labelled_version import held_out_set, read_version

    labelled = held_out_set(read_version(version))
    if not labelled.pictures:
        raise UsageFault(
            text(
                es=f"{version}: todas sus imágenes se entrenan; ninguna está reservada para medir",
                en=f"{version}: all of its pictures are trained on; none is held out to measure on",
            )
        )
    return labelled


def _write_pages(weights: Path, comparison: Comparison) -> None:
    """The scorecard beside a folder of weights is kept in step with them."""
    from veedor.models.scorecard import write_record
    from veedor.models.scorecard_page import page

    if (weights.parent / PAGE).is_file():
        (weights.parent / PAGE).write_text(page(comparison.after), encoding="utf-8")
        write_record(comparison.after, weights.parent / RECORD)


def _list(*, as_json: bool) -> int:
    from veedor.models.registry import read_manifest, weights_folder, weights_path

    entries = read_manifest(weights_folder())
    told: dict[str, Any] = {
        name: {
            "file": str(weights_path(name)),
            "sha256": entry.sha256,
            "trained": entry.trained,
            "licence": entry.licence,
            "data": list(entry.data),
            "saw": dict(entry.saw),
            "scores": {key: dict(value) for key, value in entry.scores.items()},
        }
        for name, entry in entries.items()
    }
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
        return 0
    for name, entry in told.items():
        print(f"{name}: {entry['trained']}, {entry['sha256'][:12]}…, {entry['licence']}")
        for line in (*entry["data"], *(f"{key}: {value}" for key, value in entry["saw"].items())):
            print(f"  {line}")
    return 0


def _report(comparison: Comparison, installed: list[str]) -> str:
    lines = []
    for change in comparison.changes:
        before, after = change.before, change.after
        if change.fault is None and (before.right, before.n) == (after.right, after.n):
            continue
        mark = "✗" if change.fault else "·"
        moved = f" (−{change.lost} +{change.gained})" if change.lost is not None else ""
        lines.append(f"{mark} {change.name}: {before.right}/{before.n} → {after.right}/{after.n}{moved}")
    lines += [f"✗ {fault}" for fault in comparison.calibration]
    if comparison.faults:
        lines.append(text(es="NO se reemplaza nada. Empeoró:", en="NOTHING is replaced. What got worse:"))
        lines += [f"  {fault}" for fault in comparison.faults]
    elif installed:
        lines.append(text(es=f"instalado: {', '.join(installed)}", en=f"installed: {', '.join(installed)}"))
    else:
        lines.append(text(es="nada empeoró", en="nothing got worse"))
    return "\n".join(lines)


def _as_json(comparison: Comparison, installed: list[str]) -> dict[str, Any]:
    return {
        "installed": installed,
        "faults": list(comparison.faults),
        "figures": [
            {
                "figure": change.name,
                "before": [change.before.right, change.before.n],
                "after": [change.after.right, change.after.n],
                "lost": change.lost,
                "gained": change.gained,
                "worse": change.fault is not None,
            }
            for change in comparison.changes
        ],
    }
