"""Restored play: every combination of totals and words against the articles read one by one; the cuadro."""

from itertools import product

import pytest
from veedor.rules.duty import Must, restored_duty
from veedor.rules.profile import load_profile
from veedor.rules.restoration import Fault, Should, shift, should

PROFILE = load_profile("dos-panos-limitada")
WORDS = ("no", "carta", "abate")


def cases():
    """Every pair of hands with words that can be spoken: only a natural is turned, and no card goes to one.

    The bank never draws where both paños have abated.
    """
    hands = [(total, word) for total in range(10) for word in WORDS if word != "abate" or total >= 8]
    for first, second in product(hands, repeat=2):
        for drew in (False, True):
            if drew and first[1] == second[1] == "abate":
                continue
            yield first, second, drew


def by_the_articles(first, second, drew):
    """The third cards as 001 VIII.4 has them, sentence by sentence, and not by any rule about queues.

    Gives what each paño holds, what the bank takes if it draws, and what is dead then.
    """
    names = iter("abc")
    dealt = {}
    for hand, (_, word) in (("P1", first), ("P2", second)):
        if word == "carta":
            dealt[hand] = next(names)
    if drew:
        dealt["B"] = next(names)
    new = (f"n{number}" for number in range(1, 4))
    needs = {
        hand: total <= 4 or (total == 5 and word == "carta")
        for hand, (total, word) in (("P1", first), ("P2", second))
    }
    p1, p2, bank = dealt.get("P1"), dealt.get("P2"), dealt.get("B")
    spare = []
    if needs["P1"] and p1 is None:
        # p1: the card the second paño received returns to the first, else the banker's, else a new one.
        if p2 is not None:
            p1, p2 = p2, None
        elif bank is not None:
            p1, bank = bank, None
        else:
            p1 = next(new)
    elif not needs["P1"] and p1 is not None:
        # p2: its card goes to the second paño if that asked (and may draw), otherwise towards the banker.
        spare, p1 = [p1], None
    if needs["P2"]:
        if spare:
            # The second paño takes the first one's card, and its own moves on.
            p2, spare = spare.pop(), [p2] if p2 is not None else []
        elif p2 is None:
            # p1 again, p5: it takes the following card even if the banker had picked it up.
            if bank is not None:
                p2, bank = bank, None
            else:
                p2 = next(new)
    elif p2 is not None:
        spare, p2 = [*spare, p2], None
    left = [*spare, *([bank] if bank is not None else [])]
    takes = left[0] if left else next(new)
    return p1, p2, takes, left[1:], left


def words_to_code(word):
    return "abato" if word == "abate" else word


def test_there_are_964_combinations():
    assert len(list(cases())) == 964


@pytest.mark.parametrize("first", [(t, w) for t in range(10) for w in WORDS if w != "abate" or t >= 8])
def test_shift_is_what_the_articles_say(first):
    for one, second, drew in cases():
        if one != first:
            continue
        duties = [
            (hand, should(total, words_to_code(word)))
            for hand, (total, word) in (("P1", one), ("P2", second))
        ]
        thirds = list("abc")[: (one[1] == "carta") + (second[1] == "carta") + drew]
        moved = shift(duties, thirds)
        new = iter(("n1", "n2", "n3"))
        got = [moved.players[h] or next(new) if h in moved.players else None for h in ("P1", "P2")]
        bank = moved.bank or next(new)
        assert (*got, bank, list(moved.left), list(moved.left_if_stands)) == by_the_articles(
            one, second, drew
        )


@pytest.mark.parametrize(
    ("total", "word", "contrary", "expected"),
    [
        (5, "carta", "no", Should.DRAW),
        (5, "no", "carta", Should.STAND),
        (3, "carta", "no", Should.DRAW),
        (3, "no", "carta", Should.DRAW),
        (6, "carta", "no", Should.STAND),
        (9, "no", "carta", Should.STAND),
        (8, "abato", None, Should.NATURAL),
        (8, "no", None, Should.STAND),
    ],
)
def test_contradictory_words(total, word, contrary, expected):
    assert should(total, word, contrary) is expected


# One line a bank total: where it draws, by points of the third card given; o is at will; last, none given.
CUADRO = {
    0: "draws on everything",
    1: "draws on everything",
    2: "draws on everything",
    3: {"stands": {8}, "at will": {9}},
    4: {"stands": {0, 1, 8, 9}},
    5: {"stands": {0, 1, 2, 3, 8, 9}, "at will": {4}},
    6: {"stands": {0, 1, 2, 3, 4, 5, 8, 9, None}},
    7: "stands on everything",
}


@pytest.mark.parametrize("total", range(8))
@pytest.mark.parametrize("third", [*range(10), None])
def test_cuadro(total, third):
    row = CUADRO[total]
    if isinstance(row, str):
        expected = "T" if row.startswith("draws") else "P"
    elif third in row.get("at will", ()):
        expected = "O"
    else:
        expected = "P" if third in row["stands"] else "T"
    assert PROFILE.tableau.cell(total, third) == expected


@pytest.mark.parametrize("profile", ["dos-panos-limitada", "dos-panos-libre"])
def test_cuadro_state_space(profile):
    table = load_profile(profile).tableau
    kinds = {}
    for total, one, two in product(range(8), [*range(10), None], [*range(10), None]):
        key = "".join(sorted({table.cell(total, one), table.cell(total, two)}))
        kinds[key] = kinds.get(key, 0) + 1
    assert kinds == {"T": 513, "P": 255, "PT": 158, "OT": 26, "OP": 14, "O": 2}


def duty(bank, letters, fault, **readings):
    profile = PROFILE.with_readings(readings) if readings else PROFILE
    return restored_duty(bank, letters, fault=fault, one_live=len(letters) == 1, profile=profile)


@pytest.mark.parametrize(
    ("bank", "letters", "fault", "must", "rule"),
    [
        (3, ["O"], Fault.PLAYER, Must.DRAW, "001 VIII.3 p1"),  # ER-17: the optional cells draw
        (6, ["P"], Fault.PLAYER, Must.STAND, "001 VIII.3 p1"),
        (2, ["T", "T"], Fault.PLAYER, Must.DRAW, "001 VIII.3 p2"),  # ER-18
        (6, ["P", "P"], Fault.BANKER, Must.STAND, "001 VIII.3 p2"),
        (5, ["T", "P"], Fault.PLAYER, Must.FREE, "001 VIII.3 p3"),  # ER-19
        (5, ["T", "P"], Fault.EXEMPT, Must.FREE, "001 VIII.3 p3"),  # ER-21
        (5, ["T", "P"], Fault.BANKER, Must.DRAW, "001 VIII.3 p3"),  # ER-20
        (6, ["T", "P"], Fault.BANKER, Must.STAND, "001 VIII.3 p3"),
        (3, ["O", "T"], Fault.PLAYER, Must.FREE, "001 VIII.3 p3"),  # G-13 strict
        (3, ["O", "P"], Fault.BANKER, Must.DRAW, "001 VIII.3 p3"),
    ],
)
def test_duty_in_restored_play(bank, letters, fault, must, rule):
    assert duty(bank, letters, fault) == (must, rule)


def test_g13_compatible_reads_an_optional_cell_with_its_neighbour():
    assert duty(3, ["O", "T"], Fault.PLAYER, **{"G-13": "compatible"}) == (Must.DRAW, "001 VIII.3 p2")
    assert duty(5, ["O", "P"], Fault.PLAYER, **{"G-13": "compatible"}) == (Must.STAND, "001 VIII.3 p2")
