"""`veedor evidence`: a finding's evidence in one signed file, the check of such files, and the key."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veedor.monitor.arguments import add_json, add_kept_table
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.rules.plain_text import printable

if TYPE_CHECKING:
    from veedor.monitor.evidence_bundle_verify import Report

_FINDING = re.compile(r"(?:(?P<session>[^/]+/[^/]+)/)?(?P<number>[0-9]{1,9})")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "evidence",
        help=text(es="exporta y comprueba pruebas", en="export and verify evidence"),
        description=text(
            es="«export» reúne en un archivo firmado todo lo que muestra un hallazgo; «verify» comprueba "
            "tales archivos, sin datos ni conexión; «key» muestra o hace la clave de esta instalación.",
            en="`export` gathers all that shows a finding in one signed file; `verify` checks such files, "
            "without data or network; `key` shows or makes the key that this installation signs with.",
        ),
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="export|verify|key")
    _add_export(actions)
    verify = actions.add_parser("verify", help=text(es="comprueba pruebas", en="check evidence bundles"))
    verify.add_argument("files", nargs="+", type=Path, metavar="FILE")
    verify.add_argument(
        "--key",
        metavar="K",
        help=text(
            es="huella de la clave que se espera, o archivo con la clave pública",
            en="fingerprint of the key that is expected, or a file with the public key",
        ),
    )
    add_json(verify)
    key = actions.add_parser(
        "key", help=text(es="la clave de esta instalación", en="this installation's key")
    )
    key.add_argument("act", choices=("show", "make"), metavar="show|make")
    _add_data(key)
    add_json(key)


def _add_export(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    export = actions.add_parser("export", help=text(es="exporta una prueba", en="export evidence"))
    export.add_argument(
        "finding",
        metavar="FINDING",
        help=text(
            es="MESA/SESIÓN/NÚMERO de la carpeta de datos; con --review, sólo el número",
            en="TABLE/SESSION/NUMBER of the data folder; with --review, the number alone",
        ),
    )
    _add_data(export)
    export.add_argument(
        "--review",
        type=Path,
        metavar="OUTDIR",
        help=text(es="carpeta que dejó «veedor review»", en="a folder that `veedor review` left"),
    )
    add_kept_table(export)
    export.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=text(es="archivo que se escribe, o su carpeta", en="the file to write, or its folder"),
    )
    add_json(export)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="DIR",
        help=text(es="carpeta de datos, con la clave", en="data folder, which has the key"),
    )


def run(args: argparse.Namespace) -> int:
    if args.action == "export":
        return _export(args)
    if args.action == "verify":
        return _verify(args)
    return _key(args)


def _export(args: argparse.Namespace) -> int:
    from veedor.monitor.durable import write_whole
    from veedor.monitor.evidence_bundle import bundle_name, make_bundle
    from veedor.monitor.evidence_bundle_keys import key_of, key_path
    from veedor.monitor.report_record_files import open_record

    found = _FINDING.fullmatch(args.finding)
    if found is None or (found["session"] is None) != (args.review is not None):
        expected = text(
            es="se espera MESA/SESIÓN/NÚMERO, o un número con --review",
            en="TABLE/SESSION/NUMBER is expected, or a number with --review",
        )
        raise UsageFault(f"{args.finding[:100]}: {expected}")
    if not args.data.is_dir():
        raise UsageFault(f"{args.data}: " + text(es="no es una carpeta", en="not a folder"))
    where = found["session"] or str(args.review)
    record = open_record(where, args.data if args.review is None else None, args.table)
    finding = record.finding(int(found["number"]))
    fresh = not key_path(args.data).exists()
    key = key_of(args.data)
    bundle = make_bundle(record, finding.number, key)
    name = bundle_name(record, finding)
    out = args.out or Path(name)
    out = out / name if out.is_dir() else out
    write_whole(out, bundle)
    if args.json:
        told = {"file": str(out), "bytes": len(bundle), "key": key.signer.fingerprint, "key_made": fresh}
        print(json.dumps(told, ensure_ascii=False))
        return 0
    print(f"{out}  {len(bundle):,} bytes  {finding.view.code}")
    if fresh:
        print(text(es="primera prueba: se hizo la clave", en="first evidence: the key was made"))
    print(text(es=f"firmada con {key.signer.shown}", en=f"signed with {key.signer.shown}"))
    return 0


def _verify(args: argparse.Namespace) -> int:
    from veedor.monitor.evidence_bundle_keys import read_pin
    from veedor.monitor.evidence_bundle_verify import verify_all

    pin = None if args.key is None else read_pin(args.key)
    reports = verify_all(args.files, pin)
    if args.json:
        for each in reports:
            print(json.dumps(each.to_json(), ensure_ascii=False))
    else:
        for each in reports:
            _tell(each)
    return 0 if all(each.holds for each in reports) else 1


def _tell(report: Report) -> None:
    verdict = text(es="ÍNTEGRA", en="WHOLE") if report.holds else text(es="NO VALE", en="DOES NOT HOLD")
    print(f"{printable(str(report.path))}: {verdict}")
    for line in report.lines():
        print(f"  {printable(line)}")


def _key(args: argparse.Namespace) -> int:
    from veedor.monitor.evidence_bundle_keys import key_path, make_key, open_key

    key = make_key(args.data) if args.act == "make" else open_key(args.data)
    signer = key.signer
    if args.json:
        told: dict[str, Any] = {"file": str(key_path(args.data)), "fingerprint": signer.fingerprint}
        print(json.dumps(told | {"public_key": signer.pem.decode()}, ensure_ascii=False))
        return 0
    print(text(es=f"huella  {signer.shown}", en=f"fingerprint  {signer.shown}"))
    print(signer.pem.decode(), end="")
    return 0
