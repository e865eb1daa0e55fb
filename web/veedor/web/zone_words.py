"""A zone of the table in words, from its name in the table file."""

from __future__ import annotations

import re

from veedor.monitor.language import Language

_PARTS = {
    "hand": ("mano", "hand"),
    "bet": ("apuestas", "bets"),
    "player": ("lugar del jugador", "player's place"),
    "other": ("apuestas al otro paño", "bets on the other paño"),
    "banker_hand": ("mano de la banca", "bank's hand"),
    "bank": ("banca", "bank"),
    "shoe": ("sabot", "shoe"),
    "basket": ("cesto", "basket"),
    "cagnotte": ("cagnotte", "cagnotte"),
    "tips": ("propinas", "tips"),
    "croupier": ("crupier", "croupier"),
    "forbidden": ("lugar prohibido", "forbidden place"),
    "punto": ("punto", "punto"),
    "banca": ("banca", "banca"),
}
_WHOLE = ("toda la mesa", "the whole table")


def place(zone: str, language: Language) -> str:
    """`P1.seat3.bet` as a person says it; a part that is not known stands as it is."""
    at = 0 if language is Language.ES else 1
    if not zone:
        return _WHOLE[at]
    words = []
    for part in zone.split("."):
        pano = re.fullmatch(r"P(\d)", part)
        seat = re.fullmatch(r"seat(\d+)", part)
        if pano is not None:
            words.append(f"paño {pano.group(1)}")
        elif seat is not None:
            words.append(f"{('asiento', 'seat')[at]} {seat.group(1)}")
        else:
            words.append(_PARTS.get(part, (part.replace("_", " "),) * 2)[at])
    return " · ".join(words)
