"""Playing sessions at a table: people, cards, stakes, mistakes, and where everything is at every moment."""

from __future__ import annotations

from veedor.datasets.play.dealing import Fix, fix
from veedor.datasets.play.deviation import DEVIATIONS
from veedor.datasets.play.orders import Order
from veedor.datasets.play.punto_mistakes import PUNTO_DEVIATIONS
from veedor.datasets.play.script import CORE_CODES, draw_infractions
from veedor.datasets.play.sessions import PlantedFinding, Session, play_journal, play_session
from veedor.datasets.play.timeline import Timeline

__all__ = [
    "CORE_CODES",
    "DEVIATIONS",
    "PUNTO_DEVIATIONS",
    "Fix",
    "Order",
    "PlantedFinding",
    "Session",
    "Timeline",
    "draw_infractions",
    "fix",
    "play_journal",
    "play_session",
]
