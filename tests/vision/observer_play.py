"""Scenes that last, shown to an observer, and the journal that it makes of them."""

from __future__ import annotations

from table_scenes import LOOK_S, Thing, card, chips, hand, percept, table
from veedor.rules.events import (
    BettingOpened,
    CoupOpened,
    TableEvent,
)
from veedor.vision.observer import Observer

LAYOUT = table().layout
MOUTH = (222.0, 265.0)
SLOTS = {
    "P1": [(-756.0, 0.0), (-684.0, 0.0), (-612.0, 0.0), (-828.0, 0.0)],
    "P2": [(684.0, 0.0), (756.0, 0.0), (828.0, 0.0), (612.0, 0.0)],
    "B": [(-36.0, 385.0), (36.0, 385.0), (108.0, 385.0), (-108.0, 385.0)],
}
SEAT1_ELBOW, SEAT2_ELBOW = (-470.0, 1250.0), (-1250.0, 1050.0)
CROUPIER = (-110.0, -1250.0)


class Play:
    """Shows an observer scenes that last and keeps its journal."""

    def __init__(self) -> None:
        self.observer = Observer(table())
        self.t_s = 0.0
        self.journal: list[TableEvent] = []
        self.lying: dict[str, Thing] = {}

    def say(self, event: TableEvent) -> None:
        self.journal += self.observer.hear(event)

    def show(self, seconds: float, *more: Thing) -> None:
        """What lies on the table, and `more`, for some seconds."""
        for _ in range(round(seconds / LOOK_S)):
            self.journal += self.observer.see(percept(round(self.t_s, 3), [*self.lying.values(), *more]))
            self.t_s += LOOK_S

    def deal(self, hand_name: str, name: str, slot: int | None = None) -> None:
        """Out of the sabot, and to a hand."""
        taken = [thing for key, thing in self.lying.items() if key.startswith(hand_name)]
        where = SLOTS[hand_name][len(taken) if slot is None else slot]
        self.show(0.8, card(*MOUTH))
        self.show(0.8)
        self.lying[f"{hand_name}.{name}"] = card(*where)
        self.show(0.8)

    def turn(self, hand_name: str, faces: list[str]) -> None:
        """Face up under a hand, side by side."""
        x, y = SLOTS[hand_name][0][0] + 36.0, SLOTS[hand_name][0][1]
        self.show(0.4, hand(x, y, (x, 1300.0 if hand_name == "B" else -1300.0)))
        cards = [key for key in self.lying if key.startswith(hand_name) and self.lying[key].face is None]
        for key, face, slot in zip(cards, faces, SLOTS[hand_name], strict=False):
            self.lying[key] = card(*slot, face)
        self.show(1.4)

    def end(self) -> list[TableEvent]:
        self.journal += self.observer.finish()
        return self.journal

    def of(self, *kinds: type[TableEvent]) -> list[TableEvent]:
        return [event for event in self.end() if isinstance(event, kinds)]


def opened() -> Play:
    play = Play()
    play.say(CoupOpened(1, t=0.0, source="operator"))
    play.say(BettingOpened(t=0.0, source="voice"))
    return play


def dealt() -> Play:
    play = opened()
    for number, name in enumerate(["P1", "P2", "B"] * 2, 1):
        play.deal(name, str(number))
    return play


def bet_spot(seat: int, pano: int = 1) -> tuple[float, float]:
    x, y = LAYOUT.zone(f"P{pano}.seat{seat}.bet").centre_mm
    return float(x), float(y)


def pushed(play: Play, name: str, things: list[Thing], elbow: tuple[float, float]) -> None:
    """A hand pushes chips in and leaves."""
    x = sum(thing.x for thing in things) / len(things)
    y = sum(thing.y for thing in things) / len(things)
    for share in (0.5, 0.25, 0.1):
        reach = (x + (elbow[0] - x) * share, y + (elbow[1] - y) * share)
        play.show(LOOK_S, hand(*reach, elbow))
    play.show(0.4, hand(x, y, elbow))
    play.lying.update({f"{name}.{number}": thing for number, thing in enumerate(things)})
    play.show(3.0)


def settled() -> Play:
    """Three stakes lie, all cards are turned."""
    play = opened()
    places = {"won": bet_spot(2), "lost": bet_spot(9, 2), "part": bet_spot(4)}
    play.lying = {name: chips(*place, "50", 2) for name, place in places.items()}
    play.show(3.0)
    for number, name in enumerate(["P1", "P2", "B"] * 2, 1):
        play.deal(name, str(number))
    for name, faces in (("P1", ["7H", "KS"]), ("P2", ["2D", "KC"]), ("B", ["AS", "4H"])):
        play.turn(name, faces)
    return play
