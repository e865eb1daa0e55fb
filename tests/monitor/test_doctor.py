"""veedor doctor: what a service needs, each thing with its fault in a line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rtsp_camera import SIZE, rtsp_camera, write_stream
from veedor.monitor import cli
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.errors import UsageFault
from veedor.monitor.ops import checks
from veedor.monitor.ops.config import read_config

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


def test_a_service_is_examined_table_by_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copy(CLIP.table, tmp_path / "mesa.toml")
    path = tmp_path / "tables.toml"
    path.write_text(
        f'data = "data"\n[[table]]\nfile = "mesa.toml"\nsource = "{CLIP.video}"\n'
        '[bus]\nlisten = "10.0.0.5:5700"\n[limits]\nring_gb = 999999\n'
    )
    status, found = examined(capsys, "--config", str(path))
    assert status == 1
    assert found["service"]["ok"] is True and found["mesa-1"]["ok"] is True
    assert found["bus"] == {"name": "bus", "ok": False, "detail": "no keys: veedor bus keys"}
    assert found["disk"]["ok"] is False and "needed" in str(found["disk"]["detail"])
    config = read_config(path)
    assert [name for name, _, _ in checks.cameras_of(config.tables[0])] == ["mesa-1"]
    path.write_text("data = 1")
    _, found = examined(capsys, "--config", str(path))
    assert found["service"]["ok"] is False and str(path) in str(found["service"]["detail"])


def test_a_camera_is_looked_at_for_its_size_and_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "LOOKED_S", 1.0)
    with rtsp_camera(tmp_path, write_stream(tmp_path / "film.mp4", 4.0)) as camera:
        told = checks.camera(camera.url, SIZE)
        assert f"{SIZE[0]} x {SIZE[1]}" in told and "fps" in told
    monkeypatch.setattr(checks, "FIRST_PICTURE_S", 1.0)
    with pytest.raises(UsageFault, match="127"):
        checks.camera(camera.url, SIZE)
