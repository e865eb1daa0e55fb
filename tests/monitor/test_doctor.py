"""veedor doctor: what a service needs, each thing with its fault in a line."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import pytest
from rtsp_camera import SIZE, rtsp_camera, write_stream
from veedor.monitor import cli
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.bus_keys import server_keys
from veedor.monitor.commands import doctor
from veedor.monitor.errors import UsageFault
from veedor.monitor.ops import checks
from veedor.monitor.ops.config import check_bus, read_config
from veedor.monitor.ops.locks import WATCH_LOCK, Lock
from veedor.web.access.accounts import Accounts
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role

CLIP = bundled_clip("demo")


def examined(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, dict[str, object]]]:
    status = cli.main(["--lang", "en", "doctor", "--json", *arguments])
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is (status == 0)
    return status, {check["name"]: check for check in told["checks"]}


def test_this_installation_is_well_and_tells_what_the_models_run_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, found = examined(capsys, "--table", str(CLIP.table), "--source", str(CLIP.video))
    ill = [name for name, check in found.items() if check["ok"] is False and name != "disk"]
    assert not ill and status == (0 if found["disk"]["ok"] else 1)
    assert str(found["models in use"]["detail"]).startswith("CPUExecutionProvider")
    assert "clock" in found and found["pyzmq"]["ok"] is True


def service(folder: Path, more: str = "") -> Path:
    """A `tables.toml` of the demo's table and whatever `more` says."""
    shutil.copy(CLIP.table, folder / "mesa.toml")
    path = folder / "tables.toml"
    path.write_text(f'data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "{CLIP.video}"\n{more}')
    return path


def test_a_service_is_examined_table_by_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = service(tmp_path, '[bus]\nlisten = "127.0.0.1:5700"\n[limits]\nring_gb = 999999\n')
    status, found = examined(capsys, "--config", str(path))
    assert status == 1
    assert found["service"]["ok"] is True and found["mesa-1"]["ok"] is True
    assert (found["bus"]["ok"], found["bus"]["detail"]) == (True, "127.0.0.1:5700–5702")
    assert found["disk"]["ok"] is False and "needed" in str(found["disk"]["detail"])
    config = read_config(path)
    assert [name for name, _, _ in checks.cameras_of(config.tables[0])] == ["mesa-1"]
    path.write_text("data = 1")
    _, found = examined(capsys, "--config", str(path))
    assert found["service"]["ok"] is False and str(path) in str(found["service"]["detail"])


@pytest.mark.parametrize("command", ["watch", "doctor"])
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_bus_beyond_this_machine_without_keys_is_refused_at_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, language: str
) -> None:
    path = service(tmp_path, '[bus]\nlisten = "10.0.0.5:5700"\n')
    told = {
        "en": "without keys: veedor bus keys",
        "es": "sin claves no se abre a otras máquinas: veedor bus keys",
    }
    assert cli.main(["--lang", language, command, "--config", str(path)]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and str(path) in err and told[language] in err
    assert not (tmp_path / "data" / "tables").exists()
    bus = tmp_path / "data" / "bus"
    bus.mkdir(mode=0o700, parents=True)
    server_keys(bus, make=True)
    check_bus(read_config(path))
    (bus / "keys" / "clients").mkdir()
    (bus / "keys" / "clients" / "box.json").write_text("{")
    assert cli.main(["--lang", language, command, "--config", str(path)]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and "box.json" in err


def test_a_table_whose_chips_were_never_enrolled_is_a_warning(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = service(tmp_path)
    assert "mesa-1 chips" not in examined(capsys, "--config", str(path))[1]
    kept, _, rest = CLIP.table.read_text().partition("[[chips]]")
    after = rest.rpartition("[[chips]]")[2]
    (tmp_path / "mesa.toml").write_text(kept + after[after.index("\n[") :])
    told = examined(capsys, "--config", str(path))[1]["mesa-1 chips"]
    assert told["ok"] is None and "no amount" in str(told["detail"])


def test_a_camera_is_looked_at_for_its_size_and_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "LOOKED_S", 1.0)
    with rtsp_camera(tmp_path, write_stream(tmp_path / "film.mp4", 4.0)) as camera:
        told = checks.camera(camera.url, SIZE)
        assert f"{SIZE[0]} x {SIZE[1]}" in told and "fps" in told
    monkeypatch.setattr(checks, "FIRST_PICTURE_S", 1.0)
    with pytest.raises(UsageFault, match="127"):
        checks.camera(camera.url, SIZE)


def test_a_port_that_is_taken_is_told_unless_it_is_the_service_s_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        path = service(tmp_path, f'[web]\nlisten = "127.0.0.1:{port}"\n')
        status, found = examined(capsys, "--config", str(path))
        assert status == 1 and found["[web]"]["ok"] is False
        assert f"127.0.0.1:{port}: Address already in use" in str(found["[web]"]["detail"])
        assert found["accounts"]["warning"] is True and "user add NAME" in str(found["accounts"]["detail"])
        lock = Lock(tmp_path / "data" / "run" / WATCH_LOCK, "data")
        assert {name: ok for name, ok, _ in checks.ports(read_config(path))} == {"web": True}
        lock.release()
    config = read_config(path)
    assert [ok for _, ok, _ in checks.ports(config)] == [True]
    file = AccountsFile(config.data / "accounts.sqlite")
    Accounts(file).add("ana", Role.ADMINISTRATOR, "a long enough secret")
    assert checks.nobody_in_charge(config) is None
    file.close()


def test_an_impossible_web_section_is_a_failed_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = service(tmp_path, '[web]\nlisten = "0.0.0.0:8443"\n')
    status, found = examined(capsys, "--config", str(path))
    assert status == 1 and found["service"]["ok"] is False
    assert "web.listen: 0.0.0.0:8443: beyond this machine only" in str(found["service"]["detail"])


@pytest.mark.parametrize(
    ("kept", "ok", "warning"), [(True, True, False), (False, None, True), (None, None, False)]
)
def test_a_clock_that_nobody_keeps_is_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kept: bool | None, ok: bool | None,
    warning: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(checks, "clock", lambda: (kept, "so it is"))
    monkeypatch.setattr(doctor, "_models", lambda: iter(()))
    status, found = examined(capsys)
    assert (found["clock"]["ok"], found["clock"]["warning"]) == (ok, warning)
    assert status == (0 if found["disk"]["ok"] else 1)
    assert cli.main(["--lang", "en", "doctor"]) == status
    assert f"{ {True: ' ok', None: '  !' if warning else '  ·'}[ok] }  clock" in capsys.readouterr().out
