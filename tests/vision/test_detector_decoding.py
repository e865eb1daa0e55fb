"""The detector's picture preparation and decoding, against a hand-made output tensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from veedor.vision.detections import ObjectClass
from veedor.vision.detector import PAD_GREY, Detector, DetectorError, decode, network_input

CLASSES = len(ObjectClass)


def _output(*columns: tuple[tuple[float, float, float, float], int, float, float]) -> np.ndarray:
    """A raw output of anchors: (x, y, w, h), class, score, turn."""
    output = np.zeros((4 + CLASSES + 1, len(columns)), np.float32)
    for index, (box, class_id, score, turn) in enumerate(columns):
        output[:4, index] = box
        output[4 + class_id, index] = score
        output[-1, index] = turn
    return output


def test_decode_reads_box_class_score_and_turn() -> None:
    found = decode(_output(((50, 40, 44, 31), ObjectClass.CARD_BACK, 0.8, 0.0)), 0.35)
    assert found.class_ids.tolist() == [ObjectClass.CARD_BACK]
    assert found.scores == pytest.approx([0.8])
    # The short edge comes first, clockwise: from the top right corner downwards.
    assert found.corners_px[0].tolist() == [[72, 24.5], [72, 55.5], [28, 55.5], [28, 24.5]]


def test_decode_leaves_out_what_scores_below_the_threshold() -> None:
    output = _output(((5, 5, 4, 4), 0, 0.34, 0.0), ((9, 9, 4, 4), 2, 0.36, 1.0))
    assert decode(output, 0.35).class_ids.tolist() == [ObjectClass.CHIP_STACK]
    assert len(decode(output, 0.9)) == 0


def test_decode_turns_clockwise_as_seen() -> None:
    corners = decode(_output(((0, 0, 30, 40), 0, 0.9, np.pi / 6)), 0.35).corners_px[0]
    edge = corners[1] - corners[0]
    assert np.rad2deg(np.arctan2(edge[1], edge[0])) == pytest.approx(30, abs=1e-3)


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
