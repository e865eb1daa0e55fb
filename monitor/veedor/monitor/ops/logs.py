"""What the service logs: a line for a person, or a JSON object a line for a machine, on standard error."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import IO, Any

from veedor.monitor.errors import MonitorError
from veedor.monitor.fault_words.telling import in_words
from veedor.rules.errors import RulesError
from veedor.vision.errors import VisionError
from veedor.vision.stream_address import shown_address

TEXT, JSON = "text", "json"
FORMS = (TEXT, JSON)
LONGEST_LINE = 1 << 16
_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def log_to_stderr(form: str, part: str) -> None:
    """Log everything from information on; `part` names the table or process in each line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines(part) if form == JSON else _Lines(part))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)


@contextmanager
def nothing_but_lines(form: str, part: str) -> Iterator[None]:
    """`log_to_stderr`; as JSON, all that this process prints or dies of meanwhile is a line of the log too.

    As text only threads that die are told as an alarm, in a line, before their traceback.
    """
    earlier = threading.excepthook, sys.excepthook, sys.unraisablehook, sys.stdout, sys.stderr
    raising, root = logging.raiseExceptions, logging.getLogger()
    handlers, level = list(root.handlers), root.level
    log_to_stderr(form, part)
    threading.excepthook = _thread_died
    if form == JSON:
        logging.captureWarnings(True)
        logging.raiseExceptions = False  # a log that nobody reads any more is no fault to log
        sys.excepthook = _died
        sys.unraisablehook = _unraisable
        sys.stdout, sys.stderr = _AsLines("stdout", logging.INFO), _AsLines("stderr", logging.WARNING)
    try:
        yield
    finally:
        if form == JSON:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            logging.captureWarnings(False)
            logging.raiseExceptions = raising
        threading.excepthook, sys.excepthook, sys.unraisablehook, sys.stdout, sys.stderr = earlier
        root.handlers[:], root.level = handlers, level


def run_logged(form: str, part: str, work: Callable[[], int]) -> int:
    """Do a command's work; where its log is JSON its faults are lines of it and its status tells."""
    with nothing_but_lines(form, part):
        try:
            return work()
        except (MonitorError, VisionError, RulesError) as fault:
            if form != JSON:
                raise
            logging.getLogger("veedor").error("%s", shown_address(in_words(fault)))
            return 2
        except Exception as fault:
            if form != JSON:
                raise
            logging.getLogger("veedor").critical("died of %s", _named(type(fault), fault), exc_info=True)
            return 1


def pass_on(stream: IO[bytes], part: str) -> None:
    """Pass on what another process writes until it ends: lines of its log as they are, others as ours."""
    other = logging.getLogger("output")
    with stream:
        while raw := stream.readline(LONGEST_LINE):
            line = raw.decode("utf-8", "replace").strip()
            if not line:
                continue
            if _is_ours(line):
                _write_through(line)
            else:
                other.warning("%s", line, extra={"which": part})


def _is_ours(line: str) -> bool:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and {"at", "level", "part", "text"} <= told.keys()


def _write_through(line: str) -> None:
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            with handler.lock or threading.Lock():
                try:
                    handler.stream.write(line + "\n")
                    handler.flush()
                except (OSError, ValueError):
                    return


class _AsLines(io.TextIOBase):
    """A stream whose lines are lines of the log."""

    def __init__(self, name: str, level: int) -> None:
        self._log, self._level = logging.getLogger(name), level
        self._rest = threading.local()  # lines of several threads are not mixed up

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, rest = (getattr(self._rest, "text", "") + text).split("\n")
        if len(rest) > LONGEST_LINE:
            lines, rest = [*lines, rest], ""
        self._rest.text = rest
        for line in lines:
            if line.strip():
                self._log.log(self._level, "%s", line.rstrip("\r"))
        return len(text)

    def flush(self) -> None:
        rest, self._rest.text = getattr(self._rest, "text", ""), ""
        if rest.strip():
            self._log.log(self._level, "%s", rest)


def _died(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger("veedor").critical("died of %s", _named(kind, fault), exc_info=(kind, fault, trace))


def alarm(log: logging.Logger, line: str) -> None:
    """Something that whoever looks after the service has to know."""
    log.error("%s", line, extra={"alarm": True})


def _thread_died(args: Any) -> None:
    if args.exc_type is SystemExit:
        return
    name = "?" if args.thread is None else args.thread.name
    exact = (args.exc_type, args.exc_value, args.exc_traceback)
    told = "thread %s died of %s", name, _named(args.exc_type, args.exc_value)
    logging.getLogger("veedor").error(*told, exc_info=exact, extra={"alarm": True})


def _unraisable(args: Any) -> None:
    exact = (args.exc_type, args.exc_value, args.exc_traceback)
    logging.getLogger("veedor").warning("%s", args.err_msg or "ignored", exc_info=exact)


def _named(kind: type[BaseException], fault: BaseException | None) -> str:
    return " ".join(f"{kind.__name__}: {fault}".split())


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _FIELDS}


def _shown(words: str) -> str:
    """Words of others with what would make a line of its own, or not be seen, written out."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in words)


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class _OfPart(logging.Formatter):
    """Says which part of the service tells it."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part


class _Lines(_OfPart):
    def format(self, record: logging.LogRecord) -> str:
        words = _shown(" ".join(record.getMessage().split()))
        extra = "".join(f" {name}={_shown(str(value))}" for name, value in _extra(record).items())
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return f"{_moment(record)} {record.levelname.lower()} {self._part}: {words}{extra}{trace}"


class _JsonLines(_OfPart):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": _moment(record),
            "level": record.levelname.lower(),
            "part": self._part,
            "logger": record.name,
            "text": record.getMessage(),
            **_extra(record),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
