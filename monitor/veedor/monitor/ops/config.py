"""`tables.toml`: which tables are watched, through what, and where everything goes."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

from veedor.monitor.bus import BusPlace, bus_folder, network_place
from veedor.monitor.bus_keys import guests, server_keys
from veedor.monitor.errors import UsageFault
from veedor.monitor.fault_words.telling import in_words
from veedor.monitor.language import text
from veedor.monitor.loopback import is_loopback
from veedor.monitor.ops.web_setting import HIGHEST_PORT, WebSetting, split_address, web_fault
from veedor.monitor.retention import RetentionPolicy
from veedor.monitor.store.layout import is_name
from veedor.rules.errors import RulesError
from veedor.rules.profile import load_profile
from veedor.vision.errors import SourceError, VisionError
from veedor.vision.stream_address import is_live, stream_address
from veedor.vision.table import Table, is_table_id
from veedor.vision.table_file import load_table
from veedor.vision.toml_reading import Section, read_toml

log = logging.getLogger(__name__)

BUS_PORTS = 3  # of each table


@dataclass(frozen=True)
class Address:
    """Host and port."""

    host: str
    port: int


@dataclass(frozen=True)
class WatchedTable:
    """A table of the service. `source` is its main camera's, None where the table file names it; `unit` is
    the table's unit of stakes, None where the profile's holds."""

    file: Path
    table: Table
    source: str | None
    unit: Decimal | None = None

    @property
    def id(self) -> str:
        return self.table.id

    @property
    def live(self) -> bool:
        """Whether it is watched through cameras; a recording has a time line of its own."""
        return is_live(self.source or self.table.source or "")


@dataclass(frozen=True)
class Limits:
    """`threads` of each table's models; a table that stands still for `hang_s` is started anew; a session
    that broke off goes on if it did so at most `resume_s` ago; the rolling buffer of each table keeps
    `ring_hours` and no more than `ring_gb`."""

    threads: int = 2
    hang_s: float = 30.0
    resume_s: float = 900.0
    ring_hours: float = 1.0
    ring_gb: float = 20.0


@dataclass(frozen=True)
class WatchConfig:
    """A whole `tables.toml`."""

    path: Path
    data: Path
    tables: tuple[WatchedTable, ...]
    web: WebSetting | None = None
    metrics: Address | None = None
    bus: Address | None = None
    limits: Limits = Limits()
    retention: RetentionPolicy = field(default_factory=RetentionPolicy)

    def table(self, table_id: str) -> WatchedTable:
        """The table of that id; UsageFault where there is none."""
        for each in self.tables:
            if each.id == table_id:
                return each
        raise UsageFault(f"{self.path}: no table '{table_id}'")

    def bus_place(self, table_id: str) -> BusPlace | None:
        """Where a table's bus is to be had from other machines; None where it is not."""
        if self.bus is None:
            return None
        number = [each.id for each in self.tables].index(table_id)
        return network_place(self.bus.host, self.bus.port + BUS_PORTS * number)


def read_config(path: Path, *, kept: bool = False) -> WatchConfig:
    """The service described at `path`, with every table file it names; a fault is one line.

    `kept`: in the place of a table file that cannot be used now, what the service last could use.
    """
    top = read_toml(path)
    here = path.absolute().parent
    data = here / top.text("data")
    tables = tuple(_table(each, here, data if kept else None) for each in top.sections("table"))
    if not tables:
        raise top.fault("table", "no table to watch")
    ids = [each.id for each in tables]
    for each in tables:
        if ids.count(each.id) > 1:
            raise top.fault("table", f"two tables are called '{each.id}'")
    config = WatchConfig(
        path,
        data,
        tables,
        _web(top.section("web"), here) if top.has("web") else None,
        _metrics(top.section("metrics")) if top.has("metrics") else None,
        _bus(top.section("bus")) if top.has("bus") else None,
        _limits(top.section("limits")) if top.has("limits") else Limits(),
        _retention(top.section("retention")) if top.has("retention") else RetentionPolicy(),
    )
    top.finish()
    if config.bus is not None and config.bus.port + BUS_PORTS * len(tables) - 1 > HIGHEST_PORT:
        raise top.fault("bus", "not enough ports above the one that is given")
    _check_ports(config, top)
    return config


def ports_of(config: WatchConfig) -> list[tuple[str, str, int]]:
    """Section, host and port of everything that is listened on."""
    found = []
    if config.web is not None:
        address = split_address(config.web.listen)
        assert address is not None  # it was read
        found.append(("web", *address))
    if config.metrics is not None:
        found.append(("metrics", config.metrics.host, config.metrics.port))
    if config.bus is not None:
        count = BUS_PORTS * len(config.tables)
        found += [("bus", config.bus.host, config.bus.port + number) for number in range(count)]
    return found


def check_bus(config: WatchConfig) -> None:
    """UsageFault where the bus is to be reached from other machines and has no keys that can be used."""
    if config.bus is None or is_loopback(config.bus.host):
        return
    folder = bus_folder(config.data)
    if server_keys(folder) is None:
        address = f"{config.path}: [bus] {config.bus.host}:{config.bus.port}"
        make = f"veedor bus keys --data {config.data}"
        raise UsageFault(
            text(
                es=f"{address}: sin claves no se abre a otras máquinas: {make}",
                en=f"{address}: not opened to other machines without keys: {make}",
            )
        )
    guests(folder)


def _check_ports(config: WatchConfig, top: Section) -> None:
    taken: dict[int, str] = {}
    for section, _, port in ports_of(config):
        other = taken.setdefault(port, section)
        if port and other != section:
            raise top.fault(section, f"port {port} is that of [{other}] too")


def _table(section: Section, here: Path, kept: Path | None) -> WatchedTable:
    file = here / section.text("file")
    source = section.text("source") if section.has("source") else None
    unit = Decimal(f"{section.number('unit'):.12g}") if section.has("unit") else None
    section.finish()
    if unit is not None and unit <= 0:
        raise section.fault("unit", "more than 0")
    try:
        table = usable_table(file, source)
    except (TableFault, VisionError, RulesError) as fault:
        copy = None if kept is None else kept_copy(kept, file)
        if copy is not None and copy.is_file():
            log.error("%s", in_words(fault))
            table = load_table(copy)
        elif isinstance(fault, TableFault):
            raise section.fault(fault.key, str(fault)) from None
        else:
            raise
    return WatchedTable(file, table, source, unit)


def kept_copy(data: Path, file: Path) -> Path:
    """Where a service keeps the content of a table file that it could use."""
    return data / "run" / "tables" / f"{sha256(str(file.absolute()).encode()).hexdigest()[:16]}.toml"


class TableFault(UsageFault):
    """A table file that is one, and cannot be watched by; `key` is what of `tables.toml` names it."""

    def __init__(self, key: str, told: str) -> None:
        super().__init__(told)
        self.key = key


def usable_table(file: Path, source: str | None) -> Table:
    """The table of a file, to be watched through `source` or its own; TableFault where it cannot be."""
    table = load_table(file)
    if not is_table_id(table.id) or not is_name(table.id):
        raise TableFault("file", f"{file}: id '{table.id:.60}': letters, digits, . _ - only")
    load_profile(table.profile, named_in=file)
    if table.camera is None:
        raise TableFault("file", f"{file}: not calibrated; see veedor calibrate")
    for place in (source or table.source, *(camera.source for camera in table.cameras)):
        _check_source(file, place)
    return table


def _check_source(file: Path, place: str | None) -> None:
    if place is None:
        raise TableFault("source", f"neither here nor in {file}")
    if not is_live(place):
        if not Path(place).is_file():
            raise TableFault("source", f"{place}: no such file")
        return
    try:
        stream_address(place)
    except SourceError as fault:
        raise TableFault("source", str(fault)) from None


def _web(section: Section, here: Path) -> WebSetting:
    def file(key: str) -> Path | None:
        return here / section.text(key) if section.has(key) else None

    setting = WebSetting(
        section.text("listen"),
        file("tls_cert"),
        file("tls_key"),
        section.flag("behind_proxy", default=False),
        tuple(section.text("host_name").split()) if section.has("host_name") else (),
    )
    section.finish()
    fault = web_fault(setting)
    if fault is not None:
        raise section.fault(*fault)
    return setting


def _metrics(section: Section) -> Address:
    address = _address(section, "listen")
    section.finish()
    if not is_loopback(address.host):
        raise section.fault("listen", f"{address.host}: this machine only; a proxy can offer it to others")
    return address


def _bus(section: Section) -> Address:
    address = _address(section, "listen")
    section.finish()
    return address


def _limits(section: Section) -> Limits:
    usual = Limits()
    found = Limits(
        int(section.number("threads", usual.threads)),
        section.number("hang_s", usual.hang_s),
        section.number("resume_s", usual.resume_s),
        section.number("ring_hours", usual.ring_hours),
        section.number("ring_gb", usual.ring_gb),
    )
    section.finish()
    least = {"threads": 1, "hang_s": 5, "resume_s": 0, "ring_hours": 0.05, "ring_gb": 0.1}
    for key, value in least.items():
        if getattr(found, key) < value:
            raise section.fault(key, f"at least {value:g}")
    return found


def _retention(section: Section) -> RetentionPolicy:
    usual = RetentionPolicy()
    found = RetentionPolicy(
        section.number("max_age_days", usual.max_age_days),
        section.number("max_gb") if section.has("max_gb") else None,
        section.number("min_free_gb", usual.min_free_gb),
        section.flag("keep_open", default=usual.keep_open),
    )
    section.finish()
    for key in ("max_age_days", "max_gb", "min_free_gb"):
        if (getattr(found, key) or 0.0) < 0.0:
            raise section.fault(key, "at least 0")
    return found


def _address(section: Section, key: str) -> Address:
    told = section.text(key)
    address = split_address(told)
    if address is None:
        raise section.fault(key, f"expected HOST:PORT, found {told!r:.80}")
    return Address(*address)
