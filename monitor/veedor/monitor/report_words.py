"""Words that pages and printed reports share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veedor.monitor.language import Language

ACTIONS = {
    "accept": ("aceptado", "accepted"),
    "dismiss": ("descartado", "dismissed"),
    "escalate": ("elevado", "escalated"),
    "rule": ("resuelto", "ruled"),
    "reopen": ("reabierto", "reopened"),
    "protect": ("prueba retenida", "evidence kept"),
    "release": ("prueba liberada", "evidence released"),
}


def action_words(line: Mapping[str, Any], language: Language) -> str:
    """What somebody did about a finding, in a word or two."""
    action = str(line.get("action", "?"))
    spanish, english = ACTIONS.get(action, (action, action))
    return spanish if language is Language.ES else english


def decision_words(line: Mapping[str, Any], language: Language) -> str:
    """The same with who, when and why."""
    at, reason = str(line.get("at", ""))[:16].replace("T", " "), str(line.get("reason") or "")
    told = f"{action_words(line, language)} · {line.get('who', '?')}, {at} UTC"
    return f"{told}: {reason}" if reason else told
