"""Tables as CSV files that spreadsheets open."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal

_PART = 1 << 16  # characters
_BOM = "\ufeff"  # without it spreadsheets take ñ for two characters


def csv_file(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A header, then a line a row; amounts and times as they are, nothing rounded for show."""
    return b"".join(csv_parts(columns, rows))


def csv_parts(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
    """The same in parts, so that a sheet of any length never lies in memory."""
    out = io.StringIO()
    out.write(_BOM)
    lines = csv.writer(out)
    lines.writerow(columns)
    for row in rows:
        lines.writerow([_cell(cell) for cell in row])
        if out.tell() >= _PART:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _cell(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return format(cell, "f")
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="milliseconds")
    if isinstance(cell, str):
        # A spreadsheet takes what begins so for a formula, whoever wrote it.
        return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
    return str(cell)
