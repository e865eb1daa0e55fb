"""Words of rules outside their sentences: how grave a fault is, what a sentence leaves to be filled in."""

from __future__ import annotations

import re
from typing import Any

from veedor.monitor.language import Language, either
from veedor.rules.rulebook import rulebook

SEVERITIES = {
    "info": ("aviso", "note"),
    "warn": ("advertir", "warn"),
    "rectify": ("rectificar", "rectify"),
    "money": ("dinero", "money"),
    "annul": ("anular", "annul"),
}

# Names that the rulebook's sentences use for what differs from case to case.
FACTS = {
    "allowed": ("lo permitido", "allowed"),
    "amount": ("importe", "amount"),
    "banker": ("banquero", "banker"),
    "before": ("quien va antes", "before"),
    "below": ("cartas debajo", "below"),
    "bet": ("postura", "bet"),
    "bettor": ("apostante", "bettor"),
    "by": ("quién", "by"),
    "call": ("hora del «no va más»", "time of the call"),
    "card": ("carta", "card"),
    "cards": ("cartas", "cards"),
    "cells": ("casos", "cells"),
    "count": ("cuántas", "count"),
    "coups": ("jugadas", "coups"),
    "cut": ("corte", "cut"),
    "depth": ("profundidad", "depth"),
    "difference": ("diferencia", "difference"),
    "done": ("hecho", "done"),
    "due": ("debido", "due"),
    "expected": ("lo debido", "expected"),
    "first": ("primero", "first"),
    "from": ("de", "from"),
    "hand": ("mano", "hand"),
    "high": ("máximo", "high"),
    "limit": ("límite", "limit"),
    "low": ("mínimo", "low"),
    "max": ("máximo", "max"),
    "meant": ("destino", "meant"),
    "need": ("lo necesario", "need"),
    "now": ("ahora", "now"),
    "now_zone": ("lugar", "place"),
    "owner": ("la postura de quien la puso", "its owner's stake"),
    "pano": ("paño", "paño"),
    "person": ("persona", "person"),
    "points": ("puntos", "points"),
    "repeats": ("repeticiones", "repeats"),
    "returned": ("devuelto", "returned"),
    "rule": ("regla", "rule"),
    "said": ("dicho", "said"),
    "second": ("segundo", "second"),
    "seconds": ("segundos", "seconds"),
    "shows": ("lo que muestra", "shows"),
    "start": ("comienzo", "start"),
    "suite": ("suite", "suite"),
    "taken": ("cobrado", "taken"),
    "to": ("a", "to"),
    "total": ("total", "total"),
    "true": ("verdadero", "true"),
    "was": ("lo anterior", "was"),
    "what": ("qué", "what"),
    "zone": ("lugar", "place"),
}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def severity_name(severity: str, language: Language) -> str:
    return either(SEVERITIES[severity], language)


def general(template: str, language: Language) -> str:
    """A rulebook sentence of no case in particular: what differs from case to case in angle quotes."""
    return _PLACEHOLDER.sub(lambda found: f"‹{either(FACTS[found[1]], language)}›", template)


def rule_record(code: str, citation: str) -> dict[str, Any]:
    """A rule's own text in both languages and where it stands, for files about a finding."""
    told: dict[str, Any] = {"code": code, "citation": citation}
    entry = rulebook().codes.get(code)
    if entry is None:
        return told
    told["source"] = entry.source
    for language in Language:
        texts = entry.texts[str(language)]
        told[str(language)] = {
            "name": texts.name,
            "rule": general(texts.expected, language),
            "fault": general(texts.found, language),
            "remedy": texts.remedy,
        }
    return told
