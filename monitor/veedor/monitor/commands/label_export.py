"""`veedor label export`: labelled pictures for other programs."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_json
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import counted, text

if TYPE_CHECKING:
    from veedor.datasets.formats.exporting import Export, Exported
    from veedor.datasets.labelled import LabelledPicture
    from veedor.vision.table import Table

FORMS = ("yolo-obb", "coco", "cvat-images", "cvat-video")
REVISIONS = "revisions.jsonl"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "export",
        help=text(es="imágenes etiquetadas para otros programas", en="labelled pictures for other programs"),
        description=text(
            es="Escribe imágenes y etiquetas, repartidas por sesión. Lo que está fuera de la mesa queda"
            " borroso.",
            en="Writes pictures and labels, split by session. What lies outside the table is blurred.",
        ),
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="DIR",
        help=text(
            es="carpeta de datos, o lo que escribió «veedor simulate»",
            en="data folder, or what `veedor simulate` has written",
        ),
    )
    add_format_option(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help=text(es="carpeta nueva", en="new folder")
    )
    parser.add_argument("--name", default="veedor", help=text(es="nombre del conjunto", en="the set's name"))
    parser.add_argument(
        "--done-only",
        action="store_true",
        help=text(es="solo lo que alguien dio por terminado", en="only what somebody has called done"),
    )
    parser.add_argument(
        "--of-version",
        type=int,
        metavar="N",
        help=text(es="la versión N, congelada", en="version N, as it was frozen"),
    )
    parser.add_argument(
        "--crop",
        action="store_true",
        help=text(es="recorta a la mesa y sus objetos", en="cut to the table and its objects"),
    )
    parser.add_argument(
        "--keep-faces",
        action="store_true",
        help=text(es="no borra lo que está fuera de la mesa", en="do not blur what lies outside the table"),
    )
    parser.add_argument(
        "--table",
        type=Path,
        metavar="T",
        help=text(
            es="archivo de la mesa, en lugar del guardado", en="table file, in the place of the stored one"
        ),
    )
    parser.add_argument(
        "--every",
        type=int,
        default=25,
        metavar="N",
        help=text(
            es="de una sesión simulada, uno de cada N cuadros", en="of a simulated session, each Nth frame"
        ),
    )
    add_json(parser)


def add_format_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=FORMS,
        required=True,
        help=text(es="formato de las etiquetas", en="form of labels"),
    )


def run(args: argparse.Namespace) -> int:
    from veedor.datasets.formats.exporting import export
    from veedor.monitor.progress import Progress

    if args.every < 1:
        raise UsageFault(text(es="--every: debe ser 1 o más", en="--every: must be 1 or more"))
    with TemporaryDirectory(prefix="veedor-label-") as folder:
        job = _job(args, Path(folder))
        progress = Progress(text(es="Exportando", en="Exporting"), text(es="imágenes", en="pictures"))
        done = export(job, args.out, progress.show)
        progress.close()
    _tell(args, done)
    return 0


def _job(args: argparse.Namespace, scratch: Path) -> Export:
    from veedor.datasets.formats.exporting import Export
    from veedor.datasets.formats.simulated import is_simulated, simulated_labels
    from veedor.vision.table_file import load_table

    made_by = f"veedor {importlib.metadata.version('veedor')} label export"
    given: Table | None = None if args.table is None else load_table(args.table)
    if is_simulated(args.data):
        found = simulated_labels(args.data, scratch, args.every)
        table = given or found.table
        job = Export(found.labels, args.format, made_by, recordings={found.recording: found.video})
        job = replace(job, table_of=lambda picture: table)
    else:
        frozen = args.of_version is not None
        job = _of_version(args, made_by, scratch) if frozen else _of_store(args, made_by)
        if given is not None:
            job = replace(job, table_of=lambda picture: given)
    return replace(job, crop=args.crop, keep_faces=args.keep_faces)


def _of_version(args: argparse.Namespace, made_by: str, scratch: Path) -> Export:
    from veedor.datasets.formats.exporting import Export
    from veedor.datasets.labelled import LabelledSet
    from veedor.monitor.labelling.versions import read

    version = read(args.data, args.of_version)
    for picture in version.pictures:
        (scratch / f"{picture.id}.png").symlink_to(version.file_of(picture).resolve())
    labels = LabelledSet(version.name, str(version.number), version.pictures, scratch)
    recordings = _recordings(args, version.pictures)
    job = Export(labels, args.format, made_by, recordings=recordings)
    return replace(job, table_of=lambda picture: version.tables.get(picture.session))


def _of_store(args: argparse.Namespace, made_by: str) -> Export:
    from veedor.datasets.formats.exporting import Export
    from veedor.monitor.labelling.store import LabelStore
    from veedor.monitor.labelling.tables import table_of

    data: Path = args.data
    require_labels(data)
    store = LabelStore(data)
    labels = store.as_set(args.name, done_only=args.done_only)
    if not labels.pictures:
        what = text(es="no hay imágenes etiquetadas", en="no labelled pictures")
        if args.done_only:
            what = text(es="ninguna imagen está terminada", en="no picture is done")
        raise UsageFault(f"{data}: {what}")

    known: dict[tuple[str, str], Table | None] = {}

    def of(picture: LabelledPicture) -> Table | None:
        key = picture.session, picture.table
        if key not in known:
            known[key] = table_of(data, store.folder, picture)
        return known[key]

    recordings = _recordings(args, labels.pictures)
    return Export(labels, args.format, made_by, table_of=of, recordings=recordings)


def _recordings(args: argparse.Namespace, pictures: Sequence[LabelledPicture]) -> Mapping[str, Path]:
    """Only frame numbers need them: looking at whole nights' files takes its time."""
    if args.format != "cvat-video":
        return {}
    return recordings_at_hand(args.data, {picture.recording for picture in pictures})


def require_labels(data: Path) -> None:
    """UsageFault unless the data folder has a label store."""
    if not (data / "labels" / REVISIONS).is_file():
        raise UsageFault(f"{data}: " + text(es="no tiene etiquetas", en="holds no labels"))


def recordings_at_hand(data: Path, used: set[str]) -> Mapping[str, Path]:
    """The files of recordings that are still where the sessions' lists say, unchanged, by SHA-256."""
    from veedor.datasets.digests import sha256_of
    from veedor.monitor.reviewed_files import read_recordings
    from veedor.monitor.store import StoreError

    found: dict[str, Path] = {}
    for listed in sorted(data.glob("tables/*/*/recordings.json")):
        with suppress(StoreError):
            for each in read_recordings(listed.parent) or ():
                if each.sha256 in used and each.sha256 not in found and each.path.is_file():
                    found[each.sha256] = each.path
    return {digest: path for digest, path in found.items() if sha256_of(path) == digest}


def _tell(args: argparse.Namespace, done: Exported) -> None:
    if args.json:
        record = {
            "out": str(args.out),
            "pictures": dict(done.pictures),
            "objects": done.objects,
            "without_outline": done.without_outline,
        }
        print(json.dumps(record, ensure_ascii=False))
        return
    parts = ", ".join(f"{split} {count}" for split, count in sorted(done.pictures.items()))
    pictures = counted(sum(done.pictures.values()), es=("imagen", "imágenes"), en=("picture", "pictures"))
    objects = counted(done.objects, es=("objeto", "objetos"), en=("object", "objects"))
    print(f"{args.out}: {pictures} ({parts}), {objects}")
    if "val" not in done.pictures:
        _warn(
            es="ninguna sesión quedó aparte para medir (val); hacen falta más sesiones",
            en="no session was kept apart to measure with (val); more sessions are needed",
        )
    if done.without_outline and not args.keep_faces:
        count = counted(done.without_outline, es=("imagen", "imágenes"), en=("picture", "pictures"))
        _warn(
            es=f"{count} sin mesa calibrada: solo se ve lo que abarcan las cartas y fichas etiquetadas",
            en=f"{count} without a calibrated table: only what labelled cards and chips span is shown",
        )


def _warn(*, es: str, en: str) -> None:
    sys.stderr.write(text(es=es, en=en) + "\n")
