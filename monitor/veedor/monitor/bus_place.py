"""Where a table's part of the bus is: Unix sockets in the data folder, TCP with keys beyond this machine."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from veedor.monitor.bus_messages import SCHEMA, BusFault
from veedor.monitor.durable import write_json
from veedor.monitor.language import text
from veedor.monitor.loopback import is_loopback
from veedor.vision.table import is_table_id

_LONGEST_SOCKET_PATH = 100  # bytes; Linux takes 107


@dataclass(frozen=True)
class BusPlace:
    """The three endpoints of a table, in ZeroMQ's notation.

    `server_key` is the public key of the monitor, None where no keys are needed (this machine alone).
    """

    stream: str
    pictures: str
    commands: str
    server_key: str | None = None


def bus_folder(data: Path) -> Path:
    return data / "bus"


def local_place(folder: Path, table: str) -> BusPlace:
    """Unix sockets in `folder`, which only its owner may enter; loopback TCP where its path is too long."""
    names = [
        f"ipc://{(folder / f'{table}.{part}').absolute()}" for part in ("stream", "pictures", "commands")
    ]
    if max(len(name.encode()) for name in names) > _LONGEST_SOCKET_PATH:
        return BusPlace(*["tcp://127.0.0.1:*"] * 3)
    return BusPlace(*names)


def network_place(host: str, port: int) -> BusPlace:
    """TCP at `port` and the two after it."""
    shown = f"[{host}]" if ":" in host else host
    return BusPlace(*[f"tcp://{shown}:{number}" for number in (port, port + 1, port + 2)])


def stays_here(endpoint: str) -> bool:
    """Whether nobody beyond this machine reaches an endpoint. Names may mean anything and count as beyond."""
    transport, _, address = endpoint.partition("://")
    if transport in ("ipc", "inproc"):
        return True
    return is_loopback(address.rpartition(":")[0].strip("[]"))


def note_place(folder: Path, table: str, place: BusPlace, run: str) -> None:
    """Leave word in `folder` of where the table is to be found."""
    told = {"schema": SCHEMA, "table": table, "run": run, **asdict(place)}
    write_json(folder / f"{table}.json", told)


def find_place(folder: Path, table: str) -> BusPlace:
    """Where the table is; BusFault while nothing in `folder` tells."""
    if not is_table_id(table):
        told = text(es="no es el identificador de una mesa", en="not the id of a table")
        raise BusFault(f"{table!r:.60}: {told}")
    path = folder / f"{table}.json"
    try:
        place = json.loads(path.read_bytes())
        return BusPlace(place["stream"], place["pictures"], place["commands"], place.get("server_key"))
    except FileNotFoundError:
        told = text(
            es="no existe ese fichero; ¿se vigila la mesa?", en="no such file; is the table being watched?"
        )
        raise BusFault(f"{path}: {told}") from None
    except OSError as fault:
        told = text(es="no se puede leer", en="cannot be read")
        raise BusFault(f"{path}: {told}: {fault.strerror or fault}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        told = text(es="no dice dónde está la mesa", en="does not tell where the table is")
        raise BusFault(f"{path}: {told}") from None


def tables_on(folder: Path) -> tuple[str, ...]:
    """The tables that have left word in `folder`, watched now or not."""
    return tuple(sorted(path.stem for path in folder.glob("*.json") if is_table_id(path.stem)))
