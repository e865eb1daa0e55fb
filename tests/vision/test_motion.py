from __future__ import annotations

import numpy as np
from veedor.vision.frames import Frame
from veedor.vision.motion import MotionGate, Region, merged, thumbnail_size

SIZE = (1280, 720)


def felt(rng: np.random.Generator, *, sigma: float = 4.0, gain: float = 1.0) -> np.ndarray:
    image = np.full((SIZE[1], SIZE[0], 3), (60, 92, 20), np.float32) * gain
    image[100:120, 100:1200] = 200 * gain
    return np.clip(image + rng.normal(0, sigma, image.shape), 0, 255).astype(np.uint8)


def look(gate: MotionGate, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return gate.look(Frame.from_image(0, 0.0, image).thumbnail(*thumbnail_size(SIZE)))


def settled(rng: np.random.Generator) -> MotionGate:
    gate = MotionGate(SIZE)
    look(gate, felt(rng))
    gate.settle(np.ones(gate.shape, np.bool_))
    return gate


def test_the_first_picture_is_all_new() -> None:
    gate = MotionGate(SIZE)
    stale, moving = look(gate, felt(np.random.default_rng(0)))
    assert stale.all() and moving.all()


def test_noise_is_no_motion() -> None:
    rng = np.random.default_rng(1)
    gate = settled(rng)
    for _ in range(10):
        stale, moving = look(gate, felt(rng))
        assert not stale.any() and not moving.any()


def test_a_hunting_exposure_is_no_motion() -> None:
    rng = np.random.default_rng(2)
    gate = settled(rng)
    stale, _ = look(gate, felt(rng, gain=1.08))
    assert not stale[8:].any()  # below the bright line, which gains more than the felt


def test_a_chip_put_down_is_stale_until_detected_and_moves_once() -> None:
    rng = np.random.default_rng(3)
    gate = settled(rng)

    def with_chip() -> np.ndarray:
        image = felt(rng)
        image[400:416, 700:716] = (60, 60, 170)
        return image

    stale, moving = look(gate, with_chip())
    assert stale.any() and moving.any()
    again, still = look(gate, with_chip())
    assert again.any() and not still.any()
    (region,) = gate.regions_of(again, 1, 3)
    assert region.left <= 700 and region.right >= 716 and region.top <= 400 and region.bottom >= 416
    gate.settle(gate.cells_of(region))
    assert not look(gate, with_chip())[0].any()
    assert look(gate, felt(rng))[0].any()  # taken away again


def test_cells_that_do_not_matter_are_left_out() -> None:
    rng = np.random.default_rng(4)
    watched = np.zeros(MotionGate(SIZE).shape, np.bool_)
    watched[:, :10] = True
    gate = MotionGate(SIZE, watched)
    look(gate, felt(rng))
    gate.settle(watched)
    image = felt(rng)
    image[300:500, 800:1000] = 255
    assert not look(gate, image)[0].any()


def test_regions_are_joined_where_that_wastes_least() -> None:
    near = [Region(0, 0, 100, 100), Region(110, 0, 200, 100)]
    far = Region(900, 500, 1000, 600)
    assert merged([*near, far], 2) == [Region(0, 0, 200, 100), far]
    assert merged([Region(0, 0, 100, 100), Region(50, 50, 80, 80)], 3) == [Region(0, 0, 100, 100)]
    assert merged([], 3) == []
