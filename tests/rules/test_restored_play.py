"""Whole coups that were restored: which card went to whom, what the banker had to do, what is said of it."""

from playing import dos_panos
from veedor.rules.duty import Must
from veedor.rules.events import (
    CardMoved,
    CoupClosed,
)


def restored(p1, p2, b, say, thirds, moves, new=(), **fields):
    """A coup put right at the showdown: cards moved, new cards drawn, then accounted."""
    record = dos_panos(bank=1000, **fields)
    record.play(p1=p1, p2=p2, b=b, say=say, thirds=thirds, settle=False)
    for card, to in moves:
        record.add(CardMoved, card, to, "croupier")
    for hand, face in new:
        record.third(hand, face)
    record.add(CoupClosed, 1)
    return record


def test_no_below_five_takes_back_the_card_of_the_second_pano():
    record = restored(
        "2D 2S", "QD 4H", "KC 2H", ("no", "carta"), (None, "3C", "5S"),
        moves=(("c7", "P1"), ("c8", "P2")), new=(("B", "4D"),),
    )  # fmt: skip
    account = record.account
    assert record.codes() == ["P_STAND_BELOW5"]
    assert account.points == {"P1": 7, "P2": 9, "B": 6}
    assert account.final_hands == {
        "P1": ("c1", "c4", "c7"),
        "P2": ("c2", "c5", "c8"),
        "B": ("c3", "c6", "c9"),
    }
    assert account.banker_duty is Must.DRAW


def test_card_asked_with_seven_moves_on_and_the_last_one_dies():
    record = restored(
        "5D 2S", "QD AH", "2C 2H", ("carta", "carta"), ("6C", "3S", "9D"),
        moves=(("c7", "P2"), ("c8", "B"), ("c9", "dead")),
    )  # fmt: skip
    account = record.account
    assert record.codes() == ["P_DRAW_ON_6PLUS"]
    assert account.points == {"P1": 7, "P2": 7, "B": 7}
    assert account.dead == ("c9",)
    assert account.banker_duty is Must.DRAW  # (4, none) and (4, 6 given)
    # The steps were said before anything moved.
    first = [one for one in record.check()[1] if one.steps][-1]
    assert first.code == "P_DRAW_ON_6PLUS"


def test_second_pano_no_below_five_takes_the_bankers_card_and_he_is_free_in_a_mixed_cuadro():
    record = restored(
        "5D 2S", "QD 3H", "2C 3S", ("no", "no"), (None, None, "8C"),
        moves=(("c7", "P2"),), new=(("B", "4D"),),
    )  # fmt: skip
    assert record.codes() == ["P_STAND_BELOW5"]
    assert record.account.banker_duty is Must.FREE  # (5, none) T, (5, 8 given) P, a player's error
    assert record.account.points == {"P1": 7, "P2": 1, "B": 9}


def test_a_card_withheld_makes_the_banker_draw_with_five_or_less():
    record = restored(
        "QD 2S", "5D AH", "AC 4S", ("carta", "no"), (None, None, "8C"),
        moves=(("c7", "P1"),), new=(("B", "3D"),),
    )  # fmt: skip
    assert record.codes() == ["CARD_WITHHELD"]
    assert record.account.banker_duty is Must.DRAW
    assert record.account.points == {"P1": 0, "P2": 6, "B": 8}


def last_steps(record, code):
    found = [finding for finding in record.check()[1] if finding.code == code]
    return [(step.key, step.values.get("card"), step.values.get("hand")) for step in found[-1].steps]


def test_the_banker_answers_only_for_his_own_errors_when_cards_move_on():
    """P1 stood on 3, P2 and the bank drew: c7 goes to P1, c8 to P2, and nobody is at fault but P1.

    With 4 against a third of 1 (stand) and of 7 (draw) the banker is free; bound he would have to draw.
    """
    record = dos_panos()
    record.play(
        p1="2H AS", p2="KD 4D", b="JC 4H", say=("no", "carta"), thirds=(None, "AC", "7D"), settle=False
    )
    assert last_steps(record, "P_STAND_BELOW5") == [
        ("move", "c7", None),
        ("move", "c8", None),
        ("free", None, None),
    ]


def test_a_pano_whose_third_card_moves_on_takes_a_new_one():
    record = dos_panos()
    record.play(
        p1="2H AS", p2="KD 4D", b="JC 4H", say=("no", "carta"), thirds=(None, "AC", None), settle=False
    )
    assert last_steps(record, "P_STAND_BELOW5") == [
        ("move", "c7", None),
        ("new_card", None, "P2"),
        ("bank_by_restored", None, None),
    ]
