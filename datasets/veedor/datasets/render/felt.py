"""The cloth from above: felt, printed lines, zone borders, numbers and words, the rail round it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.datasets.render.lettering import stamp
from veedor.datasets.scene import TableLook
from veedor.vision.camera import Camera
from veedor.vision.layout import LineKind, TableLayout, ZoneKind

FloatArray = NDArray[np.float64]

RAIL_MM = 105.0
MARGIN_MM = 25.0
RAIL_PX_PER_MM = 0.25
NOISE_TILE_PX = 509
MAP_STEP_PX = 8  # the picture's geometry is computed on so coarse a grid and interpolated (to 0.02 mm)
RAIL_COLOURS = ((22, 24, 30), (30, 36, 52), (40, 44, 60), (26, 38, 78), (24, 22, 22), (44, 52, 66))  # BGR


@dataclass(frozen=True)
class GroundTexture:
    """A picture of the plane z = 0: `image` (H, W, 3) BGR and `coverage` (H, W) 0..255, top left at
    (low_x, high_y) mm, rows going down the y axis."""

    image: NDArray[np.uint8]
    coverage: NDArray[np.uint8]
    px_per_mm: float
    low_x_mm: float
    high_y_mm: float

    def pixels(self, points_mm: FloatArray) -> FloatArray:
        """Texture positions (n, 2) of points (n, 2), pixel centres at whole numbers."""
        shifted = np.column_stack([points_mm[:, 0] - self.low_x_mm, self.high_y_mm - points_mm[:, 1]])
        positions: FloatArray = shifted * self.px_per_mm - 0.5
        return positions


def felt_texture(look: TableLook, px_per_mm: float) -> GroundTexture:
    """The table's top by its look; everything on it that never moves and lies flat."""
    return _FeltPainter(look, px_per_mm).paint()


class _FeltPainter:
    def __init__(self, look: TableLook, px_per_mm: float) -> None:
        self._look = look
        self._scale = px_per_mm
        self._rng = np.random.default_rng([look.seed, 51])
        reach = RAIL_MM + MARGIN_MM
        low, high = look.layout.outline_mm.min(axis=0) - reach, look.layout.outline_mm.max(axis=0) + reach
        self._low_x, self._high_y = float(low[0]), float(high[1])
        self._size = (round((high[0] - low[0]) * px_per_mm), round((high[1] - low[1]) * px_per_mm))
        self._ink = np.zeros((self._size[1], self._size[0]), np.uint8)

    def paint(self) -> GroundTexture:
        look, rng = self._look, self._rng
        felt = self._cloth()
        self._print(look.layout)
        wear = 1.0 - 0.12 * rng.random()
        share = (self._ink.astype(np.float32) * np.float32(wear / 255))[:, :, None]
        ink = np.array(look.print_rgb[::-1], np.float32)
        grain = 1 + 0.03 * noise_field(rng, self._ink.shape)[:, :, None]
        felt += (ink * grain - felt) * share
        self._slots(felt)
        outline = np.zeros(self._ink.shape, np.uint8)
        cv2.fillPoly(outline, [self._fixed(look.layout.outline_mm)], 255, cv2.LINE_AA, 4)
        coverage = self._rail(felt, outline)
        image = np.clip(felt, 0, 255).astype(np.uint8)
        return GroundTexture(image, coverage, self._scale, self._low_x, self._high_y)

    def _cloth(self) -> NDArray[np.float32]:
        width, height = self._size
        rng = self._rng
        fibre = noise_field(rng, (height, width))
        fibre = cv2.GaussianBlur(fibre, (0, 0), 0.7 * self._scale + 0.2) * 1.6
        patches = cv2.resize(
            rng.standard_normal((9, 17), dtype=np.float32), (width, height), interpolation=cv2.INTER_CUBIC
        )
        level = (
            1 + np.float32(rng.uniform(0.015, 0.05)) * fibre + np.float32(rng.uniform(0.0, 0.04)) * patches
        )
        colour = np.array(self._look.felt_rgb[::-1], np.float32)
        return np.asarray(level[:, :, None] * colour, np.float32)

    def _print(self, layout: TableLayout) -> None:
        rng = self._rng
        width = float(rng.uniform(5.0, 9.0))
        for zone in layout.zones:
            if zone.kind in (ZoneKind.BET, ZoneKind.PUNTO, ZoneKind.BANCA, ZoneKind.TIE, ZoneKind.SUITE):
                self._outline(zone.polygon_mm, width * 0.8)
            elif zone.kind is ZoneKind.PLAYER:
                self._outline(zone.polygon_mm, width * 0.5)
            elif zone.kind in (ZoneKind.HAND, ZoneKind.BANKER_HAND):
                self._outline(zone.polygon_mm, width * 0.8)
            elif zone.kind is ZoneKind.OTHER_PANO:
                self._outline(zone.polygon_mm, width)
            elif zone.kind is ZoneKind.FORBIDDEN:
                self._hatch(zone.polygon_mm, width * 0.6)
        for line in layout.lines:
            self._stroke(line.points_mm, width * (1.15 if line.kind is LineKind.HALF else 1.0), closed=False)
        middles = [zone.centre_mm for zone in layout.of_kind(ZoneKind.OTHER_PANO)]
        if len(middles) == 2:
            high = max(zone.polygon_mm[:, 1].max() for zone in layout.of_kind(ZoneKind.OTHER_PANO))
            low = min(zone.polygon_mm[:, 1].min() for zone in layout.of_kind(ZoneKind.OTHER_PANO))
            self._stroke(np.array([[0.0, high - 5], [0.0, low - 40]]), width, closed=False)
        self._words(layout)

    def _words(self, layout: TableLayout) -> None:
        font = int(
            self._rng.choice([cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_DUPLEX])
        )
        weight = float(self._rng.uniform(0.10, 0.2))
        tall = float(self._rng.uniform(62, 90))
        players = {zone.seat: zone for zone in layout.of_kind(ZoneKind.PLAYER)}
        for zone in layout.of_kind(ZoneKind.BET):
            if zone.seat is None or zone.seat not in players:
                continue
            up = zone.centre_mm - players[zone.seat].centre_mm
            self._word(str(zone.seat), (zone.centre_mm, up), tall, (font, weight))
        for zone in layout.of_kind(ZoneKind.OTHER_PANO):
            # Seat numbers and words are read from outside, the middle's words by the croupier.
            self._word("OTRO PAÑO", (zone.centre_mm, np.array([0.0, 1.0])), tall * 0.42, (font, weight))
        for zone in layout.of_kind(ZoneKind.HAND):
            side = -1.0 if zone.centre_mm[0] < 0 else 1.0
            place = np.array(
                [zone.centre_mm[0] + side * (np.ptp(zone.polygon_mm[:, 0]) / 2 + 85), zone.centre_mm[1]]
            )
            self._word(f"PAÑO {zone.pano}", (place, np.array([-side, 0.0])), tall * 0.6, (font, weight))
        for zone in layout.of_kind(ZoneKind.BANKER_HAND):
            place = zone.centre_mm - (0.0, np.ptp(zone.polygon_mm[:, 1]) / 2 + tall * 0.45)
            self._word("BANCA", (place, np.array([0.0, 1.0])), tall * 0.5, (font, weight))
        names = {
            ZoneKind.PUNTO: "PUNTO",
            ZoneKind.BANCA: "BANCA",
            ZoneKind.TIE: "EMPATE",
            ZoneKind.SUITE: "SUITE",
        }
        for kind, name in names.items():
            for zone in layout.of_kind(kind):
                self._word(name, (zone.centre_mm, np.array([0.0, 1.0])), tall * 0.4, (font, weight))

    def _word(
        self, text: str, place: tuple[FloatArray, FloatArray], tall_mm: float, font: tuple[int, float]
    ) -> None:
        """Print a word about a middle, its up along a direction."""
        letters = stamp(text, font[0], font[1])
        middle, up = place
        up = up / np.linalg.norm(up)
        right = np.array([up[1], -up[0]])
        wide_mm = tall_mm * letters.shape[1] / letters.shape[0]
        corners = [
            middle + right * sx * wide_mm / 2 + up * sy * tall_mm / 2
            for sx, sy in ((-1, 1), (1, 1), (-1, -1))
        ]
        target = self._position(np.array(corners)).astype(np.float32)
        high, wide = letters.shape
        shrink = max(1.0, high / max(tall_mm * self._scale * 1.5, 1.0))
        letters = cv2.resize(letters, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
        high, wide = letters.shape
        matrix = cv2.getAffineTransform(np.array([[0, 0], [wide, 0], [0, high]], np.float32), target)
        span = np.vstack([target, target[1] + target[2] - target[0]])
        low = np.maximum(np.floor(span.min(axis=0)).astype(int) - 2, 0)
        far = np.minimum(np.ceil(span.max(axis=0)).astype(int) + 2, self._size)
        if (far <= low).any():
            return
        matrix[:, 2] -= low
        patch = cv2.warpAffine(letters, matrix, (int(far[0] - low[0]), int(far[1] - low[1])))
        window = self._ink[low[1] : far[1], low[0] : far[0]]
        np.maximum(window, patch, out=window)

    def _outline(self, polygon_mm: FloatArray, width_mm: float) -> None:
        self._stroke(polygon_mm, width_mm, closed=True)

    def _stroke(self, points_mm: FloatArray, width_mm: float, *, closed: bool) -> None:
        thickness = max(1, round(width_mm * self._scale))
        cv2.polylines(self._ink, [self._fixed(points_mm)], closed, 255, thickness, cv2.LINE_AA, 4)

    def _hatch(self, polygon_mm: FloatArray, width_mm: float) -> None:
        low, high = polygon_mm.min(axis=0), polygon_mm.max(axis=0)
        corners = self._position(np.array([[low[0], high[1]], [high[0], low[1]]]))
        start, end = np.floor(corners[0]).astype(int), np.ceil(corners[1]).astype(int) + 1
        window = self._ink[start[1] : end[1], start[0] : end[0]]
        shift = np.round(start * 16).astype(np.int32)
        mask, lines = np.zeros_like(window), np.zeros_like(window)
        cv2.fillPoly(mask, [self._fixed(polygon_mm) - shift], 255, cv2.LINE_AA, 4)
        reach, pitch = high[1] - low[1], float(self._rng.uniform(40, 65))
        for start_x in np.arange(low[0] - reach, high[0] + pitch, pitch):
            ends = np.array([[start_x, low[1]], [start_x + reach, high[1]]])
            thickness = max(1, round(width_mm * self._scale))
            cv2.polylines(lines, [self._fixed(ends) - shift], False, 255, thickness, cv2.LINE_AA, 4)
        np.maximum(window, np.minimum(lines, mask), out=window)
        self._outline(polygon_mm, width_mm)

    def _slots(self, felt: NDArray[np.float32]) -> None:
        """The mouths of the cagnotte and of the tips box, and the basket's floor."""
        for kind, size in ((ZoneKind.CAGNOTTE, (78.0, 26.0)), (ZoneKind.TIPS, (52.0, 22.0))):
            for zone in self._look.layout.of_kind(kind):
                plate = self._box(zone.centre_mm + np.array([0.0, -22.0]), size)
                cv2.fillPoly(felt, [plate], (96.0, 128.0, 140.0), cv2.LINE_AA, 4)
                inner = self._box(zone.centre_mm + np.array([0.0, -22.0]), (size[0] - 16, size[1] - 16))
                cv2.fillPoly(felt, [inner], (14.0, 14.0, 14.0), cv2.LINE_AA, 4)
        for zone in self._look.layout.of_kind(ZoneKind.BASKET):
            size = np.ptp(zone.polygon_mm, axis=0)
            for inset, tone in ((0.0, 34.0), (9.0, 12.0), (16.0, 24.0)):
                box = self._box(zone.centre_mm, (size[0] - 2 * inset, size[1] - 2 * inset))
                cv2.fillPoly(felt, [box], (tone, tone, tone), cv2.LINE_AA, 4)

    def _rail(self, felt: NDArray[np.float32], outline: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Paint the padded rail and return the table's coverage."""
        # The rail is smooth: it is worked out coarsely and enlarged.
        ratio = RAIL_PX_PER_MM / self._scale
        small = cv2.resize(outline, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
        solid = (small > 127).astype(np.uint8)
        outside = cv2.distanceTransform(1 - solid, cv2.DIST_L2, 5) / np.float32(RAIL_PX_PER_MM)
        inside = cv2.distanceTransform(solid, cv2.DIST_L2, 5) / np.float32(RAIL_PX_PER_MM)
        share = np.clip(outside / np.float32(RAIL_MM), 0.0, 1.0)
        bulge = np.sqrt(np.maximum(1 - (2 * share - 1) ** 2, 0.0))
        lifted = cv2.GaussianBlur(bulge * np.float32(RAIL_MM * 0.35 * RAIL_PX_PER_MM), (0, 0), 1.5)
        slope_x = cv2.Sobel(lifted, cv2.CV_32F, 1, 0, scale=1 / 8)
        slope_y = cv2.Sobel(lifted, cv2.CV_32F, 0, 1, scale=1 / 8)
        up = 1 / np.sqrt(1 + slope_x**2 + slope_y**2)
        lamp = np.asarray(self._look.light_position_mm)
        tilt = np.array([lamp[0], -lamp[1]], np.float32) / np.float32(lamp[2])
        half = (-slope_x * tilt[0] - slope_y * tilt[1] + 1.0) * up
        shine = np.clip(half - 1.02, 0, 1) * 260 + 22 * np.maximum(up - 0.93, 0) / 0.07
        leather = np.array(RAIL_COLOURS[int(self._rng.integers(len(RAIL_COLOURS)))], np.float32)
        colour = leather * (0.35 + 0.65 * up)[:, :, None] + shine[:, :, None]
        # The rail throws a little shadow on the felt beside it.
        shadow = 1 - 0.35 * np.exp(-inside / np.float32(14.0))
        layers = np.dstack([colour, shadow, outside]).astype(np.float32)
        layers = cv2.resize(layers, self._size, interpolation=cv2.INTER_LINEAR)
        felt *= layers[:, :, 3:4]
        on_rail = 1 - outline.astype(np.float32)[:, :, None] / 255
        felt += (layers[:, :, :3] - felt) * on_rail
        covered = np.clip((RAIL_MM - layers[:, :, 4]) * self._scale + 0.5, 0, 1)
        return np.asarray(covered * 255, np.uint8)

    def _box(self, middle: FloatArray, size: tuple[float, float]) -> NDArray[np.int32]:
        half = np.array(size) / 2
        return self._fixed(
            np.array([middle + half * (sx, sy) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        )

    def _position(self, points_mm: FloatArray) -> FloatArray:
        shifted = np.column_stack([points_mm[:, 0] - self._low_x, self._high_y - points_mm[:, 1]])
        positions: FloatArray = shifted * self._scale - 0.5
        return positions

    def _fixed(self, points_mm: FloatArray) -> NDArray[np.int32]:
        return np.round(self._position(points_mm) * 16).astype(np.int32).reshape(-1, 1, 2)


def noise_field(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """White noise (H, W) of deviation 1, repeated from a smaller tile: millions of numbers take long."""
    tile = rng.standard_normal((min(NOISE_TILE_PX, shape[0]), min(NOISE_TILE_PX, shape[1])), dtype=np.float32)
    repeats = (-(-shape[0] // tile.shape[0]), -(-shape[1] // tile.shape[1]))
    return np.ascontiguousarray(np.tile(tile, repeats)[: shape[0], : shape[1]])


def ground_map(camera: Camera, height_mm: float = 0.0) -> NDArray[np.float32]:
    """Table x, y in mm (H, W, 2) that every pixel of the camera sees on the plane z = `height_mm`."""
    # One more node beyond every border, so that nothing is extrapolated.
    nodes = [-(-side // MAP_STEP_PX) + 2 for side in (camera.width, camera.height)]
    x, y = ((np.arange(count) - 0.5) * MAP_STEP_PX - 0.5 for count in nodes)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    coarse = camera.to_felt(grid, height_mm).reshape(nodes[1], nodes[0], 2).astype(np.float32)
    whole = (nodes[0] * MAP_STEP_PX, nodes[1] * MAP_STEP_PX)
    fine = cv2.resize(coarse, whole, interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(
        fine[MAP_STEP_PX : MAP_STEP_PX + camera.height, MAP_STEP_PX : MAP_STEP_PX + camera.width]
    )


def view_ground(texture: GroundTexture, camera: Camera) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The texture as the camera sees it, (H, W, 3), and its coverage (H, W) 0..255."""
    seen = ground_map(camera)
    step = texture.px_per_mm
    positions = np.empty_like(seen)
    positions[:, :, 0] = (seen[:, :, 0] - texture.low_x_mm) * step - 0.5
    positions[:, :, 1] = (texture.high_y_mm - seen[:, :, 1]) * step - 0.5
    image = cv2.remap(texture.image, positions, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    coverage = cv2.remap(texture.coverage, positions, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return image, coverage
