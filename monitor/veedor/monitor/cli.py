"""The program `veedor`: finds the command, runs it, and turns what went wrong into one line and a status."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from veedor.monitor import language
from veedor.monitor.arguments import Parser
from veedor.monitor.console import plain_streams
from veedor.monitor.errors import MonitorError
from veedor.monitor.language import Language, text

EXIT_DONE = 0
EXIT_FAULT = 2
EXIT_INTERRUPTED = 130

# Each area's base error, by dotted name so that only areas a command has loaded are looked at.
AREA_ERRORS = (
    "veedor.rules.errors.RulesError",
    "veedor.vision.errors.VisionError",
    "veedor.datasets.errors.DatasetError",
    "veedor.models.errors.ModelError",
)


class CommandModule(Protocol):
    """What a command's module offers."""

    def add_parser(self, subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


@dataclass(frozen=True)
class Command:
    """A command's name, the module that has it, and its line in `veedor --help`.

    The module is a dotted name and not an import: `veedor --help` stays quick, and a command may live in
    `veedor.web`, which imports this area and must not be imported by it.
    """

    name: str
    module: str
    es: str
    en: str


COMMANDS = (
    Command(
        "demo",
        "veedor.web.demo_command",
        "pasa una sesión grabada por todo el sistema y sirve la página en vivo",
        "play a bundled recorded session through the whole pipeline and serve the live page",
    ),
    Command(
        "watch",
        "veedor.web.watch_command",
        "vigila en vivo una cámara, una dirección RTSP o un archivo a su ritmo",
        "watch a camera, an RTSP address or a file at its own pace",
    ),
    Command(
        "serve",
        "veedor.web.serve_command",
        "sirve las páginas de las mesas vigiladas, con cuentas",
        "serve the pages of the watched tables, with accounts",
    ),
    Command(
        "user",
        "veedor.web.user_command",
        "cuentas de quienes entran a las páginas",
        "accounts of who may enter the pages",
    ),
    Command(
        "review",
        "veedor.monitor.commands.review",
        "revisa grabaciones cuadro por cuadro: registro, hallazgos e informe",
        "review recordings frame by frame: journal, findings and report",
    ),
    Command(
        "compare",
        "veedor.monitor.commands.compare",
        "compara dos revisiones de una noche, con otros modelos o reglas",
        "compare two reviews of one night, with other weights or rules",
    ),
    Command(
        "read",
        "veedor.monitor.commands.read",
        "dice qué ve el modelo en imágenes fijas",
        "say what the model sees in still pictures",
    ),
    Command(
        "check",
        "veedor.monitor.commands.check",
        "pasa casos o registros por el reglamento",
        "run coup files or journals through the rule checker",
    ),
    Command(
        "rules",
        "veedor.monitor.commands.rules",
        "muestra qué se controla: texto, fuente y remedio",
        "show what is checked: text, source and remedy",
    ),
    Command(
        "simulate",
        "veedor.monitor.commands.simulate",
        "juega y dibuja una sesión, con las infracciones que se pidan",
        "play and render a session, with the infractions asked for",
    ),
    Command(
        "picture",
        "veedor.monitor.commands.picture",
        "guarda una imagen sin pérdida de una cámara, una dirección o una grabación",
        "save a lossless picture of a camera, an address or a recording",
    ),
    Command(
        "calibrate",
        "veedor.monitor.commands.calibrate",
        "calibra una mesa con una imagen, por las líneas del paño o con puntos",
        "calibrate a table from a picture, by the felt's lines or by points",
    ),
    Command(
        "label",
        "veedor.monitor.commands.label",
        "etiquetas: exportar, importar, qué etiquetar primero",
        "labels: export, import, what to label next",
    ),
    Command(
        "train",
        "veedor.monitor.commands.train",
        "entrena los modelos (necesita el extra «train»)",
        "train the models (needs the `train` extra)",
    ),
    Command(
        "evaluate",
        "veedor.monitor.commands.evaluate",
        "mide los modelos con un conjunto etiquetado",
        "score the shipped models on a labelled set",
    ),
    Command(
        "enrol",
        "veedor.monitor.commands.enrol",
        "da de alta las fichas de una mesa, señaladas en imágenes",
        "enrol a table's chips, pointed at in pictures",
    ),
    Command(
        "models",
        "veedor.monitor.commands.models",
        "muestra los modelos instalados y los reemplaza si nada empeora",
        "show the installed models and replace them if nothing got worse",
    ),
    Command(
        "bench",
        "veedor.monitor.commands.bench",
        "mide velocidad y memoria",
        "measure speed and memory",
    ),
    Command(
        "store",
        "veedor.monitor.commands.store",
        "rehace o comprueba el índice de una carpeta de datos",
        "rebuild or check the index of a data folder",
    ),
    Command(
        "report",
        "veedor.monitor.commands.report",
        "informe de una sesión: página, PDF o tablas",
        "report of a session: a page, a PDF or tables",
    ),
    Command(
        "evidence",
        "veedor.monitor.commands.evidence",
        "exporta la prueba firmada de un hallazgo y comprueba pruebas",
        "export a finding's signed evidence, and verify such files",
    ),
    Command(
        "bus",
        "veedor.monitor.commands.bus",
        "claves y mensajes del bus",
        "keys and messages of the bus",
    ),
    Command(
        "doctor",
        "veedor.monitor.commands.doctor",
        "comprueba la instalación, los modelos, la cámara y el disco",
        "check the installation, model files, camera and disk",
    ),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status, 0, 1 or 2, and shows no traceback for bad input."""
    with plain_streams():
        return _guarded(list(sys.argv[1:] if argv is None else argv))


def _guarded(arguments: list[str]) -> int:
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write(text(es="veedor: interrumpido\n", en="veedor: interrupted\n"))
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`veedor rules | head`): nothing is left to say, to nobody.
        _drop_output()
        return EXIT_DONE
    except OSError as fault:  # no room for the last of it
        _drop_output()
        return _fault(None, f"{fault.filename or '<stdout>'}: {fault.strerror or fault}")
    return status


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    chosen, rest = _take_language(arguments)
    language.use(chosen)
    name = next((word for word in rest if not word.startswith("-")), None)
    command = next((each for each in COMMANDS if each.name == name), None)
    if any("\0" in word for word in rest):
        return _fault(
            None, text(es="un argumento con un carácter nulo", en="an argument with a NUL character")
        )
    try:
        module = None if command is None else _load(command)
        args = _parser(command, module).parse_args(rest)
        if module is None:
            _parser(None, None).print_help(sys.stderr)
            return EXIT_FAULT
        args.lang = chosen
        return module.run(args)
    except _reported_errors() as fault:
        from veedor.monitor.fault_words.telling import in_words

        return _fault(name, in_words(fault))
    except OSError as fault:
        if isinstance(fault, BrokenPipeError):
            raise
        where = f"{fault.filename}: " if fault.filename is not None else ""
        return _fault(name, f"{where}{fault.strerror or fault}")


def _fault(name: str | None, message: str) -> int:
    program = "veedor" if name is None else f"veedor {name}"
    from veedor.vision.stream_address import shown_address

    # A camera's address may have been given where a file was expected.
    line = language.with_system_words(" ".join(message.split()))
    sys.stderr.write(f"{program}: {shown_address(line)}\n")
    return EXIT_FAULT


def _load(command: Command) -> CommandModule:
    return cast(CommandModule, importlib.import_module(command.module))


def _reported_errors() -> tuple[type[Exception], ...]:
    """The errors whose message is meant for the user; asked for only once something has been raised."""
    found: list[type[Exception]] = [MonitorError]
    for dotted in AREA_ERRORS:
        module_name, _, name = dotted.rpartition(".")
        module = sys.modules.get(module_name)
        if module is not None:
            found.append(getattr(module, name))
    return tuple(found)


def _take_language(arguments: list[str]) -> tuple[Language, list[str]]:
    """The language of `--lang`, wherever it stands, or of the locale; and the arguments without it."""
    finder = Parser(prog="veedor", add_help=False, allow_abbrev=False)
    finder.add_argument("--lang", choices=[each.value for each in Language])
    language.use(language.from_locale())
    found, rest = finder.parse_known_args(arguments)
    return (language.from_locale() if found.lang is None else Language(found.lang)), rest


def _parser(command: Command | None, module: CommandModule | None) -> Parser:
    parser = Parser(
        prog="veedor",
        description=text(
            es="Vigila una mesa de bacará y señala lo que va contra el reglamento.",
            en="Watches a baccarat table and flags what is against the rules.",
        ),
    )
    version = importlib.metadata.version("veedor")
    parser.add_argument("--version", action="version", version=f"veedor {version}")
    _add_language(parser)
    subparsers = cast(
        "argparse._SubParsersAction[argparse.ArgumentParser]",
        parser.add_subparsers(metavar=text(es="ORDEN", en="COMMAND"), dest="command"),
    )
    if command is not None and module is not None:
        module.add_parser(subparsers)
        # Taken out of the arguments before they come here; added again so that `--help` shows it.
        _add_language(subparsers.choices[command.name])
        return parser
    for each in COMMANDS:
        subparsers.add_parser(each.name, help=text(es=each.es, en=each.en), add_help=False)
    return parser


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lang",
        choices=[each.value for each in Language],
        help=text(es="idioma (según el entorno, si se omite)", en="language (from the locale if left out)"),
    )


if __name__ == "__main__":
    raise SystemExit(main())
