"""Who lifts a hand's cards, and how they are laid down again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.rules.events import HandPosed, HandTaken, TableEvent
from veedor.vision.arms import Arm
from veedor.vision.card_watch import BANK, CardWatch
from veedor.vision.layout import TableLayout, ZoneKind
from veedor.vision.moment import Moment
from veedor.vision.tracker import turn_between_deg

FloatArray = NDArray[np.float64]

REACH_MM = 30.0  # a hand that lies on a hand's cards is this near to their middle
SHORTEST_S = 0.7  # less is a hand that passes or lays a card down
# Turning two cards shows the first face within a second; whoever looks at them keeps them longer.
TURN_S = 1.15
AFTER_S = 0.5  # until what a hand has left can be seen
POSE_WAIT_S = 2.0
CROSSED_DEG = 28.0  # cards laid straight differ by less than 10 degrees, crossed ones by 70 or more


@dataclass
class Stay:
    """An arm over a hand's cards."""

    arm: Arm
    by: str
    since: float
    frame: int
    seen_at: float
    told: bool = False


class HandWatch:
    """Follows who has which hand's cards."""

    def __init__(self, layout: TableLayout, cards: CardWatch) -> None:
        self._cards = cards
        self._holders = _holders(layout)
        self._stays: dict[str, Stay] = {}
        self._laid: dict[str, Stay] = {}  # taken up and let go, the pose not seen yet

    def reset(self) -> None:
        """A coup is over."""
        self._stays.clear()
        self._laid.clear()

    def update(self, moment: Moment) -> list[TableEvent]:
        """Hands taken and posed, told once it is certain that they were not turned."""
        events: list[TableEvent] = []
        for hand, holders in self._holders.items():
            if len(self._cards.hand(hand)) < 2:
                continue
            stay = self._stays.get(hand)
            arm = self._arm_on(hand, holders, moment, stay)
            if arm is not None:
                if stay is None:
                    owner = moment.arms.owner_among(arm, holders)
                    stay = self._stays[hand] = Stay(arm, owner, moment.t_s, moment.frame, moment.t_s)
                    self._laid.pop(hand, None)
                stay.seen_at = moment.t_s
            if stay is not None:
                events += self._judge(hand, stay, moment)
            events += self._posed(hand, moment)
        return events

    def undecided(self) -> Iterator[float]:
        """Times of what may still be told: hands that lie on unturned cards, cards laid down again."""
        for hand, stay in self._stays.items():
            if not stay.told and not self._cards.shown(hand):
                yield stay.since
        yield from (stay.seen_at for stay in self._laid.values())

    def _arm_on(self, hand: str, holders: tuple[str, ...], moment: Moment, stay: Stay | None) -> Arm | None:
        cards = self._cards.hand(hand)[:2]
        middle = np.asarray(np.mean([held.place_mm for held in cards], axis=0), np.float64)
        for arm in moment.arms.at(middle, moment.t_s, reach_mm=REACH_MM):
            if stay is not None and arm is stay.arm:
                return arm
            if stay is None and moment.arms.owner(arm)[0] in holders:
                return arm
        return None

    def _judge(self, hand: str, stay: Stay, moment: Moment) -> list[TableEvent]:
        shown = self._cards.shown(hand) > 0
        stayed = stay.seen_at - stay.since
        left = moment.t_s - stay.seen_at >= AFTER_S - 1e-6
        events: list[TableEvent] = []
        taken = not stay.told and (
            (not shown and stayed >= TURN_S) or (left and not shown and stayed >= SHORTEST_S)
        )
        if taken:
            stay.told = True
            frames = (stay.frame, moment.frame)
            by, confidence = self._taker(hand, stay, moment)
            events.append(HandTaken(hand, by, t=stay.since, frames=frames, confidence=round(confidence, 3)))
        if left:
            del self._stays[hand]
            if stay.told and not shown:
                self._laid[hand] = stay
        return events

    def _taker(self, hand: str, stay: Stay, moment: Moment) -> tuple[str, float]:
        """Whose arm it is by all that was seen of it until now, and how surely."""
        owner, share = moment.arms.owner(stay.arm)
        return (owner, share) if owner in self._holders[hand] else (stay.by, min(share, 1.0 - share))

    def _posed(self, hand: str, moment: Moment) -> list[TableEvent]:
        stay = self._laid.get(hand)
        if stay is None:
            return []
        if moment.t_s - stay.seen_at > POSE_WAIT_S:
            del self._laid[hand]
            return []
        first = self._cards.hand(hand)[:2]
        tracks = [held.track for held in first]
        tucked = any(held.tucked for held in first)
        lying = [track for track in tracks if track is not None and track.seen and track.resting]
        if len(lying) < (1 if tucked else 2) or any(track.face_up for track in lying):
            return []
        del self._laid[hand]
        if hand == BANK:
            return []
        turn = turn_between_deg(lying[0].clear_turn_deg, lying[-1].clear_turn_deg)
        pose = "crossed" if tucked or turn > CROSSED_DEG else "parallel"
        frames = (max(track.rest_frame for track in lying), moment.frame)
        return [HandPosed(hand, pose, t=stay.seen_at + 0.2, frames=frames)]


def _holders(layout: TableLayout) -> dict[str, tuple[str, ...]]:
    holders = {
        f"P{zone.pano}": tuple(
            f"seat{other.seat}" for other in layout.of_kind(ZoneKind.PLAYER) if other.pano == zone.pano
        )
        for zone in layout.of_kind(ZoneKind.HAND)
    }
    if layout.of_kind(ZoneKind.BANKER_HAND):
        holders[BANK] = ("banker",)
    return holders
