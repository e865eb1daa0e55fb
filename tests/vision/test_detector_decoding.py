"""The detector's picture preparation and decoding, against a hand-made output tensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from veedor.vision.detections import ObjectClass
from veedor.vision.detector import PAD_GREY, Detector, DetectorError, network_input
from veedor.vision.detector_output import BINS, ROWS, decode

SIZE = (96, 64)  # 12 x 8 places of stride 8, 6 x 4 of 16, 3 x 2 of 32
Sides = tuple[float, float, float, float]


def _output(*things: tuple[int, Sides, int, float, float]) -> np.ndarray:
    """A raw output: place, distances to left, top, right and bottom in strides, class, score, turn."""
    output = np.zeros((ROWS, 96 + 24 + 6), np.float32)
    for place, sides, class_id, score, turn in things:
        logits = np.full((4, BINS), -30.0)
        for side, distance in enumerate(sides):
            whole, part = int(distance), distance % 1
            logits[side, whole] = np.log(1 - part)
            if part:
                logits[side, whole + 1] = np.log(part)
        output[: 4 * BINS, place] = logits.ravel()
        output[4 * BINS + class_id, place] = score
        output[-1, place] = turn
    return output


def test_decode_reads_box_class_score_and_turn() -> None:
    """Place 12 * 5 + 6 of stride 8: its middle lies at (52, 44)."""
    found = decode(_output((66, (3.0, 2.0, 2.5, 1.875), ObjectClass.CARD_BACK, 0.8, 0.0)), SIZE, 0.35)
    assert found.class_ids.tolist() == [ObjectClass.CARD_BACK]
    assert found.scores == pytest.approx([0.8])
    # The short edge comes first, clockwise: from the top right corner downwards.
    expected = np.array([[72, 28], [72, 59], [28, 59], [28, 28]])
    assert found.corners_px[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("place", "middle"), [(0, (4, 4)), (11, (92, 4)), (96, (8, 8)), (125, (80, 48))])
def test_places_are_told_finest_first_and_row_by_row(place: int, middle: tuple[int, int]) -> None:
    found = decode(_output((place, (1.0, 1.0, 1.0, 1.0), 0, 0.9, 0.0)), SIZE, 0.35)
    assert found.corners_px[0].mean(axis=0) == pytest.approx(middle, abs=1e-4)


def test_decode_leaves_out_what_scores_below_the_threshold() -> None:
    sides = (1.0, 1.0, 1.0, 1.0)
    output = _output((0, sides, 0, 0.34, 0.0), (9, sides, 2, 0.36, 1.0))
    assert decode(output, SIZE, 0.35).class_ids.tolist() == [ObjectClass.CHIP_STACK]
    assert len(decode(output, SIZE, 0.9)) == 0


def test_decode_turns_clockwise_as_seen_and_moves_along_the_turned_box() -> None:
    turn = np.pi / 6
    corners = decode(_output((66, (2.0, 2.5, 2.0, 3.5), 0, 0.9, turn)), SIZE, 0.35).corners_px[0]
    edge = corners[1] - corners[0]
    assert np.rad2deg(np.arctan2(edge[1], edge[0])) == pytest.approx(30, abs=1e-3)
    down = 8 * 0.5 * np.array([-np.sin(turn), np.cos(turn)])
    assert corners.mean(axis=0) == pytest.approx(np.array([52, 44]) + down, abs=1e-4)


def test_input_is_padded_to_whole_strides_in_rgb() -> None:
    image = np.zeros((30, 70, 3), np.uint8)
    image[..., 2] = 255
    planes = network_input(image, (70, 30))
    assert planes.shape == (1, 3, 32, 96)
    assert planes[0, :, 10, 10].tolist() == [1.0, 0.0, 0.0]
    assert np.allclose(planes[0, :, 31, 10], PAD_GREY / 255) and np.allclose(
        planes[0, :, 10, 80], PAD_GREY / 255
    )


def test_a_file_that_is_no_model_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "broken.onnx"
    file.write_text("not a model")
    with pytest.raises(DetectorError, match=r"broken\.onnx"):
        Detector(file)
