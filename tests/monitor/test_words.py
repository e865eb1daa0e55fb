"""What a person reads: in their language, in number, and without another program's noise."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from veedor.monitor import cli, language
from veedor.monitor.fold import PICTURES_ENDED
from veedor.monitor.language import Language
from veedor.monitor.pages import TEMPLATES, environment
from veedor.monitor.progress import LINE_EVERY_S, Progress
from veedor.monitor.review import NOT_RECORDED
from veedor.monitor.rule_words import FACTS, SEVERITIES, general, severity_name
from veedor.monitor.sight_book import RESTART
from veedor.monitor.summary import outcome
from veedor.monitor.wording import VIEW_REASONS, describe
from veedor.rules.events import ViewLost
from veedor.rules.rulebook import rulebook
from veedor.vision.fusion import CAMERAS_DISAGREE
from veedor.vision.stream_intake import GapReason
from veedor.vision.view_watch import FRAME_GAP, LINES_UNSEEN

PLACEHOLDER = re.compile(r"\{(\w+)\}")
# Words that a Spanish sentence at a baccarat table writes as an English one does.
SAME = {"suite", "total", "paño"}


def sentences() -> list[str]:
    book = rulebook()
    found = [text for words in (*book.steps.values(), *book.reasons.values()) for text in words.values()]
    for entry in book.codes.values():
        for texts in entry.texts.values():
            found += [texts.name, texts.expected, texts.found, texts.remedy]
    return found


def test_every_severity_and_every_fact_of_the_rulebook_has_its_word_in_both_languages() -> None:
    assert {entry.severity for entry in rulebook().codes.values()} <= set(SEVERITIES)
    assert {name for text in sentences() for name in PLACEHOLDER.findall(text)} <= set(FACTS)
    for spanish, english in (*SEVERITIES.values(), *FACTS.values(), *VIEW_REASONS.values()):
        assert spanish and english and (spanish != english or spanish in SAME)


def test_every_remedy_step_and_reason_is_told_in_both_languages() -> None:
    book = rulebook()
    for words in (*book.steps.values(), *book.reasons.values()):
        assert set(words) == {"en", "es"} and words["en"] != words["es"]
    for entry in book.codes.values():
        english, spanish = entry.texts["en"], entry.texts["es"]
        assert english.remedy != spanish.remedy and english.expected != spanish.expected


def test_a_rule_in_spanish_leaves_no_english_word(capsys: pytest.CaptureFixture[str]) -> None:
    english = {each[1] for each in (*SEVERITIES.values(), *FACTS.values())} - SAME
    for code, entry in rulebook().codes.items():
        assert cli.main(["rules", code, "--lang", "es"]) == 0
        shown = capsys.readouterr().out
        assert not set(re.findall("‹(.*?)›", shown)) & english
        assert f"  {severity_name(entry.severity, Language.ES)}\n" in shown
    assert general("{hand} pide", Language.ES) == "‹mano› pide"


def test_pages_name_a_severity_as_the_console_does() -> None:
    assert (TEMPLATES / "parts.html.j2").is_file()
    template = environment(None).get_template("parts.html.j2")
    source = (TEMPLATES / "parts.html.j2").read_text("utf-8")
    for severity, (spanish, english) in SEVERITIES.items():
        assert f'== "{severity}" %}}{{{{ say("{spanish}", "{english}") }}}}' in source, severity
    assert template is not None


def test_every_reason_that_is_journalled_has_words() -> None:
    own = {*GapReason, CAMERAS_DISAGREE, FRAME_GAP, LINES_UNSEEN, RESTART, PICTURES_ENDED, NOT_RECORDED}
    assert own <= VIEW_REASONS.keys()


def test_a_lost_view_says_why_in_spanish() -> None:
    told = describe(ViewLost((), "frame gap", t=1.0), Language.ES)
    assert told == "vista perdida: mesa (no se miraron todas las imágenes: falta procesador o llegan pocas)"


@pytest.mark.parametrize(
    ("lang", "words"),
    [(Language.ES, "1 jugada, 0 infracciones, 1 por decidir"), (Language.EN, "1 coup, 0 infractions, 1 to")],
)
def test_one_is_no_plural(lang: Language, words: str) -> None:
    language.use(lang)
    try:
        assert outcome(1, 0, 1).startswith(words)
    finally:
        language.use(Language.EN)


def test_where_no_terminal_is_progress_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = [0.0]
    with Progress("look", "s", now=lambda: clock[0]) as progress:
        for second in range(31):
            clock[0] = float(second)
            progress.show(second * 4, 120)
    shown = capsys.readouterr().err
    assert "\r" not in shown
    assert shown.splitlines() == ["look: 40/120 s, 0:20 left", "look: 80/120 s, 0:10 left", "look: 120/120 s"]
    assert LINE_EVERY_S == 10.0


def test_a_truncated_png_is_one_line_of_ours(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8)
    done, data = cv2.imencode(".png", noise)
    assert done
    path = tmp_path / "short.png"
    path.write_bytes(data.tobytes()[: len(data) // 2])
    status = cli.main(["read", str(path), "--lang", "en"])
    shown = capfd.readouterr()
    assert status == 2 and shown.out == ""
    assert shown.err.count("\n") == 1 and str(path) in shown.err
