"""Trains the card reader: resumable, on own drawings and what art and photographs were prepared."""

from __future__ import annotations

import logging
import math
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.replacing import replacing
from veedor.models.checkpoints import blend_weights, load_weights
from veedor.models.errors import TrainingError
from veedor.models.reader_architecture import build_network
from veedor.models.reader_export import export_reader, fit_temperatures
from veedor.models.reader_supply import CropMaker, CropSupply, FaceMix

LOG = logging.getLogger(__name__)
CHECKPOINT = "reader.pt"
SUIT_WEIGHT, KIND_WEIGHT = 1.3, 0.4
AVERAGE_DECAY = 0.997


@dataclass(frozen=True)
class ReaderOptions:
    """How to train. `run_folder` holds the checkpoint that a later run resumes, `output` is the ONNX file.

    `start_from` is a checkpoint of other training whose weights this one begins with.
    """

    run_folder: Path
    output: Path
    mix: FaceMix = field(default_factory=FaceMix)
    steps: int = 3000
    batch: int = 128
    learning_rate: float = 2e-3
    seed: int = 1
    threads: int = 1
    save_every: int = 200
    bfloat16: bool = True  # about twice as fast on processors that know it, no worse in the end
    start_from: Path | None = None
    blend: float = 1.0  # the share that remains, at the end, of the way from `start_from`


def train_reader(options: ReaderOptions, began: Callable[[int], None] = lambda step: None) -> Path:
    """Train to `options.steps`, going on from a checkpoint where there is one; export; return the file.

    `began` is told the first step that this call has done.
    Raises TrainingError where the `train` extra is not installed or the checkpoint is of other options.
    """
    try:
        import torch
    except ImportError as error:
        raise TrainingError("training needs the extra `train`: pip install 'veedor[train]'") from error
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.run_folder.mkdir(parents=True, exist_ok=True)
    learner = _Learner(options)
    learner.resume()
    supply_seed = options.seed * 1_000 + learner.step
    with CropSupply(options.mix, supply_seed) as supply:
        started, first = time.monotonic(), learner.step
        while learner.step < options.steps:
            crops, labels = supply.next(options.batch)
            loss = learner.learn(crops, labels)
            if learner.step == first + 1:
                began(learner.step)
            if learner.step % 50 == 0:
                pace = (learner.step - first) / (time.monotonic() - started)
                LOG.info(
                    "reader step %d/%d loss %.3f rate %.1e, %.2f steps/s, %d crops made",
                    learner.step, options.steps, loss, learner.rate(), pace, supply.made,
                )  # fmt: skip
            if learner.step % options.save_every == 0:
                learner.save()
    learner.save()
    return finish_reader(options)


def finish_reader(options: ReaderOptions) -> Path:
    """Calibrate what the checkpoint holds on own decks never trained on, and export it."""
    averaged = _finished(options)
    held_out = CropMaker(FaceMix(held_out=True), options.seed + 500_000).make(1500)
    temperatures, scores = fit_temperatures(averaged, held_out)
    LOG.info("reader on held-out own decks: %s; temperatures %s", scores, temperatures)
    return export_reader(averaged, temperatures, options.output)


def averaged_weights(options: ReaderOptions) -> dict[str, Any]:
    """The state dict that `finish_reader` exports."""
    weights: dict[str, Any] = _finished(options).state_dict()
    return weights


def _finished(options: ReaderOptions) -> Any:
    learner = _Learner(options)
    learner.resume()
    if learner.step == 0:
        raise TrainingError(f"{options.run_folder / CHECKPOINT}: no checkpoint to export")
    if options.start_from is not None and options.blend < 1.0:
        blend_weights(learner.averaged, options.start_from, options.blend)
    return learner.averaged


class _Learner:
    """Network, running average of its weights, optimiser and step, with their checkpoint."""

    def __init__(self, options: ReaderOptions) -> None:
        import torch

        self.options = options
        self.network = build_network()
        if options.start_from is not None:
            load_weights(self.network, options.start_from)
        self.averaged = build_network()
        self.averaged.load_state_dict(self.network.state_dict())
        self.averaged.eval()
        decayed = [p for p in self.network.parameters() if p.ndim > 1]
        plain = [p for p in self.network.parameters() if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 0.03}, {"params": plain, "weight_decay": 0.0}],
            lr=options.learning_rate,
        )
        self.step = 0
        self._rng = np.random.default_rng([options.seed, 17])

    def rate(self) -> float:
        """Learning rate at this step: a short rise, then half a cosine down to a hundredth."""
        options = self.options
        rise = min(1.0, (self.step + 1) / min(200, max(1, options.steps // 5)))
        fall = 0.5 * (1 + math.cos(math.pi * min(1.0, self.step / options.steps)))
        return options.learning_rate * rise * (0.01 + 0.99 * fall)

    def learn(self, crops: NDArray[np.uint8], labels: NDArray[np.int64]) -> float:
        """One step; returns the loss."""
        import torch
        from torch.nn import functional

        turned = self._rng.random(len(crops)) < 0.5
        crops = np.where(turned[:, None, None, None], crops[:, ::-1, ::-1], crops)
        maps = torch.from_numpy(np.ascontiguousarray(crops)).permute(0, 3, 1, 2).float() / 127.5 - 1.0
        # A crop comes by several times; each time a little brighter or darker, warmer or colder.
        gain = torch.from_numpy(self._rng.normal(1.0, 0.05, (len(crops), 3, 1, 1)).astype(np.float32))
        shift = torch.from_numpy(self._rng.normal(0.0, 0.05, (len(crops), 1, 1, 1)).astype(np.float32))
        maps = (maps * gain + shift).contiguous(memory_format=torch.channels_last)
        targets = torch.from_numpy(labels)
        self.network.train()
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.options.bfloat16):
            rank, suit, kind = self.network(maps)
        loss = (
            functional.cross_entropy(rank.float(), targets[:, 0], ignore_index=-1)
            + SUIT_WEIGHT * functional.cross_entropy(suit.float(), targets[:, 1], ignore_index=-1)
            + KIND_WEIGHT * functional.cross_entropy(kind.float(), targets[:, 2])
        )
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 4.0)
        self.optimiser.step()
        self.step += 1
        self._average()
        return float(loss.detach())

    def _average(self) -> None:
        import torch

        decay = min(AVERAGE_DECAY, self.step / (self.step + 20))
        with torch.no_grad():
            for kept, new in zip(
                self.averaged.state_dict().values(), self.network.state_dict().values(), strict=True
            ):
                if kept.dtype.is_floating_point:
                    kept.lerp_(new, 1 - decay)
                else:
                    kept.copy_(new)

    def save(self) -> None:
        """Write the checkpoint; a kill meanwhile leaves the earlier one whole."""
        import torch

        state: dict[str, Any] = {
            "network": self.network.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
        }
        path = self.options.run_folder / CHECKPOINT
        with replacing(path) as part:
            torch.save(state, part)

    def resume(self) -> None:
        """Take up the checkpoint, if there is one."""
        import torch

        path = self.options.run_folder / CHECKPOINT
        if not path.exists():
            return
        try:
            state = torch.load(path, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.averaged.load_state_dict(state["averaged"])
            self.optimiser.load_state_dict(state["optimiser"])
        except (RuntimeError, LookupError, ValueError, EOFError, pickle.UnpicklingError) as error:
            raise TrainingError(
                f"{path}: not a checkpoint of this reader: {error}".splitlines()[0]
            ) from error
        self.step = int(state["step"])
        LOG.info("reader resumed at step %d from %s", self.step, path)
