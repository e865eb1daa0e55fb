"""CURVE keys of the bus: the monitor's own pair, and a pair for each program on another machine.

`DATA/bus/keys/server.json` holds the monitor's pair; `clients/NAME.json` what NAME may do and its public key.
A client's secret stands only in the file that is made for it and carried there by a person.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import zmq
from veedor.monitor.bus_messages import BusFault
from veedor.monitor.language import text
from veedor.monitor.private_folder import private_folder
from veedor.vision.table import is_table_id

READ, ENTER = "read", "enter"
RIGHTS = (READ, ENTER)
_KEY_LENGTH = 40


@dataclass(frozen=True)
class KeyPair:
    """A CURVE pair in Z85; `server` is the monitor's public key in a client's file, None in the monitor's."""

    public: str
    secret: str
    server: str | None = None


@dataclass(frozen=True)
class Guest:
    """A program that may come from beyond this machine; one that may `enter` may also read."""

    name: str
    may: str


def keys_folder(bus: Path) -> Path:
    return bus / "keys"


def server_keys(bus: Path, *, make: bool = False) -> KeyPair | None:
    """The monitor's pair, made now if there is none and `make`."""
    path = keys_folder(bus) / "server.json"
    if not path.exists():
        if not make:
            return None
        public, secret = zmq.curve_keypair()
        _write_new(path, {"public": public.decode(), "secret": secret.decode()})
    return load_keys(path)


def admit(bus: Path, name: str, may: str, out: Path) -> Path:
    """Make a pair for the program `name`, write its file to `out`; BusFault where that exists already."""
    if not is_table_id(name):
        raise _fault(
            f"{name!r:.60}", "letters, digits, dots and dashes only", "solo letras, cifras, puntos y guiones"
        )
    server = server_keys(bus, make=True)
    assert server is not None
    public, secret = (key.decode() for key in zmq.curve_keypair())
    known = keys_folder(bus) / "clients" / f"{name}.json"
    _write_new(out, {"name": name, "public": public, "secret": secret, "server": server.public})
    try:
        _write_new(known, {"name": name, "public": public, "may": may})
    except BusFault:
        out.unlink()
        raise
    return out


def guests(bus: Path) -> Mapping[str, Guest]:
    """Who may come from beyond this machine, by public key. A file that cannot be read admits nobody."""
    found = {}
    for path in sorted((keys_folder(bus) / "clients").glob("*.json")):
        told = _read(path)
        if told.get("may") not in RIGHTS:
            raise _fault(
                f"{path}: may", f"expected one of {', '.join(RIGHTS)}", f"se esperaba {' o '.join(RIGHTS)}"
            )
        found[_key(path, told, "public")] = Guest(path.stem, str(told["may"]))
    return found


def load_keys(path: Path) -> KeyPair:
    """The pair in a file; BusFault names the file and the fault."""
    told = _read(path)
    server = _key(path, told, "server") if "server" in told else None
    return KeyPair(_key(path, told, "public"), _key(path, told, "secret"), server)


def _key(path: Path, told: Mapping[str, object], name: str) -> str:
    value = told.get(name)
    if not isinstance(value, str) or len(value) != _KEY_LENGTH or not value.isascii():
        raise _fault(f"{path}: {name}", "not a key", "no es una clave")
    return value


def _read(path: Path) -> Mapping[str, object]:
    try:
        told = json.loads(path.read_bytes())
    except OSError as fault:
        raise BusFault(f"{path}: {fault.strerror or fault}") from None
    except (ValueError, RecursionError):
        raise _fault(path, "not a key file", "no es un archivo de clave") from None
    if not isinstance(told, dict):
        raise _fault(path, "not a key file", "no es un archivo de clave")
    return told


def _write_new(path: Path, content: Mapping[str, str]) -> None:
    """For the owner's eyes only, and never over another key."""
    private_folder(path.parent)
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise _fault(path, "exists already", "ya existe") from None
    except OSError as fault:
        raise BusFault(f"{path}: {fault.strerror or fault}") from None
    with os.fdopen(number, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.write("\n")


def _fault(where: object, en: str, es: str) -> BusFault:
    return BusFault(f"{where}: {text(es=es, en=en)}", f"{where}: {es}")
