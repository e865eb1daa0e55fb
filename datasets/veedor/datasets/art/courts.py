"""Two-headed courts: jack with a flat cap, queen with long hair and flower, king with crown and beard.

A figure is drawn once, upright, down to the middle of the card; the other half is the same turned about.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from veedor.datasets.art.paint import Canvas, Colour, Points, bezier, ellipse, jittered, mixed, turned
from veedor.datasets.art.patterns import PATTERNS
from veedor.datasets.art.pips import CARD_MM

BLACK: Colour = (28, 24, 24)
WHITE: Colour = (250, 250, 250)
MIDDLE_Y = CARD_MM[1] / 2

# Robe, second robe colour, gold, hair families; BGR. The first is the common Anglo-American one.
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((40, 36, 205), (150, 62, 28), (44, 196, 244)),
    ((36, 40, 190), (40, 34, 34), (50, 180, 240)),
    ((52, 60, 196), (120, 84, 40), (90, 200, 236)),
    ((70, 70, 200), (170, 120, 70), (120, 210, 240)),
    ((40, 30, 160), (74, 110, 40), (60, 190, 235)),
    ((60, 80, 215), (160, 90, 130), (80, 205, 250)),
)


@dataclass(frozen=True)
class CourtStyle:
    """What the courts of one deck share. Lengths in mm."""

    frame: tuple[float, float, float, float]  # left, top, width, height
    robe: Colour
    second: Colour
    gold: Colour
    line: Colour
    skin: Colour
    hair: tuple[Colour, Colour]
    line_mm: float
    head_scale: float
    pattern_mm: float
    slant_mm: float  # how far the border between the halves leans
    ground: Colour
    busy: float  # 0 plain robes .. 1 covered with patterns

    @classmethod
    def drawn(cls, rng: np.random.Generator, paper: Colour, inset_mm: float) -> CourtStyle:
        """A style by chance; `inset_mm` is how far the frame keeps from the card's edge."""
        robe, second, gold = (jittered(c, rng, 22) for c in PALETTES[int(rng.integers(len(PALETTES)))])
        if rng.random() < 0.3:
            robe, second = second, robe
        top = inset_mm + float(rng.uniform(-1.5, 2.0))
        left = inset_mm + float(rng.uniform(0.0, 3.5))
        ground = paper
        if rng.random() < 0.2:
            ground = jittered((215, 235, 245), rng, 25)
        blond = mixed(gold, WHITE, float(rng.uniform(0, 0.3)))
        dark = jittered((40, 52, 74), rng, 30)
        return cls(
            frame=(left, top, CARD_MM[0] - 2 * left, CARD_MM[1] - 2 * top),
            robe=robe,
            second=second,
            gold=gold,
            line=jittered((60, 34, 30), rng, 30),
            skin=paper if rng.random() < 0.5 else jittered((200, 218, 244), rng, 16),
            hair=(blond, dark) if rng.random() < 0.5 else (dark, blond),
            line_mm=float(rng.uniform(0.25, 0.55)),
            head_scale=float(rng.uniform(0.9, 1.2)),
            pattern_mm=float(rng.uniform(2.2, 4.5)),
            slant_mm=float(rng.choice([0.0, 8.0, 14.0, -12.0])),
            ground=ground,
            busy=float(rng.uniform(0.3, 1.0)),
        )


class Figure:
    """One court's drawing: pose by chance, attributes by rank."""

    def __init__(self, canvas: Canvas, style: CourtStyle, rank: str, rng: np.random.Generator) -> None:
        self.canvas, self.style, self.rank, self.rng = canvas, style, rank, rng
        left, top, width, _ = style.frame
        self.side = float(rng.choice([-1.0, 1.0]))  # where the face looks
        self.head = np.array(
            [left + width / 2 + rng.uniform(-2.5, 3.0) * -self.side, top + 13.2 + rng.uniform(-1.0, 1.6)]
        )
        self.size = style.head_scale * rng.uniform(0.94, 1.06)
        self.hair = style.hair[0] if rng.random() < 0.75 else style.hair[1]
        if rank == "K" and rng.random() < 0.4:
            self.hair = mixed(self.hair, (205, 205, 205), 0.6)

    def draw(self) -> None:
        """Robe, hair, face, hat, attribute, in the order they cover one another."""
        self._robe()
        self._hair_behind()
        self._face()
        {"J": self._jack, "Q": self._queen, "K": self._king}[self.rank]()
        self._hand_and_attribute()

    def _at(self, points: Points | list[tuple[float, float]]) -> Points:
        """Head-sized points (one unit = half a face's height of about 5.5 mm) to millimetres."""
        shaped = np.asarray(points, dtype=np.float64) * (self.side, 1.0)
        placed: Points = shaped * (5.4 * self.size) + self.head
        return placed

    def _shape(self, points: Points | list[tuple[float, float]], colour: Colour) -> None:
        self.canvas.outlined(self._at(points), colour, self.style.line, self.style.line_mm)

    def _line(self, points: Points | list[tuple[float, float]], width: float = 1.0) -> None:
        self.canvas.stroke(self._at(points), self.style.line, self.style.line_mm * width, closed=False)

    # robe ------------------------------------------------------------------------------------------------

    def _robe(self) -> None:
        style, rng = self.style, self.rng
        left, _, width, _ = style.frame
        neck = self.head[1] + 5.4 * self.size * 0.75
        x0, x1 = left + 0.3, left + width - 0.3
        centre, end = self.head[0], MIDDLE_Y + 16
        high = neck + rng.uniform(-1.0, 5.5)
        drop = rng.uniform(-6.0, 6.0)  # of the shoulders
        body = np.concatenate(
            [
                bezier((x0, end), ((x0, high + drop), (x0 + drop / 6, high + 1), (centre - 5, neck))),
                bezier((centre + 5, neck), ((x1 - drop / 6, high + 1), (x1, high + drop), (x1, end))),
            ]
        )
        self._filled(body, style.robe if rng.random() < 0.6 else style.second)
        for sign in (-1, 1):
            reach = rng.uniform(7, 12)
            mantle = np.array(
                [
                    (centre + sign * 3, neck),
                    (centre + sign * reach, neck + 1.5),
                    (centre + sign * (reach + 8), end),
                    (centre + sign * (reach + 2), end),
                    (centre + sign * 4.5, neck + 9),
                ]
            )
            self._filled(mantle, [style.gold, style.second, style.robe][int(rng.integers(3))])
        if rng.random() < 0.75:
            slope = rng.uniform(-0.9, 0.9)
            for step in range(int(rng.integers(1, 4))):
                start = neck + 6 + step * rng.uniform(4, 6)
                band = np.array([(x0, start - slope * 10), (x1, start + slope * 10)])
                wide = rng.uniform(1.2, 3.0)
                self._filled(
                    np.concatenate([band, band[::-1] + np.array([0, wide])]),
                    [style.gold, WHITE, style.robe, BLACK, style.second][int(rng.integers(5))],
                )
        panel = rng.uniform(3.0, 5.5)
        front = np.array(
            [
                (centre - panel, neck),
                (centre + panel, neck),
                (centre + panel * 0.8, end),
                (centre - panel * 0.8, end),
            ]
        )
        self._filled(front, [style.second, style.gold, WHITE, style.robe][int(rng.integers(4))])
        collar = ellipse((centre, neck + 1.2), (panel + 2.2, 2.2))
        self._filled(collar, [style.gold, WHITE, style.second][int(rng.integers(3))])

    def _filled(self, outline: Points, colour: Colour) -> None:
        """A shape in `colour`, patterned by chance."""
        canvas, style, rng = self.canvas, self.style, self.rng
        if rng.random() > style.busy:
            canvas.outlined(outline, colour, style.line, style.line_mm)
            return
        layer = canvas.blank(colour)
        choices = [c for c in (style.robe, style.second, style.gold, WHITE, BLACK) if c != colour]
        ink = choices[int(rng.integers(len(choices)))]
        PATTERNS[int(rng.integers(len(PATTERNS)))](layer, ink, style.pattern_mm * rng.uniform(0.7, 1.3), rng)
        canvas.lay(layer, canvas.mask(outline))
        canvas.stroke(outline, style.line, style.line_mm)

    # head ------------------------------------------------------------------------------------------------

    def _hair_behind(self) -> None:
        rng = self.rng
        if self.rank == "Q":
            length = rng.uniform(1.5, 2.3)
            hair = np.concatenate(
                [
                    bezier((-0.5, -0.95), ((-1.3, -0.8), (-1.25, 0.4), (-1.35, length))),
                    bezier((-0.45, length - 0.1), ((-0.6, 0.9), (0.5, 0.9), (0.5, length - 0.2))),
                    bezier((1.2, length), ((1.25, 0.4), (1.3, -0.8), (0.5, -0.95))),
                ]
            )
            self._shape(hair, self.hair)
            if rng.random() < 0.6:
                veil = [self.style.gold, WHITE, self.style.robe, self.style.second][int(rng.integers(4))]
                self._shape(
                    np.concatenate(
                        [
                            bezier((-0.2, -1.2), ((-1.7, -1.1), (-1.6, 0.3), (-1.75, length * 0.9))),
                            bezier((-1.2, length * 0.85), ((-1.2, 0.3), (-1.1, -0.6), (-0.2, -0.9))),
                        ]
                    ),
                    veil,
                )
            for x in (-1.1, -0.85, 0.9, 1.05):
                self._line(bezier((x, -0.3), ((x - 0.15, 0.3), (x + 0.15, 0.8), (x, length - 0.3))), 0.8)
            return
        wide = rng.uniform(1.05, 1.3) if self.rank == "J" else rng.uniform(1.0, 1.2)
        low = rng.uniform(0.55, 0.85)
        for sign in (-1, 1):
            self._shape(
                bezier(
                    (sign * 0.55, -0.9),
                    ((sign * wide, -0.9), (sign * wide, 0.0), (sign * (wide - 0.1), low - 0.1)),
                    ((sign * (wide + 0.25), low + 0.1), (sign * wide, low + 0.35), (sign * 0.75, low)),
                    ((sign * 0.6, 0.2), (sign * 0.7, -0.3), (sign * 0.55, -0.9)),
                ),
                self.hair,
            )
            curl = ellipse((sign * (wide - 0.12), low + 0.02), (0.2, 0.2))
            self._shape(curl, self.hair)

    def _face(self) -> None:
        rng = self.rng
        jaw = 1.02 if self.rank == "Q" else 1.08
        face = bezier(
            (-0.72, -0.75),
            ((-0.85, 0.1), (-0.75, 0.75), (0.0, jaw)),
            ((0.75, 0.75), (0.85, 0.1), (0.72, -0.75)),
        )
        self._shape(face, self.style.skin)
        shift = rng.uniform(0.0, 0.28)
        for x in (-0.33, 0.36):
            eye = x + shift
            if abs(eye) > 0.62:
                continue
            self._line([(eye - 0.17, -0.2), (eye + 0.17, -0.2)], 1.1)
            self.canvas.fill(self._at(ellipse((eye + 0.03, -0.12), (0.09, 0.1))), BLACK)
            self._line(
                bezier((eye - 0.2, -0.36), ((eye - 0.08, -0.48), (eye + 0.1, -0.48), (eye + 0.2, -0.36)))
            )
        nose = shift * 1.3
        self._line([(nose - 0.02, -0.3), (nose + 0.13, 0.22), (nose - 0.08, 0.26)])
        lips = self.style.robe if self.rank == "Q" or rng.random() < 0.5 else self.style.line
        self.canvas.fill(self._at(ellipse((nose, 0.52), (0.2, 0.07))), lips)

    def _band(self, low: float, high: float, half: float, flare: float) -> Points:
        return np.array([(-half, low), (half, low), (half + flare, high), (-half - flare, high)])

    def _jack(self) -> None:
        style, rng = self.style, self.rng
        brim = self._band(-0.62, -0.95, 1.0, 0.12)
        self._shape(brim, [style.gold, WHITE, style.second][int(rng.integers(3))])
        height = rng.uniform(0.3, 0.6)
        lean = rng.uniform(-0.3, 0.3)
        cap = bezier(
            (-1.15, -0.95),
            ((-1.4, -1.1 - height), (-0.9 + lean, -1.15 - height), (lean, -1.1 - height)),
            ((0.9 + lean, -1.05 - height), (1.4, -1.0 - height), (1.15, -0.95)),
        )
        self._shape(cap, [style.robe, style.second, style.gold][int(rng.integers(3))])
        for x in np.linspace(-0.8, 0.8, int(rng.integers(2, 6))):
            self._line([(x, -0.65), (x * 1.05, -0.93)], 0.9)
        if rng.random() < 0.5:
            self._shape(
                bezier(
                    (-1.1, -1.0),
                    ((-1.8, -1.5), (-2.1, -0.9), (-1.9, -0.3)),
                    ((-1.7, -0.8), (-1.4, -0.8), (-1.1, -0.95)),
                ),
                [WHITE, style.gold, style.robe][int(rng.integers(3))],
            )
        if rng.random() < 0.3:
            self._line(bezier((-0.15, 0.42), ((0.1, 0.34), (0.3, 0.34), (0.5, 0.45))), 1.2)

    def _queen(self) -> None:
        style, rng = self.style, self.rng
        self._shape(
            bezier(
                (-0.74, -0.2),
                ((-0.8, -1.1), (0.8, -1.1), (0.74, -0.2)),
                ((0.5, -0.8), (-0.5, -0.8), (-0.74, -0.2)),
            ),
            self.hair,
        )
        height = rng.uniform(0.3, 0.55)
        half = rng.uniform(0.7, 0.95)
        points: list[tuple[float, float]] = [(-half, -0.85), (half, -0.85)]
        count = int(rng.integers(4, 7))
        for step in range(count, -1, -1):
            x = (step / count * 2 - 1) * (half + 0.15)
            points.append((x, -0.95 - height - 0.12 * (1 - abs(x))))
            if step:
                points.append((x - (half + 0.15) / count, -1.05))
        self._shape(points, style.gold if rng.random() < 0.7 else style.robe)
        self._line([(-half, -0.98), (half, -0.98)])
        for x, y in points[2::2]:
            self._shape(ellipse((x, y), (0.1, 0.1)), [WHITE, style.robe, style.second][int(rng.integers(3))])

    def _king(self) -> None:
        style, rng = self.style, self.rng
        long = rng.uniform(1.45, 2.0)
        forked = rng.random() < 0.4
        beard = bezier(
            (-0.76, 0.1),
            ((-0.7, 0.5), (-0.3, 0.32), (0.0, 0.34)),
            ((0.3, 0.32), (0.7, 0.5), (0.76, 0.1)),
            ((0.95, 0.9), (0.7, long), (0.35 if forked else 0.0, long)),
            ((0.2, long - 0.25), (0.1, long - 0.3), (0.0, long - (0.3 if forked else 0.0))),
            ((-0.1, long - 0.3), (-0.2, long - 0.25), (-0.35 if forked else 0.0, long)),
            ((-0.7, long), (-0.95, 0.9), (-0.76, 0.1)),
        )
        self._shape(beard, self.hair)
        for x in (-0.4, -0.15, 0.12, 0.38):
            self._line(bezier((x, 0.75), ((x - 0.1, 1.0), (x + 0.1, 1.2), (x * 0.8, long - 0.25))), 0.8)
        self.canvas.fill(self._at(ellipse((0.12, 0.56), (0.2, 0.07))), style.robe)
        for sign in (-1, 1):
            self._shape(
                bezier(
                    (0.1, 0.36),
                    ((0.1 + sign * 0.25, 0.25), (0.1 + sign * 0.5, 0.38), (0.1 + sign * 0.66, 0.6)),
                    ((0.1 + sign * 0.4, 0.55), (0.1 + sign * 0.2, 0.5), (0.1, 0.44)),
                ),
                self.hair,
            )
        height = rng.uniform(0.75, 1.15)
        half = rng.uniform(0.85, 1.0)
        self._shape(self._band(-0.6, -0.9, half, 0.06), style.gold)
        lining = [style.robe, style.second][int(rng.integers(2))]
        self._shape(self._band(-0.9, -0.9 - height * 0.75, half, 0.15), lining)
        count = int(rng.integers(3, 6))
        points: list[tuple[float, float]] = [(-half - 0.05, -0.9), (half + 0.05, -0.9)]
        for step in range(count, -1, -1):
            x = (step / count * 2 - 1) * (half + 0.35)
            points.append((x, -0.95 - height * (1.0 + 0.1 * (1 - abs(x)))))
            if step:
                points.append((x * 0.9 - (half + 0.3) / count, -1.15))
        self._shape(points, style.gold)
        for x, y in points[2::2]:
            self._shape(ellipse((x, y), (0.13, 0.13)), [style.gold, WHITE, style.robe][int(rng.integers(3))])
        for x in np.linspace(-0.7, 0.7, int(rng.integers(3, 6))):
            self._shape(
                ellipse((x, -0.75), (0.09, 0.09)), [style.robe, style.second, WHITE][int(rng.integers(3))]
            )

    # what the hand holds ---------------------------------------------------------------------------------

    def _hand_and_attribute(self) -> None:
        style, rng = self.style, self.rng
        place = np.array([rng.uniform(1.6, 2.2), rng.uniform(1.9, 2.8)])
        if self.rank == "Q":
            stem = bezier(place, ((place[0] + 0.1, 1.6), (place[0] - 0.1, 1.0), (place[0] - 0.1, 0.5)))
            self._line(stem, 1.6)
            flower = np.array([place[0] - 0.1, rng.uniform(0.1, 0.6)])
            petals = int(rng.integers(4, 7))
            for petal in range(petals):
                angle = 2 * np.pi * petal / petals
                middle = flower + 0.3 * np.array([np.cos(angle), np.sin(angle)])
                self._shape(ellipse(middle, (0.24, 0.24)), style.robe if rng.random() < 0.8 else WHITE)
            self._shape(ellipse(flower, (0.18, 0.18)), style.gold)
        elif rng.random() < 0.85:
            tip = np.array([place[0] + rng.uniform(-0.3, 0.4), rng.uniform(-2.4, -1.2)])
            along = tip - place
            across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
            half = 0.13 if self.rank == "K" else 0.08
            blade = np.array(
                [
                    place - across * half,
                    tip - across * half,
                    tip + along * 0.06,
                    tip + across * half,
                    place + across * half,
                ]
            )
            self._shape(blade, WHITE if self.rank == "K" else style.gold)
            if self.rank == "K":
                self._shape(
                    np.array(
                        [place + along * 0.05 + across * s for s in (-0.6, 0.6)]
                        + [place + along * 0.1 + across * s for s in (0.6, -0.6)]
                    ),
                    style.gold,
                )
            else:
                leaf = turned(ellipse((0, 0), (0.3, 0.55)), float(rng.uniform(-30, 30))) + tip
                self._shape(leaf, [WHITE, style.robe, style.second][int(rng.integers(3))])
        self._shape(ellipse(place, (0.42, 0.34), float(rng.uniform(-30, 30))), style.skin)
        for step in (-0.16, 0.0, 0.16):
            self._line([(place[0] + step, place[1] - 0.25), (place[0] + step, place[1] + 0.1)], 0.8)
