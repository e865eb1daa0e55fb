"""Errors of the datasets area. Every message is one line."""

from __future__ import annotations


class DatasetError(Exception):
    """Base of everything the datasets area raises on purpose."""
