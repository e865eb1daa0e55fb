"""Feeds the reader's training with crops, made in a process of its own while the network learns."""

from __future__ import annotations

import multiprocessing
import os
import queue as queue_module
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from veedor.models.reader_faces import Face, OwnDecks, read_art, read_photographs

if TYPE_CHECKING:
    from veedor.models.labelled_version_crops import LabelledCards
    from veedor.models.reader_crops import Sample


@dataclass(frozen=True)
class Batch:
    """Crops uint8 (n, 100, 72, 3), labels int64 (n, 3) of rank, suit, kind (-1 unknown), widths_px (n,)."""

    crops: NDArray[np.uint8]
    labels: NDArray[np.int64]
    widths_px: NDArray[np.float32]


@dataclass(frozen=True)
class FaceMix:
    """Which faces are trained on, in what shares; own decks fill in for folders that are None or empty.

    `labelled` is a version of labelled pictures: so large a share of crops are cut from them as they are.
    """

    art_folder: Path | None = None
    photographs_folder: Path | None = None
    art_share: float = 0.35
    photographs_share: float = 0.25
    held_out: bool = False
    labelled: Path | None = None
    labelled_share: float = 0.5


class CropMaker:
    """Makes batches of crops from a seed, in this process."""

    def __init__(self, mix: FaceMix, seed: int) -> None:
        self._rng = np.random.default_rng([seed, 11])
        self._mix = mix
        self._own = OwnDecks(np.random.default_rng([seed, 12]), held_out=mix.held_out)
        self._art = read_art(mix.art_folder, self._rng) if mix.art_folder else None
        self._photographs = (
            read_photographs(mix.photographs_folder, self._rng) if mix.photographs_folder else None
        )
        self._labelled = _labelled_cards(mix.labelled, self._rng) if mix.labelled else None

    def _sample(self) -> Sample:
        from veedor.models.reader_crops import make_sample

        if self._labelled is not None and self._rng.random() < self._mix.labelled_share:
            return self._labelled.sample()
        return make_sample(self._take, self._rng)

    def _take(self) -> Face:
        chance = self._rng.random()
        if self._photographs is not None and chance < self._mix.photographs_share:
            return self._photographs.take()
        if self._art is not None and chance > 1 - self._mix.art_share:
            return self._art.take()
        return self._own.take()

    def make(self, count: int) -> Batch:
        """`count` crops."""
        samples = [self._sample() for _ in range(count)]
        return Batch(
            np.stack([sample.crop for sample in samples]),
            np.array([(sample.rank, sample.suit, sample.kind) for sample in samples], dtype=np.int64),
            np.array([sample.width_px for sample in samples], dtype=np.float32),
        )


def _labelled_cards(folder: Path, rng: np.random.Generator) -> LabelledCards | None:
    from veedor.models.labelled_version import read_version
    from veedor.models.labelled_version_crops import LabelledCards, card_patches

    version = read_version(folder)
    cards = LabelledCards(card_patches(version, version.training), rng)
    return cards if len(cards) else None


def _supply(queue: Any, mix: FaceMix, seed: int, count: int) -> None:
    import cv2

    cv2.setNumThreads(1)
    maker = CropMaker(mix, seed)
    parent = os.getppid()
    queue.cancel_join_thread()  # what is still queued must not keep this process alive
    batch = maker.make(count)
    while os.getppid() == parent:  # ends with the training even if that was killed
        try:
            queue.put(batch, timeout=10)
        except queue_module.Full:
            continue
        batch = maker.make(count)


class CropSupply:
    """A running maker of crops; each made crop is handed out about `reuse` times over, mixed with others."""

    def __init__(self, mix: FaceMix, seed: int, *, reuse: float = 4.0, store: int = 16_000) -> None:
        context = multiprocessing.get_context("spawn")
        self._queue: Any = context.Queue(maxsize=8)
        self._process = context.Process(target=_supply, args=(self._queue, mix, seed, 64), daemon=True)
        self._rng = np.random.default_rng([seed, 13])
        self._store = store
        self._reuse = reuse
        self._made = 0
        self._handed = 0
        self._crops: NDArray[np.uint8] | None = None
        self._labels = np.zeros((store, 3), np.int64)

    def __enter__(self) -> CropSupply:
        self._process.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.join(5)

    @property
    def made(self) -> int:
        """How many crops were made so far."""
        return self._made

    def _receive(self) -> None:
        batch: Batch = self._queue.get(timeout=300)
        if self._crops is None:
            self._crops = np.zeros((self._store, *batch.crops.shape[1:]), np.uint8)
        places = (self._made + np.arange(len(batch.labels))) % self._store
        self._crops[places] = batch.crops
        self._labels[places] = batch.labels
        self._made += len(batch.labels)

    def next(self, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """`count` crops with labels; waits for the maker where it falls behind."""
        while self._made < 1_000 or self._handed + count > self._reuse * self._made:
            self._receive()
        assert self._crops is not None
        places = self._rng.integers(min(self._made, self._store), size=count)
        self._handed += count
        return self._crops[places], self._labels[places]
