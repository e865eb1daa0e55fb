"""`veedor serve`: the pages of the tables that are watched, with accounts."""

from __future__ import annotations

import argparse
import logging
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_data
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.web.app import AppSetting

DEFAULT_LISTEN = "127.0.0.1:8443"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "serve",
        help=text(es="páginas con cuentas", en="pages with accounts"),
        description=text(
            es="Sirve las páginas de las mesas que vigila `veedor watch --config`. Fuera de esta máquina "
            "solo con TLS (--tls-cert, --tls-key) o detrás de un proxy que lo ponga (--behind-proxy). El "
            "primer administrador se hace con `veedor user add`.",
            en="Serves the pages of the tables that `veedor watch --config` watches. Beyond this machine "
            "only with TLS (--tls-cert, --tls-key) or behind a proxy that adds it (--behind-proxy). The "
            "first administrator is made with `veedor user add`.",
        ),
    )
    add_data(parser)
    parser.add_argument(
        "--listen", default=DEFAULT_LISTEN, metavar="HOST:PORT",
        help=text(es=f"dirección; {DEFAULT_LISTEN}", en=f"address; {DEFAULT_LISTEN}"),
    )  # fmt: skip
    parser.add_argument("--tls-cert", type=Path, metavar="PEM", help=text(es="certificado", en="certificate"))
    parser.add_argument("--tls-key", type=Path, metavar="PEM", help=text(es="su clave", en="its key"))
    parser.add_argument(
        "--behind-proxy", action="store_true",
        help=text(es="un proxy de esta máquina pone el TLS", en="a proxy on this machine adds TLS"),
    )  # fmt: skip
    parser.add_argument(
        "--host-name", action="append", default=[], metavar="NAME",
        help=text(es="nombre con que se llega; repetible", en="name it is reached by; may be repeated"),
    )  # fmt: skip
    parser.add_argument(
        "--log", choices=("text", "json"), default="text",
        help=text(es="forma de lo que se anota", en="form of what is logged"),
    )  # fmt: skip


@dataclass(frozen=True)
class Listening:
    """Where and how to listen. `secure`: browsers come over TLS, ours or a proxy's."""

    host: str
    port: int
    cert: Path | None
    key: Path | None
    behind_proxy: bool

    @property
    def secure(self) -> bool:
        return self.cert is not None or self.behind_proxy


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.ops.logs import run_logged
    from veedor.monitor.ops.memory import few_arenas
    from veedor.monitor.ops.parent import end_with_service

    end_with_service()
    few_arenas()
    return run_logged(args.log, "web", lambda: _serve(args))


def _serve(args: argparse.Namespace) -> int:
    from veedor.monitor.ops.logs import alarm
    from veedor.monitor.store import Store
    from veedor.web.access.accounts import Accounts
    from veedor.web.access.database import FILE_NAME, AccountsFile
    from veedor.web.served_site import ServedSite
    from veedor.web.serving import guarded_door, serve_site

    listening = listening_of(args)
    setting = replace(app_setting(listening, args.host_name), data=args.data)
    nobody = UsageFault(
        text(
            es=f"no hay administrador: `veedor user add NOMBRE --role administrator --data {args.data}`",
            en=f"no administrator yet: `veedor user add NAME --role administrator --data {args.data}`",
        )
    )
    if not (args.data / FILE_NAME).is_file():
        raise nobody
    file = AccountsFile(args.data / FILE_NAME, there=True)
    if not any(person.role == "administrator" for person in Accounts(file).people()):
        file.close()
        raise nobody
    with Store.of_data(args.data, alarm=partial(alarm, logging.getLogger(__name__))) as store:
        site = ServedSite(args.data, store, args.lang)
        try:
            serve_site(site, guarded_door(file), setting, listening)
        finally:
            site.close()
            file.close()
    return 0


def listening_of(args: argparse.Namespace) -> Listening:
    """What the options say; UsageFault where passwords would cross a network in the clear."""
    from veedor.monitor.ops.web_setting import WebSetting, split_address, web_fault

    web = WebSetting(str(args.listen), args.tls_cert, args.tls_key, args.behind_proxy)
    fault = web_fault(web, lambda key: "--" + key.replace("_", "-"), least_port=0)
    if fault is not None:
        key, why = fault
        raise UsageFault(f"--listen {why}" if key == "listen" else why)
    address = split_address(web.listen)
    assert address is not None
    return Listening(*address, args.tls_cert, args.tls_key, args.behind_proxy)


def app_setting(listening: Listening, names: list[str]) -> AppSetting:
    """The names that are answered to: loopback's, the one listened on, and those given."""
    import socket

    from veedor.monitor.loopback import is_loopback
    from veedor.web.app import AppSetting
    from veedor.web.safety import LOOPBACK_NAMES

    known = set(LOOPBACK_NAMES) | {name.lower() for name in names}
    if not is_loopback(listening.host):
        host = f"[{listening.host}]" if ":" in listening.host else listening.host
        known |= {host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
    return AppSetting(frozenset(known), listening.secure)
