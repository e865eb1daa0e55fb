"""The detector in integers finds what it finds in floating point. Needs the `train` extra."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from veedor.datasets.training_stills import StillMaker, StillOptions
from veedor.models.detector_tiles import Tile, TileStores, write_tile
from veedor.models.errors import TrainingError
from veedor.vision.detector import network_input

torch = pytest.importorskip("torch", reason="quantising needs the `train` extra")


def tiles(folder: Path) -> list[Tile]:
    maker = StillMaker(StillOptions(320))
    for seed in range(3):
        still = maker.still(seed)
        corners = np.array([item.corners_px for item in still.objects]).reshape(-1, 4, 2)
        kinds = np.array([int(item.kind) for item in still.objects])
        write_tile(folder, f"{seed}", still.image, corners, kinds)
    stores = TileStores([folder])
    return stores.training() + stores.held_out()


def test_integers_give_nearly_the_floats_and_take_a_third_of_the_space(tmp_path: Path) -> None:
    import onnxruntime
    from veedor.models.detector_network import build_network, export_onnx
    from veedor.models.detector_quantised import quantise

    shown = tiles(tmp_path / "tiles")
    exact, whole = tmp_path / "exact.onnx", tmp_path / "whole.onnx"
    torch.manual_seed(4)
    export_onnx(build_network(), exact)
    quantise(exact, whole, shown)
    picture = np.random.default_rng(5).integers(0, 255, (320, 320, 3), np.uint8)
    outputs = [
        onnxruntime.InferenceSession(str(path)).run(None, {"images": network_input(picture, (320, 320))})[0]
        for path in (exact, whole)
    ]
    assert outputs[1].shape == outputs[0].shape
    assert np.median(np.abs(outputs[1][:, :4] - outputs[0][:, :4])) < 2.0
    assert whole.stat().st_size < 0.45 * exact.stat().st_size


def test_without_tiles_there_is_nothing_to_quantise_by(tmp_path: Path) -> None:
    from veedor.models.detector_quantised import quantise

    with pytest.raises(TrainingError, match="no tiles"):
        quantise(tmp_path / "a.onnx", tmp_path / "b.onnx", [])
