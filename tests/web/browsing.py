"""What tests in a browser share: pictures to show, and waiting as the pages' policy allows it."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Any

import cv2
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.clips import encode_clip
from veedor.vision.sources import VideoSource


@lru_cache
def pictures() -> tuple[bytes, bytes]:
    """Two seconds of the bundled session as a clip, and a still of it."""
    frames = list(islice(VideoSource(bundled_clip("demo").video).frames(), 25))
    clip = encode_clip(frames, 12.5)
    assert clip is not None
    return clip, cv2.imencode(".jpg", frames[0].image)[1].tobytes()


def until(page: Any, expression: str) -> None:
    """Waits for something on the page; Playwright's own way is what the policy of the pages forbids."""
    for _ in range(150):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise AssertionError(expression)
