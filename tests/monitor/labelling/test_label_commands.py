"""`veedor label add` and `veedor label agreement` as a user types them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.datasets.labelled import LabelledObject, LabelledPicture
from veedor.monitor.cli import main
from veedor.monitor.labelling.revisions import State
from veedor.monitor.labelling.store import LabelStore
from veedor.vision.detections import ObjectClass

CORNERS = ((10.0, 10.0), (30.0, 10.0), (30.0, 40.0), (10.0, 40.0))


def test_a_still_is_added_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    still = tmp_path / "foto ñ.png"
    still.write_bytes(cv2.imencode(".png", np.full((120, 160, 3), 70, np.uint8))[1].tobytes())
    for _ in range(2):
        assert main(["--lang", "en", "label", "add", str(still), "--data", str(tmp_path / "data")]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(set(told)) == 1 and "foto-" in told[0] and "objects" in told[0]
    assert len(LabelStore(tmp_path / "data").pictures()) == 1


@pytest.mark.parametrize("command", ["add", "agreement"])
def test_what_cannot_be_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    spoilt = tmp_path / "no.png"
    spoilt.write_bytes(b"\x89PNG no picture")
    data = ["--data", str(tmp_path / "data")]
    wanted = {
        "add": [["add", str(tmp_path / "none.png"), *data], ["add", str(spoilt), *data]],
        "agreement": [["agreement", *data]],
    }
    for arguments in wanted[command]:
        assert main(["label", *arguments]) == 2
        told = capsys.readouterr().err
        assert len(told.splitlines()) == 1 and str(tmp_path) in told
    assert not (tmp_path / "data" / "labels").exists()


def test_agreement_for_people_and_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = LabelStore(tmp_path)
    about = LabelledPicture("p1", "ab" * 32, 1, Fraction(1, 25), 80, 60, "s", "t", None, "x", 0)
    store.add(about, np.zeros((60, 80, 3), np.uint8))
    assert main(["--lang", "en", "label", "agreement", "--data", str(tmp_path)]) == 0
    assert "no picture with two opinions" in capsys.readouterr().out
    store.save("p1", [LabelledObject("a", ObjectClass.CARD_FACE, CORNERS, "7", "H")], "ana", 0, State.DONE)
    store.save("p1", [LabelledObject("b", ObjectClass.CARD_FACE, CORNERS, "7", "D")], "bea", 0, State.SECOND)
    assert main(["label", "agreement", "--data", str(tmp_path), "--json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)
    assert (pair["authors"], pair["rank"], pair["suit"], pair["rank_kappa"]) == (
        ["ana", "bea"],
        1.0,
        0.0,
        1.0,
    )
    assert main(["--lang", "es", "label", "agreement", "--data", str(tmp_path)]) == 0
    assert "ana / bea" in capsys.readouterr().out
