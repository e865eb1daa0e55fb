"""Reports tell a night as it stands: pages, PDF and tables, in two languages, the same bytes each time."""

from __future__ import annotations

import csv
import json
import re
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pypdfium2
import pytest
from recorded_nights import a_review, a_session
from veedor.monitor import cli
from veedor.monitor.language import Language
from veedor.monitor.report_export import csv_table, write_parquet
from veedor.monitor.report_money import stakes_of, sums_of
from veedor.monitor.report_pdf import report_pdf
from veedor.monitor.report_pdf_style import printable_text
from veedor.monitor.report_record_files import open_record
from veedor.monitor.report_selection import Selection, choose, report_page
from veedor.monitor.report_tables import COUPS, FINDINGS, STAKES, tables_of
from veedor.monitor.store import Action, Decision, Store
from veedor.rules.finding import Finding
from veedor.rules.verdict import Verdict

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "reports.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def session(data: Path) -> str:
    return a_session(data, coups=3)


def words_of(pdf: bytes) -> list[str]:
    """The text of each page, on one line."""
    document = pypdfium2.PdfDocument(pdf)
    pages = [page.get_textpage().get_text_range() for page in document]
    return [re.sub(r"\s+", " ", each) for each in pages]


def test_a_pdf_tells_findings_money_articles_and_who_decided(data: Path, session: str) -> None:
    record = open_record(session, data)
    pages = words_of(report_pdf(choose(record, Selection()), Language.ES))
    whole = " ".join(pages)
    assert "Mesa 3 «Peña»" in pages[0] and "01/03/2026 21:00:00" in pages[0] and "(UTC-03:00)" in pages[0]
    for each in record.standing:
        assert each.view.title.es in whole and each.view.rule in whole
        assert each.view.remedy.es in whole
    assert "aceptado · ana" in whole and "se ve en el clip" in whole
    assert "Artículos" in whole and "Remedio" in whole
    assert all(f"página {number} de {len(pages)}" in page for number, page in enumerate(pages, 1))
    english = " ".join(words_of(report_pdf(choose(record, Selection()), Language.EN)))
    assert "Every coup" in english and "Artículos" not in english
    for each in record.standing:
        assert each.view.title.en in english


def test_a_pdf_is_the_same_bytes_each_time_and_dated_by_the_session(data: Path, session: str) -> None:
    chosen = choose(open_record(session, data), Selection())
    pdf = report_pdf(chosen, Language.EN)
    again = report_pdf(choose(open_record(session, data), Selection()), Language.EN)
    assert pdf == again
    told = pypdfium2.PdfDocument(pdf).get_metadata_dict()
    assert told["CreationDate"].startswith("D:20260301210000-03") and told["Subject"] == session


def test_a_part_of_a_session_by_findings_codes_and_coups(data: Path, session: str) -> None:
    record = open_record(session, data)
    code = record.standing[0].view.code
    by_code = choose(record, Selection(codes=(code,)))
    assert {each.view.code for each in by_code.findings} == {code}
    by_coup = choose(record, Selection(coups=(2, 2)))
    assert [each.story.number for each in by_coup.coups] == [2]
    assert {each.view.coup for each in by_coup.findings} == {2}
    one = choose(record, Selection(findings=(record.standing[-1].number,)))
    assert len(one.findings) == 1 and len(one.coups) == 1
    text = " ".join(words_of(report_pdf(by_coup, Language.EN)))
    assert "Part of the session: coups 2" in text and "Coup 2" in text and "Coup 3 " not in text
    page = report_page(by_coup, Language.EN)
    assert page.count('class="chapter"') == 1


def test_the_page_has_the_stills_inside_and_links_its_clips(data: Path, session: str, tmp_path: Path) -> None:
    record = open_record(session, data)
    page = report_page(choose(record, Selection()), Language.EN, tmp_path)
    assert page.count("data:image/jpeg;base64,") == len(record.standing)
    assert page.count("/clip.mp4") >= len(record.standing)
    assert "aceptado · ana" in page and "accepted · ana" in page


def test_stills_are_found_again_in_a_page_that_has_them_inside(
    data: Path, session: str, tmp_path: Path
) -> None:
    folder = a_review(tmp_path / "out")
    record = open_record(str(folder), None)
    (folder / "report.html").write_text(report_page(choose(record, Selection()), Language.EN), "utf-8")
    stills = {each.number: each.still_bytes() for each in record.findings}
    for still in (folder / "stills").iterdir():
        still.unlink()
    assert {each.number: each.still_bytes() for each in open_record(str(folder), None).findings} == stills


def test_a_review_in_one_language_is_told_in_both(tmp_path: Path) -> None:
    record = open_record(str(a_review(tmp_path / "out")), None)
    assert record.standing and all(each.view.remedy.es != each.view.remedy.en for each in record.standing)
    assert all(each.still_bytes() and each.clip for each in record.standing)


def test_a_difference_accuses_nobody_without_a_finding(data: Path, session: str) -> None:
    record = open_record(session, data)
    stakes = stakes_of(record.coups, record.standing)
    different = [each for each in stakes if each.differs]
    assert different
    for each in different:
        assert each.wrong == any(
            found.view.verdict == "broken" and not found.dismissed for found in each.said
        )
    sums = sums_of(record.coups, record.standing)
    wrong = [each.difference or Decimal(0) for each in stakes if each.wrong]
    assert sums.too_much - sums.too_little == sum(wrong, Decimal(0))
    assert sums_of(record.coups).too_much == 0


def test_a_dismissed_finding_is_told_as_dismissed(tmp_path: Path) -> None:
    session = a_session(tmp_path / "data")
    decisions = tmp_path / "data" / "tables" / session / "decisions.jsonl"
    line = json.loads(decisions.read_text("utf-8")) | {
        "id": 2,
        "action": "dismiss",
        "reason": "no <b>fue</b> así",
    }
    decisions.write_text(decisions.read_text("utf-8") + json.dumps(line) + "\n", "utf-8")
    record = open_record(session, tmp_path / "data")
    assert record.finding(1).dismissed
    text = " ".join(words_of(report_pdf(choose(record, Selection()), Language.EN)))
    assert "(1 dismissed)" in text and "no <b>fue</b> así" in text


def test_letters_signs_and_cards_are_printed_or_put_into_words() -> None:
    assert printable_text("ñÑáéíóúü¿¡«»—–“”·−€", Language.ES) == "ñÑáéíóúü¿¡«»—–“”·−€"
    assert printable_text("c1 es 10♥", Language.ES) == "c1 es 10 de corazones"
    assert printable_text("c1 is A♠", Language.EN) == "c1 is A of spades"
    assert printable_text("Wąsik→Ő\u202f日\n", Language.EN) == "Wasik->O\u00a0? "


def test_hostile_words_and_pictures_are_printed_as_they_stand(tmp_path: Path) -> None:
    folder = a_review(tmp_path / "out")
    for still in (folder / "stills").iterdir():
        still.write_bytes(b"\xff\xd8 not a picture")
    long = Finding("BET_CHANGED", Verdict.BROKEN, 1, 50.0, "<font size=99>x", "001", "money", 1.0)
    line = dict(long.to_json("en")) | {"remedy": "</para><br/>&" + "w" * 400 + " word" * 300}
    with (folder / "findings.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    text = " ".join(words_of(report_pdf(choose(open_record(str(folder), None), Selection()), Language.EN)))
    assert "<font size=99>x" in text and "</para><br/>&" in text
    assert "the picture cannot be read" in text


def test_a_night_without_findings_or_coups_is_told_too(tmp_path: Path) -> None:
    folder = a_review(tmp_path / "out", coups=0)
    (folder / "findings.jsonl").write_text("", "utf-8")
    chosen = choose(open_record(str(folder), None), Selection())
    assert "Nothing to report" in " ".join(words_of(report_pdf(chosen, Language.EN)))
    assert "Nothing to report" in report_page(chosen, Language.EN)
    assert [len(each.rows) for each in tables_of(chosen, Language.EN)] == [0, 0, 0]


def test_tables_have_amounts_as_decimals_and_both_kinds_of_time(data: Path, session: str) -> None:
    chosen = choose(open_record(session, data), Selection())
    coups, stakes, findings = (
        list(csv.DictReader(csv_table(each).decode("utf-8-sig").splitlines()))
        for each in tables_of(chosen, Language.ES)
    )
    assert [each["coup"] for each in coups] == ["1", "2", "3"]
    assert coups[0]["opened_s"] == "40.0" and coups[0]["opened_at"] == "2026-03-01T21:00:40.000-03:00"
    assert coups[0]["staked"] == "5500.50" and coups[0]["cards"].startswith("P1 7H 9S; P2 TD 6C")
    late = next(each for each in stakes if each["bet"] == "b12")
    assert (late["who"], late["zone"], late["amount"], late["collected"]) == (
        "seat7",
        "P2",
        "2500.50",
        "2500.50",
    )
    first = next(each for each in findings if each["number"] == "1")
    assert (first["decision"], first["decided_by"]) == ("accept", "ana")
    assert {each["title"] for each in findings} == {each.view.title.es for each in chosen.findings}
    assert sum(int(each["findings"]) for each in coups) == len(findings)


def test_a_formula_in_a_name_is_text_in_a_spreadsheet(tmp_path: Path) -> None:
    folder = a_review(tmp_path / "out")
    journal = (folder / "journal.jsonl").read_text("utf-8").replace('"seat3"', '"=1+1"')
    (folder / "journal.jsonl").write_text(journal, "utf-8")
    _, stakes, _ = tables_of(choose(open_record(str(folder), None), Selection()), Language.EN)
    assert b",'=1+1," in csv_table(stakes) and b",=1+1," not in csv_table(stakes)


def test_every_column_is_documented_and_none_that_there_is_not() -> None:
    for name, columns in (("coups", COUPS), ("stakes", STAKES), ("findings", FINDINGS)):
        found = re.search(rf"^### {name}$(.*?)(?=^##|\Z)", DOCS, flags=re.DOTALL | re.MULTILINE)
        assert found is not None, name
        told = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", found.group(1), flags=re.MULTILINE)
        assert told == [(each.name, each.kind.value, each.meaning) for each in columns]


def test_parquet_keeps_amounts_and_moments_exactly(data: Path, session: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    tables = tables_of(choose(open_record(session, data), Selection()), Language.EN)
    for path, table in zip(write_parquet(tmp_path, tables), tables, strict=True):
        read = parquet.read_table(path)
        assert read.column_names == [each.name for each in table.columns]
        for row, written in zip(read.to_pylist(), table.rows, strict=True):
            for value, cell in zip(row.values(), written, strict=True):
                assert value == cell, path
                assert not isinstance(cell, datetime) or value.tzinfo is not None


def test_parquet_without_pyarrow_is_one_line(
    data: Path,
    session: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    order = ["report", session, "--data", str(data), "--format", "parquet", "--out", str(tmp_path / "p")]
    assert cli.main([*order, "--lang", "en"]) == 2
    assert "the `parquet` extra" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["pdf", "html", "csv"])
def test_the_command_writes_each_format(
    form: str, data: Path, session: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"informe ñ.{form}"
    order = ["report", session, "--data", str(data), "--format", form, "--out", str(out), "--json"]
    assert cli.main([*order, "--coups", "1-2", "--lang", "es"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["coups"] == 2 and all(Path(each).is_file() for each in told["files"])
    if form == "csv":
        assert (out / "coups.csv").read_bytes().startswith(b"\xef\xbb\xbftable,")
    if form == "html":
        assert '<html lang="es">' in out.read_text("utf-8")


def test_a_file_named_html_is_a_page(data: Path, session: str, tmp_path: Path) -> None:
    out = tmp_path / "report.HTML"
    assert cli.main(["report", session, "--data", str(data), "--out", str(out)]) == 0
    assert out.read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["mesa-3/none"], "neither a session"),
        (["{data}"], "neither a session"),
        (["../../etc"], "neither a session"),
        (["{session}", "--finding", "99"], "no finding 99"),
        (["{session}", "--coups", "x"], "12 or 12-30"),
        (["{session}", "--coups", "90-99"], "nothing that is asked for"),
        (["{session}", "--code", "NOPE"], "NOPE: no such code"),
        (["{session}", "--code", "SLOW_VIEW"], "nothing that is asked for"),
        (
            ["{session}", "--out", "{data}/r.docx"],
            "no report can be made as .docx; known are .pdf, .html, .htm",
        ),
        (["{session}", "--out", "{data}/r"], "has no ending; known are .pdf, .html, .htm"),
        (["{session}", "--out", "{data}/r.csv"], "for tables say --format csv or parquet"),
        (["{session}", "--out", "{data}"], "is a folder"),
        (["{session}", "--out", "{data}/none/r.pdf"], "No such file"),
        (["{session}", "--format", "csv", "--out", "{data}/store.sqlite"], "not a folder"),
    ],
)
def test_bad_orders_are_one_line_and_two(
    words: list[str], says: str, data: Path, session: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = [each.format(data=data, session=session) for each in words]
    if "--out" not in filled:
        filled += ["--out", str(tmp_path / "r.pdf")]
    assert cli.main(["report", *filled, "--data", str(data), "--lang", "en"]) == 2
    shown = capsys.readouterr().err
    assert says in shown and shown.count("\n") == 1


def test_long_rulings_on_one_finding_are_all_printed(tmp_path: Path) -> None:
    name = a_session(tmp_path, coups=1)
    with Store.of_data(tmp_path) as store:
        for number in range(4):
            reason = f"BEGIN{number} " + "palabras de la resolución " * 74 + f"END{number}"
            assert len(reason) <= 2000
            store.record_decision(name, 1, Decision(Action.RULE, "ana", reason))
    whole = " ".join(words_of(report_pdf(choose(open_record(name, tmp_path), Selection()), Language.ES)))
    for number in range(4):
        assert f"BEGIN{number}" in whole and f"END{number}" in whole


def test_a_name_that_never_ends_does_not_stop_a_report(tmp_path: Path) -> None:
    name = a_session(tmp_path, coups=1)
    journal = tmp_path / "tables" / name / "journal.jsonl"
    journal.write_text(journal.read_text("utf-8").replace('"seat3"', f'"{"ab " * 4000}"'), "utf-8")
    assert report_pdf(choose(open_record(name, tmp_path), Selection()), Language.EN).startswith(b"%PDF")
