"""Errors of the rules area: one small tree, each message saying what was expected and what was found."""


class RulesError(Exception):
    """Anything the rules area cannot read; improper play is never an error."""


class CardError(RulesError):
    """A card notation that is not a rank and a suit."""


class JournalError(RulesError):
    """A journal line that is not an event; the message names the field, ``spanish`` says the same."""

    def __init__(self, message: str, spanish: str | None = None) -> None:
        super().__init__(message)
        self.spanish = message if spanish is None else spanish


class ProfileError(RulesError):
    """A rule profile that cannot be loaded; the message names the key, its value and the allowed range."""


class CoupFileError(RulesError):
    """A coup file (a journal as a person writes it) that cannot be read; the message names the place."""
