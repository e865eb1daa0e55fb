"""Who may do what: roles, and the rules for names and passwords."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.written_text import shows

LONGEST_NAME = 64
SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 256  # longer ones would only make hashing them an attack
FEWEST_DIFFERENT = 4
_NAME = re.compile(r"[\w][\w.@-]*")


class Role(StrEnum):
    """One a person. What each may do stands in `veedor.web.routes`."""

    OPERATOR = "operator"
    REVIEWER = "reviewer"
    LABELLER = "labeller"
    ADMINISTRATOR = "administrator"


class AccountFault(UsageFault):
    """What was asked of an account cannot be; one line that says why."""


@dataclass(frozen=True)
class Person:
    """Somebody with an account. `must_change`: the password was given by somebody else and is good for one
    thing, choosing another."""

    name: str
    role: Role
    disabled: bool = False
    must_change: bool = False
    created_at: str = ""


def tidy_name(written: str) -> str:
    """A name as accounts know it: composed letters, no capitals. AccountFault if it cannot be one."""
    if len(written) <= LONGEST_NAME:
        name = unicodedata.normalize("NFKC", written.strip()).casefold()
        if len(name) <= LONGEST_NAME and _NAME.fullmatch(name) and shows(name):
            return name
    shown = written if len(written) <= LONGEST_NAME else written[:LONGEST_NAME] + "…"
    raise AccountFault(
        text(
            es=f"{shown!r}: un nombre tiene hasta {LONGEST_NAME} letras, cifras, puntos, guiones o @",
            en=f"{shown!r}: a name has up to {LONGEST_NAME} letters, digits, dots, hyphens or @",
        )
    )


def acceptable_password(password: str, name: str) -> str:
    """The password itself; AccountFault if it is too short, too long, too even or has the name in it."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise AccountFault(
            text(
                es=f"la contraseña tiene de {SHORTEST_PASSWORD} a {LONGEST_PASSWORD} caracteres",
                en=f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters",
            )
        )
    if len(set(password)) < FEWEST_DIFFERENT or name in password.casefold():
        raise AccountFault(
            text(
                es=f"la contraseña es demasiado fácil: hacen falta {FEWEST_DIFFERENT} caracteres distintos o "
                "más, y sin el nombre de la cuenta",
                en=f"the password is too easily guessed: it needs {FEWEST_DIFFERENT} different characters or "
                "more, and may not have the account's name in it",
            )
        )
    return password
