"""One moment at a table, as the renderer draws it and the player of sessions poses it.

Millimetres in table axes (x right, y up in a top view, z up from the felt); angles in degrees, counter-
clockwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum

from veedor.vision.layout import TableLayout
from veedor.vision.table import ChipType


class HandPose(StrEnum):
    OPEN = "open"
    PINCH = "pinch"
    FLAT = "flat"


@dataclass(frozen=True)
class CardPose:
    """One card. `face` like `7H`; `turn_deg` 0 = back up, 180 = face up, between = turning about its long
    axis.

    `rotation_deg` 0 has the card's top edge toward +y. `id` is unique in a session.
    """

    id: str
    face: str
    back: str
    x_mm: float
    y_mm: float
    z_mm: float = 0.0
    rotation_deg: float = 0.0
    turn_deg: float = 0.0
    layer: int = 0  # higher lies on top of lower at the same z


@dataclass(frozen=True)
class StackPose:
    """Round chips on one another.

    `chips` are names of the chip set, bottom to top; x, y is the base's centre.
    """

    id: str
    chips: tuple[str, ...]
    x_mm: float
    y_mm: float
    z_mm: float = 0.0
    rotation_deg: float = 0.0


@dataclass(frozen=True)
class PlaquePose:
    """A rectangular plaque lying flat; `chip` names it in the chip set."""

    id: str
    chip: str
    x_mm: float
    y_mm: float
    z_mm: float = 0.0
    rotation_deg: float = 0.0


@dataclass(frozen=True)
class HandPosePlan:
    """A hand with its forearm.

    x, y, z is the middle of the fingertips; the forearm leaves toward `from_deg`.
    """

    id: str
    x_mm: float
    y_mm: float
    z_mm: float
    from_deg: float
    pose: HandPose = HandPose.OPEN
    left: bool = False
    skin: int = 0  # index into the look's skins
    sleeve: int = 0  # index into the look's sleeves


@dataclass(frozen=True)
class PalaPose:
    """The croupier's pala: x, y is the middle of its blade, the handle leaves toward `handle_deg`."""

    x_mm: float
    y_mm: float
    z_mm: float = 5.0
    handle_deg: float = 270.0


@dataclass(frozen=True)
class Scene:
    """Everything movable at one moment.

    The shoe and the basket are furniture: they stand where the layout says.
    """

    cards: tuple[CardPose, ...] = ()
    stacks: tuple[StackPose, ...] = ()
    plaques: tuple[PlaquePose, ...] = ()
    hands: tuple[HandPosePlan, ...] = ()
    palas: tuple[PalaPose, ...] = ()
    cut_card: CardPose | None = None


@dataclass(frozen=True)
class ChipStyle(ChipType):
    """A chip of the table's set as it is drawn: the colour of its spots is always known."""

    accent_rgb: tuple[int, int, int] = (245, 245, 240)

    def enrolled(self, centre_rgb: tuple[int, int, int] | None = None) -> ChipType:
        """The chip as a table file has it, once somebody has told its colours."""
        known = {each.name: getattr(self, each.name) for each in fields(ChipType)}
        return ChipType(**(known | {"centre_rgb": centre_rgb}))


@dataclass(frozen=True)
class TableLook:
    """How one table looks: everything that varies between tables, decks, rooms and cameras' pictures, by
    seed.
    """

    seed: int
    layout: TableLayout
    chips: tuple[ChipStyle, ...]
    indexed: bool = False
    felt_rgb: tuple[int, int, int] = (20, 92, 60)
    print_rgb: tuple[int, int, int] = (226, 205, 150)
    deck_seed: int = 0
    back_colours: tuple[str, str] = ("red", "blue")
    gloss: float = 0.3  # 0 matt .. 1 mirror-like highlights
    noise_sigma: float = 2.0  # grey levels
    blur_px: float = 0.6
    light_rgb: tuple[float, float, float] = (1.0, 0.98, 0.94)
    light_position_mm: tuple[float, float, float] = (300.0, 500.0, 1800.0)
    skins_rgb: tuple[tuple[int, int, int], ...] = field(
        default=((224, 172, 138), (141, 85, 54), (246, 206, 178))
    )
    sleeves_rgb: tuple[tuple[int, int, int], ...] = field(
        default=((30, 30, 34), (235, 235, 238), (52, 62, 98))
    )
