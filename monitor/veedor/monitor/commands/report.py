"""`veedor report`: a session, or a part of it, as a page, a PDF, or tables."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from veedor.monitor.arguments import add_data, add_json, add_kept_table
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text

FORMATS = ("html", "pdf", "csv", "parquet")
_ENDINGS = {".pdf": "pdf", ".html": "html", ".htm": "html"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "report",
        help=text(es="informe de una sesión", en="report of a session"),
        description=text(
            es="Informe de una sesión de la carpeta de datos (MESA/SESIÓN) o de lo que dejó «veedor review», "
            "entero o de unos hallazgos o jugadas: página, PDF, o tablas CSV o Parquet.",
            en="A report of a session of the data folder (TABLE/SESSION) or of what `veedor review` left, "
            "all of it or some findings or coups: a page, a PDF, or CSV or Parquet tables.",
        ),
    )
    parser.add_argument(
        "session", metavar="SESSION|OUTDIR", help=text(es="sesión o carpeta", en="session or folder")
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        metavar="|".join(FORMATS),
        help=text(es="si falta, por la terminación de F", en="if left out, by the ending of F"),
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="F",
        help=text(es="archivo; carpeta para csv y parquet", en="a file; a folder for csv and parquet"),
    )
    add_data(parser, required=False)
    add_kept_table(parser)
    parser.add_argument(
        "--finding",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help=text(es="sólo este hallazgo; repetible", en="this finding alone; may be repeated"),
    )
    parser.add_argument(
        "--code",
        action="append",
        default=[],
        metavar="CODE",
        help=text(es="sólo este código; repetible", en="this code alone; may be repeated"),
    )
    parser.add_argument("--coups", metavar="A-B", help=text(es="sólo estas jugadas", en="these coups alone"))
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.report_record_files import open_record
    from veedor.monitor.report_selection import Selection, choose, parse_coups

    if args.format is None:
        args.format = _format_of(args.out)
    coups = None if args.coups is None else parse_coups(args.coups)
    selection = Selection(tuple(args.finding), tuple(args.code), coups)
    chosen = choose(open_record(args.session, args.data, args.table), selection)
    if args.format in ("csv", "parquet"):
        from veedor.monitor.report_export import write_csv, write_parquet
        from veedor.monitor.report_tables import tables_of

        tables = tables_of(chosen, args.lang)
        written = (write_csv if args.format == "csv" else write_parquet)(args.out, tables)
    else:
        written = [_write(args.out, _content(args, chosen))]
    if args.json:
        told = {
            "files": [str(each) for each in written],
            "coups": len(chosen.coups),
            "findings": len(chosen.findings),
        }
        print(json.dumps(told, ensure_ascii=False))
    else:
        for each in written:
            print(each)
    return 0


def _format_of(out: Path) -> str:
    """The format that a file's name asks for."""
    if out.is_dir():
        raise UsageFault(_is_folder(out))
    ending = out.suffix.lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    known = ", ".join(_ENDINGS)
    if not ending:
        asked = text(
            es=f"sin terminación; se conocen {known}, o diga --format {'|'.join(FORMATS)}",
            en=f"has no ending; known are {known}, or say --format {'|'.join(FORMATS)}",
        )
    else:
        tables = text(es="para tablas diga", en="for tables say")
        asked = text(
            es=f"no se hacen informes {ending[:20]}; se conocen {known}; {tables} --format csv o parquet",
            en=f"no report can be made as {ending[:20]}; known are {known}; {tables} --format csv or parquet",
        )
    raise UsageFault(f"{out}: {asked}")


def _is_folder(path: Path) -> str:
    return f"{path}: " + text(es="es una carpeta", en="is a folder")


def _content(args: argparse.Namespace, chosen: object) -> bytes:
    from veedor.monitor.report_selection import Chosen, report_page

    assert isinstance(chosen, Chosen)
    if args.format == "html":
        return report_page(chosen, args.lang, args.out.resolve().parent).encode()
    from veedor.monitor.report_pdf import report_pdf

    return report_pdf(chosen, args.lang)


def _write(path: Path, content: bytes) -> Path:
    from veedor.monitor.durable import write_whole

    if path.is_dir():
        raise UsageFault(_is_folder(path))
    write_whole(path, content)
    return path
