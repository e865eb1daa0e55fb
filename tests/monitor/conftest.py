"""Lets tests of this folder share what makes records, and use the RTSP camera of the vision tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
sys.path.insert(0, str(Path(__file__).parent))
