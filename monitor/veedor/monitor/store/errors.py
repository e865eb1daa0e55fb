"""What is wrong with a store, in one line that names the file."""

from __future__ import annotations

from veedor.monitor.errors import MonitorError


class StoreError(MonitorError):
    """The store, or a file of the data folder that it is made from, cannot be used."""


class DamagedStoreError(StoreError):
    """The store's file is no database of this program, or a damaged one; a rebuild puts it right."""


class NewerStoreError(StoreError):
    """The store was made by a later version of the program."""


class StaleDecisionError(StoreError):
    """Somebody else has decided since the finding was looked at; nothing was written."""
