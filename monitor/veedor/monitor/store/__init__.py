"""The live monitor's record: files that are the truth, and an index of them in SQLite."""

from __future__ import annotations

from veedor.monitor.store.errors import DamagedStoreError, NewerStoreError, StaleDecisionError, StoreError
from veedor.monitor.store.layout import SessionFolder
from veedor.monitor.store.rows import (
    Action,
    ClipRow,
    CoupRow,
    DecisionRow,
    EventRow,
    FindingFilter,
    FindingRow,
    SessionRow,
    State,
)
from veedor.monitor.store.session_record import SessionRecord, told_findings
from veedor.monitor.store.store import Decision, Store
from veedor.monitor.store.writing import SessionInfo

__all__ = [
    "Action",
    "ClipRow",
    "CoupRow",
    "DamagedStoreError",
    "Decision",
    "DecisionRow",
    "EventRow",
    "FindingFilter",
    "FindingRow",
    "NewerStoreError",
    "SessionFolder",
    "SessionInfo",
    "SessionRecord",
    "SessionRow",
    "StaleDecisionError",
    "State",
    "Store",
    "StoreError",
    "told_findings",
]
