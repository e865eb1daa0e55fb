"""Points, results, shares and dues as the player of sessions reckons them, apart from the rule checker.

The checker must agree with this on every simulated coup; shared code would make that agreement worthless.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from veedor.datasets.play.money import half_up

PANOS = ("P1", "P2")
HANDS = ("P1", "P2", "B")
NO_CARD = 10  # the cuadro's eleventh column: the paño was given no third card

# 000 §13: rows are the bank's total, columns the third card's points, the last one "none given".
CUADRO = (
    "TTTTTTTTTTT",
    "TTTTTTTTTTT",
    "TTTTTTTTTTT",
    "TTTTTTTTPOT",
    "PPTTTTTTPPT",
    "PPPPOTTTPPT",
    "PPPPPPTTPPP",
    "PPPPPPPPPPP",
)


def points(face: str) -> int:
    """Points of a card (EQ-05)."""
    return "A23456789TJQK".index(face[0]) + 1 if face[0] in "A23456789" else 0


def total(faces: Sequence[str]) -> int:
    """Point of a hand (EQ-06)."""
    return sum(points(face) for face in faces) % 10


class Fault(StrEnum):
    """Whose error made a coup restored (001 VIII.3 p3)."""

    NONE = "none"
    EXEMPT = "exempt"  # a player's or the croupier's, or a slip that costs the banker nothing
    BANKER = "banker"


class Duty(StrEnum):
    DRAW = "draw"
    STAND = "stand"
    FREE = "free"


def duty(bank: int, thirds: Mapping[str, int], *, fault: Fault, asked_cuadro: bool) -> Duty:
    """What the banker must do.

    `thirds` has the live paños only (neither turned naturals nor annulled): points of the third card or
    NO_CARD.
    """
    if bank >= 8 or not thirds:
        return Duty.STAND
    cells = [CUADRO[bank][third] for third in thirds.values()]
    if fault is Fault.NONE and not asked_cuadro:
        return Duty.FREE
    if len(cells) == 1 and fault is not Fault.NONE:
        return Duty.STAND if cells[0] == "P" else Duty.DRAW  # 001 VIII.3 p1: the options are drawn
    if len(set(cells)) == 1 and cells[0] != "O":
        return Duty.DRAW if cells[0] == "T" else Duty.STAND  # 001 VI p4, VIII.3 p2
    if fault is Fault.BANKER:
        return Duty.DRAW if bank <= 5 else Duty.STAND  # 001 VIII.3 p3
    return Duty.FREE


@dataclass(frozen=True)
class HandEnd:
    """A hand at the end of a coup; `natural` if two cards make 8 or 9 and were turned in time."""

    faces: tuple[str, ...]
    natural: bool = False

    @property
    def point(self) -> int:
        return total(self.faces)


def result(player: HandEnd, bank: HandEnd) -> int:
    """+1 the paño wins, -1 the bank, 0 nobody (SH-20, SH-21, C-20)."""
    if player.natural != bank.natural:
        return 1 if player.natural else -1
    return (player.point > bank.point) - (player.point < bank.point)


def shares(zone: str, amount: int, unit: int) -> dict[str, int]:
    """What of a stake plays on each paño (BT-03..06, C-04, G-04)."""
    where = zone
    if zone.startswith("half:"):
        where = zone.removeprefix("half:")
        amount = amount // (2 * unit) * unit
    if where == "caballo":
        first = half_up(amount, unit)
        return {"P1": first, "P2": amount - first}
    return {where: amount} if where in PANOS else {}


def cover(bets: Mapping[str, tuple[int, Mapping[str, int]]], bank: int) -> dict[str, dict[str, int]]:
    """What a bank covers of the stakes (seat and parts by bet): paño 1 first, seat by seat (PL-03, G-01)."""
    if sum(sum(parts.values()) for _, parts in bets.values()) <= bank:
        return {bet: dict(parts) for bet, (_, parts) in bets.items()}
    covered: dict[str, dict[str, int]] = {bet: {} for bet in bets}
    for pano in PANOS:
        for bet, (_, parts) in sorted(bets.items(), key=lambda entry: entry[1][0]):
            if pano in parts:
                covered[bet][pano] = min(parts[pano], bank)
                bank -= covered[bet][pano]
    return covered


def due(zone: str, amount: int, unit: int, results: Mapping[str, int]) -> int:
    """Net due to the bettor: positive is paid, negative collected."""
    return sum(share * results[pano] for pano, share in shares(zone, amount, unit).items())
