"""The reader's network: a small residual CNN over a straightened card."""

from __future__ import annotations

from typing import Any

KINDS = ("face", "back", "neither")


def build_network() -> Any:
    """A torch module: crops float (n, 3, 100, 72) in -1..1 to logits (n, 13), (n, 4), (n, 3).

    1.1 M parameters. The last maps are flattened, not only averaged: where signs stand tells six from seven.
    """
    import torch
    from torch import nn

    def conv(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )

    class Residual(nn.Module):  # type: ignore[misc]
        def __init__(self, width: int) -> None:
            super().__init__()
            self.first = conv(width, width)
            self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

        def forward(self, maps: torch.Tensor) -> torch.Tensor:
            return torch.relu(maps + self.second(self.first(maps)))

    class Network(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.trunk = nn.Sequential(
                conv(3, 32, 5, 2),
                conv(32, 32),
                conv(32, 64, 3, 2),
                Residual(64),
                conv(64, 128, 3, 2),
                Residual(128),
                conv(128, 128, 3, 2),
            )
            self.mix = nn.Sequential(
                nn.Flatten(), nn.Dropout(0.15), nn.Linear(128 * 7 * 5, 128), nn.ReLU(inplace=True)
            )
            self.rank = nn.Linear(128 + 128, 13)
            self.suit = nn.Linear(128 + 128, 4)
            self.kind = nn.Linear(128 + 128, len(KINDS))

        def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
            maps = self.trunk(crops)
            features = torch.cat([self.mix(maps), maps.mean(dim=(2, 3))], dim=1)
            return self.rank(features), self.suit(features), self.kind(features)

    return Network()


def build_exported(network: Any, temperatures: tuple[float, float, float]) -> Any:
    """The network as it ships: uint8 BGR crops (n, 100, 72, 3) in, calibrated probabilities out.

    Each crop is read both ways up and the logits averaged, so turning a card by 180 degrees changes nothing.
    """
    import torch
    from torch import nn

    class Exported(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, ...]:
            maps = crops.permute(0, 3, 1, 2).float() / 127.5 - 1.0
            upright = self.network(maps)
            turned = self.network(torch.flip(maps, dims=(2, 3)))
            return tuple(
                torch.softmax((one + other) / (2 * temperature), dim=1)
                for one, other, temperature in zip(upright, turned, temperatures, strict=True)
            )

    return Exported()
