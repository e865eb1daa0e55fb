"""The detector's network: a narrow YOLO-OBB of ultralytics' blocks, and its export to ONNX.

0.84 M parameters, 107 ms of one core for 1408 x 704 pixels where yolo11n-obb takes 250 and yolo26n-obb 200;
it learns 1.4 times as many pictures an hour as a network of twice the width, and on CPUs the hours bound what
is learnt. Cards at half a pixel a millimetre are 31 x 44 px, so most of the work is
done at stride 8; eight distance bins reach 56 px from a stride-8 cell and 224 px from a stride-32 one.
"""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

from veedor.datasets.replacing import refuse_all_but_a_file
from veedor.models.detector_export import cut_decoding
from veedor.models.errors import TrainingError
from veedor.vision.detections import ObjectClass

OPSET = 17
_BINS = 8

_LAYERS: dict[str, Any] = {
    "nc": len(ObjectClass),
    "reg_max": _BINS,
    "scales": {"n": [1.0, 1.0, 1024]},
    "scale": "n",
    "backbone": [
        [-1, 1, "Conv", [16, 3, 2]],  # 0, stride 2
        [-1, 1, "Conv", [24, 3, 2]],  # 1, stride 4
        [-1, 1, "C3k2", [32, False, 0.25]],
        [-1, 1, "Conv", [48, 3, 2]],  # 3, stride 8
        [-1, 1, "C3k2", [48, False, 0.25]],
        [-1, 1, "Conv", [96, 3, 2]],  # 5, stride 16
        [-1, 1, "C3k2", [96, True]],
        [-1, 1, "Conv", [128, 3, 2]],  # 7, stride 32
        [-1, 1, "C3k2", [128, True]],
        [-1, 1, "SPPF", [128, 5]],  # 9
    ],
    "head": [
        [-1, 1, "nn.Upsample", [None, 2, "nearest"]],
        [[-1, 6], 1, "Concat", [1]],
        [-1, 1, "C3k2", [96, False]],  # 12, stride 16
        [-1, 1, "nn.Upsample", [None, 2, "nearest"]],
        [[-1, 4], 1, "Concat", [1]],
        [-1, 1, "C3k2", [48, False]],  # 15, stride 8
        [-1, 1, "Conv", [48, 3, 2]],
        [[-1, 12], 1, "Concat", [1]],
        [-1, 1, "C3k2", [96, False]],  # 18, stride 16
        [-1, 1, "Conv", [96, 3, 2]],
        [[-1, 9], 1, "Concat", [1]],
        [-1, 1, "C3k2", [128, False]],  # 21, stride 32
        [[15, 18, 21], 1, "OBB", ["nc", 1]],
    ],
}


def build_network() -> Any:
    """An untrained network with ultralytics' OBB loss; TrainingError without the `train` extra."""
    try:
        from ultralytics.cfg import get_cfg
        from ultralytics.nn.tasks import OBBModel
    except ImportError as fault:
        raise TrainingError("training needs the `train` extra: pip install 'veedor[train]'") from fault
    network = OBBModel(copy.deepcopy(_LAYERS), nc=len(ObjectClass), verbose=False)
    network.args = get_cfg()
    return network


def head_prefix() -> str:
    """How the names of the exported head's nodes begin."""
    return f"/model.{len(_LAYERS['backbone']) + len(_LAYERS['head']) - 1}/"


def export_onnx(network: Any, path: Path) -> None:
    """Write the network as ONNX: any height and width in multiples of 32, no suppression inside."""
    import onnx
    import onnxslim
    import torch

    network = copy.deepcopy(network).float().eval().fuse(verbose=False)
    for parameter in network.parameters():
        parameter.requires_grad = False
    head = network.model[-1]
    head.dynamic, head.export, head.format = True, True, "onnx"
    sample = torch.zeros(1, 3, 320, 320)
    network(sample)
    refuse_all_but_a_file(path)
    partial = path.with_suffix(".partial")
    axes = {"images": {0: "batch", 2: "height", 3: "width"}, "output0": {0: "batch", 2: "anchors"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's remarks about constants of the head
        torch.onnx.export(
            network,
            (sample,),
            str(partial),
            opset_version=OPSET,
            input_names=["images"],
            output_names=["output0"],
            dynamic_axes=axes,
            dynamo=False,
        )
    slim = onnxslim.slim(onnx.load(str(partial)))
    cut_decoding(slim)
    onnx.save(slim, str(partial))
    partial.replace(path)
