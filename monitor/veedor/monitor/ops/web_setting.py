"""Where pages are served, and what of that cannot be: asked before anything is started."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from veedor.monitor.language import text
from veedor.monitor.loopback import is_loopback

HIGHEST_PORT = 65535


@dataclass(frozen=True)
class WebSetting:
    """How `veedor serve` is run beside the tables."""

    listen: str
    tls_cert: Path | None = None
    tls_key: Path | None = None
    behind_proxy: bool = False
    host_names: tuple[str, ...] = ()


def split_address(listen: str, *, least_port: int = 0) -> tuple[str, int] | None:
    """Host and port; None where it is neither."""
    host, colon, port = listen.rpartition(":")
    host = host.strip("[]")
    if not colon or not host or any(each.isspace() for each in host):
        return None
    if not port.isascii() or not port.isdigit() or not least_port <= int(port) <= HIGHEST_PORT:
        return None
    return host, int(port)


def web_fault(
    web: WebSetting, named: Callable[[str], str] = str, *, least_port: int = 1
) -> tuple[str, str] | None:
    """The first thing that makes a setting impossible: its key and what is wrong, in a line; None for none.

    `named` gives a key as whoever reads the line has written it.
    """
    address = split_address(web.listen, least_port=least_port)
    if address is None:
        ports = f"{least_port}–{HIGHEST_PORT}"
        return "listen", text(
            es=f"{web.listen:.80}: se espera DIRECCIÓN:PUERTO, puerto {ports}",
            en=f"{web.listen:.80}: HOST:PORT is expected, port {ports}",
        )
    cert, key = named("tls_cert"), named("tls_key")
    if (web.tls_cert is None) != (web.tls_key is None):
        missing = "tls_key" if web.tls_key is None else "tls_cert"
        return missing, text(es=f"{cert} y {key} van juntos", en=f"{cert} and {key} go together")
    if web.tls_cert is not None and web.tls_key is not None:
        fault = certificate_fault(web.tls_cert, web.tls_key)
        if fault is not None:
            return fault
    elif not is_loopback(address[0]) and not web.behind_proxy:
        proxy = named("behind_proxy")
        return "listen", text(
            es=f"{web.listen}: fuera de esta máquina solo con {cert} y {key}, o {proxy}",
            en=f"{web.listen}: beyond this machine only with {cert} and {key}, or {proxy}",
        )
    return None


def certificate_fault(cert: Path, key: Path) -> tuple[str, str] | None:
    """Which of the two cannot be used and why; None where they can, together."""
    for name, path in (("tls_cert", cert), ("tls_key", key)):
        fault = _unreadable(path)
        if fault is not None:
            return name, f"{path}: {fault}"
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cert)
    except (ssl.SSLError, OSError, ValueError):
        return "tls_cert", f"{cert}: " + text(es="no es un certificado PEM", en="not a PEM certificate")
    asked: list[bool] = []

    def passphrase() -> str:
        asked.append(True)
        return ""

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, passphrase)
    except (ssl.SSLError, OSError, ValueError) as fault:
        if asked:
            why = text(
                es="pide contraseña: guárdela sin ella", en="asks for a passphrase: store it without one"
            )
        elif isinstance(fault, ssl.SSLError) and fault.reason == "KEY_VALUES_MISMATCH":
            why = text(es=f"no es la clave de {cert}", en=f"not the key of {cert}")
        else:
            why = text(es="no es una clave PEM", en="not a PEM key")
        return "tls_key", f"{key}: {why}"
    return None


def _unreadable(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            file.read(1)
    except FileNotFoundError:
        return text(es="no existe", en="no such file")
    except OSError as fault:
        return fault.strerror or str(fault)
    return None


def cannot_listen(host: str, port: int) -> str | None:
    """Why nobody can listen there now; None where one can."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, place in found:
            with socket.socket(family, kind, protocol) as trial:
                if os.name == "posix":
                    trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind(place)
    except OSError as fault:
        return fault.strerror or str(fault)
    return None
