"""Whose hand moved a stake, and whether any did."""

from __future__ import annotations

from veedor.vision.moment import Moment
from veedor.vision.stakes import Group
from veedor.vision.tracker import Track

PUSHED_S = 1.2  # the hand that pushed a stake was there so shortly before it came to rest
PUSHED_MM = 90.0
BROUGHT_MM = 110.0
TAKEN_S = 0.5  # what a hand took is missed as soon as the hand leaves its place


def still_there(track: Track, moment: Moment) -> bool:
    """Whether a pile lies there: what is missed without anybody's hand there is only not seen."""
    if track.id in moment.tracker.tracks:
        return True
    missed = moment.t_s if track.missing_since is None else track.missing_since
    return not moment.arms.at(track.base_mm, missed, within_s=TAKEN_S, reach_mm=BROUGHT_MM)


def bettor_of(group: Group, moment: Moment, here: str | None) -> str | None:
    """The seat whose arm was at the chips just before they came to rest."""
    arms = moment.arms.at(group.middle_mm, group.rested_at, within_s=PUSHED_S, reach_mm=PUSHED_MM)
    seats = tuple(person.name for person in moment.arms.people if person.name.startswith("seat"))
    players = [arm for arm in arms if moment.arms.owner(arm)[0] in seats]
    names = [moment.arms.owner_among(arm, seats, here) for arm in players or arms[:1]]
    return here if here in names else next(iter(names), None)
