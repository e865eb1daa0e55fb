"""`veedor label import`: labels of other programs into the label store, all of them or none."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_data, add_json
from veedor.monitor.commands.label_export import add_format_option
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import counted, text

if TYPE_CHECKING:
    from veedor.datasets.formats.importing import Imported
    from veedor.datasets.labelled import LabelledObject, LabelledPicture
    from veedor.monitor.labelling.store import LabelStore
    from veedor.vision.detections import ObjectClass


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "import",
        help=text(es="etiquetas de otros programas", en="labels of other programs"),
        description=text(
            es="Lee etiquetas y las guarda como revisiones. Si algo no está bien, no guarda nada.",
            en="Reads labels and keeps them as revisions. If anything is wrong, nothing is kept.",
        ),
    )
    parser.add_argument(
        "labels",
        type=Path,
        metavar="FILE|DIR",
        help=text(es="archivo o carpeta de etiquetas", en="file or folder of labels"),
    )
    add_data(parser)
    add_format_option(parser)
    parser.add_argument(
        "--author", required=True, metavar="NAME", help=text(es="quién etiquetó", en="who has labelled")
    )
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="DIR",
        help=text(
            es="dónde están las imágenes (o la exportación), si no junto a las etiquetas",
            en="where the pictures (or the export) are, if not beside the labels",
        ),
    )
    parser.add_argument(
        "--recording",
        type=Path,
        metavar="VIDEO",
        help=text(
            es="vídeo cuyos cuadros cuentan (cvat-video)", en="video whose frames they count (cvat-video)"
        ),
    )
    parser.add_argument(
        "--class",
        dest="classes",
        action="append",
        default=[],
        metavar="NAME=KIND",
        help=text(
            es="su clase NAME es nuestra KIND (card_face, …)",
            en="their class NAME is our KIND (card_face, …)",
        ),
    )
    parser.add_argument(
        "--session",
        default="imported",
        help=text(es="sesión de imágenes desconocidas", en="session of unknown pictures"),
    )
    parser.add_argument(
        "--table-id",
        default="imported",
        metavar="ID",
        help=text(es="mesa de imágenes desconocidas", en="table of unknown pictures"),
    )
    parser.add_argument(
        "--draft", action="store_true", help=text(es="sin darlas por terminadas", en="do not call them done")
    )
    parser.add_argument(
        "--on-top",
        action="store_true",
        help=text(
            es="aunque alguien haya guardado otra revisión después de la exportación",
            en="even where somebody has saved another revision since the export",
        ),
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from veedor.datasets.formats.importing import Import, read_labels
    from veedor.datasets.formats.placing import Source
    from veedor.datasets.labelled import LabelledSet
    from veedor.monitor.labelling.revisions import State
    from veedor.monitor.labelling.store import LabelStore

    _check(args)
    source = Source(args.labels, args.pictures, _classes(args.classes))
    with TemporaryDirectory(prefix="veedor-label-") as folder:
        job = Import(source, args.format, args.author, args.session, args.table_id, args.recording)
        found = read_labels(job, Path(folder))
        # Only now that everything has been read may a store be opened, which makes one where there is none.
        store = LabelStore(args.data)
        changed = _changed(store, found, on_top=args.on_top)
        labels = LabelledSet(found.labels.name, found.labels.version, changed, found.labels.folder)
        made = store.import_set(labels, args.author, State.DRAFT if args.draft else State.DONE)
    same = len(found.labels.pictures) - len(made)
    if args.json:
        print(json.dumps({"revisions": len(made), "unchanged": same}))
        return 0
    print(
        counted(len(made), es=("revisión nueva", "revisiones nuevas"), en=("new revision", "new revisions"))
        + ", "
        + counted(same, es=("imagen sin cambios", "imágenes sin cambios"), en=("picture", "pictures"))
        + text(es="", en=" unchanged")
    )
    return 0


def _check(args: argparse.Namespace) -> None:
    from veedor.datasets.labelled import check_text
    from veedor.monitor.labelling.revisions import MODEL

    for name in ("author", "session", "table_id"):
        option = name.replace("_", "-")
        check_text(f"--{option}", text(es="el valor", en="the value"), getattr(args, name))
    if args.author == MODEL:
        raise UsageFault(
            "--author: "
            + text(es=f"«{MODEL}» es el programa, no una persona", en=f"'{MODEL}' is the program")
        )
    if not args.data.is_dir():
        raise UsageFault(f"{args.data}: " + text(es="no es una carpeta", en="not a folder"))
    for path in (args.pictures, args.recording):
        if path is not None and not path.exists():
            raise UsageFault(f"{path}: " + text(es="no existe", en="no such file or folder"))
    if args.recording is not None and args.format != "cvat-video":
        raise UsageFault(
            text(es="--recording: solo con el formato cvat-video", en="--recording: only with cvat-video")
        )


def _classes(given: list[str]) -> dict[str, ObjectClass]:
    from veedor.datasets.labelled_json import KIND_BY_NAME

    classes = {}
    for each in given:
        name, _, kind = each.rpartition("=")
        if not name or kind not in KIND_BY_NAME:
            known = ", ".join(KIND_BY_NAME)
            raise UsageFault(
                f"--class {each}: " + text(es=f"KIND es una de {known}", en=f"KIND is one of {known}")
            )
        classes[name] = KIND_BY_NAME[kind]
    return classes


def _changed(store: LabelStore, found: Imported, *, on_top: bool) -> tuple[LabelledPicture, ...]:
    """The pictures whose labels somebody has changed since they were exported, and all new ones.

    What an export brings back as it went out is nobody's opinion: it must not come on top of what has been
    saved since. UsageFault where both have changed.
    """
    changed = []
    for picture in found.labels.pictures:
        if picture.id in found.of_export and store.has(picture.id):
            revisions = store.revisions(picture.id)
            exported = next((each for each in revisions if each.number == picture.revision), None)
            if exported is not None and same_labels(exported.objects, picture.objects):
                continue
            newest = store.latest(picture.id)
            if newest.number != picture.revision and not on_top:
                raise UsageFault(
                    f"{picture.id}: "
                    + text(
                        es=f"{newest.author} guardó la revisión {newest.number} después de la exportación "
                        f"(revisión {picture.revision}); --on-top pone estas encima",
                        en=f"{newest.author} has saved revision {newest.number} since the export "
                        f"(revision {picture.revision}); --on-top puts these over it",
                    )
                )
        changed.append(picture)
    return tuple(changed)


def same_labels(one: tuple[LabelledObject, ...], other: tuple[LabelledObject, ...]) -> bool:
    """Whether two pictures' labels say the same, but for another program's rounding."""
    from dataclasses import replace

    from veedor.datasets.formats.outlines import same_outline

    ours, theirs = ({item.id: item for item in each} for each in (one, other))
    return ours.keys() == theirs.keys() and all(
        same_outline(item.corners_px, theirs[name].corners_px)
        and replace(item, corners_px=theirs[name].corners_px) == theirs[name]
        for name, item in ours.items()
    )
