"""People's accounts: made, changed, disabled, asked for their password."""

from __future__ import annotations

import hashlib
import sqlite3

from veedor.monitor.language import text
from veedor.web.access.database import AccountsFile
from veedor.web.access.passwords import Passwords
from veedor.web.access.people import AccountFault, Person, Role, acceptable_password, tidy_name

_IN_CHARGE = "SELECT count(*) FROM people WHERE role = 'administrator' AND NOT disabled"


class LastAdministrator(AccountFault):
    """Without this person nobody could change accounts any more."""

    def __init__(self, name: str) -> None:
        super().__init__(
            text(es=f"{name}: no quedaría ningún administrador", en=f"{name}: no administrator would be left")
        )


class Accounts:
    """The people of an accounts file. Raises AccountFault where something cannot be."""

    def __init__(self, file: AccountsFile, passwords: Passwords | None = None) -> None:
        self._file = file
        self._passwords = passwords or Passwords()

    def people(self) -> list[Person]:
        return [_person(row) for row in self._file.rows("SELECT * FROM people ORDER BY name")]

    def find(self, name: str) -> Person | None:
        try:
            rows = self._file.rows("SELECT * FROM people WHERE name = ?", tidy_name(name))
        except AccountFault:
            return None
        return _person(rows[0]) if rows else None

    def tries_of(self, name: str) -> str:
        """What wrong passwords are counted under: a new password begins a new count."""
        rows = self._file.rows("SELECT password, disabled FROM people WHERE name = ?", name)
        state = hashlib.sha256(repr(rows[0][:]).encode()).hexdigest()[:16] if rows else ""
        return f"{name}\n{state}"

    def check_new(self, name: str) -> None:
        """AccountFault for a name that cannot be one, or has an account."""
        if self.find(tidy_name(name)) is not None:
            raise _taken(tidy_name(name))

    def check_known(self, name: str) -> None:
        """AccountFault for a name that has no account."""
        self._known(name)

    def add(self, name: str, role: Role, password: str, *, must_change: bool = False) -> Person:
        name = tidy_name(name)
        hashed = self._passwords.hashed(acceptable_password(password, name))
        person = Person(name, role, False, must_change, self._file.stamp())
        row = (name, role.value, hashed, person.created_at, must_change)
        try:
            with self._file.changing() as link:
                link.execute(
                    "INSERT INTO people (name, role, password, created_at, must_change) VALUES (?,?,?,?,?)",
                    row,
                )
        except sqlite3.IntegrityError:
            raise _taken(name) from None
        return person

    def proven(self, name: str, password: str) -> Person | None:
        """Whose name and password these are; None also for a disabled account."""
        person = self.find(name)
        stored = None if person is None else self._stored(person.name)
        if not self._passwords.match(stored, password) or person is None or person.disabled:
            return None
        if stored is not None and self._passwords.outdated(stored):
            self._set(person.name, "password", self._passwords.hashed(password))
        return person

    def set_password(self, name: str, password: str, *, must_change: bool = False) -> None:
        """A new password ends the person's web sessions."""
        name = self._known(name).name
        hashed = self._passwords.hashed(acceptable_password(password, name))
        with self._file.changing() as link:
            link.execute(
                "UPDATE people SET password = ?, must_change = ? WHERE name = ?", (hashed, must_change, name)
            )
            link.execute("DELETE FROM sessions WHERE name = ?", (name,))

    def set_role(self, name: str, role: Role) -> None:
        """Another role ends the person's web sessions: what is open was opened under the old one.

        LastAdministrator where nobody would be left in charge; so does `disable`.
        """
        self._set(self._known(name).name, "role", role.value)

    def disable(self, name: str, *, disabled: bool = True) -> None:
        self._set(self._known(name).name, "disabled", int(disabled))

    def _known(self, name: str) -> Person:
        person = self.find(name)
        if person is None:
            shown = name[:64]
            raise AccountFault(text(es=f"{shown}: no tiene cuenta", en=f"{shown}: has no account"))
        return person

    def _stored(self, name: str) -> str:
        return str(self._file.rows("SELECT password FROM people WHERE name = ?", name)[0][0])

    def _set(self, name: str, column: str, value: object) -> None:
        with self._file.changing() as link:
            before = link.execute(_IN_CHARGE).fetchone()[0]
            link.execute(f"UPDATE people SET {column} = ? WHERE name = ?", (value, name))
            if before and not link.execute(_IN_CHARGE).fetchone()[0]:
                raise LastAdministrator(name)  # nothing of this transaction stays
            if column != "password":
                link.execute("DELETE FROM sessions WHERE name = ?", (name,))


def _taken(name: str) -> AccountFault:
    return AccountFault(text(es=f"{name}: ya tiene cuenta", en=f"{name}: has an account already"))


def _person(row: sqlite3.Row) -> Person:
    return Person(
        row["name"], Role(row["role"]), bool(row["disabled"]), bool(row["must_change"]), row["created_at"]
    )
