"""One picture of a source, converted to colours only when somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Planes = tuple[Image, Image, Image]


@dataclass(frozen=True)
class Frame:
    """A picture at a moment of media time.

    `index` counts the source's frames from 0, `t_s` is seconds since its first frame. `convert` makes the
    BGR image; `planes` gives luma and the two colour planes of a decoder that already has them, unrotated;
    `turns` is how many quarter turns counter-clockwise the picture's metadata orders; `native` the decoder's
    own picture (an `av.VideoFrame`), unrotated: whoever encodes it again need not convert it twice.
    """

    index: int
    t_s: float
    convert: Callable[[], Image]
    planes: Callable[[], Planes] | None = None
    turns: int = 0
    native: Any = None

    @classmethod
    def from_image(cls, index: int, t_s: float, image: Image) -> Frame:
        """A frame of an image (H, W, 3) BGR uint8 at hand."""
        return cls(index, t_s, lambda: image)

    @cached_property
    def image(self) -> Image:
        """BGR uint8 (H, W, 3), read-only, turned as its metadata orders."""
        image = self.convert()
        if self.turns:
            image = np.ascontiguousarray(np.rot90(image, self.turns))
        image = image.view()
        image.setflags(write=False)
        return image

    def thumbnail(self, width: int, height: int) -> Image:
        """Luma and two colour planes (height, width, 3) uint8, averaged down: cheap to compare.

        Takes the decoder's own planes where there are any: a full conversion to BGR would cost as much as
        the comparison it feeds.
        """
        if self.planes is None:
            small = cv2.resize(self.image, (width, height), interpolation=cv2.INTER_AREA)
            return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb), np.uint8)
        size = (height, width) if self.turns % 2 else (width, height)
        planes = [cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in self.planes()]
        small = np.dstack(planes)
        return np.ascontiguousarray(np.rot90(small, self.turns)) if self.turns else small
