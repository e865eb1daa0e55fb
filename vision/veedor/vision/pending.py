"""What is still being watched: how far back an event may lie that has not been told yet.

An event is told once it is certain, up to some seconds after it happened. The journal is in order of time, so
what happened later waits for it. Waiting for everything that could take so long would make every alarm late;
here is asked what is really undecided at the moment, and everything older than that goes to the journal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from veedor.vision.card_watch import CardWatch
from veedor.vision.hand_watch import HandWatch
from veedor.vision.moment import Moment
from veedor.vision.stake_watch import StakeWatch
from veedor.vision.tracker import Family, Track

# A thing in the open is told or passed over this long after it came to rest: stakes take longest (2.4 s),
# cards whose face cannot be read 1.4 s.
DECIDED_S = 2.6
CARD_DECIDED_S = 1.7


def undecided_since(moment: Moment, cards: CardWatch, hands: HandWatch, stakes: StakeWatch) -> float:
    """The time of the earliest event that may still be told, s of media time; `moment.t_s` if there is none.

    A card that nobody saw at the sabot's mouth is taken to have been drawn before it came to rest: such a
    guess does not hold back what was seen.
    """
    held = {card.track.id for card in cards.cards if card.track is not None}
    known = held | stakes.known()
    fresh = (
        min(track.born_at, track.rested_at or track.born_at)
        for track in moment.tracker.tracks.values()
        if track.id not in known
        and not (cards.elsewhere(track) or stakes.elsewhere(track))
        and _may_be_told(track, moment.t_s)
    )
    return min(
        moment.t_s,
        _first(fresh),
        _first(cards.undecided(moment.t_s, DECIDED_S)),
        _first(hands.undecided()),
        _first(_stakes_undecided(stakes, moment.t_s)),
    )


def _stakes_undecided(stakes: StakeWatch, now_s: float) -> Iterator[float]:
    """Groups not whole yet, piles missed, stacks counted anew since the croupier's hand was there."""
    yield from (group.rested_at for group in (*stakes.groups, *stakes.slot))
    yield from (missed_at for _, _, missed_at, _ in stakes.taken)
    lost = {id(pile) for _, pile in stakes.lost}
    for stake in stakes.stakes:
        for pile in stake.everything:
            track = pile.track
            if track.missing_since is not None and id(pile) not in lost:
                yield track.missing_since
            elif stakes.may_be_lower(stake, pile) and now_s - track.uncovered_at <= DECIDED_S:
                yield track.uncovered_at


def _may_be_told(track: Track, now_s: float) -> bool:
    """Whether something that belongs to no hand and no stake may turn out to."""
    decided_s = CARD_DECIDED_S if track.family is Family.CARD else DECIDED_S
    recent = now_s - max(track.rested_at or track.born_at, track.uncovered_at) <= decided_s
    return recent or track.covered or track.touched


def _first(times: Iterable[float]) -> float:
    return min(times, default=math.inf)
