"""What the service logs: a line for a person, or a JSON object a line for a machine, on standard error."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

TEXT, JSON = "text", "json"
FORMS = (TEXT, JSON)
_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def log_to_stderr(form: str, part: str) -> None:
    """Log everything from information on; `part` names the table or process in each line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines(part) if form == JSON else _Lines(part))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _FIELDS}


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class _Lines(logging.Formatter):
    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part

    def format(self, record: logging.LogRecord) -> str:
        words = " ".join(record.getMessage().split())
        extra = "".join(f" {name}={value}" for name, value in _extra(record).items())
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return f"{_moment(record)} {record.levelname.lower()} {self._part}: {words}{extra}{trace}"


class _JsonLines(logging.Formatter):
    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part

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
