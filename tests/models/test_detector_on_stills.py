"""The shipped detector on rendered pictures of looks it was not trained on."""

from __future__ import annotations

import numpy as np
import pytest
from veedor.datasets.training_stills import StillMaker, StillOptions
from veedor.models.registry import weights_path
from veedor.vision.detections import ObjectClass
from veedor.vision.detector import Detector
from veedor.vision.obb import iou_matrix

USUAL_WIDTHS_PX = (24.0, 45.0)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(weights_path("detector"), threads=1)


def test_clear_cards_of_rendered_pictures_are_found_and_told_face_from_back(detector: Detector) -> None:
    maker = StillMaker(StillOptions(size_px=320, look_split="play"))
    cards = found = right = spurious = 0
    for seed in range(960_000, 960_014):
        still = maker.still(seed)
        if not USUAL_WIDTHS_PX[0] < still.card_width_px < USUAL_WIDTHS_PX[1]:
            continue
        seen = detector.detect(still.image)
        kinds = (ObjectClass.CARD_FACE, ObjectClass.CARD_BACK)
        truth = [item for item in still.objects if item.kind in kinds]
        boxes = seen.corners_px[seen.class_ids <= int(ObjectClass.CARD_BACK)].astype(np.float64)
        overlap = iou_matrix(np.array([item.corners_px for item in truth]).reshape(-1, 4, 2), boxes)
        spurious += int((overlap.max(axis=0, initial=0.0) < 0.3).sum())
        classes = seen.class_ids[seen.class_ids <= int(ObjectClass.CARD_BACK)]
        for row, item in enumerate(truth):
            if item.visible_fraction > 0.85:
                cards += 1
                if len(boxes) and overlap[row].max() > 0.5:
                    found += 1
                    right += int(classes[overlap[row].argmax()] == item.kind)
    assert cards > 20
    assert found / cards > 0.85
    assert right / found > 0.9
    assert spurious / cards < 0.3  # measured 0.2: prints and chips of this table now and then


def test_an_empty_cloth_holds_nothing(detector: Detector) -> None:
    cloth = np.full((480, 640, 3), (60, 92, 20), np.uint8)
    noisy = np.clip(cloth + np.random.default_rng(0).normal(0, 4, cloth.shape), 0, 255).astype(np.uint8)
    assert len(detector.detect(noisy)) == 0
