"""Which pictures teach and which are kept to measure with: whole sessions, by hash, never single frames.

Two pictures of one night show the same cards on the same felt under the same light; one of them in training
and the other in the test part would make a score of what was learnt by heart. A hash decides for each
session alone, so that sessions which come later move none that were there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from veedor.datasets.labelled import LabelledPicture

DECK = "deck"  # the name in an object's `extra` that tells which deck a card is of


@dataclass(frozen=True)
class Shares:
    """Of all groups, how many are kept apart; the rest is for training."""

    val: float = 0.1
    test: float = 0.1

    def __post_init__(self) -> None:
        if not (self.val >= 0 and self.test >= 0 and self.val + self.test < 1):
            raise ValueError(f"shares of {self.val} and {self.test} leave nothing for training")


def split_of(group: str, shares: Shares | None = None) -> str:
    """The split of everything in a group: a table's session, or a deck. The same name, the same answer."""
    wanted = shares or Shares()
    drawn = int.from_bytes(hashlib.sha256(f"veedor split {group}".encode()).digest()[:8], "big") / 2**64
    if drawn < wanted.test:
        return "test"
    return "val" if drawn < wanted.test + wanted.val else "train"


def group_of(picture: LabelledPicture, decks: Mapping[str, str]) -> str:
    """What a picture goes with: all sessions of one deck, where the deck is known, else its session."""
    deck = decks.get(picture.session)
    return f"deck {deck}" if deck is not None else f"session {picture.table}/{picture.session}"


def decks_of(pictures: Iterable[LabelledPicture]) -> dict[str, str]:
    """The deck of each session whose cards tell it, all of them the same one."""
    told: dict[str, set[str]] = {}
    for picture in pictures:
        for item in picture.objects:
            deck = dict(item.extra).get(DECK)
            if deck:
                told.setdefault(picture.session, set()).add(deck)
    return {session: next(iter(decks)) for session, decks in told.items() if len(decks) == 1}


def with_splits(
    pictures: Iterable[LabelledPicture],
    shares: Shares | None = None,
    decks: Mapping[str, str] | None = None,
) -> tuple[LabelledPicture, ...]:
    """Every picture with a split; one that has been given its split already keeps it."""
    every = tuple(pictures)
    known = decks_of(every) if decks is None else decks
    return tuple(
        each if each.split is not None else replace(each, split=split_of(group_of(each, known), shares))
        for each in every
    )
