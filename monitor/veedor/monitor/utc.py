"""Times as the data folder's files and names have them."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_text(moment: datetime) -> str:
    """To the millisecond: `2026-11-30T23:04:11.120Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_now() -> str:
    """The wall clock as `utc_text` has it."""
    return utc_text(datetime.now(UTC))


def utc_stamp(moment: datetime) -> str:
    """For names, to the second: `20261130T230411Z`."""
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
