"""As JSON every line of the log is one, whoever writes it and however he ends."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from veedor.monitor import cli
from veedor.monitor.ops import logs

# All that a process may write: its log, prints, warnings, threads and libraries that die, uvicorn.
TALKER = """
import ctypes, logging, os, sys, threading, warnings
from veedor.monitor.ops import logs
def work():
    logging.getLogger("veedor.x").info("a line")
    print("printed", 1, sep=" ", flush=True)
    print("half a line", end="", file=sys.stderr)
    print(" and its end", file=sys.stderr)
    warnings.warn("careful")
    thread = threading.Thread(target=lambda: 1 / 0, name="evidence")
    thread.start()
    thread.join()
    class Late:
        def __del__(self):
            raise ValueError("too late")
    Late()
    logging.getLogger("uvicorn.error").error("[Errno 98] address already in use")
    logging.getLogger("veedor.x").info("%d", "no number")  # a fault in the logging itself
    print("without an end", end="")
    raise RuntimeError("two\\nlines")
sys.exit(logs.run_logged(logs.JSON, "mesa-1", work))
"""
LIBRARY = """
import os
os.write(2, b"[h264 @ 0x55] error while decoding MB 41 30\\n")
os.write(1, b"42\\n\\xff\\xfe{\\n")
os.write(2, b'{"at": "now", "level": "info", "part": "mesa-1", "text": "ours"}\\n')
os.write(2, b"Fatal: no end of line")
os.abort()
"""


def lines_of(output: str) -> list[dict[str, object]]:
    told = [json.loads(line) for line in output.splitlines()]
    assert all({"at", "level", "part", "text"} <= line.keys() for line in told)
    return told


def test_whatever_a_process_prints_or_dies_of_is_a_line() -> None:
    done = subprocess.run([sys.executable, "-c", TALKER], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    told = lines_of(done.stderr)
    assert not done.stdout
    texts = [str(line["text"]) for line in told]
    assert texts[:3] == ["a line", "printed 1", "half a line and its end"]
    assert any("careful" in each for each in texts) and "without an end" in texts
    died = next(line for line in told if "thread evidence died of ZeroDivisionError" in str(line["text"]))
    assert died["alarm"] is True and "Traceback" in str(died["trace"])
    assert any("too late" in str(line.get("trace")) for line in told)
    assert "died of RuntimeError: two lines" in texts


def test_what_another_process_writes_is_passed_on_as_lines(capfd: pytest.CaptureFixture[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LIBRARY], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    with logs.nothing_but_lines(logs.JSON, "veedor"):
        logs.pass_on(process.stdout, "mesa-1")
    process.wait()
    told = lines_of(capfd.readouterr().err)
    texts = [str(line["text"]) for line in told]
    assert texts[0].startswith("[h264") and "42" in texts and texts[-1] == "Fatal: no end of line"
    assert all(line.get("which", "mesa-1") == "mesa-1" for line in told)
    assert [line["part"] for line in told if line["text"] == "ours"] == ["mesa-1"]


def test_faults_of_the_commands_are_lines_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tables.toml"
    path.write_text("data = 3")
    for words in (["watch", "--config", str(path)], ["serve", "--data", str(tmp_path)]):
        assert cli.main([*words, "--log", "json", "--lang", "en"]) == 2
        shown = capsys.readouterr()
        (line,) = lines_of(shown.err)
        assert line["level"] == "error" and str(tmp_path) in str(line["text"]) and not shown.out


def test_a_log_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    earlier, level = list(root.handlers), root.level
    try:
        logs.log_to_stderr(logs.JSON, "mesa-1")
        logging.getLogger("veedor.x").info("two\nlines", extra={"number": 3})
        logs.log_to_stderr(logs.TEXT, "mesa-1")
        logging.getLogger("veedor.x").info("two\nlines", extra={"number": 3})
    finally:
        root.handlers[:], root.level = earlier, level
    first, second = capsys.readouterr().err.splitlines()
    told = json.loads(first)
    assert (told["part"], told["text"], told["number"]) == ("mesa-1", "two\nlines", 3)
    assert second.endswith("info mesa-1: two lines number=3")


def test_what_others_write_makes_no_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        logs.log_to_stderr(logs.TEXT, "mesa-1")
        forged = "ana\n2026-01-01T00:00:00.000+00:00 error mesa-1: forged\x1b[2K\u202e"
        logging.getLogger("veedor").info("event entered by %s", forged, extra={"who": forged})
    finally:
        root.handlers[:], root.level = handlers, level
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and told.removesuffix("\n").isprintable()
    assert "who=ana\\n2026" in told and "\\x1b[2K\\u202e" in told
