"""Faults of areas that know no language, as a person reads them in Spanish."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from raised_texts import HOLE, Raised, Sources
from veedor.monitor import language
from veedor.monitor.coup_yaml import read_yaml
from veedor.monitor.errors import UsageFault
from veedor.monitor.fault_words import telling
from veedor.monitor.fault_words.telling import in_spanish, in_words, message_of
from veedor.monitor.language import _OF_THE_SYSTEM, Language, with_system_words
from veedor.monitor.ops.config import read_config
from veedor.rules.errors import CoupFileError
from veedor.vision.errors import VisionError

ROOT = Path(__file__).parents[2]
AREAS = (
    "rules",
    "vision",
    "datasets",
    "models",
    "monitor",
    "web",
)  # the errors of these are all told in Spanish


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources(ROOT, AREAS)


def _untold(text: str) -> list[str]:
    """What of a message stays in English; a value may begin with one word of a file or of an option."""
    pieces = in_spanish(re.sub(r"⟦\w*⟧", "7", text)).left
    return [each for each in pieces if re.search(r"[^\W\d_]{2}", re.sub(r"^\W*[\w.[\]-]+[\W\d]*$", "", each))]


@pytest.mark.parametrize("area", AREAS)
def test_every_message_that_an_error_is_raised_with_has_its_spanish(sources: Sources, area: str) -> None:
    raised = list(sources.messages(area))
    assert len({each.text for each in raised}) > (50 if area != "web" else 5), (
        "no longer read as it is written"
    )
    lacking = {f"{each.place}: {each.text}: {untold}" for each in raised if (untold := _untold(each.text))}
    assert not lacking, "no Spanish in monitor/veedor/monitor/fault_words for:\n" + "\n".join(sorted(lacking))


def test_a_new_message_is_found_with_its_file_and_line(tmp_path: Path) -> None:
    code = tmp_path / "vision" / "veedor" / "vision" / "new.py"
    code.parent.mkdir(parents=True)
    code.write_text(
        "class NewError(Exception): ...\n"
        "def _fault(path, what):\n"
        "    return NewError(f'{path}: {what}')\n"
        "def read(path, size):\n"
        "    raise _fault(path, f'{size} moons are too many')\n"
    )
    found = Sources(tmp_path, ("vision",)).messages("vision")
    assert Raised(f"{HOLE}: {HOLE} moons are too many", "vision/veedor/vision/new.py:5") in set(found)
    assert _untold(f"{HOLE}: {HOLE} moons are too many")


def test_spanish_has_no_hole_but_those_that_the_english_has() -> None:
    for english, spanish in (*telling._SENTENCES, *telling._PHRASES):
        assert set(re.findall(r"\{\w\}", spanish)) <= set(re.findall(r"\{\w\}", english)), english


def test_no_message_is_in_the_catalogue_twice() -> None:
    for pairs in (telling._SENTENCES, telling._PHRASES):
        english = [pair[0] for pair in pairs]
        assert sorted(set(english)) == sorted(english)


@pytest.mark.parametrize(
    ("english", "spanish"),
    [
        ("f/none: no such file", "f/none: no existe ese archivo"),
        ("f/dir: cannot be read: Is a directory", "f/dir: no se puede leer: es una carpeta"),
        (
            "t.toml: table[1].source: expected a text, found 5",
            "t.toml: table[1].source: se esperaba un texto, y hay 5",
        ),
        (
            "j.yaml: profile: expected one of a, b or a TOML file, found 'no such file'",
            "j.yaml: profile: se esperaba uno de a, b o un archivo TOML, y hay 'no such file'",
        ),
        (
            "v.mp4: not a video that can be read: Invalid data found when processing input",
            "v.mp4: no es un vídeo que se pueda leer: contiene datos que no son de un vídeo",
        ),
        (
            "t.toml: not valid TOML: Invalid value (at line 1, column 5)",
            "t.toml: TOML no válido: valor no válido (línea 1, columna 5)",
        ),
        (
            "table 'm1': calibrated for pictures of 1280 x 720, found 16 x 16",
            "mesa 'm1': calibrada para imágenes de 1280 x 720, y esta es de 16 x 16",
        ),
        (
            "j.yaml: line 7: events[2]: t: expected seconds, found 'x'",
            "j.yaml: línea 7: events[2]: t: se esperaba segundos, y hay 'x'",
        ),
        ("labels/a.txt, line 3: unknown class 9", "labels/a.txt, línea 3: clase desconocida 9"),
        ("picture 1.png: no such file", "picture 1.png: no existe ese archivo"),
        ("t.toml: el archivo está bien; no such file", "t.toml: el archivo está bien; no existe ese archivo"),
        ("something that nobody has translated", "something that nobody has translated"),
    ],
)
def test_places_and_values_stay_and_sentences_are_told_in_spanish(english: str, spanish: str) -> None:
    assert in_spanish(english).text == spanish
    assert message_of(VisionError(english), Language.ES) == spanish
    assert message_of(VisionError(english), Language.EN) == english


def _said(*arguments: str, lang: str = "es") -> str:
    command = [sys.executable, "-m", "veedor.monitor.cli", *arguments, "--lang", lang]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


def test_the_command_line_tells_faults_of_every_area_in_spanish(tmp_path: Path) -> None:
    none = tmp_path / "none.toml"
    assert _said("calibrate", "--check", str(none)) == f"veedor calibrate: {none}: no existe ese archivo"
    assert _said("calibrate", "--check", str(none), lang="en") == f"veedor calibrate: {none}: no such file"
    coup = tmp_path / "coup.yaml"
    coup.write_text("events:\n  - {t: soon, event: shoe_started}\n", encoding="utf-8")
    assert "se esperaba segundos, y hay 'soon'" in _said("check", str(coup))


def test_the_service_tells_the_faults_of_its_file_in_spanish(tmp_path: Path) -> None:
    config = tmp_path / "tables.toml"
    for written, spanish in (
        ("data = 5\n", "data: se esperaba un texto, y hay 5"),
        ('data = "d"\n', "table: no hay ninguna mesa que vigilar"),
        ("data =\n", "TOML no válido: valor no válido (línea 1, columna 7)"),
    ):
        config.write_text(written)
        with pytest.raises(VisionError) as fault:
            read_config(config)
        assert message_of(fault.value, Language.ES) == f"{config}: {spanish}"


def test_an_error_with_its_own_spanish_is_told_by_it() -> None:
    fault = CoupFileError("missing")
    fault.spanish = "ya lo dice"  # type: ignore[attr-defined]
    assert message_of(fault, Language.ES) == "ya lo dice"


@pytest.mark.parametrize(
    "document",
    [
        "a = ",
        "a",
        "a = 1 2",
        "[t",
        "[[t]",
        "a = 1\na = 2",
        "a = [1",
        "a = {b = 1",
        "a = {b = 1, b = 2}",
        'a = "x',
        'a = "\\x"',
        'a = "\\uZZZZ"',
        "a = 2026-13-45",
        "[t]\n[t]",
        "a.b = 1\n[a]",
        "a = 1\n[a.b]",
        "a = 'x\ny'",
        "a = \x01",
        "= 1",
    ],
)
def test_what_python_says_of_bad_toml_is_told_in_spanish(tmp_path: Path, document: str) -> None:
    path = tmp_path / "t.toml"
    path.write_text(document)
    with pytest.raises(VisionError) as fault:
        read_config(path)
    told = message_of(fault.value, Language.ES)
    assert told.startswith(f"{path}: TOML no válido: ")
    english = re.search(r"(?i)\b(expected|invalid|found|cannot|unclosed|duplicate|line|value|end|at)\b", told)
    assert english is None, told


@pytest.mark.parametrize(
    "content",
    [
        b"a: b: c",
        b"[1, 2",
        b"a: 'x",
        b"a: *x",
        b"\tx: 1",
        b"a\nb: 1",
        b"- a\nb",
        b'a: "\\q"',
        b"a: {b",
        b"!x 1",
        b"--- a\n--- b",
        b"\xdb\x28",
    ],
)
def test_what_yaml_says_of_a_bad_coup_file_is_told_in_spanish(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "coup.yaml"
    path.write_bytes(content)
    try:
        language.use(Language.ES)
        with pytest.raises(UsageFault) as fault:
            read_yaml(path)
        told = in_words(fault.value)
    finally:
        language.use(Language.EN)
    assert not re.search(r"\b(expected|but|found|could|not|did|codec|the)\b", told), told


def test_words_of_the_system_that_begin_as_others_do_are_told_whole() -> None:
    for number, spanish in _OF_THE_SYSTEM.items():
        assert with_system_words(f"f: {os.strerror(number)}", Language.ES) == f"f: {spanish}"
