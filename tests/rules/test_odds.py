"""The published counts and values, from the same table and settlement as real coups."""

from fractions import Fraction

import pytest
from veedor.rules.odds import Counts, banque_value, pair_chances, punto_counts
from veedor.rules.profile import load_profile
from veedor.rules.tableau import Tableau


@pytest.mark.parametrize(
    ("decks", "counts"),
    [
        (8, Counts(2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216)),
        (6, Counts(403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288)),
    ],
)
def test_punto_banco_counts(decks, counts):
    found = punto_counts(load_profile("punto-banco-pr"), decks)
    assert found == counts
    size = 52 * decks
    assert found.total == size * (size - 1) * (size - 2) * (size - 3) * (size - 4) * (size - 5)


def test_argentina_with_punto_standing_on_five():
    found = punto_counts(load_profile("punto-y-banca-ar"), 8, draws_on_five=False)
    assert found == Counts(2_307_487_341_871_104, 2_231_443_477_807_104, 459_467_455_825_152)
    # With ten per cent on banca's wins it costs 3.0951 %; punto costs 1.5214 %.
    banca = Fraction(found.banker * 9, 10) - found.player
    assert round(float(-banca / found.total) * 100, 4) == 3.0951
    assert round(float(Fraction(found.banker - found.player, found.total)) * 100, 4) == 1.5214


def test_two_card_totals():
    chances = pair_chances()
    assert chances[0] == Fraction(25, 169)
    assert set(chances[1:]) == {Fraction(16, 169)}


def test_chemin_de_fer_value():
    assert banque_value((Fraction(1),), Fraction(9, 11)) == Fraction(679568, 53094899)


def test_chemin_de_fer_by_the_cuadro():
    cuadro = load_profile("dos-panos-limitada").tableau
    drawing = banque_value((Fraction(1),), Fraction(9, 11), cuadro.drawing_options())
    assert round(float(drawing) * 100, 5) == 1.27991
    standing = Tableau(tuple(row.replace("O", "P") for row in cuadro.rows))
    assert round(float(banque_value((Fraction(1),), Fraction(9, 11), standing)) * 100, 5) == 1.25171


@pytest.mark.parametrize(
    ("shares", "percent"),
    [((Fraction(1, 2), Fraction(1, 2)), 0.86804), ((Fraction(3, 4), Fraction(1, 4)), 0.97149)],
)
def test_banque_value(shares, percent):
    assert round(float(banque_value(shares, Fraction(9, 11))) * 100, 5) == percent
