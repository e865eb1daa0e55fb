"""Video files told otherwise than they were written."""

from __future__ import annotations

from pathlib import Path

import av

MADE = "2026-11-29T22:00:00.000000Z"


def dated(plain: Path, path: Path) -> Path:
    """A copy whose container says that it was `MADE` then."""
    with av.open(str(plain)) as source, av.open(str(path), "w") as target:
        target.metadata["creation_time"] = MADE
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    return path
