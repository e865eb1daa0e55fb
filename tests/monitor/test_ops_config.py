"""tables.toml: what is wrong with it is one line that names file and fault, and exit status 2."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from veedor.monitor import cli
from veedor.monitor.bundled import bundled_clip
from veedor.monitor.errors import MonitorError
from veedor.monitor.ops.config import read_config
from veedor.rules.errors import RulesError
from veedor.vision.errors import VisionError

CLIP = bundled_clip("demo")
TLS = Path(__file__).parent / "tls"  # of nobody: made for these tests
GOOD = """
data = "data"
[[table]]
file = "mesa.toml"
source = "rtsp://10.0.0.9/live"
"""


WEB = '[web]\nlisten = "0.0.0.0:8443"\n'
METRICS = '[metrics]\nlisten = "127.0.0.1:9464"\n'


def pair(cert: str, key: str) -> str:
    return f'tls_cert = "{TLS / cert}"\ntls_key = "{TLS / key}"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(CLIP.table, tmp_path / "mesa.toml")
    return tmp_path


def written(folder: Path, content: str) -> Path:
    path = folder / "tables.toml"
    path.write_text(content, encoding="utf-8")
    return path


def test_a_whole_configuration_is_read_with_paths_beside_the_file(folder: Path) -> None:
    shutil.copy(TLS / "server-cert.pem", folder / "cert.pem")
    shutil.copy(TLS / "server-key.pem", folder / "key.pem")
    example = Path(__file__).resolve().parents[2] / "packaging" / "tables.example.toml"
    text = example.read_text(encoding="utf-8").replace('data = "/var/lib/veedor"', 'data = "data"')
    for number in (1, 2):
        table = CLIP.table.read_text(encoding="utf-8").replace('id = "mesa-1"', f'id = "mesa-{number}"')
        (folder / f"mesa-{number}.toml").write_text(table, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MESA1_PASSWORD", "secret")
        patch.setenv("MESA2_PASSWORD", "secret")
        config = read_config(written(folder, text.replace("# [bus]", "[bus]").replace("# listen", "listen")))
    assert config.data == folder / "data" and [each.id for each in config.tables] == ["mesa-1", "mesa-2"]
    assert all(each.live for each in config.tables)
    assert config.web is not None and config.web.tls_cert == folder / "cert.pem"
    assert config.retention.min_free_gb == 20 and config.limits.resume_s == 900
    assert [each.unit for each in config.tables] == [250, None]
    place = config.bus_place("mesa-2")
    assert place is not None and place.stream == "tcp://10.0.0.5:5703"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "data: missing"),
        ("data = 3", "data: expected a text"),
        ('data = "d"', "table: no table to watch"),
        ("data = ", "not valid TOML"),
        (GOOD + "colour = 1", r"table\[1\].colour: unknown key"),
        (GOOD.replace("mesa.toml", "gone.toml"), r"gone\.toml: no such file"),
        (GOOD.replace("rtsp://10.0.0.9/live", "night.mp4"), r"source: night\.mp4: no such file"),
        (GOOD.replace("rtsp://10.0.0.9/live", "rtsp://u:${NOT_SET_HERE}@h/live"), "NOT_SET_HERE"),
        (GOOD + '[[table]]\nfile = "mesa.toml"\nsource = "0"', "two tables are called"),
        (GOOD + "unit = 0", "unit: more than 0"),
        (GOOD + "[limits]\nhang_s = 0", "limits.hang_s: at least 5"),
        (GOOD + "[limits]\nhang = 9", "limits.hang: unknown key"),
        (GOOD + '[metrics]\nlisten = "0.0.0.0:9464"', "metrics.listen: 0.0.0.0: this machine only"),
        (GOOD + '[metrics]\nlisten = "9464"', "metrics.listen: expected HOST:PORT"),
        (GOOD + '[bus]\nlisten = "10.0.0.5:65535"', "bus: not enough ports"),
        (GOOD + '[web]\nlisten = "x"', "web.listen: x: HOST:PORT is expected, port 1–65535"),
        (GOOD + '[web]\nlisten = "127.0.0.1:0"', "web.listen: 127.0.0.1:0: HOST:PORT is expected"),
        (GOOD + '[web]\nlisten = "127.0.0.1:70000"', "web.listen: 127.0.0.1:70000: HOST:PORT is expected"),
        (GOOD + '[web]\nlisten = "0.0.0.0:8443"', "web.listen: 0.0.0.0:8443: beyond this machine only with"),
        (GOOD + '[web]\nlisten = "[::]:8443"', "beyond this machine only with tls_cert and tls_key"),
        (GOOD + '[web]\nlisten = "casino.lan:8443"', "beyond this machine only with tls_cert and tls_key"),
        (GOOD + WEB + 'tls_cert = "x.pem"', "web.tls_key: tls_cert and tls_key go together"),
        (GOOD + WEB + 'tls_key = "x.pem"', "web.tls_cert: tls_cert and tls_key go together"),
        (GOOD + WEB + pair("gone.pem", "server-key.pem"), r"web.tls_cert: .*gone\.pem: no such file"),
        (GOOD + WEB + pair("server-cert.pem", "gone.pem"), r"web.tls_key: .*gone\.pem: no such file"),
        (GOOD + WEB + pair(".", "server-key.pem"), "web.tls_cert: .*tls: Is a directory"),
        (GOOD + WEB + pair("server-key.pem", "server-key.pem"), "web.tls_cert: .*not a PEM certificate"),
        (GOOD + WEB + pair("server-cert.pem", "server-cert.pem"), "web.tls_key: .*not a PEM key"),
        (
            GOOD + WEB + pair("server-cert.pem", "other-key.pem"),
            "web.tls_key: .*other-key.pem: not the key of",
        ),
        (GOOD + WEB + pair("server-cert.pem", "locked-key.pem"), "web.tls_key: .*asks for a passphrase"),
        (GOOD + '[web]\nlisten = "127.0.0.1:9464"\n' + METRICS, r"metrics: port 9464 is that of \[web\] too"),
        (GOOD + '[bus]\nlisten = "10.0.0.5:9463"\n' + METRICS, r"bus: port 9464 is that of \[metrics\] too"),
        (GOOD + "[retention]\nmax_age_days = -1", "retention.max_age_days: at least 0"),
        (GOOD + '[retention]\nkeep_open = "yes"', "retention.keep_open: expected true or false"),
    ],
)
def test_a_fault_is_one_line_that_names_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str, said: str
) -> None:
    path = written(folder, content)
    with pytest.raises((MonitorError, VisionError, RulesError), match=said) as raised:
        read_config(path)
    assert str(raised.value).startswith(str(path.parent)) and "\n" not in str(raised.value)
    assert cli.main(["--lang", "en", "watch", "--config", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and err.startswith("veedor watch: ")


def test_pages_beyond_this_machine_with_a_certificate_or_behind_a_proxy(folder: Path) -> None:
    for given in (WEB + pair("server-cert.pem", "server-key.pem"), WEB + "behind_proxy = true"):
        assert read_config(written(folder, GOOD + given)).web is not None


def test_a_key_that_may_not_be_read_is_one_line(folder: Path) -> None:
    key = folder / "key.pem"
    shutil.copy(TLS / "server-key.pem", key)
    key.chmod(0)
    if os.access(key, os.R_OK):
        pytest.skip("this user may read everything")
    given = f'tls_cert = "{TLS}/server-cert.pem"\ntls_key = "{key}"'
    with pytest.raises(VisionError, match="Permission denied"):
        read_config(written(folder, GOOD + WEB + given))


def test_a_password_in_a_bad_address_is_not_told(folder: Path) -> None:
    path = written(folder, GOOD.replace("rtsp://10.0.0.9/live", "rtsp://u:hunter2@/x y:99999999/"))
    try:
        config = read_config(path)
    except (MonitorError, VisionError) as fault:
        assert "hunter2" not in str(fault)
    else:
        assert config.tables


def test_either_a_source_or_a_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(folder, GOOD))
    for arguments in (["watch"], ["watch", "0"], ["watch", "0", "--config", path]):
        assert cli.main([*arguments, "--lang", "en"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (GOOD + 'dta = "x"\n', "table[1].dta: unknown key; what stands below [[table]] belongs to it"),
        (GOOD.replace('data = "data"', "") + 'data = "x"\n', "data: missing; it stands below [[table]]"),
        (GOOD + WEB + 'data = "x"\n', "web.data: unknown key; what stands below [web] belongs to it"),
    ],
)
def test_a_key_below_a_header_that_is_not_its_own(folder: Path, content: str, told: str) -> None:
    with pytest.raises(VisionError) as caught:
        read_config(written(folder, content))
    assert told in str(caught.value) and "keys of the whole file go above" in str(caught.value)
