"""Own drawings of what lies on a table: decks of cards, chips, plaques. Strongly varied by seed."""

from veedor.datasets.art.chips import SIDE_STEPS, chip_centre_rgb, chip_side_colours, chip_top, plaque_face
from veedor.datasets.art.deck import DEFAULT_HEIGHT_PX, RANKS, SUITS, Deck
from veedor.datasets.art.pips import CARD_MM

__all__ = [
    "CARD_MM",
    "DEFAULT_HEIGHT_PX",
    "RANKS",
    "SIDE_STEPS",
    "SUITS",
    "Deck",
    "chip_centre_rgb",
    "chip_side_colours",
    "chip_top",
    "plaque_face",
]
