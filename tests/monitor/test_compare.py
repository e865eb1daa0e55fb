"""Two reviews of one night told apart, and which weights judged which finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from veedor.monitor import cli
from veedor.monitor.compare import compare_sessions
from veedor.monitor.errors import UsageFault
from veedor.monitor.makers import JudgedFinding, judged, note_makers
from veedor.monitor.reviewed_files import MadeBy, Recorded, write_made_by, write_recordings
from veedor.monitor.store.layout import SessionFolder

FIRST, SECOND = "m1/20260101T210000Z-review", "m1/20260101T210000Z-review-2"
Lines = list[dict[str, object]]


def session(
    data: Path, name: str, journal: Lines, findings: Lines, *, offset_s: float = 0.0
) -> SessionFolder:
    folder = SessionFolder(data, name)
    folder.path.mkdir(parents=True)
    events = [
        {"id": n, "schema": 1, "source": "vision", "confidence": 1.0} | e for n, e in enumerate(journal, 1)
    ]
    folder.journal.write_text("".join(json.dumps(each) + "\n" for each in events), encoding="utf-8")
    told = [{"actor": "croupier", "confidence": 0.9, "number": n} | e for n, e in enumerate(findings, 1)]
    folder.findings.write_text("".join(json.dumps(each) + "\n" for each in told), encoding="utf-8")
    write_recordings(folder.path, [Recorded(data / "a.mp4", "ab" * 32, offset_s, 60.0, (64, 48), offset_s)])
    return folder


def made_by(reader: str, profile: str = "dos-panos-limitada") -> MadeBy:
    models = {"detector": "d" * 64, "reader": reader * 64}
    return MadeBy("0.1.0", "c" * 64, models, profile, "e" * 64, {})


def night(shift_s: float, face: str, amount: str) -> Lines:
    return [
        {"t": 1.0 + shift_s, "event": "coup_opened", "coup": 1},
        {"t": 3.0 + shift_s, "event": "bet_placed", "bet": "b1", "zone": "P1.seat1.bet", "amount": amount},
        {"t": 5.0 + shift_s, "event": "card_dealt", "card": "x9", "to": "P1"},
        {"t": 6.0 + shift_s, "event": "card_turned", "card": "x9", "shows": face},
        {"t": 8.0 + shift_s, "event": "bet_paid", "bet": "b1", "amount": amount},
        {"t": 9.0 + shift_s, "event": "coup_closed", "coup": 1},
    ]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    one = session(
        tmp_path,
        FIRST,
        night(0.0, "7H", "50"),
        [
            {"code": "PAYOUT_WRONG", "verdict": "broken", "coup": 1, "t": 9.0},
            {"code": "CARD_WITHHELD", "verdict": "broken", "coup": 1, "t": 7.0},
            {"code": "BET_LATE", "verdict": "undecided", "coup": 1, "t": 5.0},
        ],
    )
    write_made_by(one.path, made_by("1"))
    other = session(
        tmp_path,
        SECOND,
        night(10.0, "9H", "50"),
        [
            {"code": "PAYOUT_WRONG", "verdict": "broken", "coup": 1, "t": 19.2},
            {"code": "BET_LATE", "verdict": "broken", "coup": 1, "t": 15.0},
            {"code": "CARD_WITHHELD", "verdict": "broken", "coup": 1, "t": 17.0},
            {"code": "CARD_WITHHELD", "verdict": "withdrawn", "coup": 1, "t": 17.0, "number": 3},
        ],
        offset_s=10.0,
    )
    write_made_by(other.path, made_by("2"))
    return tmp_path


def test_what_differs_is_told_on_the_first_ones_clock(data: Path) -> None:
    found = compare_sessions(data, FIRST, SECOND)
    assert [each.code for each in found.only_first] == ["CARD_WITHHELD"] and not found.only_second
    assert [(one.verdict, other.verdict) for one, other in found.changed] == [("undecided", "broken")]
    assert found.changed[0][1].t_s == 5.0 and found.same == 1
    assert [(each.what, each.where, each.first, each.second) for each in found.differences] == [
        ("cards", "P1", "7H", "9H")
    ]
    assert found.made == (("model reader", "1" * 64, "2" * 64),)
    assert not found.agrees


def test_amounts_that_differ_are_told(data: Path) -> None:
    third = "m1/20260101T210000Z-review-3"
    write_made_by(session(data, third, night(0.0, "7H", "70"), []).path, made_by("1", "punto-banco-pr"))
    found = compare_sessions(data, FIRST, third)
    assert [(each.what, each.first, each.second) for each in found.differences] == [
        ("stake", "50", "70"),
        ("settled", "50", "70"),
    ]
    assert [name for name, *_ in found.made] == ["rules"]


def test_a_session_agrees_with_itself(data: Path) -> None:
    assert compare_sessions(data, FIRST, FIRST).agrees


def test_what_both_were_made_with_is_named(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ("rules", f"dos-panos-limitada {'e' * 12}") in compare_sessions(data, FIRST, SECOND).alike
    cli.main(["--lang", "en", "compare", FIRST, SECOND, "--data", str(data)])
    told = capsys.readouterr().out
    assert f"rules: dos-panos-limitada {'e' * 12} (in both)" in told and "program: 0.1.0" in told
    assert f"model reader: {'1' * 40} → {'2' * 40}" in told and "neither says" not in told


@pytest.mark.parametrize(
    ("correction", "amount"),
    [
        ({"corrects": 2, "replacement": {"event": "bet_placed", "bet": "b1", "zone": "P1.seat1.bet",
                                         "amount": "70", "t": 13.0}}, "70"),
        ({"corrects": 2}, ""),
        ({"corrects": 0, "replacement": {"event": "bet_placed", "bet": "b2", "zone": "P1.seat1.bet",
                                         "amount": "20", "t": 14.0}}, "70"),
    ],
)  # fmt: skip
def test_what_a_person_corrected_is_not_told_as_another_reading(
    data: Path, capsys: pytest.CaptureFixture[str], correction: dict[str, object], amount: str
) -> None:
    journal = SessionFolder(data, SECOND).journal
    line = {
        "id": 7,
        "schema": 1,
        "source": "operator",
        "confidence": 1.0,
        "t": 19.0,
        "event": "event_corrected",
    }
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | correction) + "\n")
    found = compare_sessions(data, FIRST, SECOND)
    stake = next(each for each in found.differences if each.what == "stake")
    assert (stake.first, stake.second, stake.corrected) == ("50", amount, ("second",))
    assert found.corrected == ((), (1,)) and found.changed[0][1].corrected
    for language, word in (("en", "corrected by a person in B"), ("es", "corregido por una persona en B")):
        cli.main(["--lang", language, "compare", FIRST, SECOND, "--data", str(data)])
        told = capsys.readouterr().out
        assert f"50 → {amount or '—'}  [{word}]" in told and "B: " in told


def test_another_night_is_no_comparison(data: Path) -> None:
    other = SessionFolder(data, "m1/20260102T210000Z")
    other.path.mkdir()
    with pytest.raises(UsageFault, match="no recording in common"):
        compare_sessions(data, FIRST, other.session)


@pytest.mark.parametrize(("language", "word"), [("es", "hallazgos sólo en A"), ("en", "findings only in A")])
def test_the_command_tells_it_in_both_languages(
    data: Path, capsys: pytest.CaptureFixture[str], language: str, word: str
) -> None:
    assert cli.main(["--lang", language, "compare", FIRST, SECOND, "--data", str(data)]) == 1
    told = capsys.readouterr().out
    assert word in told and "7H → 9H" in told
    assert cli.main(["compare", FIRST, FIRST, "--data", str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agrees"] is True
    assert cli.main(["compare", FIRST, "m1/none", "--data", str(data)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_every_finding_names_what_judged_it(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = list(judged(data))
    assert {each.makers.models["reader"][0] for each in found if each.makers} == {"1", "2"}
    assert len(found) == 5 and all(isinstance(each, JudgedFinding) for each in found)
    assert cli.main(["models", "judged", "--data", str(data), "--by", "22", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {each["session"] for each in told} == {SECOND}


def test_a_watched_session_that_went_on_with_other_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SessionFolder(tmp_path, "m1/20260101T210000Z")
    folder.path.mkdir(parents=True)
    for digest in ("1", "2"):
        monkeypatch.setattr(
            "veedor.monitor.makers.model_hashes", lambda digest=digest: {"reader": digest * 64}
        )
        note_makers(folder, "dos-panos-limitada")
    lines = [json.loads(line) for line in (folder.path / "makers.jsonl").read_text().splitlines()]
    middle = lines[0]["at"]
    finding = {"code": "X", "verdict": "broken", "coup": 1, "t": 1.0, "actor": "croupier"}
    told = [finding | {"number": 1, "at": middle}, finding | {"number": 2, "at": "2999-01-01T00:00:00+00:00"}]
    folder.findings.write_text("".join(json.dumps(each) + "\n" for each in told))
    assert [each.makers.models["reader"][0] for each in judged(tmp_path) if each.makers] == ["1", "2"]
