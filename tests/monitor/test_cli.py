"""The program: its help, its languages, its statuses, and one line for every fault."""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from veedor.monitor import cli, language
from veedor.monitor.arguments import localised
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import Language

HEAVY = ("torch", "ultralytics", "onnxruntime", "cv2", "numpy", "av", "starlette", "uvicorn", "jinja2")


def run_program(*arguments: str, lang: str = "C.UTF-8") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": lang}
    command = [sys.executable, "-m", "veedor.monitor.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


def one_line(program: subprocess.CompletedProcess[str]) -> str:
    assert program.returncode == 2, program.stderr
    assert program.stdout == ""
    assert program.stderr.count("\n") == 1 and program.stderr.endswith("\n"), program.stderr
    assert "Traceback" not in program.stderr
    return program.stderr


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.name)
def test_every_listed_command_exists_and_explains_itself(
    command: cli.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module(command.module)
    assert callable(module.run)
    for chosen in Language:
        with pytest.raises(SystemExit) as ended:
            cli.main([command.name, "--help", "--lang", chosen])
        assert ended.value.code == 0
        assert f"veedor {command.name}" in capsys.readouterr().out


@pytest.mark.parametrize("chosen", list(Language))
def test_help_lists_every_command(chosen: Language, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help", "--lang", chosen])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(command.name in shown for command in cli.COMMANDS)


def test_help_loads_no_heavy_library() -> None:
    # Loading OpenCV, ONNX Runtime and NumPy would make every `veedor --help` wait half a second.
    script = "import sys; from veedor.monitor import cli; cli.main([]); print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(done.stdout.split())


def test_no_command_is_a_usage_fault_that_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--lang", "en"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and all(command.name in shown.err for command in cli.COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("veedor 0.")


@pytest.mark.parametrize(
    ("arguments", "lang", "words"),
    [
        (["no-such-command"], "en_GB.UTF-8", "invalid choice: 'no-such-command'"),
        (["no-such-command"], "es_ES.UTF-8", "valor no válido para"),
        (["read"], "en_GB.UTF-8", "the following arguments are required"),
        (["read"], "es_AR.UTF-8", "faltan argumentos"),
        (["read", "--lang", "es"], "en_GB.UTF-8", "faltan argumentos"),
        (["read", "x.png", "--frobnicate"], "es", "argumentos desconocidos: --frobnicate"),
        (["--lang", "fr"], "en", "fr"),
    ],
)
def test_a_usage_error_is_one_line_in_the_users_language(
    arguments: list[str],
    lang: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LC_ALL", lang)
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    shown = capsys.readouterr().err
    assert ended.value.code == 2
    assert words in shown and shown.count("\n") == 1


@pytest.mark.parametrize(
    ("lang", "told"), [("es", "no existe ese fichero o carpeta"), ("en", "No such file or directory")]
)
def test_the_faults_of_the_system_are_in_the_language_that_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str, told: str
) -> None:
    assert cli.main(["check", str(tmp_path / "coup.yaml"), "--lang", lang]) == 2
    said = capsys.readouterr().err
    assert said.rstrip().endswith(f"coup.yaml: {told}")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Language.EN),
        ({"LANG": "es_AR.UTF-8"}, Language.ES),
        ({"LANG": "es_AR.UTF-8", "LC_ALL": "en_GB.UTF-8"}, Language.EN),
        ({"LANG": "en_US", "LC_MESSAGES": "es"}, Language.ES),
        ({"LC_ALL": "", "LANG": "es"}, Language.ES),
    ],
)
def test_the_language_of_the_locale(environment: dict[str, str], expected: Language) -> None:
    assert language.from_locale(environment) is expected


def test_an_unknown_phrase_of_argparse_stays_as_it_is() -> None:
    language.use(Language.ES)
    try:
        assert localised("something\n new") == "something new"
    finally:
        language.use(Language.EN)


class FakeCommand:
    """A command's module whose run does as told."""

    def __init__(self, act: Callable[[], int]) -> None:
        self.act = act

    def add_parser(self, subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
        subparsers.add_parser("doctor")

    def run(self, args: argparse.Namespace) -> int:
        return self.act()


def run_command(monkeypatch: pytest.MonkeyPatch, act: Callable[[], int]) -> int:
    monkeypatch.setattr(cli, "_load", lambda command: FakeCommand(act))
    return cli.main(["doctor"])


def raising(error: BaseException) -> Callable[[], int]:
    def act() -> int:
        raise error

    return act


@pytest.mark.parametrize(
    "error",
    [
        UsageFault("mesa.toml: no such\nfile"),
        importlib.import_module("veedor.rules.errors").RulesError("mesa.toml: no such file"),
        importlib.import_module("veedor.vision.errors").VisionError("mesa.toml: no such file"),
        importlib.import_module("veedor.datasets.errors").DatasetError("mesa.toml: no such file"),
        importlib.import_module("veedor.models.errors").ModelError("mesa.toml: no such file"),
        FileNotFoundError(2, "no such file", "mesa.toml"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_areas_error_is_one_line_and_status_2(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(monkeypatch, raising(error)) == 2
    assert capsys.readouterr().err == "veedor doctor: mesa.toml: no such file\n"


def test_a_defect_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        run_command(monkeypatch, raising(ZeroDivisionError()))


def test_the_commands_own_status_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_command(monkeypatch, lambda: 1) == 1


def test_ctrl_c_is_130_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(monkeypatch, raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "veedor: interrupted\n"


def test_a_reader_that_goes_away_is_no_fault() -> None:
    command = f"{sys.executable} -m veedor.monitor.cli doctor | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1, -signal.SIGPIPE)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"not a picture", "not a picture"), (b"", "empty file"), (None, "no such file")],
)
def test_read_refuses_what_is_no_picture(
    tmp_path: os.PathLike[str], content: bytes | None, fault: str
) -> None:
    path = os.path.join(tmp_path, "bad.png")
    if content is not None:
        with open(path, "wb") as file:
            file.write(content)
    line = one_line(run_program("read", path))
    assert path in line and fault in line


def test_doctor_names_a_bad_table_and_ends_with_1(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "mesa.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("schema = 2\n")
    done = run_program("doctor", "--table", path, "--json")
    assert done.returncode == 1
    assert f"{path}: schema" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("option", ["--table", "--config"])
def test_doctor_refuses_a_file_that_is_not_there(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--lang", "en", "doctor", option, "missing.toml"]) == 2
    assert capsys.readouterr() == ("", "veedor doctor: missing.toml: no such file\n")


def test_output_that_has_no_room_is_told_with_its_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.StringIO):
        name = "<stdout>"

        def flush(self) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cli, "_drop_output", lambda: None)
    monkeypatch.setattr(sys, "stdout", Full())
    assert cli.main(["--lang", "es", "rules"]) == 2
    assert capsys.readouterr().err == "veedor: <stdout>: no queda espacio en el disco\n"


def test_a_cameras_password_is_not_told_where_a_file_was_expected(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", "rtsp://ana:secreto@127.0.0.1:1/x"]) == 2
    told = capsys.readouterr().err
    assert "secreto" not in told and "127.0.0.1" in told
