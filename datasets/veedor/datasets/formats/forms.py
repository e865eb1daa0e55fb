"""The forms by their names."""

from __future__ import annotations

from veedor.datasets.formats.coco import Coco
from veedor.datasets.formats.cvat_images import CvatImages
from veedor.datasets.formats.cvat_video import CvatVideo
from veedor.datasets.formats.placing import Form
from veedor.datasets.formats.yolo_obb import YoloObb

FORMS: dict[str, Form] = {
    "yolo-obb": YoloObb(),
    "coco": Coco(),
    "cvat-images": CvatImages(),
    "cvat-video": CvatVideo(),
}
