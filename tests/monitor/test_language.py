"""Words of the system are told in the user's language, without its numbers."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from veedor.monitor import cli, language
from veedor.monitor.language import Language, with_system_words


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = language.current()
    yield
    language.use(before)


@pytest.mark.parametrize("number", [errno.ENXIO, errno.ELOOP, errno.ENODEV, errno.EBUSY, errno.EFBIG])
def test_an_error_of_the_system_printed_whole_is_told_in_words(number: int) -> None:
    fault = OSError(number, os.strerror(number), "f/it's/x.json")
    language.use(Language.EN)
    assert with_system_words(f"x: cannot be read: {fault}") == f"x: cannot be read: {os.strerror(number)}"
    language.use(Language.ES)
    told = with_system_words(f"x: {fault}")
    assert "Errno" not in told and os.strerror(number) not in told and told.count("x.json") == 0


def test_a_device_that_is_not_there_is_not_mistaken_for_part_of_another() -> None:
    language.use(Language.ES)
    assert with_system_words(os.strerror(errno.ENXIO)) == "no existe ese dispositivo o dirección"
    assert with_system_words(os.strerror(errno.ENODEV)) == "no existe ese dispositivo"


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize("kind", ["none", "loop", "folder", "text", "list", "id"])
def test_where_a_table_is_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str, kind: str
) -> None:
    folder, table = tmp_path / "bus", "x"
    folder.mkdir()
    path = folder / "x.json"
    if kind == "loop":
        path.symlink_to(path)
    elif kind == "folder":
        path.mkdir()
    elif kind in ("text", "list"):
        path.write_text("{" if kind == "text" else "[1]")
    elif kind == "id":
        table = "a/b"
    assert cli.main(["--lang", lang, "bus", "listen", "--data", str(tmp_path), "--table", table]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "Errno" not in told
    assert any(word in told for word in ("no existe", "no es", "no dice", "es una", "demasiados")) is (
        lang == "es"
    )
