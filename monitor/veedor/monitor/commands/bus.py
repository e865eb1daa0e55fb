"""`veedor bus`: keys for programs on other machines, and what goes over the bus."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from veedor.monitor.arguments import add_data
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "bus",
        help=text(es="claves y mensajes del bus", en="keys and messages of the bus"),
        description=text(
            es="keys: hace la clave del monitor y, con --client, la de un programa de otra máquina. "
            "listen: muestra los mensajes de una mesa, uno por línea.",
            en="keys: makes the monitor's key and, with --client, that of a program on another machine. "
            "listen: shows a table's messages, one a line.",
        ),
    )
    parser.add_argument("what", choices=("keys", "listen"), metavar="keys|listen")
    add_data(parser)
    parser.add_argument("--client", metavar="NAME", help=text(es="programa", en="program"))
    parser.add_argument(
        "--may", choices=("read", "enter"), default="read",
        help=text(es="solo leer, o también anotar", en="read only, or enter events too"),
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=text(es="archivo de su clave", en="file for its key")
    )
    parser.add_argument("--table", metavar="ID", help=text(es="mesa", en="table"))


def run(args: argparse.Namespace) -> int:
    return _keys(args) if args.what == "keys" else _listen(args)


def _keys(args: argparse.Namespace) -> int:
    from veedor.monitor.bus import bus_folder
    from veedor.monitor.bus_keys import admit, guests, keys_folder, server_keys

    if not args.data.is_dir():
        raise UsageFault(text(es=f"{args.data}: no es una carpeta", en=f"{args.data}: not a folder"))
    folder = bus_folder(args.data)
    if args.client is None:
        pair = server_keys(folder, make=True)
        assert pair is not None
        print(text(es="clave pública del monitor", en="the monitor's public key") + f": {pair.public}")
        for guest in guests(folder).values():
            print(f"{guest.name}: {guest.may}")
        return 0
    out = admit(folder, args.client, args.may, args.out or Path(f"{args.client}.key.json"))
    known = keys_folder(folder) / "clients" / f"{args.client}.json"
    print(
        text(
            es=f"{out}: llévela a la otra máquina y bórrela aquí; para retirarla, borre {known}",
            en=f"{out}: carry it to the other machine and delete it here; to withdraw it delete {known}",
        )
    )
    return 0


def _listen(args: argparse.Namespace) -> int:
    from veedor.monitor.bus import EVENT, FINDING, HEALTH, SNAPSHOT, BusClient, bus_folder, tables_on
    from veedor.monitor.bus_board import SILENT_S

    folder = bus_folder(args.data)
    if args.table is None:
        known = ", ".join(tables_on(folder)) or text(es="ninguna", en="none")
        raise UsageFault(text(es=f"falta --table; hay: {known}", en=f"--table is needed; there are: {known}"))
    with BusClient.at(folder, args.table, (EVENT, FINDING, HEALTH)) as client:
        heard_at, told = time.monotonic(), False
        while True:
            message = client.receive()
            if message is not None:
                heard_at, told = time.monotonic(), False
            elif not told and time.monotonic() - heard_at > SILENT_S:
                told = True
                print(_silent(args.table, args.data, folder), file=sys.stderr, flush=True)
            if message is not None and message.kind != SNAPSHOT:
                header = message.header
                line = {"kind": header.kind, "n": header.n, "t": header.t, **message.data}
                sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
                sys.stdout.flush()


def _silent(table: str, data: Path, folder: Path) -> str:
    """Nothing was heard for longer than a table that is watched is ever silent."""
    from veedor.monitor.bus import tables_on
    from veedor.monitor.ops.heartbeat import last_heartbeat

    known = ", ".join(tables_on(folder)) or text(es="ninguna", en="none")
    last = last_heartbeat(data, table)
    if last is None:
        ago = text(es=f"nunca se vigiló aquí; hay: {known}", en=f"was never watched here; there are: {known}")
    else:
        gone = f"{last.age_s():.0f} s"
        ago = text(es=f"no se vigila desde hace {gone}", en=f"not watched, last heard of {gone} ago")
    return text(
        es=f"mesa '{table}': {ago}; se espera (Ctrl-C termina)",
        en=f"table '{table}': {ago}; waiting (Ctrl-C ends)",
    )
