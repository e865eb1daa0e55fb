"""The clips that the program carries with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import veedor.datasets
from veedor.monitor.errors import MonitorError


@dataclass(frozen=True)
class BundledClip:
    """A recorded session: its video, its table and the words spoken at it."""

    video: Path
    table: Path
    announcements: Path


def bundled_clip(name: str) -> BundledClip:
    """The clip of that name in a checkout or an installed wheel; MonitorError if it is not there."""
    package = Path(veedor.datasets.__file__).parent
    candidates = (package / "data" / "clips" / name, package.parents[1] / "clips" / name)
    for folder in candidates:
        clip = BundledClip(folder / "video.mp4", folder / "table.toml", folder / "announcements.jsonl")
        if clip.video.is_file() and clip.table.is_file():
            return clip
    raise MonitorError(f"{candidates[-1]}: the bundled clip is not installed")
