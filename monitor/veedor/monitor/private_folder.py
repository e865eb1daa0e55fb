"""Folders that are for their owner's eyes only: what a night leaves is nobody else's on the machine."""

from __future__ import annotations

from pathlib import Path

OWNER_ONLY = 0o700


def private_folder(folder: Path) -> None:
    """Make a folder and what is missing above it, for the owner alone; what is there stays as it is."""
    for each in reversed([folder, *folder.parents]):
        if each == folder or not each.exists():
            each.mkdir(OWNER_ONLY, exist_ok=True)
