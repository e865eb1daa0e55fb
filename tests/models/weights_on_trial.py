"""Folders of weights to compare: the shipped ones, and the same ones spoilt in known ways."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from veedor.datasets.digests import sha256_of
from veedor.models.registry import read_manifest, record, weights_folder


def copy_weights(folder: Path, *names: str) -> Path:
    """A folder with copies of shipped models and a manifest of them."""
    folder.mkdir(parents=True)
    shipped = weights_folder()
    for name, entry in read_manifest(shipped).items():
        if not names or name in names:
            shutil.copyfile(shipped / entry.file, folder / entry.file)
            record(folder, entry)
    return folder


def spoil(folder: Path, name: str, share: float) -> None:
    """Shuffle that share of the largest tensors of a model in place, and record the file as it is now."""
    entry = read_manifest(folder)[name]
    path = folder / entry.file
    content = bytearray(path.read_bytes())
    spans = sorted(_tensors(bytes(content)), key=lambda span: span[0] - span[1])
    rng = np.random.default_rng(0)
    for start, stop in spans[: max(1, round(share * len(spans)))]:
        values = np.frombuffer(bytes(content[start:stop]), np.uint8).reshape(-1, 4)
        content[start:stop] = rng.permutation(values).tobytes()
    path.write_bytes(bytes(content))
    record(folder, replace(entry, sha256=sha256_of(path)))


def _tensors(model: bytes) -> Iterator[tuple[int, int]]:
    """Where the raw data of float weights lie: ModelProto.graph (7), initializer (5), raw_data (9)."""
    for graph, graph_start, graph_stop in _fields(model, 0, len(model)):
        if graph != 7:
            continue
        for part, start, stop in _fields(model, graph_start, graph_stop):
            if part != 5:
                continue
            inner = list(_fields(model, start, stop))
            for field, low, high in inner:
                if field == 9 and (high - low) % 4 == 0 and high - low >= 4096:
                    yield low, high


def _fields(data: bytes, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Field numbers of a protocol buffer's message with the span of each length-delimited content."""
    while start < stop:
        tag, start = _number(data, start)
        kind = tag & 7
        if kind == 2:
            length, start = _number(data, start)
            yield tag >> 3, start, start + length
            start += length
        elif kind == 0:
            _, start = _number(data, start)
        else:
            start += 8 if kind == 1 else 4


def _number(data: bytes, start: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[start]
        start += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, start
