"""How tables differ: felts, prints, decks, chips, light, gloss, noise and cameras, drawn by seed.

Looks of split "play" come from families that "train" never shows: other felt hues, other deck and chip art,
other prints, other lamps and camera heights.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from veedor.datasets.errors import DatasetError
from veedor.datasets.layouts import dos_panos_10
from veedor.datasets.scene import ChipStyle, TableLook
from veedor.vision.camera import Camera, look_at
from veedor.vision.layout import TableLayout

FloatArray = NDArray[np.float64]
Rgb = tuple[int, int, int]
Split = Literal["train", "play"]

DECK_SEEDS: dict[str, tuple[int, int]] = {"train": (0, 10_000), "play": (10_000, 20_000)}
BACK_COLOURS = ("red", "blue", "green", "black", "purple")
CHIP_VALUES = (5, 20, 50, 100, 500, 1000)
PLAQUE_VALUES = (5000, 10000)
CHIP_COLOURS: dict[str, Rgb] = {
    "white": (232, 230, 222),
    "red": (186, 32, 40),
    "blue": (34, 72, 160),
    "green": (24, 112, 66),
    "purple": (96, 46, 124),
    "black": (28, 28, 32),
    "orange": (222, 116, 30),
    "yellow": (226, 190, 50),
    "pink": (222, 130, 156),
    "grey": (128, 130, 134),
    "brown": (104, 66, 42),
    "turquoise": (40, 150, 160),
}
USUAL_COLOURS = ("white", "red", "blue", "green", "purple", "black")
ACCENTS: tuple[Rgb, ...] = (
    (245, 245, 240),
    (240, 214, 120),
    (30, 30, 34),
    (190, 40, 46),
    (40, 76, 160),
    (236, 150, 60),
)
RAIL_ROOM_MM = 125.0  # what must show beyond the felt's edge


@dataclass(frozen=True)
class Felts:
    """A family of felts: hue in degrees, saturation and value 0..1, as ranges."""

    hue: tuple[float, float]
    saturation: tuple[float, float]
    value: tuple[float, float]


FELTS: dict[str, tuple[Felts, ...]] = {
    "train": (
        Felts((118, 152), (0.55, 0.9), (0.22, 0.5)),
        Felts((205, 226), (0.55, 0.9), (0.25, 0.6)),
        Felts((-8, 10), (0.6, 0.9), (0.35, 0.6)),
        Felts((0, 360), (0.0, 0.08), (0.2, 0.5)),
        Felts((120, 150), (0.5, 0.85), (0.14, 0.3)),
        Felts((24, 40), (0.3, 0.6), (0.3, 0.5)),
    ),
    "play": (
        Felts((158, 172), (0.6, 0.9), (0.26, 0.46)),
        Felts((232, 244), (0.5, 0.75), (0.34, 0.56)),
        Felts((334, 346), (0.6, 0.85), (0.3, 0.46)),
        Felts((92, 106), (0.45, 0.7), (0.26, 0.42)),
    ),
}
PRINTS: dict[str, tuple[Rgb, ...]] = {
    "train": (
        (226, 205, 150),
        (238, 236, 226),
        (220, 186, 60),
        (196, 170, 120),
        (244, 240, 210),
        (236, 222, 186),
    ),
    "play": ((232, 214, 172), (214, 208, 196), (228, 196, 98)),
}
SKINS: tuple[Rgb, ...] = (
    (224, 172, 138), (141, 85, 54), (246, 206, 178), (198, 140, 104), (92, 56, 38), (232, 186, 160),
    (172, 112, 78),
)  # fmt: skip
SLEEVES: tuple[Rgb, ...] = (
    (30, 30, 34), (235, 235, 238), (52, 62, 98), (110, 30, 40), (80, 84, 90), (40, 80, 60), (150, 140, 120),
    (120, 150, 200), (200, 180, 60),
)  # fmt: skip


def random_look(
    seed: int,
    split: Split = "train",
    *,
    layout: TableLayout | None = None,
    size: tuple[int, int] = (1920, 1080),
) -> tuple[TableLook, Camera]:
    """A table's look and a camera that sees the whole table; the same for the same seed and split."""
    if split not in FELTS:
        raise DatasetError(f"expected split train or play, found '{split}'")
    rng = np.random.default_rng([seed, 1 if split == "train" else 2])
    table = dos_panos_10() if layout is None else layout
    low, high = DECK_SEEDS[split]
    play = split == "play"
    backs = rng.permutation(2 if play or rng.random() < 0.6 else len(BACK_COLOURS))[:2]
    warm = float(rng.uniform(-0.07, 0.05))
    lamp = (float(rng.uniform(-900, 900)), float(rng.uniform(-500, 700)), float(rng.uniform(1500, 2600)))
    look = TableLook(
        seed=int(rng.integers(1 << 30)),
        layout=table,
        chips=random_chips(rng, usual=play or rng.random() < 0.4),
        indexed=bool(rng.random() < (0.3 if play else 0.5)),
        felt_rgb=_felt(rng, split),
        print_rgb=_near(PRINTS[split][int(rng.integers(len(PRINTS[split])))], rng, 12),
        deck_seed=int(rng.integers(low, high)),
        back_colours=(BACK_COLOURS[int(backs[0])], BACK_COLOURS[int(backs[1])]),
        gloss=float(rng.uniform(0.05, 0.45 if play else 0.75)),
        noise_sigma=float(rng.uniform(1.0, 3.0 if play else 6.0)),
        blur_px=float(rng.uniform(0.35, 0.8 if play else 1.0)),
        light_rgb=(1.0 - warm * 0.5, 1.0, 1.0 + warm),
        light_position_mm=lamp,
        skins_rgb=tuple(_near(SKINS[int(index)], rng, 8) for index in rng.permutation(len(SKINS))),
        sleeves_rgb=tuple(_near(SLEEVES[int(index)], rng, 10) for index in rng.permutation(len(SLEEVES))),
    )
    tilt = float(rng.uniform(0, 25)) if play else float(45 * rng.random() ** 1.5)
    return look, table_camera(table, rng, tilt_deg=tilt, size=size)


def random_chips(rng: np.random.Generator, *, usual: bool) -> tuple[ChipStyle, ...]:
    """A chip set with its plaques; `usual` keeps the customary order of colours."""
    names = list(USUAL_COLOURS) if usual else [str(name) for name in rng.permutation(list(CHIP_COLOURS))]
    diameter = float(rng.uniform(38.5, 40.5))
    thickness = float(rng.uniform(3.2, 3.6))
    chips = []
    for value, name in zip(CHIP_VALUES, names, strict=False):
        body = _near(CHIP_COLOURS[name], rng, 14)
        chips.append(
            ChipStyle(str(value), value, body, False, diameter, thickness, accent_rgb=_accent(body, rng))
        )
    plaques = (
        [CHIP_COLOURS["red"], CHIP_COLOURS["blue"]] if usual else [CHIP_COLOURS[name] for name in names[6:8]]
    )
    size = (float(rng.uniform(74, 94)), float(rng.uniform(48, 60)))
    for value, colour in zip(PLAQUE_VALUES, plaques, strict=True):
        body = _near(colour, rng, 14)
        chips.append(
            ChipStyle(str(value), value, body, True, diameter, 3.4, size, accent_rgb=_accent(body, rng))
        )
    return tuple(chips)


def table_camera(
    layout: TableLayout, rng: np.random.Generator, *, tilt_deg: float, size: tuple[int, int]
) -> Camera:
    """A camera that the whole table with its rail just fills, tilted from straight above."""
    high = float(rng.uniform(2000, 3400))
    way = np.deg2rad(float(rng.choice([-90.0, -90.0, 90.0, -120.0, -60.0])) + float(rng.uniform(-20, 20)))
    roll = float(rng.uniform(-2.5, 2.5))
    distortion = (float(rng.uniform(-0.12, 0.02)), float(rng.uniform(0.0, 0.02)), 0.0, 0.0, 0.0)
    middle = (layout.outline_mm.max(axis=0) + layout.outline_mm.min(axis=0)) / 2
    away = layout.outline_mm - middle
    edge = layout.outline_mm + away / np.linalg.norm(away, axis=1, keepdims=True) * RAIL_ROOM_MM
    lean = high * np.tan(np.deg2rad(tilt_deg))
    eye = np.array([middle[0] + lean * np.cos(way), middle[1] + lean * np.sin(way), high])
    target = np.array([middle[0], middle[1], 0.0])
    focal = 0.5 * high
    fill = float(rng.uniform(0.97, 1.0))
    camera = look_at(
        size, focal_px=focal, position_mm=eye, target_mm=target, roll_deg=roll, distortion=distortion
    )
    for _ in range(6):
        pixels = camera.project(edge)
        low, far = pixels.min(axis=0), pixels.max(axis=0)
        centre = camera.to_felt(((low + far) / 2)[None, :])[0]
        target = target + np.append(
            centre - camera.to_felt(np.array([[(size[0] - 1) / 2, (size[1] - 1) / 2]]))[0], 0.0
        )
        focal *= fill * min(size[0] / (far[0] - low[0]), size[1] / (far[1] - low[1]))
        camera = look_at(
            size, focal_px=focal, position_mm=eye, target_mm=target, roll_deg=roll, distortion=distortion
        )
    return camera


def _felt(rng: np.random.Generator, split: Split) -> Rgb:
    family = FELTS[split][int(rng.integers(len(FELTS[split])))]
    hue, saturation, value = (
        float(rng.uniform(*span)) for span in (family.hue, family.saturation, family.value)
    )
    red, green, blue = colorsys.hsv_to_rgb(hue / 360 % 1.0, saturation, value)
    return round(red * 255), round(green * 255), round(blue * 255)


def _accent(body: Rgb, rng: np.random.Generator) -> Rgb:
    apart = [colour for colour in ACCENTS if sum(abs(a - b) for a, b in zip(colour, body, strict=True)) > 170]
    first = apart[0] if rng.random() < 0.6 else apart[int(rng.integers(len(apart)))]
    return _near(first, rng, 8)


def _near(colour: Rgb, rng: np.random.Generator, amount: int) -> Rgb:
    moved = [int(np.clip(part + rng.integers(-amount, amount + 1), 0, 255)) for part in colour]
    return moved[0], moved[1], moved[2]
