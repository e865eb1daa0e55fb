"""Bytes answered in ranges (RFC 9110): browsers ask for a video so, to jump in it."""

from __future__ import annotations

import re
from http import HTTPStatus

from starlette.responses import Response

_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})", re.ASCII)


def ranged(content: bytes, asked: str, media_type: str) -> Response:
    """All of `content`, or the one range of it that was asked for; several at once get all of it."""
    size = len(content)
    headers = {"accept-ranges": "bytes"}
    found = _RANGE.fullmatch(asked.replace(" ", ""))
    if found is None or not any(found.groups()):
        return Response(content, media_type=media_type, headers=headers)
    first_text, last_text = found.groups()
    if first_text:
        first = int(first_text)
        last = min(int(last_text) if last_text else size - 1, size - 1)
    else:
        first, last = max(0, size - int(last_text)), size - 1
    if first > last or first >= size:
        headers["content-range"] = f"bytes */{size}"
        return Response(b"", HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers=headers)
    headers["content-range"] = f"bytes {first}-{last}/{size}"
    part = content[first : last + 1]
    return Response(part, HTTPStatus.PARTIAL_CONTENT, media_type=media_type, headers=headers)
