"""The table a labelled picture is of: its chip set and zones, as they were when the picture was taken."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from veedor.datasets.labelled import LabelledPicture
from veedor.monitor.durable import write_whole
from veedor.monitor.labelling.revisions import LabelFault
from veedor.monitor.private_folder import private_folder
from veedor.monitor.store import StoreError
from veedor.monitor.store.layout import is_name, session_folder
from veedor.vision.errors import VisionError
from veedor.vision.table import Table
from veedor.vision.table_file import load_table, save_table

TABLES = "tables"


def keep_table(labels: Path, table: Table) -> None:
    """Keep a copy of a table's file in the label store, for pictures that are of no session."""
    if not is_name(table.id):
        raise LabelFault(f"table {table.id!r:.80}: cannot be a file's name")
    folder = labels / TABLES
    try:
        private_folder(folder)
        part = folder / f".{table.id}.new"
        save_table(table, part)
        write_whole(folder / f"{table.id}.toml", part.read_bytes())
        part.unlink()
    except OSError as fault:
        raise LabelFault(f"{fault.filename or folder}: {fault.strerror or fault}") from fault


def table_of(data: Path, labels: Path, picture: LabelledPicture) -> Table | None:
    """The table file of the picture's session, else the store's own copy; None where there is neither."""
    paths = []
    with suppress(StoreError):  # stills are of no session
        paths.append(session_folder(data, picture.session).table_file)
    if is_name(picture.table):
        paths.append(labels / TABLES / f"{picture.table}.toml")
    for path in paths:
        if path.is_file():
            try:
                return load_table(path)
            except VisionError:
                continue
    return None
