"""`veedor evaluate`: the shipped weights, end to end, on a labelled set."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text

DATA_VARIABLE = "VEEDOR_DATA"
NEIGHBOUR = Path("..") / "shared" / "data"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from veedor.models.labelled_sets import SET_NAMES

    parser = subparsers.add_parser(
        "evaluate",
        help=text(es="mide los modelos con un conjunto etiquetado", en="score the models on a labelled set"),
        description=text(
            es="Detecta y lee cada imagen de un conjunto etiquetado con los modelos instalados y compara.",
            en="Detects and reads every picture of a labelled set with the installed models and compares.",
        ),
    )
    parser.add_argument(
        "--set", required=True, metavar=text(es="NOMBRE", en="NAME"), help=", ".join(SET_NAMES)
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=text(
            es=f"carpeta de conjuntos etiquetados (si no: ${DATA_VARIABLE}, luego {NEIGHBOUR} si existe)",
            en=f"a folder of labelled sets (else ${DATA_VARIABLE}, then {NEIGHBOUR} if it exists)",
        ),
    )
    parser.add_argument("--json", action="store_true", help=text(es="resultado en JSON", en="result as JSON"))


def run(args: argparse.Namespace) -> int:
    from veedor.models.evaluation import as_json, evaluate
    from veedor.models.labelled_sets import load_set
    from veedor.monitor.eyes import open_eyes

    labelled = load_set(args.set, _data_folder(args.data, dict(os.environ)))
    eyes = open_eyes(threads=2)
    scores = evaluate(labelled, eyes.detector, eyes.reader, _progress)
    result = as_json(scores)
    print(json.dumps(result, ensure_ascii=False) if args.json else _report(result))
    return 0


def _data_folder(given: Path | None, environment: dict[str, str]) -> Path:
    if given is not None:
        return given
    if environment.get(DATA_VARIABLE):
        return Path(environment[DATA_VARIABLE])
    if NEIGHBOUR.is_dir():
        return NEIGHBOUR
    raise UsageFault(
        text(
            es=f"falta la carpeta de conjuntos etiquetados: use --data o ${DATA_VARIABLE}",
            en=f"no folder of labelled sets: give --data or ${DATA_VARIABLE}",
        )
    )


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done}/{total}" + ("\n" if done == total else ""))
        sys.stderr.flush()


def _report(result: dict[str, Any]) -> str:
    lines = [
        text(
            es=f"{result['set']}: {result['pictures']} imágenes, {result['cards']} cartas",
            en=f"{result['set']}: {result['pictures']} pictures, {result['cards']} cards",
        ),
        _shares_line(text(es="todas", en="all"), result)
        + text(es=", precisión ", en=", precision ")
        + _percent(result["precision"]),
    ]
    if result["chips"]:
        found = _percent(result["chips_recall"])
        lines.append(
            text(
                es=f"fichas: halladas {found} de {result['chips']}",
                en=f"chips: {found} of {result['chips']} found",
            )
        )
    for part in result["by_width_px"]:
        upper = f"–{part['to']}" if part["to"] < 1000 else "+"
        lines.append(_shares_line(f"{part['from']}{upper} px ({part['cards']})", part))
    lines += _listed(text(es="no hallada", en="missed"), result["misses"])
    lines += _listed(text(es="mal leída", en="misread"), result["misread"])
    lines += _listed(text(es="no es carta", en="no card"), result["false_cards"])
    return "\n".join(lines)


def _shares_line(name: str, part: dict[str, Any]) -> str:
    words = (
        ("recall", text(es="halladas", en="found")),
        ("rank_right", text(es="valor", en="rank")),
        ("suit_right", text(es="palo", en="suit")),
        ("face_right", text(es="cara o dorso", en="face or back")),
    )
    return f"{name}: " + ", ".join(f"{word} {_percent(part[key])}" for key, word in words)


def _listed(word: str, entries: list[dict[str, Any]]) -> list[str]:
    lines = []
    for entry in entries:
        x, y = entry["polygon"][0]
        what = f" {entry['card']}" if "card" in entry else ""
        read = f" → {entry['read']}" if "read" in entry else ""
        lines.append(f"  {word}: {entry['picture']} ({x:.0f}, {y:.0f}){what}{read}")
    return lines


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
