"""`veedor evidence`: bundles exported and verified at the command line, and the key that signs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from recorded_nights import a_review
from veedor.monitor import cli
from veedor.monitor.evidence_bundle_keys import KeyFault, key_of, key_path, make_key, open_key, read_pin


def test_the_key_is_made_once_and_is_nobody_elses_to_read(tmp_path: Path) -> None:
    key = key_of(tmp_path)
    assert key_path(tmp_path).stat().st_mode & 0o777 == 0o600
    assert key_of(tmp_path).signer == key.signer
    with pytest.raises(KeyFault, match="already"):
        make_key(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["evidence-key.pem"]
    key_path(tmp_path).chmod(0o640)
    with pytest.raises(KeyFault, match="chmod 600"):
        open_key(tmp_path)
    key_path(tmp_path).chmod(0o600)
    key_path(tmp_path).write_bytes(b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    with pytest.raises(KeyFault, match="not an Ed25519 key"):
        open_key(tmp_path)


def test_the_expected_key_is_given_by_fingerprint_or_file(tmp_path: Path) -> None:
    signer = key_of(tmp_path).signer
    public = tmp_path / "public.pem"
    public.write_bytes(signer.pem)
    for given in (
        signer.fingerprint,
        signer.shown,
        signer.shown.upper().replace(" ", ":"),
        f"SHA256:{signer.fingerprint}",
        str(public),
    ):
        assert read_pin(given) == signer.fingerprint
    for given in ("", "ab12", str(tmp_path / "none"), str(tmp_path / "evidence-key.pem")):
        with pytest.raises(KeyFault):
            read_pin(given)


def test_the_command_exports_from_both_kinds_of_record_and_verifies(
    data: Path, session: str, bundle: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "ñ one.zip"
    assert (
        cli.main(
            ["evidence", "export", f"{session}/1", "--data", str(data), "--out", str(out), "--lang", "en"]
        )
        == 0
    )
    assert out.read_bytes() == bundle
    folder = tmp_path / "for the office"
    folder.mkdir()
    assert cli.main(["evidence", "export", f"{session}/1", "--data", str(data), "--out", str(folder)]) == 0
    assert [each.read_bytes() for each in folder.glob("evidence-*.zip")] == [bundle]
    capsys.readouterr()
    review = a_review(tmp_path / "review")
    other = tmp_path / "two.zip"
    assert (
        cli.main(
            [
                "evidence",
                "export",
                "1",
                "--review",
                str(review),
                "--data",
                str(data),
                "--out",
                str(other),
                "--json",
            ]
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["file"] == str(other) and told["key"] == open_key(data).signer.fingerprint
    verify = ["evidence", "verify", str(out), str(other), "--key", told["key"], "--json"]
    assert cli.main(verify) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["holds"] for each in lines] == [True, True] and lines[0]["pinned"] is True
    damaged = bytearray(bundle)
    damaged[-40] ^= 1
    out.write_bytes(damaged)
    assert cli.main(["evidence", "verify", str(out), "--lang", "es"]) == 1
    shown = capsys.readouterr().out
    assert "NO VALE" in shown and "entrada de clip.mp4 en el índice: cambiado" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["export", "mesa-3/1", "--data", "{data}"], "TABLE/SESSION/NUMBER"),
        (["export", "mesa-3/../1", "--data", "{data}"], "not a session"),
        (["export", "mesa-3/20260101T000000Z/1", "--data", "{data}"], "neither a session"),
        (["export", "{session}/99", "--data", "{data}"], "no finding 99"),
        (["export", "{session}/1", "--data", "{data}/none"], "not a folder"),
        (["export", "7", "--review", "{data}", "--data", "{data}"], "is --data missing"),
        (["verify", "{data}/none.zip"], "no such file"),
        (["verify", "{data}"], "no such file"),
        (["verify", "{data}/store.sqlite"], "not an evidence bundle"),
        (["verify", "/dev/null"], "no such file"),
        (["key", "make", "--data", "{data}"], "already"),
        (["key", "show", "--data", "{data}/none"], "no key"),
    ],
)
def test_bad_input_is_one_line_and_two(
    words: list[str], says: str, data: Path, session: str, bundle: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = [each.format(data=data, session=session) for each in words]
    assert cli.main(["evidence", *filled, "--lang", "en"]) == 2
    shown = capsys.readouterr().err
    assert says in shown and shown.count("\n") == 1


def test_verifying_needs_neither_store_nor_models_nor_pictures(bundle: bytes, tmp_path: Path) -> None:
    path = tmp_path / "alone.zip"
    path.write_bytes(bundle)
    program = (
        "import sys\nfrom veedor.monitor import cli\nstatus = cli.main(['evidence', 'verify', sys.argv[1]])\n"
        "heavy = {'cv2', 'onnxruntime', 'av', 'sqlite3', 'numpy', 'veedor.models'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
