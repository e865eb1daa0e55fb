"""`/metrics` for Prometheus and `/health` for whoever restarts services, on this machine alone."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from veedor.monitor.errors import UsageFault

STALE_S = 10.0  # a heartbeat comes every second, a picture many times
BLIND_S = 60.0  # a hand before the camera, a short gap: longer than this the table is not watched
WEB, DATA = "web", "data folder"  # beside the tables' ids, in `trouble`
LEAST_FREE_BYTES = 2 * 1024**3
_TEXT = "text/plain; version=0.0.4; charset=utf-8"

# Name, key of a table's health, what it is; counters count from the start of the table's process.
_GAUGES = (
    ("veedor_frame_age_seconds", "frame_age_s", "age of the newest picture that was looked at"),
    ("veedor_lag_seconds", "lag_s", "how long after its moment the last picture was looked at"),
    ("veedor_detector_milliseconds", "detector_ms", "a look of the detector, median of the last 200"),
    ("veedor_detector_p95_milliseconds", "detector_p95_ms", "a look of the detector, 95th percentile"),
    ("veedor_coups", "coups", "coups closed in this session"),
    ("veedor_events", "events", "events that stand in this session"),
    ("veedor_disk_free_bytes", "disk_free_bytes", "free where the data folder lies"),
    ("veedor_memory_bytes", "memory_bytes", "memory of the table's process"),
)
_COUNTERS = (
    ("veedor_frames", "frames", "pictures that came"),
    ("veedor_frames_dropped", "dropped", "pictures not looked at because the machine did not keep up"),
    ("veedor_gaps", "gaps", "losses of a camera"),
    ("veedor_looks", "looks", "looks of the detector"),
    ("veedor_cpu_seconds", "cpu_s", "CPU time of the table's process"),
    ("veedor_view_lost_seconds", "view_lost_s", "how long the whole table could not be seen"),
)

Report = Mapping[str, Any]


class _Figures(Collector):
    def __init__(self, report: Callable[[], Report]) -> None:
        self._report = report

    def collect(self) -> Iterator[Metric]:
        report = self._report()
        tables: Mapping[str, Any] = report["tables"]
        up = GaugeMetricFamily("veedor_table_up", "whether the table is watched now", labels=["table"])
        restarts = CounterMetricFamily("veedor_restarts", "starts of what had died", labels=["part"])
        findings = GaugeMetricFamily("veedor_findings", "findings that stand", labels=["table", "verdict"])
        lost = GaugeMetricFamily("veedor_camera_lost", "whether a camera is lost", labels=["table", "camera"])
        blind = GaugeMetricFamily("veedor_view_lost", "whether the whole view is lost", labels=["table"])
        trouble = GaugeMetricFamily(
            "veedor_trouble",
            "1 for each part of a table's record that is in trouble",
            labels=["table", "part"],
        )
        for name, told in tables.items():
            up.add_metric([name], float(not trouble_of(told)))
            restarts.add_metric([name], told["restarts"])
            if "view_lost" in told["health"]:
                blind.add_metric([name], float(told["health"]["view_lost"] is not None))
            for verdict, count in told["health"].get("findings", {}).items():
                findings.add_metric([name, verdict], count)
            for number, camera in enumerate(told["health"].get("cameras", ())):
                lost.add_metric([name, str(number)], float(camera.get("lost") is not None))
            for part in told["health"].get("troubles", {}):
                trouble.add_metric([name, part], 1.0)
        if report["web"] is not None:
            restarts.add_metric(["web"], report["web"]["restarts"])
            yield GaugeMetricFamily("veedor_web_up", "whether the pages run", float(report["web"]["running"]))
        yield from (up, restarts, findings, lost, blind, trouble, *_index(report.get("index", {})))
        for kind, rows in ((GaugeMetricFamily, _GAUGES), (CounterMetricFamily, _COUNTERS)):
            for name, key, words in rows:
                family: Any = kind(name, words, labels=["table"])
                for table, told in tables.items():
                    value = told["health"].get(key)
                    if value is not None:
                        family.add_metric([table], value)
                yield family


def _index(told: Mapping[str, int]) -> Iterator[Metric]:
    words = "damaged indexes that were put aside", "sessions that an index made anew lacks yet"
    yield CounterMetricFamily("veedor_index_put_aside", words[0], told.get("put_aside", 0))
    yield GaugeMetricFamily("veedor_index_lacking_sessions", words[1], told.get("lacking", 0))


def trouble_of(told: Mapping[str, Any]) -> list[str]:
    """What is wrong with a table, in a word each; nothing where it is watched as it should be."""
    health = told["health"]
    wrong = []
    if told["running"] and told.get("opening"):
        wrong.append(f"starting: {told['opening']}")
    elif not told["running"] or told["heartbeat_age_s"] is None or told["heartbeat_age_s"] > STALE_S:
        wrong.append("not running")
    elif told["loop_age_s"] is not None and told["loop_age_s"] > STALE_S:
        wrong.append("stands still")
    wrong += [f"camera {n} lost" for n, each in enumerate(health.get("cameras", ())) if each.get("lost")]
    age = health.get("frame_age_s")
    if not wrong and (age is None or age > STALE_S):
        wrong.append("no pictures")
    blind = health.get("view_lost")
    if blind is not None and blind["for_s"] > BLIND_S:
        wrong.append(f"cannot see for {blind['for_s']:.0f} s: {blind['reason']}")
    free = health.get("disk_free_bytes")
    if free is not None and free < LEAST_FREE_BYTES:
        wrong.append("disk nearly full")
    return wrong + [f"{part}: {line}" for part, line in health.get("troubles", {}).items()]


def health_report(report: Report) -> dict[str, Any]:
    """What `/health` answers: whether all is well, and what is not."""
    tables = {name: trouble_of(told) for name, told in report["tables"].items()}
    web = report["web"]
    parts = {
        **tables,
        WEB: [] if web is None or web["running"] else [web.get("waits_for") or "not running"],
        DATA: list(report["disk"]),
    }
    wrong = {name: troubles for name, troubles in parts.items() if troubles}
    return {"ok": not wrong, "trouble": wrong, **report}


class MetricsServer:
    """Answers `/metrics` and `/health` from a thread of its own; UsageFault where the port is taken."""

    def __init__(self, host: str, port: int, report: Callable[[], Report]) -> None:
        registry = CollectorRegistry()
        registry.register(_Figures(report))

        class Handler(BaseHTTPRequestHandler):
            timeout = 10.0  # whoever connects and says nothing is left
            server_version, sys_version = "veedor", ""

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                if path == "/metrics":
                    self._answer(HTTPStatus.OK, _TEXT, generate_latest(registry))
                elif path == "/health":
                    told = health_report(report())
                    status = HTTPStatus.OK if told["ok"] else HTTPStatus.SERVICE_UNAVAILABLE
                    self._answer(status, "application/json", json.dumps(told, indent=1).encode())
                else:
                    self._answer(HTTPStatus.NOT_FOUND, _TEXT, b"/metrics or /health\n")

            def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-Content-Type-Options", "nosniff")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Each scrape is no news."""

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as fault:
            raise UsageFault(f"{host}:{port}: cannot be used: {fault.strerror or fault}") from None
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
