from __future__ import annotations

import numpy as np
import pytest
from veedor.models.registry import weights_path
from veedor.models.stack_patches import draw_samples
from veedor.vision.errors import VisionError
from veedor.vision.percept import TALLEST
from veedor.vision.stack_counter import StackCounter


def test_the_shipped_counter_counts_stacks_of_a_table_it_never_saw() -> None:
    samples = draw_samples(104, 1, "play")
    found = StackCounter(weights_path("stacks")).count(samples.patches, samples.facts)
    assert found.shape == (len(samples.counts), TALLEST)
    assert np.allclose(np.exp(found).sum(axis=1), 1.0, atol=1e-4)
    shift_px = samples.facts[:, 0] * samples.facts[:, 2]
    clear = (samples.counts <= 4) & (shift_px > 0.6)
    right = (found.argmax(axis=1) + 1 == samples.counts)[clear]
    assert clear.sum() > 50 and right.mean() > 0.75


def test_no_stacks_give_no_counts() -> None:
    counter = StackCounter(weights_path("stacks"))
    assert counter.count(np.zeros((0, 3, 64, 40), np.float32), np.zeros((0, 3), np.float32)).shape == (
        0,
        TALLEST,
    )


def test_other_weights_are_refused_by_name() -> None:
    with pytest.raises(VisionError, match=r"reader\.onnx: not a stack counter"):
        StackCounter(weights_path("reader"))
