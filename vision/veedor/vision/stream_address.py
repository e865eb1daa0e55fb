"""Where a live source is, and how its address is told without the password in it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from veedor.vision.errors import SourceError

LIVE_SCHEMES = ("rtsp", "rtsps", "http", "https", "udp", "rtp")
HIDDEN = "***"

# What a stream's own description may make FFmpeg open: never a file of this machine.
_PROTOCOLS = {
    "rtsp": "rtsp,rtp,tcp,udp",
    "rtsps": "rtsps,rtsp,rtp,tcp,udp,tls",
    "http": "http,tcp",
    "https": "https,tls,tcp",
    "udp": "udp",
    "rtp": "rtp,udp",
}
_SECRET = re.compile(
    r"(?i)((?:pass(?:word|wd)?|pwd|psw|user(?:name)?|usr|token|auth|key|secret)=)[^&;/?#\s]*"
)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class StreamAddress:
    """A camera of this machine by its number or a network stream by its URL.

    `place` is what is opened, with any credentials; only `shown` may be printed, logged or stored.
    """

    place: str
    shown: str
    form: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    packets: bool = True  # a USB camera gives pictures, not packets worth keeping

    def __repr__(self) -> str:
        return f"StreamAddress({self.shown})"

    def without_secrets(self, text: str) -> str:
        """A library's message with the address and what is secret in it left out."""
        return shown_address(text.replace(self.place, self.shown))


def is_live(source: str) -> bool:
    """Whether a source is a live one: a camera's number or a network address."""
    scheme, colon, _ = source.partition("://")
    return source.isdecimal() or (bool(colon) and scheme.lower() in LIVE_SCHEMES)


def stream_address(source: str) -> StreamAddress:
    """The address that `source` names; `${NAME}` in it stands for a variable of the environment.

    SourceError in one line, without the secrets, if it cannot be one.
    """
    if source.isdecimal():
        return StreamAddress(f"/dev/video{int(source)}", source, form="v4l2", packets=False)
    shown = shown_address(source)
    place = _VARIABLE.sub(lambda found: _variable(found[1], shown), source)
    try:
        parts = urlsplit(place)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise SourceError(f"{shown}: not a network address") from None
    scheme = parts.scheme.lower()
    if scheme not in LIVE_SCHEMES:
        raise SourceError(f"{shown}: expected a camera's number or one of {', '.join(LIVE_SCHEMES)}://")
    if not host:
        raise SourceError(f"{shown}: names no machine")
    options = [("protocol_whitelist", _PROTOCOLS[scheme]), ("analyzeduration", "1000000")]
    if scheme.startswith("rtsp"):
        options.append(("rtsp_transport", "tcp"))  # a packet lost over UDP smears for seconds
    return StreamAddress(place, shown, options=tuple(options))


def shown_address(text: str) -> str:
    """The text with user names, passwords and keys of any address in it left out."""
    # As a path an address has lost one of its slashes.
    masked = re.sub(r"(?i)(:/{1,2})[^/?#\s]*@", rf"\1{HIDDEN}@", text)
    return _SECRET.sub(rf"\1{HIDDEN}", masked)


def _variable(name: str, shown: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise SourceError(f"{shown}: the environment has no {name}")
    return value
