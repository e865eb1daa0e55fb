"""Decks of cards, every one drawn anew from its seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from veedor.datasets.art.backs import FAMILIES, draw_back
from veedor.datasets.art.courts import MIDDLE_Y, CourtStyle, Figure
from veedor.datasets.art.paint import Canvas, Colour, Image, jittered, rounded_rectangle, turned
from veedor.datasets.art.pips import CARD_MM, PLACES, PipShape

RANKS = "A23456789TJQK"
SUITS = "SHDC"
DEFAULT_HEIGHT_PX = 352  # 4 px/mm
HERSHEY = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)


@dataclass(frozen=True)
class DeckStyle:
    """What the faces of one deck share; lengths in mm."""

    paper: Colour
    red: Colour
    black: Colour
    column_mm: float
    row_mm: float
    pip_mm: float
    ace_mm: float
    court_pip_mm: float
    frame_lines: int
    font: tuple[int, float]
    index_mm: tuple[float, float]  # width, height of the rank sign
    index_inset_mm: tuple[float, float]
    four_corners: bool
    corner_radius_mm: float
    pip: PipShape


def _style(rng: np.random.Generator, *, indexed: bool) -> DeckStyle:
    papers: tuple[Colour, ...] = ((252, 252, 252), (240, 248, 250), (228, 240, 246), (250, 248, 244))
    tall = float(rng.uniform(6.5, 12.0)) if rng.random() < 0.7 else float(rng.uniform(12.0, 17.0))
    spread = -1.5 if indexed else 0.0
    return DeckStyle(
        paper=jittered(papers[int(rng.integers(len(papers)))], rng, 4),
        red=jittered((42, 34, 205), rng, 26),
        black=jittered((34, 30, 30), rng, 14),
        column_mm=float(rng.uniform(11.5, 15.5)) + spread,
        row_mm=float(rng.uniform(24.0, 29.5)),
        pip_mm=float(rng.uniform(9.5, 14.0)),
        ace_mm=float(rng.choice([rng.uniform(11, 16), rng.uniform(16, 28)])),
        court_pip_mm=float(rng.uniform(7.0, 12.0)),
        frame_lines=int(rng.choice([0, 1, 1, 1, 2])),
        font=(HERSHEY[int(rng.integers(len(HERSHEY)))], float(rng.uniform(0.15, 0.65))),
        index_mm=(tall * float(rng.uniform(0.55, 0.75)), tall),
        index_inset_mm=(float(rng.uniform(2.0, 3.5)), float(rng.uniform(2.5, 4.5))),
        four_corners=bool(rng.random() < 0.15),
        corner_radius_mm=float(rng.uniform(2.5, 4.5)),
        pip=PipShape.drawn(rng),
    )


class Deck:
    """A deck of 63 x 88 mm cards. Equal seeds draw equal decks; different seeds differ in nearly everything.

    `indexed` puts rank and suit into the corners; without, the corners are empty, as dos paños are played.
    """

    def __init__(self, seed: int, *, indexed: bool) -> None:
        self.seed = seed
        self.indexed = indexed
        self.style = _style(np.random.default_rng([seed, 1]), indexed=indexed)

    @cached_property
    def _court_style(self) -> CourtStyle:
        rng = np.random.default_rng([self.seed, 2])
        inset = float(rng.uniform(8.5, 11.0)) if self.indexed else float(rng.uniform(5.5, 10.0))
        return CourtStyle.drawn(rng, self.style.paper, inset)

    def face(self, card: str, height_px: int = DEFAULT_HEIGHT_PX) -> Image:
        """Face of a card like `7H` or `TS`: BGRA uint8 (height_px, 0.716 height_px, 4); read-only."""
        if len(card) != 2 or card[0] not in RANKS or card[1] not in SUITS:
            raise KeyError(f"no such card: {card!r}; expected one of {RANKS} and one of {SUITS}, like 7H")
        return _face(self, card, height_px)

    def back(self, colour: str = "red", height_px: int = DEFAULT_HEIGHT_PX) -> Image:
        """Back in the colour family `red`, `blue`, `green`, `black` or `purple`: BGRA uint8; read-only."""
        if colour not in FAMILIES:
            raise KeyError(f"no back of colour {colour!r}; expected one of {', '.join(FAMILIES)}")
        return _back(self, colour, height_px)

    def __hash__(self) -> int:
        return hash((self.seed, self.indexed))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deck) and (self.seed, self.indexed) == (other.seed, other.indexed)

    def _draw_face(self, card: str, px_per_mm: float) -> Canvas:
        rank, suit = card[0], card[1]
        style = self.style
        canvas = Canvas(CARD_MM, px_per_mm, style.paper)
        colour = style.red if suit in "HD" else style.black
        if rank in "JQK":
            self._draw_court(canvas, rank, suit, colour)
        elif rank == "A":
            self._draw_ace(canvas, suit, colour)
        else:
            for column, row in PLACES[rank]:
                place = (CARD_MM[0] / 2 + column * style.column_mm, MIDDLE_Y + row * style.row_mm)
                self._sign(canvas, suit, place, style.pip_mm, upside_down=row > 0)
        if self.indexed:
            self._draw_index(canvas, rank, suit, colour)
        return canvas

    def _sign(
        self,
        canvas: Canvas,
        suit: str,
        place: tuple[float, float],
        size_mm: float,
        *,
        upside_down: bool = False,
    ) -> None:
        colour = self.style.red if suit in "HD" else self.style.black
        for outline in self.style.pip.outlines(suit):
            shape = outline * size_mm
            canvas.fill((turned(shape, 180) if upside_down else shape) + place, colour)

    def _draw_ace(self, canvas: Canvas, suit: str, colour: Colour) -> None:
        rng = np.random.default_rng([self.seed, 3, SUITS.index(suit)])
        size, place = self.style.ace_mm, (CARD_MM[0] / 2, MIDDLE_Y)
        ornate = suit == "S" and self.seed % 3 != 0
        if ornate:
            size = float(rng.uniform(26, 46))
        self._sign(canvas, suit, place, size)
        if ornate:
            for share, tone in ((0.72, self.style.paper), (0.55, colour), (0.3, self.style.paper)):
                if rng.random() < 0.7:
                    for outline in self.style.pip.outlines("S")[:1]:
                        canvas.fill(outline * size * share + place, tone)

    def _draw_court(self, canvas: Canvas, rank: str, suit: str, colour: Colour) -> None:
        court, style = self._court_style, self.style
        rng = np.random.default_rng([self.seed, 4, RANKS.index(rank), SUITS.index(suit)])
        left, top, width, height = court.frame
        half = canvas.blank(court.ground)
        Figure(half, court, rank, rng).draw()
        size = style.court_pip_mm
        side = -1.0 if self.seed % 7 else 1.0
        place = (CARD_MM[0] / 2 + side * (width / 2 - size * 0.55 - 0.8), top + size * 0.5 + 1.2)
        self._sign(half, suit, place, size)
        lean = court.slant_mm / 2
        split = np.array([(-1, -1), (64, -1), (64, MIDDLE_Y - lean), (-1, MIDDLE_Y + lean)], dtype=np.float64)
        whole = half.half_turned()
        whole.lay(half, canvas.mask(split))
        if self.seed % 2:
            whole.stroke(split[2:], court.gold, 1.6, closed=False)
            whole.stroke(split[2:], court.line, court.line_mm, closed=False)
        frame = np.array(
            [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        )
        canvas.lay(whole, canvas.mask(frame))
        ink = (court.line, (150, 70, 30), colour)[self.seed % 3]
        for line in range(style.frame_lines):
            grown = frame + np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * line * 0.9
            canvas.stroke(grown, ink, 0.35)

    def _draw_index(self, canvas: Canvas, rank: str, suit: str, colour: Colour) -> None:
        style = self.style
        wide, tall = style.index_mm
        x, y = style.index_inset_mm
        text = "10" if rank == "T" else rank
        box = (x - (0.12 * wide if rank == "T" else 0.0), y, wide * (1.3 if rank == "T" else 1.0), tall)
        below = (x + wide / 2, y + tall * 1.55 + 0.6)
        for mirrored in (False, True) if style.four_corners else (False,):
            corner = CARD_MM[0] - box[0] - box[2] if mirrored else box[0]
            centre = CARD_MM[0] - below[0] if mirrored else below[0]
            for _ in range(2):
                canvas.text(text, (corner, *box[1:]), colour, style.font)
                self._sign(canvas, suit, (centre, below[1]), tall * 0.85)
                canvas.pixels = np.ascontiguousarray(canvas.pixels[::-1, ::-1])


def _rounded(canvas: Canvas, radius_mm: float, height_px: int) -> Image:
    width_px = round(height_px * CARD_MM[0] / CARD_MM[1])
    return canvas.cut_out(rounded_rectangle((0, 0), CARD_MM, radius_mm), (width_px, height_px))


@lru_cache(maxsize=416)
def _face(deck: Deck, card: str, height_px: int) -> Image:
    return _rounded(deck._draw_face(card, height_px / CARD_MM[1]), deck.style.corner_radius_mm, height_px)


@lru_cache(maxsize=32)
def _back(deck: Deck, colour: str, height_px: int) -> Image:
    rng = np.random.default_rng([deck.seed, 5, list(FAMILIES).index(colour)])
    canvas = Canvas(CARD_MM, height_px / CARD_MM[1], deck.style.paper)
    draw_back(canvas, colour, rng)
    return _rounded(canvas, deck.style.corner_radius_mm, height_px)
