"""`veedor evaluate`: the weights, end to end, on labelled sets, one by one or all as a scorecard."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_json
from veedor.monitor.errors import UsageFault
from veedor.monitor.evaluation_text import report
from veedor.monitor.language import text
from veedor.monitor.progress import show_count

if TYPE_CHECKING:
    from veedor.models.model_files import ModelSet
    from veedor.models.scorecard import Scorecard

DATA_VARIABLE = "VEEDOR_DATA"
NEIGHBOUR = Path("..") / "shared" / "data"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from veedor.models.labelled_sets import SET_NAMES

    parser = subparsers.add_parser(
        "evaluate",
        help=text(es="mide los modelos con conjuntos etiquetados", en="score the models on labelled sets"),
        description=text(
            es="Detecta y lee cada imagen de uno o de todos los conjuntos etiquetados y compara.",
            en="Detects and reads every picture of one or of all labelled sets and compares.",
        ),
    )
    sets = parser.add_mutually_exclusive_group(required=True)
    sets.add_argument("--set", metavar=text(es="NOMBRE", en="NAME"), help=", ".join(SET_NAMES))
    sets.add_argument(
        "--all",
        action="store_true",
        help=text(es="todos los conjuntos que haya", en="every set that is there"),
    )
    add_data_option(parser)
    add_weights_option(parser)
    parser.add_argument(
        "--scorecard",
        type=Path,
        metavar="FILE.md",
        help=text(es="escribe la página de resultados", en="write the page of results"),
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE.json",
        help=text(
            es="escribe los resultados para compararlos después", en="write the results to compare with later"
        ),
    )
    parser.add_argument(
        "--misses",
        type=Path,
        metavar="DIR",
        help=text(
            es="recortes de lo no hallado, mal leído o inventado",
            en="crops of what was missed, misread or made up",
        ),
    )
    parser.add_argument(
        "--threads", type=int, default=2, help=text(es="hilos por imagen", en="threads for each look")
    )
    add_json(parser)


def add_data_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=text(
            es=f"carpeta de conjuntos etiquetados (si no: ${DATA_VARIABLE}, luego {NEIGHBOUR} si existe)",
            en=f"a folder of labelled sets (else ${DATA_VARIABLE}, then {NEIGHBOUR} if it exists)",
        ),
    )


def add_weights_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--weights",
        action="append",
        default=[],
        metavar="MODEL=FILE",
        help=text(
            es="otro archivo en lugar de un modelo instalado (detector, reader, stacks)",
            en="another file in the place of an installed model (detector, reader, stacks)",
        ),
    )


def run(args: argparse.Namespace) -> int:
    from veedor.models.model_files import load_models

    models = load_models(named_files(args.weights), threads=args.threads)
    if args.all or args.scorecard or args.record:
        return _scorecard(args, models)
    return _one_set(args, models)


def named_files(given: list[str]) -> dict[str, Path]:
    """`detector=FILE` as a name and a path; UsageFault for anything else."""
    files = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not equals or not path:
            raise UsageFault(
                text(
                    es=f"--weights {each}: se espera MODELO=ARCHIVO",
                    en=f"--weights {each}: expected MODEL=FILE",
                )
            )
        files[name] = Path(path)
    return files


def _one_set(args: argparse.Namespace, models: ModelSet) -> int:
    from veedor.models.evaluation import as_json, evaluate
    from veedor.models.figures import figures_of
    from veedor.models.labelled_sets import load_set
    from veedor.models.misses import write_misses

    data = Path() if args.set == _rendered() else data_folder(args.data, dict(os.environ))
    labelled = load_set(args.set, data)
    scores = evaluate(labelled, models, show_count)
    figures = figures_of(scores)
    if args.misses is not None:
        write_misses(labelled, scores, args.misses)
    print(json.dumps(as_json(scores, figures), ensure_ascii=False) if args.json else report(scores, figures))
    return 0


def _scorecard(args: argparse.Namespace, models: ModelSet) -> int:
    from veedor.models.labelled_sets import load_set
    from veedor.models.misses import write_misses
    from veedor.models.scorecard import as_record, measure, write_record
    from veedor.models.scorecard_page import page

    names = _names(args)
    data = data_folder(args.data, dict(os.environ)) if names != [_rendered()] else Path()
    sets = [load_set(name, data) for name in names]
    card = measure(
        sets, models, lambda name, done, total: show_count(done, total, name), absent=_absent(names, args)
    )
    if args.misses is not None:
        by_name = {labelled.name: labelled for labelled in sets}
        for result in card.results:
            write_misses(by_name[result.scores.name], result.scores, args.misses / result.name)
    if args.scorecard is not None:
        args.scorecard.write_text(page(card), encoding="utf-8")
    if args.record is not None:
        write_record(card, args.record)
    print(json.dumps(as_record(card), ensure_ascii=False) if args.json else _table(card))
    return 0


def _names(args: argparse.Namespace) -> list[str]:
    from veedor.models.labelled_sets import sets_there

    if args.set:
        return [args.set]
    return list(sets_there(data_folder(args.data, dict(os.environ), needed=False)))


def _absent(names: list[str], args: argparse.Namespace) -> tuple[str, ...]:
    from veedor.models.labelled_sets import SET_NAMES

    return tuple(name for name in SET_NAMES if name not in names) if args.all else ()


def _rendered() -> str:
    from veedor.models.rendered_set import RENDERED

    return RENDERED


def data_folder(given: Path | None, environment: dict[str, str], *, needed: bool = True) -> Path:
    """The folder of labelled sets: the one given, the variable's, or the neighbour's."""
    if given is not None:
        if not given.is_dir():
            raise UsageFault(
                text(es=f"{given}: no existe esa carpeta", en=f"{given}: no such folder of labelled sets")
            )
        return given
    if environment.get(DATA_VARIABLE):
        return Path(environment[DATA_VARIABLE])
    if NEIGHBOUR.is_dir() or not needed:
        return NEIGHBOUR
    raise UsageFault(
        text(
            es=f"falta la carpeta de conjuntos etiquetados: use --data o ${DATA_VARIABLE}",
            en=f"no folder of labelled sets: give --data or ${DATA_VARIABLE}",
        )
    )


def _table(card: Scorecard) -> str:
    from veedor.monitor.evaluation_text import figure_lines

    lines = []
    for result in card.results:
        lines.append(f"{result.name}:")
        lines += figure_lines(result.figures)
    return "\n".join(lines)
