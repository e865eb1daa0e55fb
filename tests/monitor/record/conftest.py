"""Lets the tests of this folder share what makes records."""

import sys
from pathlib import Path

import pytest
from veedor.monitor import language

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _english() -> None:
    """Whatever language an earlier test has left."""
    language.use(language.Language.EN)
