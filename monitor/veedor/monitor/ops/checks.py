"""What a service needs of its machine: a clock that is set, cameras that give pictures, room, ports."""

from __future__ import annotations

import ctypes
import fcntl
import shutil
import sqlite3
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from veedor.monitor.cameras import Opening, open_source
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.ops.config import WatchConfig, WatchedTable, check_bus, ports_of
from veedor.monitor.ops.heartbeat import run_folder
from veedor.monitor.ops.locks import WATCH_LOCK
from veedor.monitor.ops.web_setting import cannot_listen
from veedor.monitor.pacing import TimedFrame

ACCOUNTS = "accounts.sqlite"
LOOKED_S, FIRST_PICTURE_S = 4.0, 15.0
SLOW_FPS = 4.0  # under this every second look is missed
_UNSYNCHRONISED = 0x40
_STATUS_AT, _MAXERROR_AT = 40, 24  # in Linux's struct timex where a long has eight bytes


def clock() -> tuple[bool | None, str]:
    """Whether the machine's clock is kept right by another; None where the system does not tell."""
    unknown = None, text(es="el sistema no dice si está sincronizado", en="the system does not tell of NTP")
    if sys.platform != "linux" or struct.calcsize("l") != 8:
        return unknown
    told = ctypes.create_string_buffer(512)
    try:
        if ctypes.CDLL(None, use_errno=True).adjtimex(told) < 0:
            return unknown
    except (OSError, AttributeError):
        return unknown
    (status,) = struct.unpack_from("i", told, _STATUS_AT)
    (error_us,) = struct.unpack_from("l", told, _MAXERROR_AT)
    if status & _UNSYNCHRONISED:
        return False, text(
            es="sin sincronizar: los registros y las grabaciones de la casa no casarán; active NTP o chrony",
            en="not synchronised: records and the house's recordings will not match; run NTP or chrony",
        )
    within = f"{error_us / 1000:.0f} ms"
    return True, text(es=f"sincronizado, a {within} como mucho", en=f"synchronised, within {within}")


def camera(source: str, size: tuple[int, int] | None) -> str:
    """What a source gives over some seconds; raises UsageFault where that is not what a table needs."""
    opened = open_source(source, Opening(size=size))
    if opened.duration_s is not None:
        return f"{opened.shown}, {opened.duration_s:.0f} s"
    stop, frames, first, shape = threading.Event(), 0, 0.0, None
    until = time.monotonic() + FIRST_PICTURE_S
    try:
        for item in opened.items(stop):
            now = time.monotonic()
            if isinstance(item, TimedFrame):
                if shape is None:
                    shape, first, until = item.frame.image.shape, now, now + LOOKED_S
                frames += 1
            if now >= until:
                break
    finally:
        stop.set()
    if shape is None:
        fault = next((each.fault for each in opened.health() if each.fault), None)
        within = f"{FIRST_PICTURE_S:.0f} s"
        nothing = text(es=f"ninguna imagen en {within}", en=f"no picture in {within}")
        raise UsageFault(f"{opened.shown}: {fault or nothing}")
    fps = (frames - 1) / max(time.monotonic() - first, 1e-6)
    given = f"{shape[1]} x {shape[0]}"
    told = f"{opened.shown}: {given}, {fps:.1f} fps"
    if size is not None and (shape[1], shape[0]) != size:
        wanted = f"{size[0]} x {size[1]}"
        calibrated = text(es="la mesa se calibró a", en="the table was calibrated at")
        raise UsageFault(f"{told}; {calibrated} {wanted}")
    if fps < SLOW_FPS:
        raise UsageFault(text(es=f"{told}: demasiado pocas", en=f"{told}: too few"))
    return told


def cameras_of(watched: WatchedTable) -> list[tuple[str, str, tuple[int, int] | None]]:
    """Name, source and size of each camera of a table."""
    found = []
    names = ["", *(f" {camera.name}" for camera in watched.table.cameras)]
    for number, (view, name) in enumerate(zip(watched.table.views(), names, strict=True)):
        place = watched.source if number == 0 and watched.source is not None else view.source
        size = None if view.camera is None else (view.camera.width, view.camera.height)
        if place is not None:
            found.append((f"{watched.id}{name}", place, size))
    return found


def room(config: WatchConfig) -> tuple[bool, str]:
    """Whether the data folder's disk has room for the rolling buffers and what retention keeps free."""
    existing = next(each for each in (config.data, *config.data.absolute().parents) if each.exists())
    free_gb = shutil.disk_usage(existing).free / 1e9
    used = sum(_size(config.data / "ring" / each.id) for each in config.tables) / 1e9
    needed = max(0.0, config.limits.ring_gb * len(config.tables) - used) + config.retention.min_free_gb
    told = text(
        es=f"{free_gb:.1f} GB libres en {existing}; hacen falta {needed:.1f}",
        en=f"{free_gb:.1f} GB free at {existing}; {needed:.1f} needed",
    )
    return free_gb >= needed, told


def bus(config: WatchConfig) -> str:
    """What of the bus other machines can reach."""
    if config.bus is None:
        return text(es="solo esta máquina", en="this machine only")
    check_bus(config)
    return f"{config.bus.host}:{config.bus.port}–{config.bus.port + 3 * len(config.tables) - 1}"


def ports(config: WatchConfig) -> Iterator[tuple[str, bool, str]]:
    """Of each section that listens: whether it can, and what there is to say. One that does is well."""
    taken: dict[str, list[str]] = {}
    for section, host, port in ports_of(config):
        fault = cannot_listen(host, port)
        taken.setdefault(section, []).extend([] if fault is None else [f"{host}:{port}: {fault}"])
    runs = _runs(config.data)
    for section, faults in taken.items():
        if not faults:
            yield section, True, text(es="se puede escuchar", en="can be listened on")
        elif runs:
            yield section, True, text(es="el servicio está en marcha", en="the service is running")
        else:
            yield section, False, "; ".join(faults)


def nobody_in_charge(config: WatchConfig) -> str | None:
    """A line where there are to be pages and no administrator who could sign in; None else."""
    if config.web is None:
        return None
    if has_administrator(config.data):
        return None
    return text(
        es=f"no hay administrador: veedor user add NOMBRE --role administrator --data {config.data}",
        en=f"no administrator yet: veedor user add NAME --role administrator --data {config.data}",
    )


def has_administrator(data: Path) -> bool | None:
    """Whether somebody could administer the pages; None where the accounts cannot be read."""
    accounts = data / ACCOUNTS
    if not accounts.is_file():
        return False
    query = "SELECT count(*) FROM people WHERE role = 'administrator' AND NOT disabled"
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{accounts.absolute().as_uri()}?mode=ro", uri=True)) as db,
    ):
        return bool(db.execute(query).fetchone()[0])
    return None


def _runs(data: Path) -> bool:
    """Whether a service watches this data folder now."""
    try:
        with (run_folder(data) / WATCH_LOCK).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*") if path.is_file())
