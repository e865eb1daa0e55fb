"""Errors of the vision area. Every message is one line that says what was expected and what was found."""

from __future__ import annotations


class VisionError(Exception):
    """Base of everything the vision area raises on purpose."""


class TableFileError(VisionError):
    """A table or layout file cannot be used; the message names the file, the key and the fault."""


class SourceError(VisionError):
    """A video or picture cannot be opened or holds no frame; the message names the file."""


class PerceptError(VisionError):
    """A stored perception record is damaged or of another version."""
