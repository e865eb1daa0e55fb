"""Password hashes: argon2id with the library's own parameters (RFC 9106, low memory)."""

from __future__ import annotations

import threading

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from veedor.web.access.people import LONGEST_PASSWORD

AT_ONCE = 2  # each takes 64 MiB and a core for a moment: a crowd at the door must not take the machine


class Passwords:
    """Makes and checks hashes."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = PasswordHasher() if hasher is None else hasher
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        # Whoever has no account is checked against this: the answer takes as long as for those who have.
        self._nobody = self._hasher.hash("nobody's password")

    def hashed(self, password: str) -> str:
        with self._turns:
            return self._hasher.hash(password)

    def match(self, stored: str | None, password: str) -> bool:
        """Whether `password` belongs to the stored hash; False where there is no account (`stored` None)."""
        if len(password) > LONGEST_PASSWORD:
            return False
        with self._turns:
            try:
                return self._hasher.verify(stored or self._nobody, password) and stored is not None
            except (Argon2Error, InvalidHashError):
                return False

    def outdated(self, stored: str) -> bool:
        """Made with other parameters than today's."""
        return self._hasher.check_needs_rehash(stored)
