"""How many chips a stack has, by the look of its visible side.

A stack rises toward the camera: away from the point below the lens its top is shifted by a millimetre or
two for each chip, and its side shows. A small network reads that from a patch of the picture laid out along
the shift.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from veedor.vision.camera import Camera
from veedor.vision.errors import VisionError
from veedor.vision.footprints import lean_per_mm
from veedor.vision.frames import Image
from veedor.vision.percept import TALLEST
from veedor.vision.sampling import colours_at

FloatArray = NDArray[np.float64]

ALONG, ACROSS = 64, 40  # samples along the shift and across it
STEP_MM = 1.25  # between them: a little finer than the picture, so that no edge is lost
FACTS = 3  # shift for one chip in mm, diameter in 40 mm, scale in px/mm
RIM = 4  # rows at either end of a patch that show what lies round the stack
CONTRAST = 64.0  # grey levels


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
        if shapes.get("patches", [None])[1:] != [3, ALONG, ACROSS]:
            raise VisionError(f"{model_path}: not a stack counter; its inputs are {shapes}")

    def count(self, patches: NDArray[np.float32], facts: NDArray[np.float32]) -> NDArray[np.float32]:
        """Log probabilities (n, 8) of 1 to 8 chips, of patches (n, 3, 64, 40) and facts (n, 3)."""
        if not len(patches):
            return np.zeros((0, TALLEST), np.float32)
        (found,) = self._session.run(None, {"patches": patches, "facts": facts})
        return np.asarray(found, np.float32)


def stack_patch(
    image: Image, camera: Camera, middle_mm: FloatArray, diameter_mm: float, thickness_mm: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What `StackCounter` looks at: a patch (3, 64, 40) and facts (3,).

    Rows go along the shift, colours are BGR in units of 64 grey levels off what lies round the stack.
    `middle_mm` (2,) is the middle of the stack's outline projected onto the felt, not its base: for that
    what is to be found out would be needed.
    """
    lean = lean_per_mm(camera, middle_mm) * thickness_mm
    length = float(np.hypot(*lean))
    along = lean / length if length > 1e-6 else np.array([0.0, 1.0])
    across = np.array([-along[1], along[0]])
    steps = (np.arange(ALONG) - (ALONG - 1) / 2) * STEP_MM
    sides = (np.arange(ACROSS) - (ACROSS - 1) / 2) * STEP_MM
    # Chips of another size are brought to the same size in the patch.
    scale = diameter_mm / 40.0
    offsets = (steps[:, None, None] * along + sides[None, :, None] * across) * scale
    points = camera.project((middle_mm + offsets).reshape(-1, 2))
    colours = colours_at(image, points).astype(np.float32).reshape(ALONG, ACROSS, 3)
    felt = np.median(np.concatenate([colours[:RIM], colours[-RIM:]]).reshape(-1, 3), axis=0)
    patch = np.clip((colours - felt) / CONTRAST, -3.0, 3.0)
    facts = np.array([length, diameter_mm / 40.0, camera.px_per_mm(*middle_mm)], np.float32)
    return np.ascontiguousarray(patch.transpose(2, 0, 1)), facts
