"""How many chips a stack has, by the look of its visible side.

A stack rises toward the camera: away from the point below the lens its top is shifted by a millimetre or
two for each chip, and its side shows. A small network reads that from a patch of the picture laid out along
the shift.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.errors import VisionError
from veedor.vision.footprints import lean_per_mm
from veedor.vision.frames import Image
from veedor.vision.percept import TALLEST

FloatArray = NDArray[np.float64]

ALONG = 49  # samples along the shift, 1.5 mm apart: about a pixel at 0.6 px/mm
ACROSS = 11
STEP_MM = (1.5, 4.2)
CHANNELS = ACROSS * 3
FACTS = 3  # shift for one chip and diameter in mm, scale in px/mm

_RIM = np.zeros((ALONG, ACROSS), np.bool_)
_RIM[:3], _RIM[-3:] = True, True


class StackCounter:
    """The stack counter's weights, ready to count. `threads` is for one call."""

    def __init__(self, model_path: Path | str, *, threads: int = 1) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = ort.InferenceSession(
                str(model_path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as fault:  # onnxruntime's own errors share no base but Exception
            raise VisionError(f"{model_path}: not a readable model file: {fault}".splitlines()[0]) from fault
        shapes = {entry.name: entry.shape for entry in self._session.get_inputs()}
        if shapes.get("patches", [None])[1:] != [CHANNELS, ALONG]:
            raise VisionError(f"{model_path}: not a stack counter; its inputs are {shapes}")

    def count(self, patches: NDArray[np.float32], facts: NDArray[np.float32]) -> NDArray[np.float32]:
        """Log probabilities (n, 8) of 1 to 8 chips, of patches (n, 33, 49) and facts (n, 3)."""
        if not len(patches):
            return np.zeros((0, TALLEST), np.float32)
        (found,) = self._session.run(None, {"patches": patches, "facts": facts})
        return np.asarray(found, np.float32)


def stack_patch(
    image: Image, camera: Camera, middle_mm: FloatArray, diameter_mm: float, thickness_mm: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What `StackCounter` looks at: a patch (33, 49) and facts (3,).

    `middle_mm` (2,) is the middle of the stack's outline projected onto the felt, not its base: for that what
    is to be found out would be needed.
    """
    lean = lean_per_mm(camera, middle_mm) * thickness_mm
    length = float(np.hypot(*lean))
    along = lean / length if length > 1e-6 else np.array([0.0, 1.0])
    across = np.array([-along[1], along[0]])
    steps = (np.arange(ALONG) - ALONG // 2) * STEP_MM[0]
    sides = (np.arange(ACROSS) - ACROSS // 2) * STEP_MM[1]
    # Chips of another size are brought to the same size in the patch.
    scale = diameter_mm / 40.0
    offsets = (steps[:, None, None] * along + sides[None, :, None] * across) * scale
    points = camera.project((middle_mm + offsets).reshape(-1, 2)).astype(np.float32)
    found = cv2.remap(
        image, points[None, :, 0], points[None, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    colours = np.asarray(found, np.float32).reshape(ALONG, ACROSS, 3)
    felt = np.median(colours[_RIM], axis=0)
    patch = np.clip((colours - felt) / 64.0, -3.0, 3.0)
    facts = np.array([length, diameter_mm / 40.0, camera.px_per_mm(*middle_mm)], np.float32)
    return np.ascontiguousarray(patch.reshape(ALONG, CHANNELS).T), facts
