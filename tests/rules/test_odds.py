"""The published counts and values, from the same table and settlement as real coups."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from veedor.rules.odds import Counts, banque_value, house_edge, pair_chances, punto_counts
from veedor.rules.profile import load_profile
from veedor.rules.tableau import Tableau


@cache
def counts_of(name, decks, *, draws_on_five=True):
    return punto_counts(load_profile(name), decks, draws_on_five=draws_on_five)


@pytest.mark.parametrize(
    ("decks", "counts"),
    [
        (8, Counts(2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216)),
        (6, Counts(403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288)),
    ],
)
def test_punto_banco_counts(decks, counts):
    found = counts_of("punto-banco-pr", decks)
    assert found == counts
    size = 52 * decks
    assert found.total == size * (size - 1) * (size - 2) * (size - 3) * (size - 4) * (size - 5)


def test_argentina_with_punto_standing_on_five():
    found = counts_of("punto-y-banca-ar", 8, draws_on_five=False)
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


@pytest.mark.parametrize(
    ("decks", "banca", "punto", "tie", "tie_nine"),
    [(8, 1.0579, 1.2351, 14.3596, 4.8440), (6, 1.0558, 1.2374, 14.4382, 4.9313)],
)
def test_house_edges_of_punto_banco(decks, banca, punto, tie, tie_nine):
    profile = load_profile("punto-banco-pr")
    counts = counts_of("punto-banco-pr", decks)
    nine = replace(profile, numbers={**profile.numbers, "tie_odds": 9})

    def percent(zone, rules=profile):
        return round(float(house_edge(zone, counts, rules)) * 100, 4)

    assert (percent("banca"), percent("punto"), percent("tie")) == (banca, punto, tie)
    assert percent("tie", nine) == tie_nine


@pytest.mark.parametrize(("stands", "banca", "punto"), [(False, 3.3509, 1.2351), (True, 3.0951, 1.5214)])
def test_house_edges_of_punto_y_banca(stands, banca, punto):
    profile = load_profile("punto-y-banca-ar")
    counts = counts_of("punto-y-banca-ar", 8, draws_on_five=not stands)
    assert round(float(house_edge("banca", counts, profile)) * 100, 4) == banca
    assert round(float(house_edge("punto", counts, profile)) * 100, 4) == punto


@pytest.mark.parametrize(
    ("decks", "chances"),
    [(8, (0.458597423, 0.446246609, 0.095155968)), (6, (0.458652719, 0.446278570, 0.095068711))],
)
def test_chances_of_punto_banco(decks, chances):
    counts = counts_of("punto-banco-pr", decks)
    found = (counts.banker, counts.player, counts.tie)
    assert tuple(round(ways / counts.total, 9) for ways in found) == chances


def test_an_endless_deck():
    """Where cards come back: from many packs the chances go to the published ones of an infinite deck."""
    counts = punto_counts(load_profile("punto-banco-pr"), 10**7)
    found = (counts.banker, counts.player, counts.tie)
    assert tuple(round(ways / counts.total, 6) for ways in found) == (0.458428, 0.446147, 0.095426)


def test_what_being_at_fault_costs_the_bank():
    """C-07 as 000 and 002 read it: five or less draws; by the cuadro where one paño has turned a natural."""
    table = load_profile("dos-panos-limitada").tableau.drawing_options()
    equal = (Fraction(1, 2), Fraction(1, 2))
    value = banque_value(equal, Fraction(9, 11), table, draw_to=5)
    assert round(float(value) * 100, 5) == 0.25070


def test_chemin_de_fer_where_one_pano_is_empty():
    value = banque_value((Fraction(1), Fraction(0)), Fraction(9, 11))
    assert round(float(value) * 100, 5) == 1.27991
