"""Pictures for training the detector: random tables and surfaces with cards, chips, hands and other things.

    python -m veedor.datasets.training_stills OUT --seeds 0:12000 [--split train|val] [--decks DIR]…

writes OUT/images/SPLIT/NNNNNNNN.jpg, OUT/labels/SPLIT/NNNNNNNN.txt (`class x1 y1 x2 y2 x3 y3 x4 y4`, in
shares of the picture's size) and OUT/data.yaml. A picture depends on its seed and options alone, and one
that is there is not made again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.art import Deck
from veedor.datasets.errors import DatasetError
from veedor.datasets.looks import Split, random_look
from veedor.datasets.render.bodies import Body
from veedor.datasets.render.canvas import Canvas
from veedor.datasets.render.cards import CardTextures
from veedor.datasets.render.clutter import clutter_body
from veedor.datasets.render.felt import GroundTexture, felt_texture, view_ground
from veedor.datasets.render.grounds import random_ground
from veedor.datasets.render.lighting import Lighting
from veedor.datasets.render.painters import Painters, paint_bodies, painters_for, scene_bodies
from veedor.datasets.render.props import shoe_body
from veedor.datasets.render.room import gain_map
from veedor.datasets.render.sensor import random_sensor, taken
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.replacing import replacing
from veedor.datasets.scene import Scene, TableLook
from veedor.datasets.still_scenes import ALL_CARDS, Arrangement, Arranger, Stock
from veedor.datasets.yolo_labels import label_lines, write_data_file
from veedor.vision.camera import Camera, look_at
from veedor.vision.detector import PAD_GREY
from veedor.vision.layout import TableLayout, ZoneKind

FloatArray = NDArray[np.float64]

CHUNK = 80  # pictures that share a table, a deck and surfaces, because those take long to draw
CARDS_A_CHUNK = 22
GROUNDS_A_CHUNK = 8
FELT_SHARE = 0.6
ART_HEIGHT_PX = 220
FELT_PX_PER_MM = 0.75
CARD_WIDTH_PX = (14.0, 90.0)
USUAL_WIDTH_PX = (31.0, 0.26)  # median, spread of the logarithm
MIN_VISIBLE = 0.25
STRAIGHTENED_SHARE = 0.3
JPEG_QUALITY = (45, 96)


@dataclass(frozen=True)
class StillOptions:
    """`deck_folders` hold foreign decks as `7H.png` … (and `back*.png`), for training pictures only."""

    size_px: int = 416
    look_split: Split = "train"
    deck_folders: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Still:
    """A picture, BGR uint8, with its truth; `card_width_px` is the scale it was drawn at."""

    image: NDArray[np.uint8]
    objects: tuple[ObjectTruth, ...]
    card_width_px: float
    jpeg_quality: int


class SmallDeck:
    """A drawn deck at the resolution that training pictures need."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck

    def face(self, card: str) -> NDArray[np.uint8]:
        return self._deck.face(card, ART_HEIGHT_PX)

    def back(self, colour: str) -> NDArray[np.uint8]:
        return self._deck.back(colour, ART_HEIGHT_PX)


class FolderDeck:
    """A foreign deck kept as RGBA pictures `7H.png`; backs from its `back*.png`, else from a drawn deck."""

    def __init__(self, folder: Path, spare: SmallDeck) -> None:
        self._folder = folder
        self._spare = spare
        self._backs = sorted(folder.glob("back*.png"))

    def face(self, card: str) -> NDArray[np.uint8]:
        path = self._folder / f"{card}.png"
        return _read_rgba(path) if path.is_file() else self._spare.face(card)

    def back(self, colour: str) -> NDArray[np.uint8]:
        own = [path for path in self._backs if colour in path.stem]
        return _read_rgba(own[0]) if own else self._spare.back(colour)


def _read_rgba(path: Path) -> NDArray[np.uint8]:
    art = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if art is None or art.ndim != 3 or art.shape[2] != 4:
        raise DatasetError(f"{path}: expected a PNG picture with transparency")
    size = (round(ART_HEIGHT_PX * 63 / 88), ART_HEIGHT_PX)
    return np.asarray(cv2.resize(art, size, interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True)
class _Chunk:
    """What neighbouring pictures share."""

    number: int
    look: TableLook
    felt: GroundTexture
    cards: CardTextures
    faces: tuple[str, ...]
    grounds: tuple[NDArray[np.uint8], ...]


class StillMaker:
    """Makes pictures by seed; neighbouring seeds are fast because they share art."""

    def __init__(self, options: StillOptions | None = None) -> None:
        self._options = StillOptions() if options is None else options
        self._chunk: _Chunk | None = None

    def still(self, seed: int) -> Still:
        """The picture of a seed, always the same."""
        chunk = self._chunk_of(seed // CHUNK)
        rng = np.random.default_rng([seed, 61])
        on_felt = rng.random() < FELT_SHARE
        width = _card_width(rng)
        camera = self._camera(rng, width / 63.0, chunk if on_felt else None)
        lighting = _lighting(rng, camera)
        background = self._background(rng, camera, chunk, on_felt=on_felt)
        gain = gain_map(lighting)
        lit = np.clip(background * gain, 0, 255).astype(np.uint8)
        painters = painters_for(chunk.look, lighting, chunk.cards)
        arrangement = self._arrange(rng, camera, chunk)
        bodies = _bodies(arrangement, painters, camera)
        canvas = Canvas(lit)
        objects = paint_bodies(bodies, canvas)
        image = taken(canvas.image, random_sensor(rng), rng)
        quality = int(rng.integers(*JPEG_QUALITY))
        if rng.random() < STRAIGHTENED_SHARE:
            image, objects = straightened(image, objects, camera)
        return Still(image, objects, width, quality)

    def _chunk_of(self, number: int) -> _Chunk:
        if self._chunk is None or self._chunk.number != number:
            rng = np.random.default_rng([number, 62])
            look, _ = random_look(number, self._options.look_split)
            spare = SmallDeck(Deck(look.deck_seed, indexed=look.indexed))
            folders = self._options.deck_folders
            foreign = bool(folders) and rng.random() < 0.5
            deck = FolderDeck(folders[int(rng.integers(len(folders)))], spare) if foreign else spare
            faces = tuple(ALL_CARDS[int(index)] for index in rng.permutation(len(ALL_CARDS))[:CARDS_A_CHUNK])
            side = round(self._options.size_px * 1.6)
            grounds = tuple(random_ground(rng, side) for _ in range(GROUNDS_A_CHUNK))
            felt = felt_texture(look, FELT_PX_PER_MM)
            self._chunk = _Chunk(number, look, felt, CardTextures(deck), faces, grounds)
        return self._chunk

    def _camera(self, rng: np.random.Generator, px_per_mm: float, chunk: _Chunk | None) -> Camera:
        """A camera whose middle shows felt millimetres at that scale."""
        size = self._options.size_px
        tilt = np.deg2rad(
            rng.choice([rng.uniform(0, 15), rng.uniform(10, 35), rng.uniform(30, 50)], p=[0.5, 0.35, 0.15])
        )
        away = float(np.exp(rng.uniform(np.log(600), np.log(3200))))
        away = max(away, 1.2 * size / px_per_mm)
        side = float(rng.uniform(0, 2 * np.pi))
        target = np.zeros(3)
        if chunk is not None:
            outline = chunk.look.layout.outline_mm
            low, high = outline.min(axis=0), outline.max(axis=0)
            target[:2] = rng.uniform(low, high)
        eye = target + away * np.array(
            [np.sin(tilt) * np.cos(side), np.sin(tilt) * np.sin(side), np.cos(tilt)]
        )
        lens = (float(rng.uniform(-0.08, 0.03)), 0.0, 0.0, 0.0, 0.0)
        return look_at(
            (size, size), focal_px=px_per_mm * away, position_mm=eye, target_mm=target,
            roll_deg=float(rng.uniform(0, 360)), distortion=lens,
        )  # fmt: skip

    def _background(
        self, rng: np.random.Generator, camera: Camera, chunk: _Chunk, *, on_felt: bool
    ) -> NDArray[np.uint8]:
        size = self._options.size_px
        ground = chunk.grounds[int(rng.integers(len(chunk.grounds)))]
        zoom, turn = float(rng.uniform(0.9, 1.8)), float(rng.uniform(0, 360))
        middle = rng.uniform(0.42, 0.58, 2) * ground.shape[0]
        matrix = cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), turn, zoom)
        matrix[:, 2] += size / 2 - middle
        floor = cv2.warpAffine(ground, matrix, (size, size), borderMode=cv2.BORDER_REFLECT_101)
        tint = rng.normal(1.0, 0.06, 3) * float(rng.uniform(0.7, 1.2))
        floor = np.asarray(np.clip(floor * tint, 0, 255), np.uint8)
        if not on_felt:
            return floor
        cloth, coverage = view_ground(chunk.felt, camera)
        dye = rng.normal(1.0, 0.13, 3)
        cloth = np.clip(cloth * dye, 0, 255)
        share = coverage[:, :, None].astype(np.float32) / 255
        return np.asarray(floor * 0.6 * (1 - share) + cloth * share, np.uint8)

    def _arrange(self, rng: np.random.Generator, camera: Camera, chunk: _Chunk) -> Arrangement:
        """Groups of things over the part of the plane that the picture shows."""
        look = chunk.look
        stock = Stock(
            chunk.faces, look.back_colours, look.chips, len(look.skins_rgb), len(look.sleeves_rgb),
            _printed_places(look.layout),
        )  # fmt: skip
        arranger = Arranger(rng, stock)
        side = self._options.size_px
        shown_mm = side / (camera.px_per_mm(*camera.to_felt(np.array([[side / 2, side / 2]]))[0]))
        count = min(1 + int(rng.poisson(min((shown_mm / 330) ** 2, 9.0))), 12)
        if rng.random() < 0.03:
            count = 0
        places: list[FloatArray] = []
        for _ in range(count * 3):
            place = camera.to_felt(rng.uniform(-0.04, 1.04, (1, 2)) * side)[0]
            if all(np.hypot(*(place - other)) > 150 for other in places) or rng.random() < 0.12:
                places.append(place)
                arranger.lay(float(place[0]), float(place[1]))
            if len(places) == count:
                break
        return arranger.scene


def straightened(
    image: NDArray[np.uint8], objects: tuple[ObjectTruth, ...], camera: Camera
) -> tuple[NDArray[np.uint8], tuple[ObjectTruth, ...]]:
    """The picture as the detector gets it at a table whose camera looks aslant: the felt seen from above.

    Same size and middle, the scale of the picture's middle everywhere.
    """
    size = image.shape[0]
    middle = camera.to_felt(np.array([[size / 2, size / 2]]))[0]
    scale = camera.px_per_mm(float(middle[0]), float(middle[1]))
    columns, rows = np.meshgrid(np.arange(size), np.arange(size))
    away = np.stack([columns - size / 2, size / 2 - rows], axis=-1).reshape(-1, 2) / scale
    seen = camera.project(away + middle).reshape(size, size, 2).astype(np.float32)
    flat = cv2.remap(image, seen, None, cv2.INTER_LINEAR, borderValue=(PAD_GREY,) * 3)
    moved = []
    for each in objects:
        felt_mm = camera.to_felt(np.asarray(each.corners_px, np.float64).reshape(-1, 2))
        corners = (felt_mm - middle) * (scale, -scale) + size / 2
        moved.append(replace(each, corners_px=corners))
    return np.asarray(flat, np.uint8), tuple(moved)


def _printed_places(layout: TableLayout) -> tuple[tuple[float, float], ...]:
    """Middles of zones, where numbers and words are printed, and places every 60 mm along lines, in mm."""
    places = [
        zone.centre_mm
        for zone in layout.zones
        if zone.kind in (ZoneKind.BET, ZoneKind.OTHER_PANO, ZoneKind.HAND)
    ]
    for line in layout.lines:
        steps = np.linalg.norm(np.diff(line.points_mm, axis=0), axis=1)
        along = np.concatenate([[0.0], np.cumsum(steps)])
        at = np.arange(0.0, along[-1], 60.0)
        places += list(np.column_stack([np.interp(at, along, line.points_mm[:, axis]) for axis in (0, 1)]))
    return tuple((float(x), float(y)) for x, y in places)


def _card_width(rng: np.random.Generator) -> float:
    if rng.random() < 0.2:
        return float(np.exp(rng.uniform(*np.log(CARD_WIDTH_PX))))
    width = float(np.exp(rng.normal(np.log(USUAL_WIDTH_PX[0]), USUAL_WIDTH_PX[1])))
    return float(np.clip(width, *CARD_WIDTH_PX))


def _lighting(rng: np.random.Generator, camera: Camera) -> Lighting:
    middle = camera.to_felt(np.array([[camera.width / 2, camera.height / 2]]))[0]
    warm = float(rng.normal(0, 0.09))
    shift = rng.normal(0, 700, 2)
    return Lighting(
        camera,
        (float(middle[0] + shift[0]), float(middle[1] + shift[1]), float(rng.uniform(700, 2600))),
        (1.0 - warm, 1.0, 1.0 + warm),
        gloss=float(rng.uniform(0, 0.9)) if rng.random() < 0.5 else 0.1,
        ambient=float(rng.uniform(0.35, 0.8)),
        vignette=float(rng.uniform(0.0, 0.3)),
        exposure=float(np.exp(rng.normal(0.0, 0.17))),
        shadow=float(rng.uniform(0.15, 0.65)),
    )


def _bodies(arrangement: Arrangement, painters: Painters, camera: Camera) -> list[Body]:
    scene = Scene(
        cards=tuple(card for card in arrangement.cards if card.id not in arrangement.moving),
        stacks=tuple(arrangement.stacks), plaques=tuple(arrangement.plaques), hands=tuple(arrangement.hands),
        palas=tuple(arrangement.palas),
    )  # fmt: skip
    bodies = scene_bodies(scene, painters, lambda hand: 900.0)
    for card in arrangement.cards:
        if card.id in arrangement.moving:
            step = np.array(arrangement.moving[card.id])
            ends = camera.project(
                np.array([[card.x_mm, card.y_mm], [card.x_mm + step[0], card.y_mm + step[1]]])
            )
            motion = ends[1] - ends[0]
            bodies.append(painters.cards.card(card, (float(motion[0]), float(motion[1]))))
    bodies += [painters.cards.cut_card(card) for card in arrangement.cut_cards]
    bodies += [shoe_body(shoe, painters.lighting) for shoe in arrangement.shoes]
    bodies += [clutter_body(thing, painters.lighting) for thing in arrangement.clutter]
    return bodies


def write_stills(
    out: Path, seeds: Sequence[int], split: str = "train", options: StillOptions | None = None
) -> int:
    """Make the pictures that are not there yet; how many were made. Ordered seeds are fast."""
    maker = StillMaker(options)
    images, labels = out / "images" / split, out / "labels" / split
    for folder in (images, labels):
        folder.mkdir(parents=True, exist_ok=True)
    write_data_file(out)
    made = 0
    for seed in seeds:
        picture, text = images / f"{seed:08d}.jpg", labels / f"{seed:08d}.txt"
        if picture.is_file() and text.is_file():
            continue
        still = maker.still(seed)
        size = (still.image.shape[1], still.image.shape[0])
        lines = label_lines(still.objects, size, min_visible=MIN_VISIBLE)
        text.write_text("".join(line + "\n" for line in lines), encoding="ascii")
        ok, coded = cv2.imencode(".jpg", still.image, [cv2.IMWRITE_JPEG_QUALITY, still.jpeg_quality])
        if not ok:
            raise DatasetError(f"{picture}: the picture could not be compressed")
        with replacing(picture) as part:
            part.write_bytes(coded.tobytes())
        made += 1
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Write training pictures from the command line."""
    parser = argparse.ArgumentParser(prog="python -m veedor.datasets.training_stills", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="0:1000", help="first:last+1")
    parser.add_argument("--split", default="train", choices=("train", "val"))
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--decks", type=Path, action="append", default=[], help="folder of a foreign deck")
    options = parser.parse_args(arguments)
    first, last = (int(part) for part in options.seeds.split(":"))
    cv2.setNumThreads(1)
    made = write_stills(
        options.out,
        range(first, last),
        options.split,
        StillOptions(options.size, "train", tuple(options.decks)),
    )
    print(f"{made} pictures written to {options.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
