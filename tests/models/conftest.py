"""Lets the tests of this folder share their folders of weights, and use what the vision tests share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
sys.path.insert(0, str(Path(__file__).parent))
