"""Lets the tests of this folder share their strategies and builders (importlib mode adds no folder itself)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
