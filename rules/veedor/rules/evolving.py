"""Frozen dataclasses that are copied with changes on the hot path."""

from __future__ import annotations

from typing import Any, Self


class Evolving:
    """Gives a frozen dataclass without slots ``evolve``: dataclasses.replace at a fifth of its cost.

    A fold makes one such copy for every event; fields are trusted, nothing is validated again.
    """

    def evolve(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        new = object.__new__(type(self))
        state = new.__dict__
        state.update(self.__dict__)
        state.update(changes)
        return new
