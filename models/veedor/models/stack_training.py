"""Trains the stack counter on drawn patches and writes it as ONNX."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veedor.models.stack_patches import StackSamples, draw_samples
from veedor.vision.percept import TALLEST
from veedor.vision.stack_counter import ALONG, CHANNELS, FACTS

OPSET = 17
BATCH = 256
PEAK_RATE = 3e-3
WEIGHT_DECAY = 1e-4

Report = Callable[[int, float], None]
Patches = NDArray[np.float32]


def build_network() -> Any:
    """Convolutions along the shift, the columns across it as channels; about 200,000 weights."""
    import torch
    from torch import nn

    class Network(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.look = nn.Sequential(
                nn.Conv1d(CHANNELS, 64, 5, padding=2),
                nn.BatchNorm1d(64),
                nn.ReLU(),
                nn.Conv1d(64, 64, 5, stride=2, padding=2),
                nn.BatchNorm1d(64),
                nn.ReLU(),
                nn.Conv1d(64, 48, 3, padding=1),
                nn.BatchNorm1d(48),
                nn.ReLU(),
                nn.Flatten(),
            )
            width = 48 * ((ALONG + 1) // 2)
            self.tell = nn.Sequential(
                nn.Linear(width + FACTS, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, TALLEST)
            )

        def forward(self, patches: Any, facts: Any) -> Any:
            scores = self.tell(torch.cat([self.look(patches), facts], dim=1))
            return torch.log_softmax(scores, dim=1)

    return Network()


def train_counter(samples: StackSamples, epochs: int, seed: int = 0, report: Report | None = None) -> Any:
    """A network trained on the samples, each varied anew every time."""
    import torch
    from torch.nn import functional

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = build_network()
    optimiser = torch.optim.AdamW(network.parameters(), lr=PEAK_RATE, weight_decay=WEIGHT_DECAY)
    steps = max(1, len(samples.counts) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, total_steps=epochs * steps)
    network.train()
    for epoch in range(epochs):
        order, losses = rng.permutation(len(samples.counts)), []
        for step in range(steps):
            rows = np.sort(order[step * BATCH : (step + 1) * BATCH])
            patches = varied(samples.patches[rows].astype(np.float32), rng)
            found = network(torch.from_numpy(patches), torch.from_numpy(samples.facts[rows]))
            wanted = torch.from_numpy(samples.counts[rows] - 1)
            loss = functional.nll_loss(found, wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(float(loss.detach()))
        if report is not None:
            report(epoch, float(np.mean(losses)))
    return network.eval()


def varied(patches: Patches, rng: np.random.Generator) -> Patches:
    """Patches (n, 33, 49) as other tables might show them: mirrored, in other colours, blurred, noisy.

    Looks are few and stacks many: without this the network learns the colours and lights of the looks.
    """
    count = len(patches)
    grid = patches.reshape(count, -1, 3, ALONG)
    mirrored = rng.random(count) < 0.5
    grid[mirrored] = grid[mirrored][:, ::-1]
    order = np.argsort(rng.random((count, 3)), axis=1)
    grid = np.take_along_axis(grid, order[:, None, :, None], axis=2)
    gain = rng.uniform(0.6, 1.4, (count, 1, 1, 1)) * rng.uniform(0.8, 1.25, (count, 1, 3, 1))
    grid = grid * gain.astype(np.float32)
    spread = rng.uniform(0.0, 0.25, (count, 1, 1, 1)).astype(np.float32)
    padded = np.pad(grid, ((0, 0), (0, 0), (0, 0), (1, 1)), mode="edge")
    grid = grid * (1 - 2 * spread) + (padded[..., :-2] + padded[..., 2:]) * spread
    noise = rng.normal(0, 1, grid.shape) * rng.uniform(0.0, 0.08, (count, 1, 1, 1))
    return np.ascontiguousarray((grid + noise).reshape(count, CHANNELS, ALONG), np.float32)


def export_counter(network: Any, path: Path) -> Path:
    """Write the network to `path` (ONNX, any number of patches)."""
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new.onnx")
    example = (torch.zeros((2, CHANNELS, ALONG)), torch.zeros((2, FACTS)))
    torch.onnx.export(
        network.eval(),
        example,
        str(fresh),
        input_names=["patches", "facts"],
        output_names=["log_probs"],
        dynamic_axes={name: {0: "n"} for name in ("patches", "facts", "log_probs")},
        opset_version=OPSET,
        dynamo=False,
    )
    fresh.replace(path)
    return path


def draw_set(looks: int, pictures: int) -> StackSamples:
    """Training samples of that many looks, so many pictures each."""
    parts = [draw_samples(seed, pictures) for seed in range(looks)]
    return StackSamples(
        np.concatenate([part.patches for part in parts]),
        np.concatenate([part.facts for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def main() -> None:
    """`python -m veedor.models.stack_training OUT.onnx`: draws the training set, trains, exports."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--looks", type=int, default=100)
    parser.add_argument("--pictures", type=int, default=4, help="of each look")
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    samples = draw_set(args.looks, args.pictures)
    network = train_counter(samples, args.epochs, report=lambda epoch, loss: print(epoch, round(loss, 4)))
    print(export_counter(network, args.output))


if __name__ == "__main__":
    main()
