from __future__ import annotations

import pytest
from veedor.datasets.play.chip_moves import ROW_PLACES, laid_open
from veedor.datasets.play.money import Pile


@pytest.mark.parametrize(
    ("stacks", "laid"),
    [
        ([("500", 2)], [("500", 1), ("500", 1)]),
        ([("1000", 3), ("500", 1)], [("1000", 1), ("1000", 1), ("1000", 1), ("500", 1)]),
        ([("100", 4), ("50", 2)], [("100", 2), ("100", 1), ("100", 1), ("50", 2)]),
        ([("1000", 1)], [("1000", 1)]),
    ],
)
def test_chips_laid_open_take_the_places_of_one_row(
    stacks: list[tuple[str, int]], laid: list[tuple[str, int]]
) -> None:
    found = laid_open([Pile(chip, int(chip), count) for chip, count in stacks])
    assert len(found) <= ROW_PLACES
    assert sorted((pile.chip, pile.count) for pile in found) == sorted(laid)
    assert sum(pile.amount for pile in found) == sum(int(chip) * count for chip, count in stacks)
