"""Cards of a coup: drawn, dealt to a hand, moved on, turned, swept away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from veedor.rules.cards import RANKS, SUITS
from veedor.rules.events import CardDealt, CardDrawn, CardMoved, CardTurned, TableEvent
from veedor.vision.layout import TableLayout, Zone, ZoneKind
from veedor.vision.moment import Moment
from veedor.vision.mouth_watch import Draw, MouthWatch
from veedor.vision.tracker import Family, Track, turn_between_deg

FloatArray = NDArray[np.float64]

DEAD = "dead"
BANK = "B"
ZONE_REACH_MM = 18.0  # a third or fourth card may lie over the edge of its hand's area
HAND_CLEAR_MM = 25.0  # a hand nearer than this to a hand's cards may still be moving them
SAME_PLACE_MM = 45.0  # a card untouched by any hand is found again within this
BACKFILL_S = 1.2  # how long before its arrival a card was drawn that nobody saw at the mouth
READ_AFTER_S = 1.4  # a face is read for so long before it is told
READINGS_ENOUGH = 4.0
REREAD = 3.0  # more readings that tell another rank correct what was told
REREAD_PROB = 0.9
MIN_PROB = 0.5
GONE_LOOKS = 2
BROUGHT_S = 1.0  # a card that leaves play lies where a hand was so shortly before
BROUGHT_MM = 110.0
COVERED_S = 0.6  # longer than a hand passes over a card
# A card comes to a hand while a drawn one is still on its way and another has gone: either may be it. What is
# told of the coup's cards from there on accuses nobody.
CONFUSED = 0.45
GLIMPSED_S = 0.5  # so long after a pair was laid crossed, the lower card's corner may have been taken for it
LEANING_DEG = 18.0  # straight cards lean less, those of a crossed pair twice as much


@dataclass
class HeldCard:
    """A card of the coup: where it was last, what it showed."""

    card: str
    hand: str
    place_mm: FloatArray
    seen_at: float
    track: Track | None
    shown: str | None = None
    told_after: float = 0.0  # readings that `shown` rests on
    straight_deg: float | None = None  # direction of its long side when it was dealt
    under: int | None = None  # track of the other card of a crossed pair that hides this one

    @property
    def tucked(self) -> bool:
        """Whether it lies under the other card of a crossed pair, hardly to be seen."""
        return self.under is not None


class CardWatch:
    """Follows the cards of one coup after another."""

    def __init__(self, layout: TableLayout) -> None:
        self.mouth = MouthWatch(layout)
        self.zones = hand_zones(layout)
        self._baskets = layout.of_kind(ZoneKind.BASKET)
        self.cards: list[HeldCard] = []
        self._handled: dict[str, float] = dict.fromkeys(self.zones, -np.inf)
        self._count = 0
        self._surest = 1.0  # of what is told of this coup's cards
        self.last_seen = 0.0
        self._began: float | None = None  # when this was first shown anything

    def reset(self) -> None:
        """A coup is over."""
        self.cards.clear()
        self.mouth.reset()
        self._count = 0
        self._surest = 1.0

    def hand(self, name: str) -> list[HeldCard]:
        """The cards of a hand in order of extraction."""
        return [held for held in self.cards if held.hand == name]

    def shown(self, name: str) -> int:
        """How many of the first two cards of a hand lie face up."""
        first = self.hand(name)[:2]
        return sum(
            held.shown is not None or (held.track is not None and held.track.face_up) for held in first
        )

    def update(self, moment: Moment) -> list[TableEvent]:
        """What happened to cards, told once it is certain."""
        if self._began is None:
            self._began = moment.t_s
        self._follow(moment)
        self._tuck(moment)
        events: list[TableEvent] = []
        for draw in self.mouth.update(moment, {held.track.id for held in self.cards if held.track}):
            draw.card = self._new_id()
            events.append(self._drawn(draw))
        for name in self.zones:
            events += self._reconcile(name, moment)
        events += self._dead(moment)
        events += self._faces(moment)
        return events

    def undecided(self, now_s: float, decided_s: float) -> Iterator[float]:
        """Times of what may still be told: draws not dealt yet, faces not read yet, cards swept away."""
        yield from (draw.since for draw in self.mouth.draws if draw.card is None)
        for held in self.cards:
            since = None if held.track is None else held.track.face_since
            if held.shown is None and since is not None and now_s - since <= decided_s:
                yield since
        if self.cards and self.last_seen < now_s:
            yield self.last_seen

    def elsewhere(self, track: Track) -> bool:
        """Whether a card lies where no event comes of it: at the sabot (draws count) or in the basket."""
        if track.family is not Family.CARD:
            return False
        return self.mouth.is_mouth(track.base_mm) or any(
            zone.depth_mm(track.base_mm) > -5.0 for zone in self._baskets
        )

    def all_gone(self) -> bool:
        """Whether every card of the coup has left the table."""
        return bool(self.cards) and all(held.track is None for held in self.cards)

    # ---- following ---------------------------------------------------------------------------------

    def _follow(self, moment: Moment) -> None:
        for name in self.zones:
            if any(limb.gap_mm(self._middle(name)) < 90.0 for limb in moment.cover.hands):
                self._handled[name] = moment.t_s
        if any(
            track.family is Family.CARD
            and track.seen_at == moment.t_s
            and not self.mouth.is_mouth(track.base_mm)
            for track in moment.tracker.tracks.values()
        ):
            self.last_seen = moment.t_s
        for held in self.cards:
            track = held.track
            if track is None:
                continue
            if track.seen_at == moment.t_s:
                held.place_mm, held.seen_at, held.under = track.base_mm, moment.t_s, None
            elif track.id not in moment.tracker.tracks or track.open_misses >= 5 * GONE_LOOKS:
                held.track = None

    def _tuck(self, moment: Moment) -> None:
        """Take the hidden card of a crossed pair to lie under the one that is seen."""
        for name in self.zones:
            first = self.hand(name)[:2]
            seen = [held for held in first if held.track is not None and held.track.seen_at == moment.t_s]
            if len(first) < 2 or len(seen) != 1:
                continue
            upper = seen[0]
            lower = first[0] if upper is first[1] else first[1]
            assert upper.track is not None
            if not upper.track.resting or not self._clear(name, [upper.track], moment):
                continue
            lean = turn_between_deg(upper.track.clear_turn_deg, upper.straight_deg)
            laid = max(upper.track.uncovered_at, upper.track.rested_at or 0.0)
            crossed = lean > LEANING_DEG and lower.seen_at < laid + GLIMPSED_S
            if upper.track.face_up or not (crossed or lower.under == upper.track.id):
                lower.under = None
            else:
                lower.under, lower.place_mm, lower.seen_at = upper.track.id, upper.place_mm, moment.t_s

    def _middle(self, name: str) -> FloatArray:
        cards = self.hand(name)
        if cards:
            return np.asarray(np.mean([held.place_mm for held in cards], axis=0), np.float64)
        return self.zones[name].centre_mm

    def _reconcile(self, name: str, moment: Moment) -> list[TableEvent]:
        """Find a hand's cards again after somebody has had them, and what has come to it."""
        known = {held.track.id for held in self.cards if held.track is not None}
        found = [
            track
            for track in moment.tracker.tracks.values()
            if track.family is Family.CARD
            and track.id not in known
            and ((track.resting and track.clear_looks >= 2) or self._at_once_covered(track, moment))
            and self.zones[name].depth_mm(track.base_mm) > -ZONE_REACH_MM
            and not self.mouth.is_mouth(track.base_mm)
        ]
        if not found:
            return []
        found.sort(key=lambda track: (track.rested_at or 0.0, track.id))
        unseen = [held for held in self.hand(name) if held.track is None or held.track.seen_at < moment.t_s]
        events: list[TableEvent] = []
        if not self._clear(name, found, moment):
            # Under a hand nothing is paired; but what lay still before it came is new if no card is missed.
            return [event for track in found if not unseen for event in self._arrived(name, track, moment)]
        found = [track for track in found if track.seen_at == moment.t_s and _ready(track, moment.t_s)]
        for track in found:
            held = self._returned(name, track, unseen)
            if held is not None:
                unseen.remove(held)
                held.track, held.place_mm, held.seen_at = track, track.base_mm, moment.t_s
            else:
                events += self._arrived(name, track, moment)
        return events

    @staticmethod
    def _at_once_covered(track: Track, moment: Moment) -> bool:
        """Whether a card was seen only once before a hand came and stayed: to turn it or slide it on."""
        if not track.covered or not track.clear_looks or moment.t_s - track.seen_at < COVERED_S:
            return False
        return moment.cover.hand_near(track.base_mm) is not None

    def _clear(self, name: str, found: list[Track], moment: Moment) -> bool:
        places = [track.base_mm for track in found] + [held.place_mm for held in self.hand(name)]
        limbs = (*moment.cover.hands, *moment.cover.palas)
        return all(limb.gap_mm(place) > HAND_CLEAR_MM for place in places for limb in limbs)

    def _returned(self, name: str, track: Track, unseen: list[HeldCard]) -> HeldCard | None:
        """The card of this hand that now lies at `track`, None if it is a new one."""
        fits = []
        for held in unseen:
            away = track.distance_mm(held.place_mm)
            handled = self._handled[name] >= held.seen_at - 0.5
            if (handled or away < SAME_PLACE_MM) and _may_be(held, track):
                fits.append((away, held.card, held))
        return min(fits, key=lambda fit: fit[:2])[2] if fits else None

    def _arrived(self, name: str, track: Track, moment: Moment) -> list[TableEvent]:
        """A card has come to a hand: from the sabot, or from another hand."""
        rested = track.rested_at or moment.t_s
        draw = self.mouth.oldest(rested + 0.2)
        moved = self._left_behind(name, rested, track)
        if moved is not None and (draw is None or draw.since < moved.seen_at):
            moved.hand, moved.track = name, track
            moved.place_mm, moved.seen_at = track.base_mm, moment.t_s
            if draw is not None:
                self._surest = CONFUSED
            return [self._moved(moved, track, rested)]
        events: list[TableEvent] = []
        if draw is not None:
            self.mouth.take(rested + 0.2)
        else:
            born = max(0.0, rested - BACKFILL_S)
            if self._began is not None and track.born_at <= self._began + BACKFILL_S:
                self._surest = CONFUSED  # it lay there before anybody looked: how it came is not known
            if any(held.hand == DEAD and held.shown is None for held in self.cards):
                self._surest = CONFUSED  # nobody drew it: it may be the one that was taken for a dead card
            draw = Draw(born, track.first_frame, born, track)
        if draw.card is None:
            draw.card = self._new_id()
            events.append(self._drawn(draw))
        held = HeldCard(draw.card, name, track.base_mm, moment.t_s, track, straight_deg=track.clear_turn_deg)
        self.cards.append(held)
        frames = (track.rest_frame, track.last_frame)
        events.append(
            CardDealt(held.card, name, None, t=rested, frames=frames, confidence=self._score(track))
        )
        return events

    def _moved(self, held: HeldCard, track: Track, rested_s: float) -> CardMoved:
        frames = (track.rest_frame, track.last_frame)
        return CardMoved(held.card, held.hand, "croupier", t=rested_s, frames=frames, confidence=self._surest)

    def _left_behind(self, name: str, before_s: float, track: Track) -> HeldCard | None:
        """The card of another hand that was taken up last, not seen since, and may be `track`."""
        gone = [
            held
            for held in self.cards
            if held.hand != name
            and (held.track is None or not held.track.seen)
            and held.seen_at < before_s
            and (held.hand == DEAD or self._handled[held.hand] >= held.seen_at - 0.5)
        ]
        shows = reading_of(track)[0] if track.face_up and track.readings >= 2 else "??"

        def likely(held: HeldCard) -> tuple[bool, float, str]:
            same = held.shown is not None and held.shown[0] == shows[0] != "?"
            return same, held.seen_at, held.card

        return max(gone, key=likely) if gone else None

    def _dead(self, moment: Moment) -> list[TableEvent]:
        """Cards that were slid out of the hands and lie elsewhere."""
        known = {held.track.id for held in self.cards if held.track is not None}
        events: list[TableEvent] = []
        for track in moment.tracker.resting(Family.CARD):
            place = track.base_mm
            if track.id in known or track.seen_at < moment.t_s or self.mouth.is_mouth(place):
                continue
            if any(zone.depth_mm(place) > -ZONE_REACH_MM for zone in self.zones.values()):
                continue
            if any(zone.depth_mm(place) > -5.0 for zone in self._baskets):
                continue
            rested = track.rested_at or moment.t_s
            brought = moment.arms.at(place, track.born_at, within_s=BROUGHT_S, reach_mm=BROUGHT_MM)
            held = self._left_behind("", rested, track) if brought else None
            if held is None or moment.t_s - rested < 0.6:
                continue
            held.track, held.place_mm, held.seen_at = track, place, moment.t_s
            if held.hand != DEAD:
                held.hand = DEAD
                events.append(self._moved(held, track, rested))
        return events

    # ---- faces -------------------------------------------------------------------------------------

    def _faces(self, moment: Moment) -> list[TableEvent]:
        events: list[TableEvent] = []
        for held in self.cards:
            track = held.track
            if track is None or not track.face_up or track.face_looks < 2 or not track.readings:
                continue
            since = track.face_since if track.face_since is not None else moment.t_s
            if held.shown is None:
                enough = track.readings >= READINGS_ENOUGH and track.resting
                if not enough and moment.t_s - since < READ_AFTER_S:
                    continue
            elif not self._corrected(held, track):
                continue
            events.append(self._turned(held, track, since if held.shown is None else moment.t_s))
        return events

    @staticmethod
    def _corrected(held: HeldCard, track: Track) -> bool:
        """Whether later readings tell another rank than was told of a card that was read in a hurry."""
        shows, sure = reading_of(track)
        other = held.shown is not None and shows[0] not in ("?", held.shown[0])
        return other and sure >= REREAD_PROB and track.readings - held.told_after >= REREAD

    def _turned(self, held: HeldCard, track: Track, t_s: float) -> CardTurned:
        held.shown, confidence = reading_of(track)
        held.told_after = track.readings
        third = self.hand(held.hand).index(held) >= 2
        by = "banker" if third or held.hand == BANK else held.hand
        frames = (track.face_frame, track.last_frame)
        confidence = min(confidence, self._surest)
        return CardTurned(held.card, held.shown, by, t=t_s, frames=frames, confidence=confidence)

    def _score(self, track: Track) -> float:
        return round(min(self._surest, track.score), 3)

    def _new_id(self) -> str:
        self._count += 1
        return f"c{self._count}"

    def _drawn(self, draw: Draw) -> CardDrawn:
        assert draw.card is not None
        up = draw.face_looks >= 2
        shows = reading_of(draw.track)[0] if up and draw.track.readings else None
        frames = (draw.frame, draw.track.last_frame)
        return CardDrawn(draw.card, "banker", "up" if up else "down", shows, t=draw.since, frames=frames)


def reading_of(track: Track) -> tuple[str, float]:
    """What a face shows in two signs, and how sure its rank is."""
    ranks, suits = track.ranks(), track.suits()
    rank = RANKS[int(ranks.argmax())] if ranks.max() >= MIN_PROB else "?"
    suit = SUITS[int(suits.argmax())] if suits.max() >= MIN_PROB else "?"
    return rank + suit, round(float(ranks.max()), 3)


def hand_zones(layout: TableLayout) -> dict[str, Zone]:
    """The areas of the hands by the journal's names."""
    zones = {f"P{zone.pano}": zone for zone in layout.of_kind(ZoneKind.HAND) if zone.pano is not None}
    for zone in layout.of_kind(ZoneKind.BANKER_HAND):
        zones[BANK] = zone
    return zones


def _ready(track: Track, now_s: float) -> bool:
    """Whether a face has been read, which tells cards apart, or will hardly be."""
    return not track.face_up or track.readings > 0 or now_s - (track.rested_at or now_s) >= READ_AFTER_S


def _may_be(held: HeldCard, track: Track) -> bool:
    """Whether a card that lies there now can be the one that was held: nobody turns a shown card back."""
    if held.shown is None or not track.face_up:
        return held.shown is None
    shows = reading_of(track)[0][0] if track.readings >= 2 else "?"
    return "?" in (shows, held.shown[0]) or shows == held.shown[0]
