"""What came of a session, in one line."""

from __future__ import annotations

from veedor.monitor.language import counted, text


def outcome(coups: int, broken: int, rest: int) -> str:
    """So many coups and infractions, and findings that somebody has to decide."""
    return ", ".join(
        (
            counted(coups, es=("jugada", "jugadas"), en=("coup", "coups")),
            counted(broken, es=("infracción", "infracciones"), en=("infraction", "infractions")),
            text(es=f"{rest} por decidir", en=f"{rest} to be decided"),
        )
    )
