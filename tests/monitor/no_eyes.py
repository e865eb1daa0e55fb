"""Models that see nothing: for what is tested beside seeing."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from veedor.monitor.eyes import Eyes
from veedor.vision.detections import Detections
from veedor.vision.frames import Image
from veedor.vision.reader import CardReadings


class EmptyTable:
    """Finds nothing anywhere."""

    def detect(self, image_bgr: Image, *, scale: float = 1.0, min_score: float = 0.35) -> Detections:
        return Detections.empty()

    def read_cards(self, image_bgr: Image, corners_px: NDArray[np.floating]) -> CardReadings:
        raise AssertionError("no card to read")


NO_EYES = cast(Eyes, type("NoEyes", (), {"detector": EmptyTable(), "reader": EmptyTable(), "counter": None}))
