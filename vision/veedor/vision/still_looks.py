"""A single picture looked at by itself: as a table's where its camera is known, else at several scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from veedor.vision.agreed_looks import AgreedLooks
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.detector import Detector
from veedor.vision.frames import Frame, Image
from veedor.vision.perceive import STILL, Perceiver
from veedor.vision.percept import RANK_COUNT, SUIT_COUNT, Percept
from veedor.vision.reader import Reader
from veedor.vision.stack_counter import StackCounter
from veedor.vision.table import Table

Probs = NDArray[np.float32]


class Models(Protocol):
    """What a picture is looked at with."""

    @property
    def detector(self) -> Detector: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def counter(self) -> StackCounter: ...


@dataclass(frozen=True)
class FreeLook:
    """Boxes, and of each the probabilities of ranks (n, 13) and suits (n, 4); NaN where it is no face."""

    found: Detections
    rank_probs: Probs
    suit_probs: Probs


def look_at_table(frame: Frame, table: Table, models: Models) -> Percept:
    """What a picture of a calibrated table shows, as if it were the first of a recording."""
    eyes = AgreedLooks(models.detector)
    percept = Perceiver(table, eyes, models.reader, models.counter, STILL).see(frame)
    assert percept is not None  # the first frame is always looked at
    return percept


def look_freely(image: Image, models: Models) -> FreeLook:
    """What a picture shows whose scale is not known."""
    found = models.detector.detect_at_scales(image)
    ranks = np.full((len(found), RANK_COUNT), np.nan, np.float32)
    suits = np.full((len(found), SUIT_COUNT), np.nan, np.float32)
    faces = np.flatnonzero(found.class_ids == ObjectClass.CARD_FACE)
    if len(faces):
        readings = models.reader.read_cards(image, found.corners_px[faces])
        ranks[faces], suits[faces] = readings.rank_probs, readings.suit_probs
    return FreeLook(found, ranks, suits)
