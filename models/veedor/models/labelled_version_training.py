"""Fine-tuning on a version of labelled pictures: a few hundred steps from earlier weights, with rehearsal.

Labelled pictures alone would make a network forget what they do not show. A share of every pass is therefore
what it learnt from before: rendered tables and composites for the detector, drawn decks for the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from veedor.models.checkpoints import FOLDER, blend_weights, write_checkpoint
from veedor.models.detector_data import make_composites, make_stills
from veedor.models.detector_tiles import TileStores
from veedor.models.errors import TrainingError
from veedor.models.labelled_version import LabelledVersion, read_version
from veedor.models.provenance import store_digest, write_candidate
from veedor.models.registry import Seen, read_manifest

DETECTOR_RATE, READER_RATE = 2e-4, 4e-4
DETECTOR_BATCH, READER_BATCH = 8, 96


@dataclass(frozen=True)
class FineTuning:
    """One run in a folder; begun again it goes on. `rehearsal` is the share of what was learnt before,
    `blend` how much of the way from the earlier weights remains in the end.

    `tiles` are stores to rehearse the detector from; without them so many `stills` and half as many
    composites are drawn. `art` and `photographs` are prepared folders for the reader, where there are any.
    """

    run: Path
    labels: Path
    start_from: Path
    steps: int
    rehearsal: float = 0.5
    blend: float = 0.5
    learning_rate: float | None = None
    threads: int = 2
    seed: int = 0
    tiles: tuple[Path, ...] = ()
    stills: int = 400
    art: Path | None = None
    photographs: Path | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.rehearsal < 1.0:
            raise TrainingError(f"rehearsal {self.rehearsal:g}: a share from 0 up to, but not, 1")
        if not 0.0 < self.blend <= 1.0:
            raise TrainingError(f"blend {self.blend:g}: a share above 0, up to 1")
        if self.steps < 1:
            raise TrainingError(f"{self.steps} steps: at least one")


def finetune_detector(
    order: FineTuning,
    report: Callable[[str], None] = print,
    began: Callable[[int], None] = lambda step: None,
) -> Path:
    """Train the detector on, export it in integers, and record it as a candidate; its file."""
    from veedor.models.detector_network import build_network, export_onnx
    from veedor.models.detector_quantised import quantise
    from veedor.models.detector_training import DetectorRun, RunPlan
    from veedor.models.labelled_version_tiles import MixedTiles, version_tiles

    build_network()  # without the `train` extra nothing is prepared in vain
    version = _version(order)
    labelled = version_tiles(version, version.training)
    if not labelled:
        raise TrainingError(f"{version.folder}: nothing is labelled in its training pictures")
    folders = _rehearsal_folders(order) if order.rehearsal > 0 else ()
    tiles = MixedTiles(labelled, TileStores(folders) if folders else None, order.rehearsal)
    plan = RunPlan(
        minutes=0.0, batch=DETECTOR_BATCH, learning_rate=order.learning_rate or DETECTOR_RATE,
        threads=order.threads, seed=order.seed, checkpoint_every_s=60.0, steps=order.steps, prints=False,
    )  # fmt: skip
    training = DetectorRun(order.run, plan, tiles, start_from=order.start_from)
    training.train(report, began)
    output, exact = order.run / "detector.onnx", order.run / "detector-float.onnx"
    blend_weights(training.average, order.start_from, order.blend)
    export_onnx(training.average, exact)
    quantise(exact, output, tiles.held_out())
    saw = _saw(order, version, folders) | {"tiles_labelled": len(labelled), "steps": training.step}
    _record("detector", output, order, saw, training.average.state_dict())
    return output


def finetune_reader(order: FineTuning, began: Callable[[int], None] = lambda step: None) -> Path:
    """Train the card reader on, export it, and record it as a candidate; its file."""
    from veedor.models.reader_supply import FaceMix
    from veedor.models.reader_training import ReaderOptions, averaged_weights, train_reader

    version = _version(order)
    mix = FaceMix(order.art, order.photographs, labelled=order.labels, labelled_share=1.0 - order.rehearsal)
    options = ReaderOptions(
        order.run, order.run / "reader.onnx", mix, steps=order.steps, batch=READER_BATCH,
        learning_rate=order.learning_rate or READER_RATE, seed=order.seed + 1, threads=order.threads,
        start_from=order.start_from, blend=order.blend,
    )  # fmt: skip
    output = train_reader(options, began)
    folders = [each for each in (order.art, order.photographs) if each is not None]
    _record("reader", output, order, _saw(order, version, folders), averaged_weights(options))
    return output


def _version(order: FineTuning) -> LabelledVersion:
    version = read_version(order.labels)
    if not version.training:
        raise TrainingError(f"{version.folder}: none of its pictures is for training")
    order.run.mkdir(parents=True, exist_ok=True)
    return version


def _rehearsal_folders(order: FineTuning) -> tuple[Path, ...]:
    if order.tiles:
        return order.tiles
    folder = order.run / "tiles"
    make_stills(folder / "stills", order.stills)
    make_composites(folder / "composites", max(1, order.stills // 2))
    return folder / "stills", folder / "composites"


def _saw(order: FineTuning, version: LabelledVersion, folders: Sequence[Path]) -> dict[str, Seen]:
    return {
        "labels": version.label,
        "labels_pictures": len(version.training),
        "labels_held_out": len(version.held_out),
        "rehearsal_share": order.rehearsal,
        "blend": order.blend,
        "stores": [store_digest(folder) for folder in folders],
        "steps": order.steps,
        "seed": order.seed,
    }


def _record(
    name: str, output: Path, order: FineTuning, saw: dict[str, Seen], weights: dict[str, object]
) -> None:
    told = str(saw["labels"]).partition(", sha256")[0]
    write_candidate(name, output, [f"labelled pictures: {told}"], saw, order.start_from)
    write_checkpoint(name, weights, order.run / FOLDER, read_manifest(order.run)[name])
