"""Rendering: tables, cards, chips and hands as a camera over the felt sees them, with exact truth."""

from veedor.datasets.render.renderer import Renderer, shoe_pose, table_lighting
from veedor.datasets.render.truth import ObjectTruth, Rendered

__all__ = ["ObjectTruth", "Rendered", "Renderer", "shoe_pose", "table_lighting"]
