"""Lets the tests of this folder share their folders of weights."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
