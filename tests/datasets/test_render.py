"""Rendered pictures agree with their truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from veedor.datasets.layouts import dos_panos_10
from veedor.datasets.render import Rendered, Renderer, shoe_pose
from veedor.datasets.render.felt import ground_map
from veedor.datasets.render.truth import ObjectTruth
from veedor.datasets.scene import (
    CardPose,
    ChipStyle,
    HandPose,
    HandPosePlan,
    PalaPose,
    PlaquePose,
    Scene,
    StackPose,
    TableLook,
)
from veedor.vision.camera import look_at
from veedor.vision.detections import ObjectClass
from veedor.vision.layout import ZoneKind
from veedor.vision.obb import signed_area

CHIPS = (
    ChipStyle("5", 5, (232, 230, 222), accent_rgb=(30, 60, 160)),
    ChipStyle("20", 20, (186, 32, 40)),
    ChipStyle("5000", 5000, (186, 32, 40), plaque=True),
)
GREEN = (20, 92, 60)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    """A camera near enough that a card is about 50 px wide, somewhat tilted, without noise."""
    look = TableLook(
        7, dos_panos_10(), CHIPS, felt_rgb=GREEN, deck_seed=3, gloss=0.0, noise_sigma=0.0, blur_px=0.0
    )
    camera = look_at(
        (960, 600),
        focal_px=1700.0,
        position_mm=np.array([-500.0, -700.0, 2000.0]),
        target_mm=np.array([-500.0, 0.0, 0.0]),
        roll_deg=3.0,
        distortion=(-0.06, 0.01, 0.0, 0.0, 0.0),
    )
    return Renderer(look, camera)


def draw(renderer: Renderer, scene: Scene) -> Rendered:
    return renderer.render(scene, np.random.default_rng(0))


def only(rendered: Rendered, name: str) -> ObjectTruth:
    (found,) = [item for item in rendered.objects if item.id == name]
    return found


def card(name: str, x: float, y: float, *, turn: float = 180.0, layer: int = 0, z: float = 0.0) -> CardPose:
    return CardPose(name, "7H", "blue", x, y, z, 20.0, turn, layer)


def inside(image: np.ndarray, corners: np.ndarray, share: float) -> np.ndarray:
    """Pixels within the polygon shrunk or grown about its middle."""
    middle = corners.mean(axis=0)
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(middle + (corners - middle) * share).astype(np.int32), 1)
    return image[mask > 0]


def test_a_card_lies_where_its_corners_say(renderer: Renderer) -> None:
    rendered = draw(renderer, Scene(cards=(card("c", -600.0, 0.0),)))
    truth = only(rendered, "c")
    empty = draw(renderer, Scene())
    changed = np.abs(rendered.image.astype(int) - empty.image).max(axis=2) > 60
    rows, columns = np.nonzero(changed)
    points = np.column_stack([columns, rows]).astype(np.float32)
    distances = [
        cv2.pointPolygonTest(truth.corners_px.astype(np.float32), tuple(map(float, p)), True) for p in points
    ]
    assert min(distances) > -1.5  # nothing bright beyond the outline
    area = cv2.contourArea(truth.corners_px.astype(np.float32))
    assert len(points) > 0.9 * area  # and the outline is filled
    assert inside(rendered.image, truth.corners_px, 0.9).mean() > 150


def test_corners_start_with_the_short_edge_at_the_top_of_the_seen_side(renderer: Renderer) -> None:
    for turn, kind in ((0.0, ObjectClass.CARD_BACK), (180.0, ObjectClass.CARD_FACE)):
        truth = only(draw(renderer, Scene(cards=(card("c", -600.0, 0.0, turn=turn),))), "c")
        sides = np.linalg.norm(truth.corners_px - np.roll(truth.corners_px, -1, axis=0), axis=1)
        assert truth.kind is kind
        assert (truth.face, truth.back) == ("7H", "blue")
        assert sides[0] < sides[1]
        assert signed_area(truth.corners_px) > 0
        corners_mm = renderer.camera.to_felt(truth.corners_px)
        up = corners_mm[:2].mean(axis=0) - corners_mm[2:].mean(axis=0)
        assert np.rad2deg(np.arctan2(up[1], up[0])) == pytest.approx(110.0, abs=0.5)
        assert corners_mm.mean(axis=0) == pytest.approx((-600.0, 0.0), abs=0.5)


def test_a_card_being_turned_is_foreshortened(renderer: Renderer) -> None:
    flat = only(draw(renderer, Scene(cards=(card("c", -600.0, 0.0),))), "c")
    leaning = only(draw(renderer, Scene(cards=(card("c", -600.0, 0.0, turn=120.0),))), "c")
    assert leaning.kind is ObjectClass.CARD_FACE
    assert signed_area(leaning.corners_px) < 0.75 * signed_area(flat.corners_px)


def test_what_lies_on_top_takes_from_the_visible_fraction(renderer: Renderer) -> None:
    below = card("below", -600.0, 0.0)
    scene = Scene(cards=(below, card("above", -600.0, 0.0, layer=1)))
    rendered = draw(renderer, scene)
    assert only(draw(renderer, Scene(cards=(below,))), "below").visible_fraction == 1.0
    assert only(rendered, "below").visible_fraction < 0.05
    assert only(rendered, "above").visible_fraction == 1.0
    half = Scene(cards=(below, CardPose("above", "7H", "blue", -600.0 + 60, 0.0, 0.0, 20.0, 180.0, 1)))
    assert 0.05 < only(draw(renderer, half), "below").visible_fraction < 0.95


@pytest.mark.parametrize("pose", list(HandPose))
def test_hands_hide_what_they_cover(renderer: Renderer, pose: HandPose) -> None:
    cards = (card("c", -600.0, 0.0),)
    hand = HandPosePlan("h", -600.0, 60.0, 2.0, 260.0, pose)
    rendered = draw(renderer, Scene(cards=cards, hands=(hand,)))
    assert only(rendered, "c").visible_fraction < 0.75
    truth = only(rendered, "h")
    assert truth.kind is ObjectClass.HAND
    assert truth.visible_fraction > 0.9  # the cuff lies over some of the wrist
    length = np.ptp(renderer.camera.to_felt(truth.corners_px), axis=0).max()
    assert 110 < length < 300  # the hand with its wrist, not the forearm


def test_a_card_over_a_pinching_hand_lies_between_fingers_and_thumb(renderer: Renderer) -> None:
    hand = HandPosePlan("h", -600.0, 0.0, 20.0, 260.0, HandPose.PINCH)
    held = draw(renderer, Scene(cards=(card("c", -600.0, 0.0, z=30.0),), hands=(hand,)))
    under = draw(renderer, Scene(cards=(card("c", -600.0, 0.0),), hands=(hand,)))
    assert only(held, "c").visible_fraction > only(under, "c").visible_fraction
    assert only(held, "c").visible_fraction < 1.0
    assert only(held, "h").visible_fraction < 0.95


def test_what_lies_outside_the_frame_does_not_count_as_visible(renderer: Renderer) -> None:
    x, y = renderer.camera.to_felt(np.array([[0.0, 300.0]]))[0]
    rendered = draw(renderer, Scene(cards=(card("c", float(x), float(y)),)))
    assert 0.3 < only(rendered, "c").visible_fraction < 0.7


def test_a_stack_rises_from_its_base_and_its_box_holds_it(renderer: Renderer) -> None:
    chips = ("20",) * 12
    rendered = draw(renderer, Scene(stacks=(StackPose("s", chips, -600.0, 0.0),)))
    truth = only(rendered, "s")
    assert truth.chips == chips
    assert truth.base_mm == (-600.0, 0.0)
    edge = np.array([[-600.0, 0.0, z] for z in (0.5, 12 * 3.4)])
    for point in renderer.camera.project(edge):
        outline = truth.corners_px.astype(np.float32)
        assert cv2.pointPolygonTest(outline, tuple(map(float, point)), True) > 3
    red = inside(rendered.image, truth.corners_px, 0.6).mean(axis=0)
    assert red[2] > red[1] + 20
    single = only(draw(renderer, Scene(stacks=(StackPose("s", ("20",), -600.0, 0.0),))), "s")
    assert cv2.contourArea(truth.corners_px.astype(np.float32)) > 1.2 * cv2.contourArea(
        single.corners_px.astype(np.float32)
    )


def test_the_nearer_stack_hides_the_farther(renderer: Renderer) -> None:
    far, near = StackPose("far", ("5",), -600.0, 40.0), StackPose("near", ("5",) * 20, -600.0, -1.0)
    rendered = draw(renderer, Scene(stacks=(near, far)))
    assert only(rendered, "far").visible_fraction < 0.9
    assert only(rendered, "near").visible_fraction == 1.0


def test_plaque_pala_and_cut_card_have_their_classes(renderer: Renderer) -> None:
    scene = Scene(
        plaques=(PlaquePose("q", "5000", -700.0, 0.0, 0.0, 10.0),),
        palas=(PalaPose(-400.0, 0.0),),
        cut_card=CardPose("x", "", "", -550.0, 150.0),
    )
    kinds = {item.id: item.kind for item in draw(renderer, scene).objects}
    assert kinds["q"] is ObjectClass.PLAQUE
    assert kinds["pala0"] is ObjectClass.PALA
    assert kinds["x"] is ObjectClass.CUT_CARD
    assert kinds["shoe"] is ObjectClass.SHOE


def test_cards_come_out_of_the_mouth_of_the_shoe() -> None:
    layout = dos_panos_10()
    (zone,) = layout.of_kind(ZoneKind.SHOE)
    pose = shoe_pose(zone, 1)
    camera = look_at(
        (640, 480),
        focal_px=1200.0,
        position_mm=np.array([300.0, 300.0, 2200.0]),
        target_mm=np.array([300.0, 300.0, 0.0]),
    )
    renderer = Renderer(TableLook(1, layout, CHIPS), camera)
    way = np.array([np.cos(np.deg2rad(pose.mouth_deg)), np.sin(np.deg2rad(pose.mouth_deg))])

    def visible(beyond_middle_mm: float) -> float:
        x, y = zone.centre_mm + way * beyond_middle_mm
        lying = CardPose("c", "7H", "red", float(x), float(y), 0.0, pose.mouth_deg - 90.0)
        return only(draw(renderer, Scene(cards=(lying,))), "c").visible_fraction

    assert visible(5.0) < 0.02
    assert 0.2 < visible(75.0) < 0.8
    assert visible(130.0) > 0.95


def test_equal_seeds_give_equal_pictures_and_noise_is_the_only_chance() -> None:
    look = TableLook(7, dos_panos_10(), CHIPS, noise_sigma=3.0)
    camera = look_at(
        (320, 240), focal_px=500.0, position_mm=np.array([0.0, 0.0, 2500.0]), target_mm=np.zeros(3)
    )
    scene = Scene(cards=(card("c", 0.0, 0.0),), stacks=(StackPose("s", ("5", "20"), 100.0, 0.0),))
    first = Renderer(look, camera).render(scene, np.random.default_rng(4))
    again = Renderer(look, camera).render(scene, np.random.default_rng(4))
    other = Renderer(look, camera).render(scene, np.random.default_rng(5))
    assert (first.image == again.image).all()
    assert (first.image != other.image).any()
    assert np.abs(first.image.astype(int) - other.image).mean() < 6.0
    assert first.objects[0].visible_fraction == other.objects[0].visible_fraction


def test_the_felt_is_laid_to_a_fraction_of_a_millimetre(renderer: Renderer) -> None:
    seen = ground_map(renderer.camera)
    pixels = np.array([[x, y] for x in (3, 211, 480, 955) for y in (2, 305, 598)], dtype=np.float64)
    expected = renderer.camera.to_felt(pixels)
    found = np.array([seen[int(y), int(x)] for x, y in pixels])
    assert np.abs(found - expected).max() < 0.05


def test_printed_lines_stand_where_the_layout_says(renderer: Renderer) -> None:
    layout, image = renderer.look.layout, draw(renderer, Scene()).image
    line = next(line for line in layout.lines if line.name == "P1.caballo")
    points = renderer.camera.project(line.points_mm[5:-5])
    shifted = renderer.camera.project(line.points_mm[5:-5] + np.array([30.0, 0.0]))

    def brightness(pixels: np.ndarray) -> float:
        return float(np.median([image[round(float(y)), round(float(x))].mean() for x, y in pixels]))

    assert brightness(points) > brightness(shifted) + 40
