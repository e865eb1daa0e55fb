"""Which events people may correct, and put in the place of others: not what the record tells of itself.

Where it begins and what of it nobody saw are the program's word: who could strike or invent those could make
findings appear and vanish.
"""

from __future__ import annotations

from veedor.rules.events import (
    NAME_BY_TYPE,
    EventCorrected,
    SessionOpened,
    TableEvent,
    ViewLost,
    ViewRestored,
)

OF_THE_RECORD = (SessionOpened, ViewLost, ViewRestored, EventCorrected)
CORRECTABLE = frozenset(NAME_BY_TYPE.values()) - {NAME_BY_TYPE[kind] for kind in OF_THE_RECORD}


def uncorrectable(event: TableEvent) -> tuple[str, str] | None:
    """Why an event can be neither corrected nor a correction, in Spanish and English; None where it can."""
    if not isinstance(event, OF_THE_RECORD):
        return None
    name = NAME_BY_TYPE[type(event)]
    return f"{name}: no es un suceso que se pueda corregir", f"{name}: not an event that can be corrected"
