"""Calibrates the reader and writes it as ONNX."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from veedor.datasets.replacing import refuse_all_but_a_file
from veedor.models.reader_architecture import build_exported
from veedor.models.reader_supply import Batch
from veedor.vision.reader import CROP_HEIGHT_PX, CROP_WIDTH_PX

OPSET = 17
HALVED_FROM_SIZE = 2_000


def fit_temperatures(network: Any, batch: Batch) -> tuple[tuple[float, float, float], dict[str, float]]:
    """Temperatures of rank, suit, kind that make probabilities honest on `batch`; accuracies there."""
    import torch
    from torch.nn import functional

    maps = torch.from_numpy(batch.crops).permute(0, 3, 1, 2).float() / 127.5 - 1.0
    parts: list[list[Any]] = [[], [], []]
    network.eval()
    with torch.no_grad():
        for start in range(0, len(maps), 100):
            part = maps[start : start + 100]
            both = zip(network(part), network(torch.flip(part, dims=(2, 3))), strict=True)
            for store, (one, other) in zip(parts, both, strict=True):
                store.append((one + other) / 2)
    temperatures: list[float] = []
    scores: dict[str, float] = {}
    for column, name in enumerate(("rank", "suit", "kind")):
        logits = torch.cat(parts[column])
        labels = torch.from_numpy(batch.labels[:, column])
        logits, labels = logits[labels >= 0], labels[labels >= 0]
        grid = np.exp(np.linspace(np.log(0.4), np.log(4.0), 60))
        losses = [float(functional.cross_entropy(logits / float(t), labels)) for t in grid]
        temperatures.append(float(grid[int(np.argmin(losses))]))
        scores[name] = round(float((logits.argmax(1) == labels).float().mean()), 4)
    return (temperatures[0], temperatures[1], temperatures[2]), scores


def export_reader(network: Any, temperatures: tuple[float, float, float], path: Path) -> Path:
    """Write `network` with its calibration to `path` (ONNX, any batch size)."""
    import torch

    exported = build_exported(network, temperatures).eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    refuse_all_but_a_file(path)
    fresh = path.with_suffix(".new.onnx")
    example = torch.zeros((2, CROP_HEIGHT_PX, CROP_WIDTH_PX, 3), dtype=torch.uint8)
    torch.onnx.export(
        exported,
        (example,),
        str(fresh),
        input_names=["crops"],
        output_names=["rank_probs", "suit_probs", "kind_probs"],
        dynamic_axes={name: {0: "n"} for name in ("crops", "rank_probs", "suit_probs", "kind_probs")},
        opset_version=OPSET,
        dynamo=False,
    )
    store_halved(fresh)
    os.replace(fresh, path)
    return path


def store_halved(path: Path) -> None:
    """Keep the file's large weights as float16, cast to float32 when loaded: half the size, same speed."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(path))
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < HALVED_FROM_SIZE:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + "_half"))
        casts.append(onnx.helper.make_node("Cast", [name + "_half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.save(model, str(path))
