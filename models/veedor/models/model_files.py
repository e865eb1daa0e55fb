"""Detector, reader and stack counter, loaded from the shipped weights or from others in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from veedor.datasets.digests import sha256_of
from veedor.models.errors import WeightsError
from veedor.models.registry import weights_path
from veedor.vision.detector import Detector
from veedor.vision.reader import Reader
from veedor.vision.stack_counter import StackCounter

MODEL_NAMES = ("detector", "reader", "stacks")


@dataclass(frozen=True)
class ModelSet:
    """The three models and the files they came from. Not for several threads at once."""

    detector: Detector
    reader: Reader
    counter: StackCounter
    files: Mapping[str, Path]

    @property
    def hashes(self) -> dict[str, str]:
        """sha256 of each model's file."""
        return {name: sha256_of(path) for name, path in self.files.items()}


def load_models(others: Mapping[str, Path] | None = None, *, threads: int = 2) -> ModelSet:
    """The shipped models, those named in `others` from the files given there."""
    given = dict(others or {})
    for name, path in given.items():
        if name not in MODEL_NAMES:
            raise WeightsError(f"{name}: no such model; known are {', '.join(MODEL_NAMES)}")
        if not path.is_file():
            raise WeightsError(f"{path}: no such model file")
    files = {name: given[name] if name in given else weights_path(name) for name in MODEL_NAMES}
    return ModelSet(
        Detector(files["detector"], threads=threads),
        Reader(files["reader"], threads=threads),
        StackCounter(files["stacks"], threads=threads),
        files,
    )
