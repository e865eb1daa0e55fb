"""What is exported and decoded here is what ultralytics' network says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from veedor.vision.detector_output import ROWS, decode
from veedor.vision.obb import corners_from_xywhr

torch = pytest.importorskip("torch", reason="the `train` extra is not installed")
pytest.importorskip("ultralytics", reason="the `train` extra is not installed")


def test_boxes_of_the_exported_network_are_those_of_the_network(tmp_path: Path) -> None:
    import onnxruntime
    from veedor.models.detector_network import build_network, export_onnx

    torch.manual_seed(3)
    network = build_network().eval()
    export_onnx(network, tmp_path / "cut.onnx")
    planes = np.random.default_rng(5).random((1, 3, 160, 224), np.float32)
    with torch.no_grad():
        whole = network(torch.from_numpy(planes))[0][0].numpy()
    output = onnxruntime.InferenceSession(str(tmp_path / "cut.onnx")).run(None, {"images": planes})[0]
    assert output.shape == (1, ROWS, whole.shape[1])
    found = decode(output[0], (224, 160), 0.0)
    boxes = np.column_stack([whole[:4].T, whole[-1]]).astype(np.float64)
    assert found.scores == pytest.approx(whole[4:-1].max(axis=0), abs=1e-5)
    # An untrained network's boxes are nearly square: any edge may be the shorter.
    corners = corners_from_xywhr(boxes)
    turned = np.stack([np.roll(corners, step, axis=1) for step in range(4)])
    assert np.abs(turned - found.corners_px).max(axis=(2, 3)).min(axis=0).max() < 0.01
