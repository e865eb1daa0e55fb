"""Tables written as CSV, and as Parquet where pyarrow is installed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from veedor.monitor.durable import write_whole
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.report_tables import Cell, Column, Kind, Table
from veedor.monitor.sheets import csv_file

# Table units with four decimals: a cagnotte of 1.25 % of half a unit is still exact.
DECIMALS, DIGITS = 4, 28


def write_csv(folder: Path, tables: Sequence[Table]) -> list[Path]:
    """A file a table."""
    return [_write(folder, table, "csv", csv_table(table)) for table in tables]


def csv_table(table: Table) -> bytes:
    """A table as the content of a CSV file."""
    return csv_file([each.name for each in table.columns], table.rows)


def write_parquet(folder: Path, tables: Sequence[Table]) -> list[Path]:
    """A file a table; UsageFault where pyarrow is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        needed = text(es="hace falta el extra «parquet»", en="the `parquet` extra is needed")
        raise UsageFault(f"pyarrow: {needed}: pip install 'veedor[parquet]'") from None
    written = []
    for table in tables:
        schema = pyarrow.schema([(each.name, _arrow(each, pyarrow)) for each in table.columns])
        columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
        arrays = [
            pyarrow.array([_exact(cell) for cell in cells], field.type)
            for cells, field in zip(columns, schema, strict=True)
        ]
        content = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), content)
        written.append(_write(folder, table, "parquet", content.getvalue()))
    return written


def _arrow(column: Column, pyarrow: Any) -> Any:
    kinds = {
        Kind.TEXT: pyarrow.string(),
        Kind.WHOLE: pyarrow.int64(),
        Kind.SECONDS: pyarrow.float64(),
        Kind.SHARE: pyarrow.float64(),
        Kind.AMOUNT: pyarrow.decimal128(DIGITS, DECIMALS),
        Kind.MOMENT: pyarrow.timestamp("ms", tz="UTC"),
    }
    return kinds[column.kind]


def _exact(cell: Cell) -> Cell:
    return cell.quantize(Decimal(1).scaleb(-DECIMALS)) if isinstance(cell, Decimal) else cell


def _write(folder: Path, table: Table, ending: str, content: bytes) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as fault:
        raise UsageFault(f"{folder}: " + text(es="no es una carpeta", en="not a folder")) from fault
    path = folder / f"{table.name}.{ending}"
    write_whole(path, content)
    return path
