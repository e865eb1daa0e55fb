"""The shipped models, loaded and ready to look."""

from __future__ import annotations

from dataclasses import dataclass

from veedor.datasets.digests import sha256_of
from veedor.models.registry import weights_path
from veedor.vision.detector import Detector
from veedor.vision.reader import Reader
from veedor.vision.stack_counter import StackCounter

DETECTOR, READER, STACKS = "detector", "reader", "stacks"


@dataclass(frozen=True)
class Eyes:
    """Detector, reader and stack counter of one process; not for several threads at once."""

    detector: Detector
    reader: Reader
    counter: StackCounter


def open_eyes(*, threads: int = 1) -> Eyes:
    """Load the shipped models; WeightsError or VisionError name the file that is missing or damaged.

    `threads` is for each look; results are promised to be equal only for equal numbers of threads.
    """
    detector = Detector(weights_path(DETECTOR), threads=threads)
    counter = StackCounter(weights_path(STACKS), threads=threads)
    return Eyes(detector, Reader(weights_path(READER), threads=threads), counter)


def model_hashes() -> dict[str, str]:
    """sha256 of each shipped model by name."""
    return {name: sha256_of(weights_path(name)) for name in (DETECTOR, READER, STACKS)}
