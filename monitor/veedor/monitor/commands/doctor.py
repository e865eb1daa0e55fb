"""`veedor doctor`: is everything here that a review or a watch needs?"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_json
from veedor.monitor.errors import UsageFault
from veedor.monitor.fault_words.telling import in_words
from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.monitor.ops.config import WatchConfig

DEPENDENCIES = (
    "argon2-cffi", "av", "jinja2", "numpy", "onnxruntime", "prometheus-client", "pyyaml", "pyzmq",
    "starlette", "tqdm", "uvicorn",
)  # fmt: skip
MIN_FREE_GB = 2.0  # less is soon gone with the clips and stills of a few sessions


@dataclass(frozen=True)
class Check:
    """One thing looked at. `ok` None where it is only for information, or a warning: it can be lived with."""

    name: str
    ok: bool | None
    detail: str
    warning: bool = False


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "doctor",
        help=text(es="comprueba la instalación", en="check the installation"),
        description=text(
            es="Comprueba la instalación, los modelos, el vídeo, el reloj, el disco y, si se dan, la mesa y "
            "la cámara, o con --config todas las de un servicio.",
            en="Checks the installation, models, video, clock, disk and, if given, the table and the camera, "
            "or with --config all those of a service.",
        ),
    )
    parser.add_argument("--table", type=Path, metavar="T", help=text(es="archivo de mesa", en="table file"))
    parser.add_argument(
        "--source", metavar="S", help=text(es="cámara, RTSP o archivo", en="camera, RTSP address or file")
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE",
        help=text(es="el servicio entero (tables.toml)", en="the whole service (tables.toml)"),
    )  # fmt: skip
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="DIR",
        help=text(es="dónde se guardará", en="where output will go"),
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    for given in (args.config, args.table):
        if given is not None and not given.exists():
            raise UsageFault(f"{given}: " + text(es="no existe", en="no such file"))
    if args.config is not None:
        _refuse_open_bus(args.config)
    checks = list(_checks(args))
    healthy = all(check.ok is not False for check in checks)
    if args.json:
        print(
            json.dumps(
                {"ok": healthy, "checks": [asdict(check) for check in checks]}, ensure_ascii=False, indent=1
            )
        )
        return 0 if healthy else 1
    width = max(len(check.name) for check in checks)
    for check in checks:
        remark = "!" if check.warning else "·"
        mark = {True: "ok", False: text(es="MAL", en="BAD"), None: remark}[check.ok]
        print(f"{mark:>3}  {check.name:<{width}}  {check.detail}")
    return 0 if healthy else 1


def _checks(args: argparse.Namespace) -> Iterator[Check]:
    yield Check("python", sys.version_info >= (3, 11), sys.version.split()[0])
    yield Check("veedor", None, metadata.version("veedor"))
    for name in DEPENDENCIES:
        yield _guarded(name, partial(metadata.version, name))
    yield _guarded("opencv", _opencv)
    yield _guarded("onnxruntime providers", _providers)
    yield from _models()
    yield _guarded(text(es="vídeo H.264", en="H.264 video"), _video_round_trip)
    yield _clock()
    if args.config is None:
        yield _disk(args.out)
    yield Check(text(es="núcleos", en="cores"), None, str(os.cpu_count()))
    if args.table is not None:
        yield _guarded(text(es="mesa", en="table"), lambda: _table(args.table))
    if args.source is not None:
        size = _size_of(args.table)
        yield _guarded(text(es="fuente", en="source"), lambda: _source(args.source, size))
    if args.config is not None:
        yield from _service(args.config)


def _guarded(name: str, look: Callable[[], str]) -> Check:
    """The check's detail, or its failure in one line: a doctor reports every ill, of whatever kind."""
    try:
        return Check(name, True, look())
    except Exception as fault:
        return Check(name, False, in_words(fault) or type(fault).__name__)


def _opencv() -> str:
    import cv2

    return str(cv2.__version__)


def _providers() -> str:
    import onnxruntime

    return ", ".join(onnxruntime.get_available_providers())


def _models() -> Iterator[Check]:
    import numpy as np
    from veedor.models.registry import read_manifest, weights_folder, weights_path
    from veedor.monitor.eyes import DETECTOR, READER, STACKS, open_eyes

    for name in (DETECTOR, READER, STACKS):

        def weights(name: str = name) -> str:
            path = weights_path(name)
            entry = read_manifest(weights_folder())[name]
            return f"{path} sha256 {entry.sha256[:12]} ({entry.trained})"

        yield _guarded(text(es=f"modelo {name}", en=f"model {name}"), weights)

    def look() -> str:
        eyes = open_eyes()
        picture = np.zeros((540, 960, 3), np.uint8)
        eyes.detector.detect(picture)  # the first look also sets up memory
        started = time.perf_counter()
        eyes.detector.detect(picture)
        took = f"{1000 * (time.perf_counter() - started):.0f} ms"
        return f"{', '.join(eyes.detector.providers)}; " + text(es=f"una mirada {took}", en=f"a look {took}")

    yield _guarded(text(es="modelos en uso", en="models in use"), look)


def _video_round_trip() -> str:
    import av
    import numpy as np
    from veedor.monitor.clips import ENCODER, encode_clip
    from veedor.vision.frames import Frame

    greys = [np.full((64, 96, 3), 20 * number, np.uint8) for number in range(8)]
    clip = encode_clip((Frame.from_image(n, n / 25, image) for n, image in enumerate(greys)), 25.0)
    assert clip is not None
    with av.open(io.BytesIO(clip)) as container:
        back = sum(1 for _ in container.decode(video=0))
    if back != len(greys):
        raise RuntimeError(f"{ENCODER}: wrote {len(greys)} frames, read {back} back")
    return f"{ENCODER}, PyAV {av.__version__}"


def _disk(folder: Path) -> Check:
    name = text(es="disco", en="disk")
    existing = next(
        (each for each in (folder.absolute(), *folder.absolute().parents) if each.exists()), Path("/")
    )
    free_gb = shutil.disk_usage(existing).free / 1e9
    writable = os.access(existing, os.W_OK)
    detail = text(es=f"{free_gb:.1f} GB libres en {existing}", en=f"{free_gb:.1f} GB free at {existing}")
    if not writable:
        detail += text(es="; sin permiso de escritura", en="; not writable")
    return Check(name, writable and free_gb >= MIN_FREE_GB, detail)


def _table(path: Path) -> str:
    from veedor.rules.profile import load_profile
    from veedor.vision.table_file import load_table

    table = load_table(path)
    load_profile(table.profile, named_in=path)
    if table.camera is None:
        raise RuntimeError(f"{path}: not calibrated; see veedor calibrate")
    error = table.reprojection_error_mm
    shown = "?" if error is None else f"{error:.1f} mm"
    return f"{table.name}, {table.profile}, {len(table.chips)} " + text(
        es=f"fichas, error de calibración {shown}", en=f"chip types, calibration error {shown}"
    )


def _clock() -> Check:
    """A clock that nobody keeps right is no reason not to watch, and one to see to it."""
    from veedor.monitor.ops.checks import clock

    kept, detail = clock()
    return Check(text(es="reloj", en="clock"), kept or None, detail, warning=kept is False)


def _size_of(table: Path | None) -> tuple[int, int] | None:
    """The size that the table's camera was calibrated at, if that can be told."""
    from veedor.vision.errors import VisionError
    from veedor.vision.table_file import load_table

    try:
        camera = None if table is None else load_table(table).camera
    except VisionError:
        return None  # its own check tells
    return None if camera is None else (camera.width, camera.height)


def _source(source: str, size: tuple[int, int] | None) -> str:
    from veedor.monitor.ops.checks import camera

    return camera(source, size)


def _refuse_open_bus(path: Path) -> None:
    """A bus that is to be open to other machines without keys is refused as `watch` does, before all else."""
    from veedor.monitor.errors import MonitorError
    from veedor.monitor.ops.config import check_bus, read_config
    from veedor.rules.errors import RulesError
    from veedor.vision.errors import VisionError

    try:
        config = read_config(path)
    except (MonitorError, VisionError, RulesError, OSError):
        return  # one of the ills that are told
    check_bus(config)


def _service(path: Path) -> Iterator[Check]:
    from veedor.monitor.ops import checks
    from veedor.monitor.ops.config import read_config

    found: list[WatchConfig] = []
    yield _guarded(text(es="servicio", en="service"), lambda: _tables(found, read_config(path)))
    for config in found:
        ok, detail = checks.room(config)
        yield Check(text(es="disco", en="disk"), ok, detail)
        yield _guarded("bus", partial(checks.bus, config))
        for section, free, told in checks.ports(config):
            yield Check(f"[{section}]", free, told)
        nobody = checks.nobody_in_charge(config)
        if nobody is not None:
            yield Check(text(es="cuentas", en="accounts"), None, nobody, warning=True)
        for watched in config.tables:
            if not watched.table.chips:
                yield Check(
                    text(es=f"{watched.id} fichas", en=f"{watched.id} chips"), None, _no_chips(), warning=True
                )
            for name, source, size in checks.cameras_of(watched):
                yield _guarded(name, partial(checks.camera, source, size))


def _no_chips() -> str:
    return text(
        es="ninguna en el archivo de la mesa: las posturas no tendrán importe; use `veedor enrol chips`",
        en="none in the table file: stakes will have no amount; run `veedor enrol chips`",
    )


def _tables(found: list[WatchConfig], config: WatchConfig) -> str:
    found.append(config)
    return ", ".join(each.id for each in config.tables)
