"""What the monitor reports instead of a traceback: one small tree, one-line messages that name the file."""

from __future__ import annotations


class MonitorError(Exception):
    """Something outside the program is not as it must be; the message is one line for the user."""


class UsageFault(MonitorError):
    """A command was asked for something that cannot be done: a missing file, a bad value, a clash."""
