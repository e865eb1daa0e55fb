"""Sessions as they are played: money, cards, motion."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from math import hypot
from typing import TypeVar

import pytest
from veedor.datasets.errors import DatasetError
from veedor.datasets.layouts import layout_path
from veedor.datasets.plantings import PANOS, rules_for
from veedor.datasets.play import (
    DEVIATIONS,
    Order,
    Session,
    draw_infractions,
    play_journal,
    play_session,
)
from veedor.datasets.play.timeline import Card, Chips
from veedor.datasets.scene import ChipStyle
from veedor.rules.events import (
    BankDeposited,
    BetCollected,
    BetPaid,
    BetPlaced,
    CagnottePaid,
    CardDealt,
    CardDrawn,
    CardTurned,
    CoupClosed,
    HandPosed,
    TableEvent,
)
from veedor.vision.layout import TableLayout, ZoneKind
from veedor.vision.table_file import load_layout

CHIPS = (
    *(ChipStyle(str(value), value, (0, 0, 0)) for value in (5, 20, 50, 100, 500, 1000)),
    ChipStyle("5000", 5000, (0, 0, 0), plaque=True),
)
PROFILE = "dos-panos-limitada"
FRAME_S = 0.04
# Twice the mean speed of the quickest carry, over one frame at 25 fps.
JUMP_MM = 2.0 * 1500.0 * FRAME_S


@pytest.fixture(scope="module")
def layout() -> TableLayout:
    return load_layout(layout_path("dos-panos-10"))


@pytest.fixture(scope="module")
def session(layout: TableLayout) -> Session:
    return play_session(PROFILE, 7, 2, [], layout=layout, chips=CHIPS)


Kind = TypeVar("Kind", bound=TableEvent)


def of(session: Session, kind: type[Kind]) -> list[Kind]:
    return [event for event in session.journal if isinstance(event, kind)]


def test_the_same_seed_gives_the_same_session(session: Session, layout: TableLayout) -> None:
    again = play_session(PROFILE, 7, 2, [], layout=layout, chips=CHIPS)
    assert again.journal == session.journal
    assert again.timeline is not None and session.timeline is not None
    for t_s in (3.0, 20.5, 61.7):
        assert again.timeline.scene_at(t_s) == session.timeline.scene_at(t_s)


def test_another_seed_gives_another_session(session: Session, layout: TableLayout) -> None:
    assert play_session(PROFILE, 8, 2, [], layout=layout, chips=CHIPS).journal != session.journal


def test_journal_runs_forward_with_gapless_ids(session: Session) -> None:
    assert [event.id for event in session.journal] == list(range(1, len(session.journal) + 1))
    times = [event.t for event in session.journal]
    assert times == sorted(times)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_jumps(layout: TableLayout, seed: int) -> None:
    session = play_session(PROFILE, seed, 1, [], layout=layout, chips=CHIPS)
    assert session.timeline is not None
    for track in session.timeline.tracks:
        end_s = session.timeline.duration_s if track.gone_s is None else track.gone_s
        before = None
        for number in range(int((end_s - track.born_s) / FRAME_S)):
            pose = track.pose_at(track.born_s + number * FRAME_S)
            if before is not None:
                step = hypot(pose.x_mm - before.x_mm, pose.y_mm - before.y_mm)
                assert step <= JUMP_MM, f"{track.id} moves {step:.0f} mm in a frame"
                assert abs(pose.z_mm - before.z_mm) <= 30.0
            before = pose


def test_cards_and_chips_appear_and_go_only_where_they_may(session: Session, layout: TableLayout) -> None:
    assert session.timeline is not None
    shoe, basket = (layout.of_kind(kind)[0] for kind in (ZoneKind.SHOE, ZoneKind.BASKET))
    allowed = [layout.of_kind(kind)[0] for kind in (ZoneKind.BANK, ZoneKind.CAGNOTTE)]
    for track in session.timeline.tracks:
        first, last = track.poses[0], track.poses[-1]
        if isinstance(track.thing, Card):
            assert shoe.inside_mm(first.x_mm, first.y_mm) > 0
            assert basket.inside_mm(last.x_mm, last.y_mm) > 0
        if isinstance(track.thing, Chips) and track.gone_s is not None:
            beyond = layout.outline_mm
            off = abs(last.x_mm) > 900 or abs(last.y_mm) > beyond[:, 1].max()
            at_zone = any(zone.inside_mm(last.x_mm, last.y_mm) > -70 for zone in allowed)
            split = any(
                other.born_s == track.gone_s and isinstance(other.thing, Chips)
                for other in session.timeline.tracks
            )
            assert off or at_zone or split, f"{track.id} vanishes at {last}"


def test_a_dealt_card_rests_in_its_hand_when_the_journal_says_so(
    session: Session, layout: TableLayout
) -> None:
    assert session.timeline is not None
    coup = 0
    for event in session.journal:
        if isinstance(event, CoupClosed):
            coup += 1
        if not isinstance(event, CardDealt):
            continue
        zone = layout.zone("banker_hand" if event.to == "B" else f"{event.to}.hand")
        now, later = (
            next(
                card
                for card in session.timeline.scene_at(event.t + wait).cards
                if card.id == f"{coup}.{event.card}"
            )
            for wait in (0.0, 0.2)
        )
        assert zone.inside_mm(now.x_mm, now.y_mm) > 20
        assert (now.x_mm, now.y_mm) == (later.x_mm, later.y_mm)
        assert now.turn_deg == 0.0


def test_a_turned_card_shows_its_face(session: Session) -> None:
    assert session.timeline is not None
    coup = 0
    for event in session.journal:
        if isinstance(event, CoupClosed):
            coup += 1
        if isinstance(event, CardTurned):
            card = next(
                card for card in session.timeline.scene_at(event.t).cards if card.id == f"{coup}.{event.card}"
            )
            assert card.turn_deg == 180.0 and card.face == event.shows


def test_a_drawn_card_waits_uncovered_at_the_mouth(session: Session) -> None:
    assert session.timeline is not None
    for event in of(session, CardDrawn):
        scenes = [session.timeline.scene_at(event.t + wait) for wait in (0.3, 0.55)]
        spots = [{(card.id, card.x_mm, card.y_mm) for card in scene.cards} for scene in scenes]
        waiting = [spot for spot in spots[0] & spots[1] if spot[0].endswith(f".{event.card}")]
        assert waiting, f"{event.card} at {event.t}"


def test_stakes_stand_where_their_zone_says(layout: TableLayout) -> None:
    for seed in range(6):
        session = play_session(PROFILE, seed, 1, [], layout=layout, chips=CHIPS)
        assert session.timeline is not None
        for event in of(session, BetPlaced):
            track = next(
                track
                for track in session.timeline.tracks
                if isinstance(track.thing, Chips)
                and track.born_s < event.t
                and abs(track.times[2] + 0.15 - event.t) < 0.002
            )
            pose = track.pose_at(event.t)
            zone, near = layout.zone_at(pose.x_mm, pose.y_mm), layout.nearest_line(pose.x_mm, pose.y_mm)
            assert near is not None
            if event.zone == "caballo" or event.zone.startswith("half:"):
                assert near[1] <= 6.0
                assert near[0].kind == event.zone.split(":")[0]
            else:
                assert near[1] >= 25.0
                assert zone is not None
                pano = f"P{zone.pano}"
                assert (event.zone == pano) is (zone.kind is ZoneKind.BET)


def test_crossed_cards_stand_and_parallel_cards_ask(session: Session) -> None:
    assert of(session, HandPosed)
    words = {(event.hand, event.pose) for event in of(session, HandPosed)}
    assert {pose for _, pose in words} <= {"crossed", "parallel"}


@pytest.mark.parametrize("seed", range(5))
def test_money_is_conserved(layout: TableLayout, seed: int) -> None:
    session = play_session(PROFILE, seed, 3, [], layout=layout, chips=CHIPS)
    paid = sum((event.amount or 0 for event in of(session, BetPaid)), Decimal(0))
    collected = sum((event.amount or 0 for event in of(session, BetCollected)), Decimal(0))
    fees = sum((event.amount or 0 for event in of(session, CagnottePaid)), Decimal(0))
    deposits = sum((event.amount for event in of(session, BankDeposited)), Decimal(0))
    first = session.script.acts[0].event.bank  # type: ignore[union-attr]
    assert first is not None
    assert session.script.bank == first + deposits + collected - paid - fees


@pytest.mark.parametrize("code", [None, "THIRD_CARD_TWICE", "P_STAND_BELOW5"])
def test_a_shoe_never_gives_a_card_more_often_than_it_has_decks(
    layout: TableLayout, code: str | None
) -> None:
    orders = [] if code is None else [Order(code)]
    session = play_session(PROFILE, 3, 12, orders, layout=layout, chips=CHIPS)
    assert session.timeline is not None
    faces = Counter(
        (track.thing.face, track.thing.back)
        for track in session.timeline.tracks
        if isinstance(track.thing, Card)
    )
    assert max(faces.values()) <= 3


@pytest.mark.parametrize("code", sorted(code for code, kind in DEVIATIONS.items() if kind.on_felt))
def test_every_infraction_of_the_felt_can_be_planted(layout: TableLayout, code: str) -> None:
    session = play_session(rules_for(PROFILE, code), 11, 3, [Order(code)], layout=layout, chips=CHIPS)
    assert code in [finding.code for finding in session.planted]


def test_what_a_felt_cannot_show_is_refused(layout: TableLayout) -> None:
    with pytest.raises(DatasetError, match="COVER_ORDER: played without a felt only"):
        play_session(PROFILE, 1, 2, [Order("COVER_ORDER")], layout=layout, chips=CHIPS)


@pytest.mark.parametrize(
    ("profile", "code", "message"),
    [
        (PROFILE, "BET_LIMITS", "needs a profile that sets bet_max"),
        ("dos-panos-libre", "REDEPOSIT_TOO_SMALL", "needs a limited bank"),
        ("punto-banco-pr", "PR_TIE_BET_MIN", "needs a profile that sets bet_min"),
        ("punto-banco-pr", "AR_COMMISSION", "cannot be planted"),
    ],
)
def test_what_a_profile_leaves_no_room_for_is_refused(profile: str, code: str, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        play_journal(profile, 1, 2, [Order(code)], chips=CHIPS, panos=PANOS)


def test_drawn_infractions_depend_on_the_seed_alone() -> None:
    assert draw_infractions(101, 3, 2) == draw_infractions(101, 3, 2)
    drawn = {order.code for seed in range(100) for order in draw_infractions(seed, 3, 2)}
    assert len(drawn) == 17
    for seed in range(50):
        orders = draw_infractions(seed, 3, 2)
        assert len({order.coup for order in orders}) == 2
        assert all(order.coup != 1 for order in orders if order.code == "HAND_ROTATION")


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([Order("NO_SUCH")], "NO_SUCH"),
        ([Order("DEAL_ORDER", 9)], "no coup"),
        ([Order("DEAL_ORDER", 1), Order("BET_CHANGED", 1)], "no coup"),
        ([Order("HAND_ROTATION", 1)], "no coup"),
        ([Order("DEAL_ORDER")] * 3, "one a coup"),
    ],
)
def test_orders_that_cannot_be_kept_are_refused(
    layout: TableLayout, orders: list[Order], message: str
) -> None:
    with pytest.raises(DatasetError, match=message):
        play_session(PROFILE, 1, 2, orders, layout=layout, chips=CHIPS)
