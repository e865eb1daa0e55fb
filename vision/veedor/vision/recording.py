"""Whoever keeps the pictures of a live source, packet by packet, gets them through this."""

from __future__ import annotations

from typing import Any, Protocol

from veedor.vision.frames import Frame


class PacketRecorder(Protocol):
    """Takes one source's video as it comes, in order of decoding, on the thread that reads the source.

    A source that has compressed packets (RTSP, HTTP, file) gives `begin`, packets, `end`; after every
    reconnection, and when the rate or the size has changed, again. A source without them (USB) gives
    `frame` alone. Times are media seconds of the session, the same as `Frame.t_s`; they never run back
    from one `begin` to the next. No call may raise or block for long: the source's freshness hangs on it.
    """

    def begin(self, stream_template: Any) -> None:
        """Packets of another stream follow; `stream_template` is the `av` video stream to copy from."""

    def packet(self, packet: Any, t_s: float) -> None:
        """One `av.Packet` with its own pts, dts and time base; `t_s` its presentation in media time.

        The packet is the recorder's to read, not to change; it comes before its picture is decoded.
        """

    def frame(self, frame: Frame) -> None:
        """One picture of a source that has no packets."""

    def end(self) -> None:
        """The stream has ended or been lost; what is open should be closed."""
