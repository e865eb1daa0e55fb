"""Cameras that stamp pictures in the order they send them, which with B-pictures is not that of showing."""

from __future__ import annotations

from collections import deque
from typing import Any

REORDERED = 64  # more pictures than any decoder holds back


class ShownTimes:
    """When a live stream's pictures are shown, in the unit of their stamps; decoders give them in order.

    Times that run back give such a camera away. From its next key picture on, whose stamp holds, pictures get
    the stamps that were sent with it in order of time.
    """

    def __init__(self) -> None:
        self._sent: deque[int] = deque(maxlen=REORDERED)
        self._last: int | None = None
        self._as_sent = False
        self._waiting: list[int] | None = None

    def sent(self, stamp: int | None) -> None:
        """A packet goes to the decoder."""
        if stamp is None:
            return
        self._sent.append(stamp)
        if self._waiting is not None:
            self._waiting.append(stamp)

    def stamp(self, picture: Any) -> bool:
        """Give a picture that comes out of the decoder its time; False while that is not known."""
        if picture.pts is None:
            return True
        if not self._as_sent:
            last, self._last = self._last, picture.pts
            if last is not None and self._sent:
                self._as_sent = picture.pts < last <= self._sent[-1]
            if not self._as_sent:
                return True
        if picture.key_frame:
            self._waiting = [each for each in self._sent if each > picture.pts]
            return True
        if not self._waiting:
            return False
        soonest = min(self._waiting)
        self._waiting.remove(soonest)
        picture.pts = soonest
        return True


class SentNumbers:
    """Numbers of a file's pictures whose stamps are as sent, by counting from each key picture on."""

    def __init__(self) -> None:
        self._number = -1

    def of(self, picture: Any, stamped: int) -> int:
        """`stamped` is the number that its stamp says."""
        is_known = picture.key_frame or self._number < 0
        self._number = max(self._number + 1, stamped) if is_known else self._number + 1
        return self._number
