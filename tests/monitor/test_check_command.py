"""`veedor check` and `veedor rules` as a person and a program meet them."""

import json

import pytest
from veedor.monitor.cli import main
from veedor.rules.events import CardDealt, CoupOpened, SessionOpened
from veedor.rules.journal import JournalWriter
from veedor.rules.rulebook import rulebook

COUP = """
id: half
title: A stake on the line collected whole
profile: dos-panos-limitada
config: {unit: 5, bank: 500}
events:
- {t: 0, event: coup_opened, coup: 1}
- {t: 1, event: bet_placed, bet: b1, bettor: A, seat: 1, zone: 'half:P1', amount: 40}
- {t: 2, event: betting_closed}
- {t: 3, event: card_dealt, card: c1, to: P1}
- {t: 4, event: card_dealt, card: c2, to: P2}
- {t: 5, event: card_dealt, card: c3, to: B}
- {t: 6, event: card_dealt, card: c4, to: P1}
- {t: 7, event: card_dealt, card: c5, to: P2}
- {t: 8, event: card_dealt, card: c6, to: B}
- {t: 9, event: said, by: P1, words: no}
- {t: 10, event: said, by: P2, words: no}
- {t: 11, event: card_turned, card: c1, shows: 4H}
- {t: 11, event: card_turned, card: c4, shows: 2S}
- {t: 11, event: card_turned, card: c2, shows: KD}
- {t: 11, event: card_turned, card: c5, shows: 6D}
- {t: 12, event: card_turned, card: c3, shows: 3C}
- {t: 12, event: card_turned, card: c6, shows: 4C}
- {t: 13, event: bet_collected, bet: b1, amount: 40}
- {t: 14, event: cagnotte_paid, amount: 0.4}
- {t: 15, event: coup_closed, coup: 1}
expect:
  findings:
  - {code: PAYOUT_WRONG, actor: croupier, t: 13, rule: 001 VII p4}
  points: {P1: 6, P2: 6, B: 7}
  payouts: {A: -20}
  cagnotte: 0.4
  bank_after: 519.6
"""


@pytest.fixture
def coup(tmp_path):
    path = tmp_path / "half.yaml"
    path.write_text(COUP, encoding="utf-8")
    return path


def test_a_coup_file_that_holds_exits_0_with_its_timeline(coup, capsys):
    assert main(["check", str(coup), "--lang", "es"]) == 0
    out = capsys.readouterr().out
    assert "«ya no va más»" in out and "PAYOUT_WRONG" in out and "A -20" in out and "como se esperaba" in out
    assert main(["check", str(coup), "--lang", "en", "--brief"]) == 0
    out = capsys.readouterr().out
    assert "ya no va más" not in out and "as expected" in out


def test_an_expectation_that_fails_exits_1_and_is_named(coup, capsys):
    coup.write_text(COUP.replace("A: -20", "A: -40"), encoding="utf-8")
    assert main(["check", str(coup), "--lang", "en"]) == 1
    assert "payouts: expected {'A': -40}, found {'A': '-20'}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rule: 001 VII p4", "rule: 001 VIII", "no such finding"),
        ("  points:", "  verdicts: x\n  points:", "a known key"),
        ("  - {code: PAYOUT_WRONG, actor: croupier, t: 13, rule: 001 VII p4}", "  []", "PAYOUT_WRONG broken"),
    ],
)
def test_every_kind_of_expectation_can_fail(coup, capsys, old, new, message):
    text = COUP.replace(old, new)
    assert text != COUP
    coup.write_text(text.replace("findings:\n  []", "findings: []"), encoding="utf-8")
    assert main(["check", str(coup), "--lang", "en"]) == 1
    assert message in capsys.readouterr().out


def test_json_is_one_line_a_file(coup, capsys):
    assert main(["check", str(coup), str(coup), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2
    assert [one["code"] for one in lines[0]["findings"]] == ["PAYOUT_WRONG"]
    assert lines[0]["coups"][0]["payouts"] == {"A": "-20"}
    assert lines[0]["expect"] == {"holds": True, "mismatches": []}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("events: [", "not YAML"),
        ("- 1", "expected id, title, profile and events"),
        ("profile: dos-panos-limitada\nevents: []\ncolour: red", "colour: not a key"),
        ("profile: poker\nevents: []", "profile: expected one of"),
        ("profile: dos-panos-limitada", "events: expected a list"),
        (
            "profile: dos-panos-limitada\nevents: [{t: 1, event: card_dealt, to: P1}]",
            "events[1]: card: missing",
        ),
        ("profile: dos-panos-limitada\nevents: []\nconfig: {unit: -1}", "config.unit: expected a number"),
        ("profile: dos-panos-limitada\nevents: []\nreadings: {C-99: x}", "readings.C-99"),
    ],
)
def test_a_bad_coup_file_is_one_line_and_exit_2(tmp_path, capsys, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path), "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert "bad.yaml" in err and message in err and err.count("\n") == 1


def test_a_missing_file_is_one_line_and_exit_2(tmp_path, capsys):
    for name in ("none.yaml", "none.jsonl"):
        assert main(["check", str(tmp_path / name)]) == 2
        assert name in capsys.readouterr().err


def test_a_journal_reports_what_is_odd_with_its_line_and_judges_the_rest(tmp_path, capsys):
    path = tmp_path / "journal.jsonl"
    with JournalWriter(path) as journal:
        journal.append(SessionOpened("dos-panos-limitada", t=0.0))
        journal.append(CardDealt("c9", "P1", t=0.5))
        journal.append(CoupOpened(1, t=1.0))
        journal.append(CoupOpened(2, t=2.0))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": 5, "t": 3, "event": "card_moved", "card": "c1", "to": "shoe"}\n{"id": 6')
    assert main(["check", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in report["findings"]] == ["CARD_RETURNED_TO_SABOT"]
    assert [(fault["line"], fault["text"].split(":")[0]) for fault in report["faults"]] == [
        (2, "card c9"),
        (3, "coup 1"),
        (4, "coup 2"),
        (6, "last line is cut short, left out"),
    ]


def test_a_journal_without_a_profile_needs_one(tmp_path, capsys):
    path = tmp_path / "journal.jsonl"
    with JournalWriter(path) as journal:
        journal.append(CoupOpened(1, t=1.0))
    assert main(["check", str(path), "--lang", "en"]) == 2
    assert "give --profile" in capsys.readouterr().err
    assert main(["check", str(path), "--profile", "punto-banco-pr"]) == 0


def test_rules_lists_every_code_and_shows_one_in_full(capsys):
    assert main(["rules", "--lang", "es"]) == 0
    out = capsys.readouterr().out
    assert all(code in out for code in rulebook().codes)
    assert main(["rules", "p_stand_below5", "--lang", "es"]) == 0
    out = capsys.readouterr().out
    assert "001 VIII.4 p1" in out and "Se plantó con menos de cinco" in out
    assert main(["rules", "--profile", "punto-banco-pr", "--json"]) == 0
    codes = {entry["code"] for entry in json.loads(capsys.readouterr().out)}
    assert "PR_TURN_ORDER" in codes and "HAND_ROTATION" not in codes
    assert main(["rules", "NOTHING", "--lang", "en"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
