"""How often a password may be guessed: per account, whoever asks, and per address, whatever account."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

WINDOW_S = 900.0
# A person who forgot a password tries three or four. An address may be a whole pit behind a proxy.
PER_ACCOUNT, PER_ADDRESS = 8, 40
MOST_KEPT = 10_000  # names and addresses remembered; the one unused longest goes


@dataclass
class Throttle:
    """Counts failures in a sliding window. `clock` gives seconds that never run back."""

    clock: Callable[[], float]
    _failures: OrderedDict[tuple[str, str], deque[float]] = field(default_factory=OrderedDict)

    def wait_s(self, account: str, address: str) -> float:
        """Seconds until another try is allowed, 0 if it is now."""
        return max(
            self._wait_s(("account", account), PER_ACCOUNT), self._wait_s(("address", address), PER_ADDRESS)
        )

    def failed(self, account: str, address: str) -> None:
        now = self.clock()
        for key in (("account", account), ("address", address)):
            self._failures.setdefault(key, deque(maxlen=max(PER_ACCOUNT, PER_ADDRESS))).append(now)
            self._failures.move_to_end(key)
        while len(self._failures) > MOST_KEPT:
            self._failures.popitem(last=False)

    def succeeded(self, account: str) -> None:
        """The account's count starts anew; the address's does not: one good account is no pass for others."""
        self._failures.pop(("account", account), None)

    def _wait_s(self, key: tuple[str, str], allowed: int) -> float:
        times = self._failures.get(key)
        if times is None:
            return 0.0
        now = self.clock()
        while times and times[0] <= now - WINDOW_S:
            times.popleft()
        if len(times) < allowed:
            return 0.0
        return times[len(times) - allowed] + WINDOW_S - now
