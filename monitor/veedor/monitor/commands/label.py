"""`veedor label`: training data out, corrections in, what to label next. Each part is a module of its own."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, cast

from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.monitor.cli import CommandModule

# Imported once `label` was asked for; each has `add_parser` and `run` as a command has.
PARTS: dict[str, str] = {
    "export": "veedor.monitor.commands.label_export",
    "import": "veedor.monitor.commands.label_import",
    "add": "veedor.monitor.commands.label_add",
    "agreement": "veedor.monitor.commands.label_agreement",
    "queue": "veedor.monitor.commands.label_queue",
    "version": "veedor.monitor.commands.label_version",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "label",
        help=text(es="etiquetas: exportar, importar, qué sigue", en="labels: export, import, what is next"),
        description=text(
            es="Imágenes etiquetadas de una carpeta de datos: salen en formatos que otros programas leen,"
            " y vuelven corregidas.",
            en="Labelled pictures of a data folder: they go out in forms that other programs read, and come"
            " back corrected.",
        ),
    )
    parts = parser.add_subparsers(dest="part", required=True, metavar=text(es="PARTE", en="PART"))
    for module in PARTS.values():
        _load(module).add_parser(parts)


def run(args: argparse.Namespace) -> int:
    return _load(PARTS[args.part]).run(args)


def _load(module: str) -> CommandModule:
    return cast("CommandModule", importlib.import_module(module))
