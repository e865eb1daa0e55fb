"""`veedor check` and `veedor rules` as a person and a program meet them."""

import json

import pytest
from veedor.monitor.cli import main
from veedor.rules.events import CardDealt, CoupOpened, SessionOpened
from veedor.rules.journal import JournalWriter
from veedor.rules.profile import profiles_folder
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


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("event: betting_closed}", "event: betting_closed, t: 3}", 9, "t: given twice"),
        ("title: A", "title: B\ntitle: A", 4, "title: given twice"),
        ("{unit: 5, bank: 500}", "{unit: 5, unit: 6}", 5, "unit: given twice"),
        ("{unit: 5, bank: 500}", "{unit: 5, bank: -500}", None, "config.bank: expected a number from 0"),
        ("{unit: 5, bank: 500}", "{unit: 5, bank: much}", None, "config.bank: expected a number from 0"),
        ("{unit: 5, bank: 500}", "{unit: 5, bank: .nan}", None, "config.bank: expected a number from 0"),
        ("card: c2, to: P2", "card: c2, too: P2", 11, "events[5]: to: missing in card_dealt"),
        ("- {t: 6,", "- {t: soon,", 13, "events[7]: t: expected seconds, found 'soon'"),
        ("- {t: 6,", "- {t: 6", 13, "not YAML"),
        ("profile: dos-panos-limitada\n", "", None, "profile: expected one of dos-panos-limitada"),
        ("profile: dos-panos-limitada", "profile: [1]", None, "found [1]"),
        ("profile: dos-panos-limitada", "profile: ''", None, "found ''"),
        ("profile: dos-panos-limitada", 'profile: "x\\e[31m"', None, "found 'x\\x1b[31m'"),
        ("title: A", "title: 2026-13-45 # A", None, "not YAML"),
    ],
)
def test_a_malformed_coup_file_is_one_line_with_its_place(coup, capsys, old, new, line, message):
    assert old in COUP
    coup.write_text(COUP.replace(old, new, 1), encoding="utf-8")
    assert main(["check", str(coup), "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert f"half.yaml: {f'line {line}: ' if line and 'not YAML' not in message else ''}" in err
    assert message in err and err.count("\n") == 1
    assert line is None or f"line {line}: " in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "a0: &a0 [x, x]\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
            + "config: {unit: *a29}\n",
            "too large by its aliases",
        ),
        ("events: &e [*e]\nprofile: dos-panos-limitada\n", "an alias holds itself"),
        ("title: &t {a: *t}\n", "an alias holds itself"),
    ],
)
def test_aliases_that_swell_are_refused_in_one_line(tmp_path, capsys, content, message):
    path = tmp_path / "bomb.yaml"
    path.write_text(content, encoding="utf-8")
    assert main(["check", str(path), "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert f"bomb.yaml: not YAML: {message}" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("event: card_dealt, card: c2", "event: card_delt, card: c2", 11, "event card_delt: not known to"),
        ("card: c2, to: P2", "card: c2, to: P9", 11, "to P9: not one of this game"),
        ("{t: 3, event: card_dealt", "{t: 1.5, event: card_dealt", 10, "t 1.5: runs back from 2"),
        ("zone: 'half:P1'", "zone: 'half:P7'", 8, "zone half:P7: not one of this game"),
        ("event: said, by: P2, words: no", "event: said, by: P2, words: noo", 17, "words noo: not one of"),
        ("event: said, by: P2, words: no", "event: said, by: P2, words: point", 17, "point: missing in said"),
        ("card: c3, shows: 3C", "card: c33, shows: 3C", 22, "card c33: never seen drawn or dealt"),
        ("card: c3, shows: 3C", "card: c3, shows: '3?'", 22, None),
        ("bet_collected, bet: b1", "bet_collected, bet: b11", 24, "bet b11: never seen placed"),
        ("- {t: 15, event: coup_closed, coup: 1}\n", "", 7, "coup 1: never closed, the record ends"),
        ("event: betting_closed}", "event: players_seen, pano: P3, players: []}", 9, "pano P3: not one of"),
    ],
)
def test_what_is_odd_in_a_coup_file_is_told_once_with_its_line_and_the_rest_judged(
    coup, capsys, old, new, line, fault
):
    assert old in COUP
    coup.write_text(COUP.replace(old, new, 1), encoding="utf-8")
    main(["check", str(coup), "--json", "--lang", "en"])
    report = json.loads(capsys.readouterr().out)
    found = [(one["line"], one["text"]) for one in report["faults"]]
    if "card_delt" in new:
        assert found.pop()[1] == "card c2: never seen drawn or dealt"  # what follows from it
    assert len(found) == 1 and found[0][0] == line, found
    assert fault is None or found[0][1].startswith(fault)
    assert report["coups"][0]["results"] is not None
    assert main(["check", str(coup), "--lang", "es", "--brief"]) in (0, 1)
    out = capsys.readouterr().out
    assert f"línea {line}: " in out and found[0][1].split(": ", 1)[1] not in out


def test_time_that_runs_back_for_long_is_told_once(coup, capsys):
    coup.write_text(COUP.replace("{t: 2, event: betting", "{t: 200, event: betting"), encoding="utf-8")
    main(["check", str(coup), "--json", "--lang", "en"])
    report = json.loads(capsys.readouterr().out)
    assert [(one["line"], one["text"]) for one in report["faults"]] == [(10, "t 3: runs back from 200")]


def test_one_bad_file_does_not_keep_the_others_from_being_judged(coup, tmp_path, capsys):
    bad = tmp_path / "bad.yaml"
    bad.write_text("events: [", encoding="utf-8")
    assert main(["check", str(bad), str(coup), "--json"]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["expect"]["holds"] is True
    assert captured.err.count("\n") == 1 and "bad.yaml" in captured.err


def test_the_profile_asked_for_is_the_one_that_judges(coup, tmp_path, capsys):
    assert main(["check", str(coup), "--profile", "nosuch", "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert "half.yaml: profile: expected one of" in err and "nosuch" in err and err.count("\n") == 1
    main(["check", str(coup), "--profile", "dos-panos-libre", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["profile"] == "dos-panos-libre"
    assert report["coups"][0]["cagnotte"] == "0.25"  # 1.25 % of 20
    own = tmp_path / "casa.toml"
    text = (profiles_folder() / "dos-panos-limitada.toml").read_text(encoding="utf-8")
    own.write_text(text.replace('value = "0.02"', 'value = "0.5"'), encoding="utf-8")
    main(["check", str(coup), "--profile", str(own), "--json"])
    assert json.loads(capsys.readouterr().out)["coups"][0]["cagnotte"] == "10"


ESCAPE = "\x1b[31m\x9b2J\u202e\udc80"


def test_what_a_record_says_cannot_steer_the_terminal(tmp_path, capsys):
    path = tmp_path / "journal.jsonl"
    lines = [
        {"id": 1, "t": 0, "event": "session_opened", "profile": "dos-panos-limitada"},
        {"id": 2, "t": 1, "event": "coup_opened", "coup": 1},
        {
            "id": 3,
            "t": 1,
            "event": "bet_placed",
            "bet": ESCAPE,
            "zone": ESCAPE,
            "bettor": ESCAPE,
            "amount": 5,
        },
        {"id": 4, "t": 2, "event": "betting_closed"},
        {"id": 5, "t": 3, "event": "bet_placed", "bet": "b2", "zone": "P1", "bettor": ESCAPE, "amount": 5},
        {"id": 6, "t": 4, "event": "said", "by": ESCAPE, "words": ESCAPE},
        {"id": 7, "t": 5, "event": ESCAPE},
        {"id": 8, "t": 5, "event": "ruling", "by": "inspector", "text": ESCAPE},
        {"id": 9, "t": ESCAPE, "event": "betting_opened"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    for options in ([], ["--json"]):
        assert main(["check", str(path), "--lang", "en", *options]) == 0
        out = capsys.readouterr().out
        assert not [one for one in ESCAPE if one in out and not one.isprintable()]
        assert "BET_AFTER_NMV" in out
    assert json.loads(out)["findings"][0]["actor"] == ESCAPE
    named = tmp_path / "\x1b[31m.yaml"
    assert main(["check", str(named)]) == 2
    assert main(["rules", "\x1b[31m"]) == 2
    err = capsys.readouterr().err
    assert "\x1b" not in err and "\\x1b[31m" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty: no event in it"),
        (b"\n\n", "empty: no event in it"),
        (b"\x00\x01\xfe\xff" * 50, "not a journal: no line is an event"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a journal: no line is an event"),
        (b"[1]\n[2]\n", "not a journal: no line is an event; line 1: expected an object, found list"),
    ],
)
def test_a_file_that_holds_no_journal_says_so(tmp_path, capsys, content, message):
    path = tmp_path / "night.jsonl"
    path.write_bytes(content)
    for options in ([], ["--profile", "dos-panos-libre"]):
        assert main(["check", str(path), "--lang", "en", *options]) == 2
        err = capsys.readouterr().err
        assert f"night.jsonl: {message}" in err and err.count("\n") == 1


def test_a_folder_is_called_one(tmp_path, capsys):
    for name in (tmp_path, tmp_path / "d.jsonl", tmp_path / "d.yaml"):
        name.mkdir(exist_ok=True)
        assert main(["check", str(name)]) == 2
        err = capsys.readouterr().err
        assert f"{name}: Is a directory" in err and err.count("\n") == 1


def test_a_journal_under_another_name_is_known_by_its_first_line(tmp_path, capsys):
    path = tmp_path / "night.log"
    with JournalWriter(path) as journal:
        journal.append(SessionOpened("dos-panos-limitada", t=0.0))
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["profile"] == "dos-panos-limitada"


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
        (5, "card c1"),
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
