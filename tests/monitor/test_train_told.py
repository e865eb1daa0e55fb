"""`veedor train` says at once what it does, long before its first figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from veedor.monitor import cli, language
from veedor.monitor.language import Language
from veedor.monitor.train_told import draw, first_step


@pytest.fixture(autouse=True)
def english() -> None:
    language.use(Language.EN)


def test_pictures_are_drawn_in_parts_and_said_before_and_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[int] = []
    there = 30

    def make(store: Path, count: int) -> int:
        nonlocal there
        if not asked:
            assert capsys.readouterr().err == f"drawing 45 tables in {tmp_path}, those missing\n"
        asked.append(count)
        made, there = max(0, count - there), max(there, count)
        return made

    draw("tables", tmp_path, 45, make)
    assert asked == [20, 40, 45]
    assert "tables: 15 new, 30 were there" in capsys.readouterr().err


def test_the_first_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    first_step(5)(1)
    assert capsys.readouterr().err.startswith("first step done (1/5) after 0 s")


@pytest.mark.parametrize(("code", "word"), [("es", "se preparan los datos"), ("en", "preparing data")])
def test_the_command_says_what_it_does_before_it_loads_anything(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    word: str,
) -> None:
    from veedor.models import reader_training

    def train(options: object, began: object) -> Path:
        assert word in capsys.readouterr().err
        raise KeyboardInterrupt

    monkeypatch.setattr(reader_training, "train_reader", train)
    assert cli.main(["--lang", code, "train", "reader", "--run", str(tmp_path), "--steps", "5"]) == 130


def test_a_fault_of_the_order_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = ["train", "reader", "--run", str(tmp_path), "--labels", str(tmp_path)]
    assert cli.main(order) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
