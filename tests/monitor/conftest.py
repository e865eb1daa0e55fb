"""Lets tests of this folder share what makes records, and use what the vision tests share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from veedor.monitor.evidence_bundle import make_bundle
from veedor.monitor.evidence_bundle_keys import key_of
from veedor.monitor.report_record_files import open_record

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
sys.path.insert(0, str(Path(__file__).parent))
from recorded_nights import a_session


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder, empty until `session` is asked for."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def session(data: Path) -> str:
    """A watched session in it, with findings, evidence and decisions."""
    return a_session(data)


@pytest.fixture(scope="module")
def bundle(data: Path, session: str) -> bytes:
    """The first finding of that session as an evidence bundle."""
    return make_bundle(open_record(session, data), 1, key_of(data))
