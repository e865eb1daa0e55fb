"""The service: a process for each table and one for the pages, started anew when they die or stand still."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from veedor.monitor import language
from veedor.monitor.language import text, with_system_words
from veedor.monitor.metrics import MetricsServer
from veedor.monitor.ops.checks import has_administrator, nobody_in_charge
from veedor.monitor.ops.config import WatchConfig, check_bus
from veedor.monitor.ops.heartbeat import Heartbeat, last_heartbeat, opening_of, run_folder
from veedor.monitor.ops.keeping import Keeper
from veedor.monitor.ops.locks import WATCH_LOCK, Lock
from veedor.monitor.ops.logs import JSON, pass_on
from veedor.monitor.ops.parent import Lifeline
from veedor.monitor.ops.table_files import TableFiles
from veedor.monitor.ops.web_setting import WebSetting
from veedor.monitor.signals import answered_by

log = logging.getLogger(__name__)

LOOK_S = 0.5
START_S = 120.0  # until a process gives a sign of life
LONGEST_START_S = 900.0  # while it does: models are loaded, a long journal is read
FIRST_LOOK_S = 300.0  # memory is set up, everything on the table is looked at closely
STOP_S = 20.0  # the last look is finished, clips that are being cut are waited for
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0
WELL_S = 60.0  # running for so long: the next death is a new story
WEB = "web"
NOBODY = "no administrator yet"
NOBODY_LOOK_S = 2.0  # how often it is looked whether there is one
TABLE_FILE = "table file"  # of the parts that can be in trouble


@dataclass
class Child:
    """A process that is to run; `table` is empty for the pages.

    One that is to end and start anew has `end_by`, when it is killed if it has not.
    """

    name: str
    command: Sequence[str]
    table: str = ""
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    due: float = 0.0
    wait_s: float = FIRST_WAIT_S
    restarts: int = 0
    end_by: float | None = None
    waits_for: str = ""  # what there has to be before it can start

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None


@dataclass
class Supervisor:
    """Keeps the processes of a service running until it is told to stop."""

    config: WatchConfig
    form: str
    children: list[Child] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _line: Lifeline = field(default_factory=Lifeline)

    def __post_init__(self) -> None:
        self._keeper = Keeper(self.config.data, self.config.retention)
        self._files: TableFiles | None = None
        # The first named are the last to be stopped: pages show a table's end.
        if self.config.web is not None:
            self.children.append(Child(WEB, self._web_command(self.config.web)))
        for each in self.config.tables:
            module = "veedor.monitor.ops.table_process"
            command = [sys.executable, "-m", module, str(self.config.path), each.id]
            told = ["--log", self.form, "--lang", str(language.current())]
            self.children.append(Child(each.id, [*command, *told], each.id))

    def _web_command(self, web: WebSetting) -> list[str]:
        command = [sys.executable, "-m", "veedor.monitor.cli", "serve", "--data", str(self.config.data)]
        command += ["--listen", web.listen, "--lang", str(language.current())]
        if web.tls_cert is not None and web.tls_key is not None:
            command += ["--tls-cert", str(web.tls_cert), "--tls-key", str(web.tls_key)]
        if web.behind_proxy:
            command.append("--behind-proxy")
        for name in web.host_names:
            command += ["--host-name", name]
        command += ["--log", self.form]
        return command

    def run(self) -> int:
        """Run until `stop`; 0."""
        lock = Lock(run_folder(self.config.data) / WATCH_LOCK, str(self.config.data))
        server = None
        self._keeper.start()
        self._files = files = TableFiles(self.config)
        if self.config.metrics is not None:
            address = self.config.metrics
            server = MetricsServer(address.host, address.port, self.report)
        try:
            while not self._stop.is_set():
                self._renew(files.changed())
                for child in self.children:
                    self._tend(child)
                self._stop.wait(LOOK_S)
        finally:
            self._end()
            if server is not None:
                server.close()
            self._keeper.stop()
            self._line.close()
            lock.release()
        return 0

    def stop(self) -> None:
        """End everything; from any thread, or a signal."""
        self._stop.set()

    def report(self) -> dict[str, Any]:
        """Each table's last figures, and how its process does: what health and metrics are made of."""
        now = time.time()
        tables = {}
        faults = {} if self._files is None else self._files.faults
        for child in self.children:
            if not child.table:
                continue
            last = last_heartbeat(self.config.data, child.table)
            opening = opening_of(self.config.data, child.table)
            mine = last if last is not None and child.running and last.pid == _pid(child) else None
            tables[child.table] = {
                "running": child.running,
                "restarts": child.restarts,
                "heartbeat_age_s": None if mine is None else round(now - mine.at, 3),
                "loop_age_s": None if mine is None else round(now - mine.loop_at, 3),
                "opening": opening.stage if opening is not None and opening.pid == _pid(child) else None,
                "health": _health(mine, faults.get(child.table, "")),
            }
        web = next((child for child in self.children if child.name == WEB), None)
        return {
            "tables": tables,
            "disk": list(self._keeper.troubles),
            "index": {"put_aside": self._keeper.put_aside, "lacking": self._keeper.lacking},
            "web": None if web is None else _web_report(web),
        }

    def _tend(self, child: Child) -> None:
        now = time.monotonic()
        if child.running:
            if now - child.started > WELL_S:
                child.wait_s = FIRST_WAIT_S
            if not self._is_to_be_killed(child, now):
                return
            assert child.process is not None
            child.process.kill()
            child.process.wait()
        if child.process is not None:
            code, child.process = child.process.returncode, None
            if child.end_by is not None:
                child.end_by, child.due, child.wait_s = None, now, FIRST_WAIT_S
                self._start(child, now)
                return
            if child.table and code == 0 and not self.config.table(child.table).live:
                log.info(
                    text(es="la grabación terminó", en="the recording is over"), extra={"which": child.name}
                )
                child.due = float("inf")
                return
            child.due = now + child.wait_s
            why = {"which": child.name, "status": code, "again_in_s": child.wait_s}
            log.error(text(es="terminó", en="ended"), extra=why)
            child.wait_s = min(2 * child.wait_s, LONGEST_WAIT_S)
            child.restarts += 1
        if now >= child.due and not self._waits(child, now):
            self._start(child, now)

    def _waits(self, child: Child, now: float) -> bool:
        """Whether it would end at once: pages that nobody could administer are started when somebody can."""
        pages = child.name == WEB and self.config.web is not None
        if not pages or has_administrator(self.config.data) is not False:
            child.waits_for = ""
            return False
        if not child.waits_for:
            log.warning("%s", nobody_in_charge(self.config), extra={"which": child.name})
        child.waits_for, child.due = NOBODY, now + NOBODY_LOOK_S
        return True

    def _is_to_be_killed(self, child: Child, now: float) -> bool:
        if child.end_by is not None:
            late = now >= child.end_by
            if late:
                log.error(_too_late(), extra={"which": child.name})
            return late
        if child.table and self._hangs(child, now):
            log.error(
                text(es="no avanza, se reinicia", en="stands still, is started anew"),
                extra={"which": child.name},
            )
            return True
        return False

    def _renew(self, tables: Sequence[str]) -> None:
        """Start these anew, to be watched as their files say now; their sessions go on."""
        for child in self.children:
            if child.table not in tables:
                continue
            if not self.config.table(child.table).live:
                later = text(
                    es="cambió el archivo de su mesa: cuenta desde su próximo arranque",
                    en="its table file changed: counts at its next start",
                )
                log.info(later, extra={"which": child.name})
                continue
            anew = text(
                es="cambió el archivo de su mesa, se reinicia", en="its table file changed, is started anew"
            )
            log.warning(anew, extra={"which": child.name})
            if child.process is not None and child.running:
                child.process.terminate()
                child.end_by = time.monotonic() + STOP_S
            child.due = 0.0

    def _start(self, child: Child, now: float) -> None:
        try:
            # In a session of their own: Ctrl-C comes to us alone, and we end them in order.
            child.process = self._process(child)
        except OSError as fault:
            not_started = text(es="no se puede arrancar", en="cannot be started")
            log.error("%s: %s", not_started, with_system_words(str(fault)), extra={"which": child.name})
            child.due = now + child.wait_s
            child.wait_s = min(2 * child.wait_s, LONGEST_WAIT_S)
            return
        child.started = now
        log.info(text(es="arrancó", en="started"), extra={"which": child.name, "pid": child.process.pid})

    def _process(self, child: Child) -> subprocess.Popen[bytes]:
        lines = self.form == JSON
        process = subprocess.Popen(
            child.command,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if lines else None,
            stderr=subprocess.STDOUT if lines else None,
            env=self._line.environment(),
            pass_fds=[self._line.theirs],
        )
        if process.stdout is not None:
            # Whatever it or a library of its writes, to the last word before it dies.
            told = (process.stdout, child.name)
            threading.Thread(target=pass_on, args=told, name=f"log {child.name}", daemon=True).start()
        return process

    def _hangs(self, child: Child, now: float) -> bool:
        hang_s, run_s, clock = self.config.limits.hang_s, now - child.started, time.time()
        last = last_heartbeat(self.config.data, child.table)
        if last is None or last.pid != _pid(child):
            opening = opening_of(self.config.data, child.table)
            alive = opening is not None and opening.pid == _pid(child) and clock - opening.at < hang_s
            return run_s > (LONGEST_START_S if alive else START_S)
        # Both are of this process or later than its start; before the first picture loop_at is the start.
        longest_s = hang_s if last.looked else max(hang_s, FIRST_LOOK_S)
        return min(clock - last.at, run_s) > hang_s or min(clock - last.loop_at, run_s) > longest_s

    def _end(self) -> None:
        """Tables first, all at once; the pages when they are done."""
        for group in ([c for c in self.children if c.table], [c for c in self.children if not c.table]):
            for child in group:
                if child.process is not None and child.running:
                    child.process.terminate()
            until = time.monotonic() + STOP_S
            for child in group:
                if child.process is None:
                    continue
                try:
                    child.process.wait(max(0.1, until - time.monotonic()))
                except subprocess.TimeoutExpired:
                    log.error(_too_late(), extra={"which": child.name})
                    child.process.kill()
                    child.process.wait()
                log.info("ended", extra={"which": child.name, "status": child.process.returncode})


def _web_report(web: Child) -> dict[str, Any]:
    return {"running": web.running, "restarts": web.restarts, "waits_for": web.waits_for}


def _health(last: Heartbeat | None, file_fault: str) -> dict[str, Any]:
    """What a table's process said last, and what its file does not let it be."""
    told = {} if last is None else dict(last.health)
    if file_fault:
        troubles = told.get("troubles")
        told["troubles"] = {**(troubles if isinstance(troubles, dict) else {}), TABLE_FILE: file_fault}
    return told


def _too_late() -> str:
    return text(es=f"no terminó en {STOP_S:g} s, se interrumpe", en=f"did not end in {STOP_S:g} s, is killed")


def _pid(child: Child) -> int:
    return -1 if child.process is None else child.process.pid


def run_service(config: WatchConfig, form: str) -> int:
    """Watch every table of `config` until SIGTERM or Ctrl-C."""
    check_bus(config)
    supervisor = Supervisor(config, form)
    names = ", ".join(each.id for each in config.tables)
    log.info(text(es=f"se vigila: {names}", en=f"watching: {names}"))
    with answered_by(lambda *_: supervisor.stop(), signal.SIGTERM, signal.SIGINT):
        status = supervisor.run()
    log.info(text(es="fin del servicio", en="the service has ended"))
    return status
