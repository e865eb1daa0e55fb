"""Stakes placed, raised, taken back, paid and collected; the house's deduction."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray
from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    CagnottePaid,
    TableEvent,
)
from veedor.vision.betting_places import NOT_STAKES, place_of, place_of_group
from veedor.vision.chip_amounts import ChipAmounts
from veedor.vision.layout import TableLayout, ZoneKind
from veedor.vision.moment import Moment
from veedor.vision.stake_hands import BROUGHT_MM, bettor_of, still_there
from veedor.vision.stakes import (
    OVERLOOKED,
    WORTH_LOOKS,
    Group,
    Pile,
    Stake,
    collection_confidence,
    deduction_confidence,
    lowered_confidence,
    lowered_prior,
    names_of,
    payment_confidence,
    seen_badly,
    told_worth,
    usual_payments,
    worth,
)
from veedor.vision.tracker import Family, Track

FloatArray = NDArray[np.float64]

# Piles of one stake stand within 60 mm of each other, different stakes 130 mm or more apart.
ONE_STAKE_MM = 75.0
BESIDE_MM = 115.0  # a plaque beside a plaque
SETTLED_S = 1.0  # nothing has been added for so long: the group is whole
PLACED_S = 2.0  # a new stake is looked at longer, lest a pile of it be missed
OPEN_LOOKS = 2  # with no hand near, before a new stake is told
PATIENCE_S = 2.4  # after which it is told with what is known
HELD_BACK_S = 1.2  # takings are told so late, in case the coup turns out to be over
HELD_BACK_OPEN_S = 2.6  # before the settlement: a stake is seldom taken back, but an arm may hide it
PLAIN_SCORE = 0.6
BROUGHT_S = 1.6  # chips lie where a hand was so shortly before
LOWER_SURE = 0.85  # that a stack became lower
BACK_MM = 25.0  # a pile that comes to light so near to where one was missed is that one


class StakeWatch:
    """Follows the stakes of one coup after another; bet ids never repeat.

    `groups` and `slot` are put down and not told yet, `taken` and `lost` were missed since.
    """

    def __init__(self, layout: TableLayout, amounts: ChipAmounts) -> None:
        self._layout = layout
        self._amounts = amounts
        self.numbered = 0
        self.groups: list[Group] = []
        self.slot: list[Group] = []
        self.taken: list[tuple[Stake, Pile, float, tuple[int, int]]] = []
        self.lost: list[tuple[Stake, Pile]] = []
        self.settling_since: float | None = None
        self._paid_in: set[int] = set()
        self._served_bets: set[str] = set()
        self._settled: set[str] = set()
        self.stakes: list[Stake] = []

    def unseen(self, t_s: float, frame: int) -> list[TableEvent]:
        """Stakes at which a croupier's hand has been with nothing to show for it, as the coup ends at `t_s`.

        What it did there was not seen: such a stake was neither paid nor left unpaid for certain.
        """
        return [
            BetPaid(stake.bet, None, t=t_s, frames=(frame, frame), confidence=0.0)
            for stake in self.stakes
            if stake.bet in self._served_bets - self._settled
        ]

    def reset(self, moment: Moment) -> None:
        """A coup is over; what still lies belongs to whoever takes it, not to the next coup."""
        for kept in (self.stakes, self.groups, self.slot, self.taken, self.lost):
            kept.clear()
        self._served_bets, self._settled = set(), set()
        left = [*moment.tracker.resting(Family.CHIP), *moment.tracker.resting(Family.PLAQUE)]
        self._paid_in = {track.id for track in left}

    def update(self, moment: Moment, *, settling: bool) -> list[TableEvent]:
        """What happened to stakes, told once it is certain; `settling` after the bank has shown."""
        if not settling:
            self.settling_since = None
        elif self.settling_since is None:
            self.settling_since = moment.t_s
        events = self._gather(moment, settling=settling)
        events += self._settled_groups(moment, settling=settling)
        events += self._lowered(moment) if settling else []
        events += self._departures(moment, settling=settling)
        events += self._cagnotte(moment)
        if settling:
            self._serve(moment)
            self._settled |= {event.bet for event in events if isinstance(event, BetPaid | BetCollected)}
        return events

    def elsewhere(self, track: Track) -> bool:
        """Whether chips lie where no event comes of them: in the bank, before the croupier."""
        zone = self._layout.zone_at(*track.base_mm)
        here = zone is not None and zone.kind in NOT_STAKES and zone.kind is not ZoneKind.CAGNOTTE
        return track.family is not Family.CARD and here

    def may_be_lower(self, stake: Stake, pile: Pile) -> bool:
        """Whether the croupier's hand has been at a stack since it was told."""
        tall = pile.told is not None and pile.told.count is not None and pile.told.count >= 2
        return tall and self.settling_since is not None and pile.track.uncovered_at > stake.placed_at

    def _serve(self, moment: Moment) -> None:
        """Note where a hand that is no player's is."""
        for stake in self.stakes:
            arms = [
                arm
                for pile in stake.piles
                for arm in moment.arms.at(pile.place_mm, moment.t_s, reach_mm=BROUGHT_MM)
            ]
            if any(not moment.arms.owner(arm)[0].startswith("seat") for arm in arms):
                self._served_bets.add(stake.bet)

    # ---- what comes --------------------------------------------------------------------------------

    def _gather(self, moment: Moment, *, settling: bool) -> list[TableEvent]:
        known, events = self.known(), list[TableEvent]()
        for track in [*moment.tracker.resting(Family.CHIP), *moment.tracker.resting(Family.PLAQUE)]:
            if track.id in known or track.seen_at < moment.t_s:
                continue
            if self._back(track, moment):
                continue
            zone = self._layout.zone_at(*track.base_mm)
            if zone is not None and zone.kind is ZoneKind.CAGNOTTE:
                self._join(self.slot, track, moment, None)
                continue
            reach = BESIDE_MM if settling else ONE_STAKE_MM
            near = [(stake.gap_mm(track.base_mm), number) for number, stake in enumerate(self.stakes)]
            gap, number = min(near, default=(np.inf, -1))
            if gap < reach and not self._brought(track, moment):
                if track.score < PLAIN_SCORE:
                    self._paid_in.add(track.id)  # a letter of the print beside a stake
                    continue
                for stake in self.stakes:
                    stake.doubted = stake.doubted or stake.gap_mm(track.base_mm) < reach
                events.append(self._overlooked(self.stakes[number], track))
            elif gap < reach:
                self._join(self.groups, track, moment, self.stakes[number])
            elif not settling and (zone is None or zone.kind not in NOT_STAKES):
                place = place_of(self._layout, track.base_mm)
                beside = any(group.gap_mm(track.base_mm) < ONE_STAKE_MM for group in self.groups)
                if (place.plays is not None or beside) and self._is_stake(track, moment):
                    self._join(self.groups, track, moment, None)
        return events

    def _is_stake(self, track: Track, moment: Moment) -> bool:
        """Whether somebody brought the pile, or it is seen too well to be a letter of the print."""
        if track.score >= PLAIN_SCORE or self._brought(track, moment):
            return True
        self._paid_in.add(track.id)
        return False

    def _brought(self, track: Track, moment: Moment) -> bool:
        """Whether somebody who puts chips down was there shortly before the pile was first seen."""
        return self._served(track, track.born_at, moment)

    def _served(self, track: Track, t_s: float, moment: Moment) -> bool:
        """Whether a hand that moves stakes was there: anybody's in the settlement, before it a player's."""
        arms = moment.arms.at(track.base_mm, t_s, within_s=BROUGHT_S, reach_mm=BROUGHT_MM)
        if self.settling_since is not None and t_s >= self.settling_since:
            return bool(arms)
        return any(moment.arms.owner(arm)[0].startswith("seat") for arm in arms)

    def _overlooked(self, stake: Stake, track: Track) -> TableEvent:
        """A pile that nobody can have put there: it was part of the stake, whose worth was wrong."""
        pile = Pile(track)
        worth([pile], self._amounts)
        if pile.told is not None:
            pile.told = replace(pile.told, confidence=min(OVERLOOKED, pile.told.confidence))
        stake.piles.append(pile)
        t_s, frames = track.born_at, (track.first_frame, track.last_frame)
        return BetChanged(
            stake.bet, None, told_worth(stake.piles), t=t_s, frames=frames, confidence=OVERLOOKED
        )

    def _back(self, track: Track, moment: Moment) -> bool:
        """Whether the track shows a pile that was missed for a while."""
        for pile in [pile for group in self.groups for pile in group.piles]:
            gone = pile.track.id not in moment.tracker.tracks and pile.track.family is track.family
            if gone and pile.track.distance_mm(track.base_mm) < BACK_MM:
                pile.track = track
                return True
        for lost in self.lost:
            pile = lost[1]
            if pile.track.family is track.family and pile.track.distance_mm(track.base_mm) < BACK_MM:
                self.lost.remove(lost)
                pile.track = track
                return True
        for entry in self.taken:
            stake, pile = entry[0], entry[1]
            if pile.track.family is track.family and pile.track.distance_mm(track.base_mm) < BACK_MM:
                self.taken.remove(entry)
                stake.piles.append(Pile(track, pile.told))
                if stake not in self.stakes:
                    self.stakes.append(stake)
                return True
        return False

    def _join(self, groups: list[Group], track: Track, moment: Moment, stake: Stake | None) -> None:
        joined = Group([Pile(track)], moment.t_s, stake)
        for group in list(groups):
            same = group.stake is stake
            if same and (stake is not None or group.gap_mm(track.base_mm) < ONE_STAKE_MM):
                # A pile in the middle of a row may come last and join its two ends.
                joined.piles += group.piles
                groups.remove(group)
        groups.append(joined)

    def known(self) -> set[int]:
        piles = [pile for stake in self.stakes for pile in stake.everything]
        piles += [pile for group in (*self.groups, *self.slot) for pile in group.piles]
        return {pile.track.id for pile in piles} | self._paid_in

    def _whole(self, group: Group, moment: Moment) -> bool:
        waited = moment.t_s - group.grown_at
        settled = SETTLED_S if group.stake is not None else PLACED_S
        tracks = [pile.track for pile in group.piles]
        if group.stake is None and any(track.clear_looks < OPEN_LOOKS for track in tracks):
            return False  # a button of a sleeve looks like a chip and goes with it
        if all(track.chip_readings >= WORTH_LOOKS for track in tracks):
            return waited >= settled
        # What a hand lies on may be its cuff: it is told once it was seen in the open.
        return waited >= PATIENCE_S and not any(track.covered or track.touched for track in tracks)

    def _settled_groups(self, moment: Moment, *, settling: bool) -> list[TableEvent]:
        events: list[TableEvent] = []
        for group in list(self.groups):
            group.piles = [pile for pile in group.piles if still_there(pile.track, moment)]
            if not group.piles:
                self.groups.remove(group)
            elif self._whole(group, moment):
                self.groups.remove(group)
                if group.stake is None:
                    amount, confidence = worth(group.piles, self._amounts)
                    # Where no amount is told, only that chips were laid there is.
                    confidence = group.ceiling if amount is None else min(confidence, group.ceiling)
                    if seen_badly(group.piles, moment.tracker.tracks):
                        confidence = min(confidence, OVERLOOKED)
                    events += self._placed(group, amount, confidence, moment)
                elif self.settling_since is not None and group.rested_at >= self.settling_since:
                    events += self._paid(group, group.stake)
                else:
                    events.append(self._added(group, group.stake))
        return events

    def _placed(
        self, group: Group, amount: Decimal | None, confidence: float, moment: Moment
    ) -> list[TableEvent]:
        place = place_of_group(self._layout, [pile.place_mm for pile in group.piles])
        if place.plays is None:
            self._paid_in |= {pile.track.id for pile in group.piles}
            return []
        self.numbered += 1
        here = None if place.seat is None else f"seat{place.seat}"
        bettor = bettor_of(group, moment, here) or here
        seat = int(bettor.removeprefix("seat")) if bettor is not None else None
        confidence = confidence if bettor is not None else min(confidence, OVERLOOKED)
        stake = Stake(f"b{self.numbered}", place.plays, bettor, group.piles, group.rested_at)
        for other in self.stakes:
            if other.is_one_with(stake):
                other.doubted = stake.doubted = True
        self.stakes.append(stake)
        return [
            BetPlaced(
                stake.bet, place.plays, amount, bettor, seat, names_of(group.piles),
                t=group.rested_at, frames=group.frames, confidence=confidence,
            )
        ]  # fmt: skip

    def _added(self, group: Group, stake: Stake) -> TableEvent:
        amount, confidence = worth(group.piles, self._amounts)
        before = told_worth(stake.piles)
        stake.piles += group.piles
        total = None if amount is None or before is None else before + amount
        confidence = min(confidence, group.ceiling)
        if self.settling_since is not None:
            confidence = min(confidence, OVERLOOKED)
        t_s, frames = group.rested_at, group.frames
        return BetChanged(stake.bet, None, total, t=t_s, frames=frames, confidence=confidence)

    def _paid(self, group: Group, stake: Stake) -> list[TableEvent]:
        """What a payment adds to what lies beside the stake, all of it read together."""
        whole = told_worth(stake.piles)
        expected = () if whole is None else usual_payments(stake.zone, whole, self._amounts.unit)
        before, stake.paid = told_worth(stake.beside), True
        stake.beside += group.piles
        total, _ = worth(stake.beside, self._amounts, expected)
        amount = None if total is None or before is None else total - before
        if amount is not None and amount <= 0:
            return []
        confidence = min(payment_confidence(stake, stake.beside, self._amounts), group.ceiling)
        if stake.doubted:
            confidence = min(confidence, OVERLOOKED)
        return [BetPaid(stake.bet, amount, t=group.rested_at, frames=group.frames, confidence=confidence)]

    # ---- what goes ---------------------------------------------------------------------------------

    def _lowered(self, moment: Moment) -> list[TableEvent]:
        """Stacks that have become lower under the croupier's hand.

        Only in the settlement: bettors seldom take chips off a stack, and a count that an arm's shadow spoils
        would make them do it.
        """
        events: list[TableEvent] = []
        for stake in self.stakes:
            for pile in stake.piles:
                track, told = pile.track, pile.told
                if told is None or told.count is None or not self.may_be_lower(stake, pile):
                    continue
                if track.count_looks < 3 or not track.seen:
                    continue
                counts = track.counts() * lowered_prior(stake, told.count)
                counts /= counts.sum()
                now = int(counts.argmax()) + 1
                lower = float(counts[: told.count - 1].sum())
                if now >= told.count or lower < LOWER_SURE:
                    continue
                taken = Decimal(told.value * (told.count - now))
                pile.told = replace(told, count=now)
                frames = (track.last_frame, moment.frame)
                sure = lowered_confidence(stake, pile, lower)
                events.append(
                    BetCollected(stake.bet, taken, t=track.uncovered_at, frames=frames, confidence=sure)
                )
        return events

    def _departures(self, moment: Moment, *, settling: bool) -> list[TableEvent]:
        gone = {track.id: track for track in moment.ended}
        for stake in self.stakes:
            for pile in [pile for pile in stake.everything if pile.track.id in gone]:
                track = pile.track
                missed = moment.t_s if track.missing_since is None else track.missing_since
                if not self._served(track, missed, moment):
                    self.lost.append((stake, pile))  # nobody took it: it is only not seen any more
                    continue
                (stake.piles if pile in stake.piles else stake.beside).remove(pile)
                self.taken.append((stake, pile, missed, (track.last_frame, moment.frame)))
        return self._told_departures(moment, settling=settling)

    def _told_departures(self, moment: Moment, *, settling: bool) -> list[TableEvent]:
        events: list[TableEvent] = []
        for stake in list(self.stakes):
            mine = [entry for entry in self.taken if entry[0] is stake]
            last_s = max((entry[2] for entry in mine), default=np.inf)
            if moment.t_s - last_s < (HELD_BACK_S if settling else HELD_BACK_OPEN_S) + 0.9:
                continue
            self.taken = [entry for entry in self.taken if entry[0] is not stake]
            lost = [entry for entry in self.lost if entry[0] is stake] if settling else []
            total = told_worth([entry[1] for entry in mine] + [entry[1] for entry in lost])
            t_s, frames = min(entry[2] for entry in mine), mine[0][3]
            sure = collection_confidence(stake, [entry[1] for entry in mine], last_s, missed=bool(lost))
            if settling:
                events.append(BetCollected(stake.bet, total, t=t_s, frames=frames, confidence=sure))
            elif stake.piles:
                left = told_worth(stake.piles)
                events.append(BetChanged(stake.bet, None, left, t=t_s, frames=frames, confidence=sure))
            else:
                events.append(BetRemoved(stake.bet, t=t_s, frames=frames))
            if not stake.everything:
                self.stakes.remove(stake)
        return events

    def _cagnotte(self, moment: Moment) -> list[TableEvent]:
        events: list[TableEvent] = []
        for group in list(self.slot):
            gone = any(pile.track.id not in moment.tracker.tracks for pile in group.piles)
            if not gone and not self._whole(group, moment):
                continue
            self.slot.remove(group)
            self._paid_in |= {pile.track.id for pile in group.piles}
            amount, confidence = worth(group.piles, self._amounts, in_units=False)
            confidence = min(deduction_confidence(confidence), group.ceiling)
            if any(pile.track.score < PLAIN_SCORE for pile in group.piles):
                confidence = min(confidence, OVERLOOKED)  # the slot's own print
            frames = group.frames
            events.append(CagnottePaid(amount, t=group.rested_at, frames=frames, confidence=confidence))
        return events
