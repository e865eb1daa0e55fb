"""`veedor train`: the models, in background runs that a later call resumes. Needs the `train` extra."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from veedor.monitor.arguments import whole_number
from veedor.monitor.commands.evaluate import add_data_option
from veedor.monitor.commands.models import PromotionOrder, add_promotion_options, promote
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.train_told import (
    composites_name,
    draw,
    exporting,
    first_step,
    preparing,
    stills_name,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from veedor.models.registry import Seen
    from veedor.vision.detections import Detections

FINE_STEPS, FINE_STILLS = 600, 400
READER_STEPS, STILLS = 4500, 4000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "train",
        help=text(es="entrena los modelos (extra «train»)", en="train the models (needs the `train` extra)"),
    )
    models = parser.add_subparsers(dest="model", required=True, metavar=text(es="MODELO", en="MODEL"))
    _add_detector(models)
    _add_reader(models)


def _add_detector(models: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = models.add_parser("detector", help=text(es="el detector", en="the detector"))
    _add_run(parser)
    parser.add_argument(
        "--minutes", type=float, default=90.0, help=text(es="minutos de cómputo", en="minutes of computing")
    )
    parser.add_argument(
        "--stills",
        type=int,
        metavar="N",
        help=text(
            es="mesas dibujadas (4000; con --labels, 400)", en="rendered tables (4000; 400 with --labels)"
        ),
    )
    parser.add_argument(
        "--composites", type=int, default=2000, help=text(es="composiciones", en="composites")
    )
    parser.add_argument(
        "--photographs",
        type=Path,
        metavar="DIR",
        help=text(
            es="fotografías con cajas (labels.json, parte train/) que también enseñan",
            en="photographs with boxes (labels.json, part train/) to learn from as well",
        ),
    )
    parser.add_argument(
        "--tiles",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help=text(es="más imágenes, formato YOLO-OBB", en="more pictures, in YOLO-OBB form"),
    )
    parser.add_argument(
        "--steps",
        type=whole_number(1),
        metavar="N",
        help=text(
            es="pasos, en lugar de minutos; con --labels, 600 si no se dice",
            en="steps instead of minutes; with --labels 600 if not given",
        ),
    )
    _add_common(parser)


def _add_reader(models: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = models.add_parser("reader", help=text(es="el lector de cartas", en="the card reader"))
    _add_run(parser)
    parser.add_argument(
        "--steps",
        type=whole_number(1),
        metavar="N",
        help=text(es="pasos (4500; con --labels, 600)", en="steps (4500; with --labels 600)"),
    )
    parser.add_argument(
        "--art", type=Path, metavar="DIR", help=text(es="barajas preparadas", en="prepared decks of others")
    )
    parser.add_argument(
        "--photographs", type=Path, metavar="DIR", help=text(es="fotos preparadas", en="prepared photographs")
    )
    _add_common(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    words = text(
        es="carpeta de la corrida; si ya existe, continúa", en="the run's folder; goes on if it exists"
    )
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help=words)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--start-from",
        metavar="CHECKPOINT",
        help=text(
            es="pesos con los que se empieza: un archivo, o «shipped», los de los modelos instalados",
            en="weights to begin with: a file, or `shipped`, those of the installed models",
        ),
    )
    parser.add_argument(
        "--labels",
        type=Path,
        metavar="VERSION",
        help=text(
            es="versión de imágenes etiquetadas («veedor label version») con la que se afina",
            en="a version of labelled pictures (`veedor label version`) to fine-tune on",
        ),
    )
    parser.add_argument(
        "--rehearsal",
        type=float,
        default=0.5,
        metavar="SHARE",
        help=text(
            es="con --labels: parte de lo aprendido antes, para no olvidarlo (0.5)",
            en="with --labels: the share of what was learnt before, lest it be forgotten (0.5)",
        ),
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=2,
        help=text(es="hilos; 1 si la máquina está ocupada", en="threads; 1 on a machine that is busy"),
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help=text(es="archivo ONNX (si no, en la corrida)", en="ONNX file (else in the run's folder)"),
    )
    parser.add_argument(
        "--promote",
        action="store_true",
        help=text(
            es="después, reemplaza los modelos instalados si nada empeora",
            en="afterwards, replace the installed weights if nothing got worse",
        ),
    )
    add_data_option(parser)
    add_promotion_options(parser)
    parser.add_argument(
        "--blend",
        type=float,
        default=0.5,
        metavar="SHARE",
        help=text(
            es="con --labels: cuánto queda, al final, de lo que se apartaron los pesos (0.5)",
            en="with --labels: how much of the way from the earlier weights remains in the end (0.5)",
        ),
    )


def run(args: argparse.Namespace) -> int:
    from veedor.models.checkpoints import start_path

    logging.basicConfig(level=logging.INFO, format="%(message)s")
    args.start_from = start_path(args.model, args.start_from, args.into)
    if args.labels is not None:
        output = _finetune(args)
    else:
        output = _train_detector(args) if args.model == "detector" else _train_reader(args)
    print(output)
    labels = () if args.labels is None else (args.labels,)
    return promote(PromotionOrder(output.parent, args.data, args.into, labels)) if args.promote else 0


def _finetune(args: argparse.Namespace) -> Path:
    """A few hundred steps on labelled pictures, from earlier weights."""
    from veedor.models.detector_data import make_composites, make_stills
    from veedor.models.detector_network import build_network
    from veedor.models.labelled_version import read_version
    from veedor.models.labelled_version_training import FineTuning, finetune_detector, finetune_reader

    if args.start_from is None:
        raise UsageFault(
            text(
                es="--labels afina modelos: diga con --start-from desde cuáles (shipped)",
                en="--labels fine-tunes: say with --start-from from what (shipped)",
            )
        )
    if args.output is not None:
        raise UsageFault(
            text(es="--output no va con --labels: use --run", en="--output does not go with --labels")
        )
    preparing(args.model, args.run)
    detector = args.model == "detector"
    steps = args.steps or FINE_STEPS
    order = FineTuning(
        args.run,
        args.labels,
        args.start_from,
        steps,
        args.rehearsal,
        args.blend,
        threads=args.threads,
        seed=args.seed,
        tiles=tuple(args.tiles) if detector else (),
        stills=args.stills if detector and args.stills is not None else FINE_STILLS,
        art=None if detector else args.art,
        photographs=None if detector else args.photographs,
    )
    told = first_step(steps)
    if not detector:
        return finetune_reader(order, told)
    read_version(args.labels)  # a fault of it comes before hundreds of pictures are drawn
    build_network()
    if order.rehearsal > 0 and not order.tiles:
        draw(stills_name(), args.run / "tiles" / "stills", order.stills, make_stills)
        draw(composites_name(), args.run / "tiles" / "composites", max(1, order.stills // 2), make_composites)
    return finetune_detector(order, logging.info, told)


def _train_detector(args: argparse.Namespace) -> Path:
    from veedor.models.detector_network import build_network, export_onnx
    from veedor.models.detector_quantised import quantise
    from veedor.models.detector_tiles import TileStores
    from veedor.models.detector_training import DetectorRun, RunPlan
    from veedor.models.provenance import store_digest, write_candidate

    preparing(args.model, args.run)
    build_network()  # without the `train` extra nothing is prepared in vain
    run_folder: Path = args.run
    args.stills = STILLS if args.stills is None else args.stills
    plan = RunPlan(minutes=args.minutes, threads=args.threads, seed=args.seed, steps=args.steps)
    folders = _store_folders(args)
    stores = TileStores(folders)
    training = DetectorRun(run_folder, plan, stores, start_from=args.start_from)
    training.train(began=first_step(args.steps))
    exporting()
    output: Path = args.output or run_folder / "detector.onnx"
    exact = run_folder / "detector-float.onnx"
    export_onnx(training.average, exact)
    quantise(exact, output, stores.held_out() or stores.training())
    saw: dict[str, Seen] = {
        "stores": [store_digest(folder) for folder in folders],
        "tiles": len(stores.training()),
        "tiles_held_out": len(stores.held_out()),
        "split": "train",
        "stills": f"seeds 0:{args.stills}",
        "composites": f"seeds 0:{args.composites}",
        "seed": args.seed,
        "steps": training.step,
        "minutes": round(training.spent_s / 60, 1),
    }
    write_candidate("detector", output, _detector_data(args), saw, args.start_from)
    return output


def _detector_data(args: argparse.Namespace) -> list[str]:
    """What the run looked at, for people."""
    data = []
    if args.stills:
        data.append("rendered training pictures of veedor.datasets.training_stills, looks of split train")
    if args.composites:
        data.append("composites of veedor.models.composites: own drawings on surfaces")
    if args.photographs is not None:
        data.append(f"photographs with boxes: {args.photographs.resolve().name}, part train")
    return data + [f"tiles in YOLO-OBB form: {folder.resolve().name}" for folder in args.tiles]


def _store_folders(args: argparse.Namespace) -> list[Path]:
    from veedor.models.detector_data import make_composites, make_stills, outline_photographs
    from veedor.models.photographs import boxed_pictures, card_free_pieces

    tiles: Path = args.run / "tiles"
    photographs = [] if args.photographs is None else boxed_pictures(args.photographs, "train")
    surfaces = card_free_pieces(photographs)
    folders: list[Path] = list(args.tiles)
    if args.stills:
        draw(stills_name(), tiles / "stills", args.stills, make_stills)
        folders.append(tiles / "stills")
    if args.composites:
        draw(
            composites_name(),
            tiles / "composites",
            args.composites,
            lambda store, count: make_composites(store, count, surfaces),
        )
        folders.append(tiles / "composites")
    if photographs and args.start_from is not None:
        if not (tiles / "photographs").is_dir():
            taken, left = outline_photographs(tiles / "photographs", photographs, _finder(args))
            logging.info("photographs with confirmed outlines: %d, left out: %d", taken, left)
        folders.append(tiles / "photographs")
    return folders


def _finder(args: argparse.Namespace) -> Callable[[NDArray[np.uint8]], Detections]:
    """The detector of the earlier run, which outlines the cards of photographs whose labels are boxes."""
    from veedor.models.detector_network import export_onnx
    from veedor.models.detector_training import load_average
    from veedor.vision.detector import Detector

    earlier: Path = args.run / "earlier.onnx"
    export_onnx(load_average(args.start_from), earlier)
    detector = Detector(earlier, threads=args.threads)
    return lambda image: detector.detect_at_scales(image, min_score=0.2)


def _train_reader(args: argparse.Namespace) -> Path:
    from veedor.models.provenance import store_digest, write_candidate
    from veedor.models.reader_supply import FaceMix
    from veedor.models.reader_training import ReaderOptions, train_reader

    preparing(args.model, args.run)
    steps = args.steps or READER_STEPS
    output = train_reader(
        ReaderOptions(
            args.run,
            args.output or args.run / "reader.onnx",
            FaceMix(args.art, args.photographs),
            steps=steps,
            threads=args.threads,
            seed=args.seed + 1,
            start_from=args.start_from,
        ),
        first_step(steps),
    )
    folders = [folder for folder in (args.art, args.photographs) if folder is not None]
    saw: dict[str, Seen] = {
        "stores": [store_digest(folder) for folder in folders],
        "split": "train",
        "seed": args.seed + 1,
        "steps": steps,
    }
    data = ["own drawings"]
    data += [f"prepared decks: {args.art.resolve().name}"] if args.art is not None else []
    data += (
        [f"prepared photographs: {args.photographs.resolve().name}"] if args.photographs is not None else []
    )
    write_candidate("reader", output, data, saw, args.start_from)
    return output
