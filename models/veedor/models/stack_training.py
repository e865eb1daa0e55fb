"""Trains the stack counter on drawn patches and writes it as ONNX."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.replacing import refuse_all_but_a_file
from veedor.models.stack_patches import StackSamples, draw_samples
from veedor.vision.percept import TALLEST
from veedor.vision.stack_counter import ACROSS, ALONG, FACTS

OPSET = 17
BATCH = 128
PEAK_RATE = 3e-3
WEIGHT_DECAY = 1e-3

Report = Callable[[int, float], None]
Patches = NDArray[np.float32]


def build_network() -> Any:
    """Convolutions over the patch, to which the facts are added as planes; about 300,000 weights."""
    import torch
    from torch import nn

    def layer(before: int, after: int, stride: int | tuple[int, int] = 1) -> Any:
        return nn.Sequential(
            nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()
        )

    class Network(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.look = nn.Sequential(
                layer(3 + 2, 24, (1, 2)),
                layer(24, 32, 2),
                layer(32, 32),
                layer(32, 48, 2),
                layer(48, 48),
                nn.Conv2d(48, 24, 1),
                nn.Flatten(),
            )
            width = 24 * (ALONG // 4) * (ACROSS // 8)
            self.tell = nn.Sequential(
                nn.Linear(width + FACTS, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, TALLEST)
            )

        def forward(self, patches: Any, facts: Any) -> Any:
            shift = facts[:, :1] / facts[:, 1:2] / 3.0  # mm of a chip of 40 mm, about 0 to 1
            planes = torch.cat([shift, facts[:, 2:]], dim=1)[:, :, None, None]
            planes = planes.expand(-1, -1, ALONG, ACROSS)
            seen = self.look(torch.cat([patches, planes], dim=1))
            return torch.log_softmax(self.tell(torch.cat([seen, facts], dim=1)), dim=1)

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
            with torch.autocast("cpu", torch.bfloat16):
                found = network(torch.from_numpy(patches), torch.from_numpy(samples.facts[rows]))
            wanted = torch.from_numpy(samples.counts[rows] - 1)
            loss = functional.nll_loss(found.float(), wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(float(loss.detach()))
        if report is not None:
            report(epoch, float(np.mean(losses)))
    return network.eval()


def varied(patches: Patches, rng: np.random.Generator) -> Patches:
    """Patches (n, 3, 64, 40) as other tables might show them: mirrored, shifted, in other colours, noisy.

    Looks are few and stacks many: without this the network learns the colours and lights of the looks.
    """
    count = len(patches)
    mirrored = rng.random(count) < 0.5
    patches[mirrored] = patches[mirrored][..., ::-1]
    order = np.argsort(rng.random((count, 3)), axis=1)
    patches = np.take_along_axis(patches, order[:, :, None, None], axis=1)
    gain = rng.uniform(0.6, 1.4, (count, 1, 1, 1)) * rng.uniform(0.8, 1.25, (count, 3, 1, 1))
    patches = patches * gain.astype(np.float32)
    noise = rng.standard_normal(patches.shape, dtype=np.float32)
    patches += noise * rng.uniform(0.0, 0.08, (count, 1, 1, 1)).astype(np.float32)
    for axis in (2, 3):
        shifts = rng.integers(-1, 2, count)
        for shift in (-1, 1):
            patches[shifts == shift] = np.roll(patches[shifts == shift], shift, axis=axis)
    return np.ascontiguousarray(patches)


def export_counter(network: Any, path: Path) -> Path:
    """Write the network to `path` (ONNX, any number of patches)."""
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    refuse_all_but_a_file(path)
    fresh = path.with_suffix(".new.onnx")
    example = (torch.zeros((2, 3, ALONG, ACROSS)), torch.ones((2, FACTS)))
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


def report(epoch: int, loss: float) -> None:
    """One line an epoch."""
    print(f"epoch {epoch}: loss {loss:.4f}", flush=True)


def main() -> None:
    """`python -m veedor.models.stack_training OUT.onnx`: draws the training set, trains, exports."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--looks", type=int, default=700)
    parser.add_argument("--pictures", type=int, default=1, help="of each look")
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    samples = draw_set(args.looks, args.pictures)
    print(export_counter(train_counter(samples, args.epochs, report=report), args.output))


if __name__ == "__main__":
    main()
