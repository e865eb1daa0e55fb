"""The cuadro de jugadas: what the bank does with a two-card total, given the third card it has dealt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veedor.rules.errors import ProfileError

DRAW = "T"
STAND = "P"
OPTIONAL = "O"
ROWS = 8
COLUMNS = 11
# The eleventh column, headed "0" in the source, is "no third card given" (catalogue section 3).
NO_CARD = 10


@dataclass(frozen=True, slots=True)
class Tableau:
    """Eight rows (bank totals 0–7) of eleven letters: T draw, P stand, O at will."""

    rows: tuple[str, ...]

    def cell(self, bank_total: int, third_points: int | None) -> str:
        """Letter for a bank total 0–7 and the points of the third card given, None where none was."""
        return self.rows[bank_total][NO_CARD if third_points is None else third_points]

    def drawing_options(self) -> Tableau:
        """The same table with every optional cell read as draw (001 VIII.3 p1)."""
        return Tableau(tuple(row.replace(OPTIONAL, DRAW) for row in self.rows))


def parse_tableau(rows: Sequence[object]) -> Tableau:
    """Checks rows from a profile; raises ProfileError naming the row, what it holds and what it may hold."""
    if len(rows) != ROWS:
        raise ProfileError(f"tableau.rows: expected {ROWS} rows, found {len(rows)}")
    for total, row in enumerate(rows):
        if not isinstance(row, str) or len(row) != COLUMNS or set(row) - {DRAW, STAND, OPTIONAL}:
            raise ProfileError(
                f"tableau.rows[{total}]: expected {COLUMNS} letters of T, P, O (the last for no third card), "
                f"found {row!r}"
            )
    return Tableau(tuple(str(row) for row in rows))
