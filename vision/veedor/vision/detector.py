"""The oriented detector: a picture in, boxes of cards, chips, plaques, hands, pala, cut card and shoe out.

The weights are a YOLO-OBB network: input `images` (1, 3, height, width) float32 RGB 0..1, height and width
multiples of 32; output as `detector_output` says. Its pixel frame has the corner of the first pixel at
(0, 0); pictures here have that pixel's centre there, hence the halves below.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from veedor.vision.card_doubles import without_turned_doubles
from veedor.vision.card_edges import fit_outlines
from veedor.vision.detections import Detections, ObjectClass
from veedor.vision.detector_output import ROWS, decode
from veedor.vision.errors import VisionError
from veedor.vision.obb import suppress_doubles, voted

STRIDE = 32
# Shrunk by less than this nothing is skipped that averaging would keep, and it takes five times as long.
AVERAGED_BELOW = 0.75
PAD_GREY = 114  # the grey the network has seen around pictures in training
MIN_SCORE = 0.35
# Without a table anything may lie about, and several looks make several mistakes. This and the sizes below
# were chosen on every fourth of the phone photographs of `train/`: recall 0.91 at precision 0.91; at a score
# of 0.45 0.92 and 0.89; with a usual side of 34 px 0.89 and 0.87.
MIN_SCORE_AT_SCALES = 0.5

# Long sides, px, at which a picture of unknown scale is looked at. Of each look only boxes of the sizes that
# training showed often count (short side, px); a step of 1.6 shows every card in two or three of them.
PYRAMID_PX = (96, 160, 256, 416, 672, 1088, 1760, 2816)
MAX_ENLARGEMENT = 1.5
SURE_SIDE_PX = (15.0, 80.0)
USUAL_SIDE_PX, USUAL_SPREAD = 42.0, 0.6
TRUSTED = (22.0, 57.0)  # looks in which the picture's usual card has such a short side, px, are trusted
SIZE_RANGE = 2.2  # a card this much larger or smaller than the usual one is none
VOTE_SPREAD = 0.18  # of the logarithm of the side


class DetectorError(VisionError):
    """The detector's weights cannot be loaded or are not of the expected form."""


class Detector:
    """A loaded detector. Not for use by several threads at once."""

    def __init__(self, model_path: Path, *, threads: int = 2) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = ort.InferenceSession(str(model_path), options, providers=["CPUExecutionProvider"])
        except Exception as fault:  # onnxruntime's own errors share no base but Exception
            raise DetectorError(f"{model_path}: ONNX Runtime cannot load it: {fault}") from fault
        self._input = self._session.get_inputs()[0].name
        rows = self._session.get_outputs()[0].shape[1]
        if rows != ROWS:
            raise DetectorError(f"{model_path}: expected {ROWS} rows (sides, classes, turn), found {rows}")

    @property
    def providers(self) -> tuple[str, ...]:
        """What ONNX Runtime really runs the network on, most used first."""
        return tuple(self._session.get_providers())

    def detect(
        self, image_bgr: NDArray[np.uint8], *, scale: float = 1.0, min_score: float = MIN_SCORE
    ) -> Detections:
        """What is in a picture (height, width, 3), corners in that picture's own pixels, best first.

        `scale` resamples the picture before looking: choose it so that a card is about 31 x 44 px.
        """
        return without_turned_doubles(image_bgr, _without_doubles(self.look(image_bgr, scale, min_score)))

    def detect_at_scales(
        self, image_bgr: NDArray[np.uint8], *, min_score: float = MIN_SCORE_AT_SCALES
    ) -> Detections:
        """What is in a picture of unknown scale: looked at in several sizes, the findings merged."""
        scales = scales_for((image_bgr.shape[1], image_bgr.shape[0]))
        merged = merge_looks([self.look(image_bgr, scale, min_score) for scale in scales], scales)
        fitted = _without_doubles(with_fitted_cards(image_bgr, merged))
        return without_turned_doubles(image_bgr, fitted)

    def look(self, image_bgr: NDArray[np.uint8], scale: float, min_score: float) -> Detections:
        """As `detect`, doubles included."""
        size = (max(1, round(image_bgr.shape[1] * scale)), max(1, round(image_bgr.shape[0] * scale)))
        ratio = np.array([size[0] / image_bgr.shape[1], size[1] / image_bgr.shape[0]], dtype=np.float32)
        planes = network_input(image_bgr, size)
        output = self._session.run(None, {self._input: planes})[0]
        found = decode(np.asarray(output[0]), (planes.shape[3], planes.shape[2]), min_score)
        corners = np.asarray(found.corners_px / ratio - 0.5, dtype=np.float32)
        return Detections(corners, found.scores, found.class_ids)


def network_input(image_bgr: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.float32]:
    """The picture resampled to `size` (width, height), padded right and below: (1, 3, H, W) RGB 0..1."""
    if size != (image_bgr.shape[1], image_bgr.shape[0]):
        shrinks = size[0] < AVERAGED_BELOW * image_bgr.shape[1]
        image_bgr = np.asarray(
            cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR),
            dtype=np.uint8,
        )
    height, width = -(-size[1] // STRIDE) * STRIDE, -(-size[0] // STRIDE) * STRIDE
    planes = np.full((1, 3, height, width), PAD_GREY / 255, dtype=np.float32)
    # Plane by plane takes 0.7 ms for 576 x 576 where the library's own `blobFromImage` takes 5.6.
    for plane, channel in zip(planes[0], reversed(cv2.split(image_bgr)), strict=True):
        plane[: size[1], : size[0]] = cv2.multiply(channel, 1 / 255, dtype=cv2.CV_32F)
    return planes


def with_fitted_cards(image_bgr: NDArray[np.uint8], found: Detections) -> Detections:
    """The detections, faces and backs moved onto their borders in the full picture.

    On felt-webcam this took the mean overlap with the true outlines from 0.85 to 0.92 and ranks read
    rightly from 0.93 to 0.96; it costs 1-3 ms a card.
    """
    cards = np.flatnonzero(found.class_ids <= int(ObjectClass.CARD_BACK))
    corners = found.corners_px.copy()
    corners[cards] = fit_outlines(image_bgr, found.corners_px[cards])
    return Detections(corners, found.scores, found.class_ids)


def scales_for(size: tuple[int, int]) -> list[float]:
    """The scales at which a picture of `size` (width, height) and unknown scale is looked at, rising."""
    long_side = max(size)
    return [px / long_side for px in PYRAMID_PX if px <= MAX_ENLARGEMENT * long_side] or [1.0]


def merge_looks(looks: list[Detections], scales: list[float]) -> Detections:
    """Looks at one picture in several scales as one: the usual size of its cards tells which looks to trust.

    Cards lying on one plane differ in size by perspective alone, so the size that most of the likely ones
    share names the looks in which cards have the size the network knows best. Without a card all looks count.
    """
    found = Detections(
        np.concatenate([each.corners_px for each in looks]),
        np.concatenate([each.scores for each in looks]),
        np.concatenate([each.class_ids for each in looks]),
    )
    look = np.repeat(np.arange(len(looks)), [len(each) for each in looks])
    sides = _short_sides(found.corners_px)
    seen_px = sides * np.array(scales)[look]
    usual = np.exp(-0.5 * (np.log(seen_px / USUAL_SIDE_PX) / USUAL_SPREAD) ** 2)
    large = found.class_ids >= int(ObjectClass.HAND)
    keep = large | ((seen_px >= SURE_SIDE_PX[0]) & (seen_px <= SURE_SIDE_PX[1]))
    cards = np.flatnonzero(keep & (found.class_ids <= int(ObjectClass.CARD_BACK)))
    if len(cards):
        side = _shared_side(sides[cards], found.scores[cards] ** 2 * usual[cards])
        trusted = [index for index, scale in enumerate(scales) if TRUSTED[0] <= side * scale < TRUSTED[1]]
        if not trusted:  # cards larger than in the smallest look, or smaller than in the largest
            trusted = [int(np.argmin(np.abs(np.log(side * np.array(scales) / USUAL_SIDE_PX))))]
        keep &= np.isin(look, trusted)
        keep &= large | ((sides > side / SIZE_RANGE) & (sides < side * SIZE_RANGE))
    rows = np.flatnonzero(keep)
    kept = found.where(rows)
    weights = kept.scores.astype(np.float64) * np.where(large[rows], 1.0, usual[rows])
    best = suppress_doubles(kept.corners_px.astype(np.float64), weights, kept.class_ids, look[rows])
    return kept.where(best)


def _shared_side(sides: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The side that most weight gathers around, px."""
    logs = np.log(sides)
    votes = (weights[None, :] * np.exp(-0.5 * ((logs[:, None] - logs[None, :]) / VOTE_SPREAD) ** 2)).sum(
        axis=1
    )
    return float(sides[int(votes.argmax())])


def _short_sides(corners: NDArray[np.float32]) -> NDArray[np.float64]:
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).min(axis=1)
    return np.asarray(np.maximum(sides, 1e-6), dtype=np.float64)


def _without_doubles(found: Detections) -> Detections:
    """The best of each group of rivals, with the outline that those of its class agree on."""
    corners, scores = found.corners_px.astype(np.float64), found.scores.astype(np.float64)
    kept = found.where(suppress_doubles(corners, scores, found.class_ids))
    same = kept.class_ids[:, None] == found.class_ids[None]
    outlines = voted(kept.corners_px.astype(np.float64), corners, scores, same)
    return Detections(outlines.astype(np.float32), kept.scores, kept.class_ids)
