"""The shipped weights in floating point, for training that goes on from them.

What ships to run is fused, quantised or halved for speed; none of that can be trained on. Beside it lie the
same weights as state dicts, without their optimiser: matrices and kernels in half precision, everything of
one dimension (norms, biases) in full. `manifest.toml` says of which shipped file each is the origin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from veedor.datasets.digests import sha256_of
from veedor.datasets.replacing import replacing
from veedor.models.errors import TrainingError, WeightsError
from veedor.models.registry import (
    ModelEntry,
    checked_path,
    read_manifest,
    record,
    weights_folder,
)

FOLDER, WEIGHTS_FOLDER = "checkpoints", "weights"
SHIPPED = "shipped"
TRAINABLE = ("detector", "reader")
WEIGHTS = "average"  # the key under which a checkpoint keeps the weights that count
_EXPORTED_AS = "exported_as"


def checkpoints_of(weights: Path) -> Path:
    """Where the checkpoints of a folder of weights are: beside the shipped `weights`, inside any other."""
    return weights.parent / FOLDER if weights.name == WEIGHTS_FOLDER else weights / FOLDER


def shipped_checkpoint(name: str, weights: Path | None = None) -> Path:
    """The checked checkpoint that a model of a folder of weights (the shipped ones) was exported from.

    TrainingError if there is none, or if it is the origin of other weights than those installed.
    """
    folder = weights or weights_folder()
    kept = checkpoints_of(folder)
    try:
        path = checked_path(kept, name)
        exported = str(read_manifest(kept)[name].saw.get(_EXPORTED_AS, ""))
        installed = read_manifest(folder)[name].sha256
    except (WeightsError, KeyError) as fault:
        raise TrainingError(f"{kept}: no checkpoint of the {name} to start from: {fault}") from fault
    if exported != installed:
        raise TrainingError(
            f"{path}: is the origin of {exported[:12]}…, but the installed {name} is {installed[:12]}…; "
            "train from another checkpoint"
        )
    return path


def start_path(name: str, given: str | Path | None, weights: Path | None = None) -> Path | None:
    """What `--start-from` means: a file, or the installed weights' own checkpoint for `shipped`."""
    if given is None:
        return None
    return shipped_checkpoint(name, weights) if str(given) == SHIPPED else Path(given)


def write_checkpoint(name: str, state: Mapping[str, Any], folder: Path, exported: ModelEntry) -> Path:
    """Keep a model's weights in `folder`, as the origin of the exported file that `exported` describes."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.pt"
    with replacing(path) as part:
        torch.save({WEIGHTS: {key: _halved(value) for key, value in state.items()}}, part)
    saw = {**exported.saw, _EXPORTED_AS: exported.sha256}
    record(folder, replace(exported, file=path.name, sha256=sha256_of(path), saw=saw, scores={}))
    return path


def read_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint's content; TrainingError if it is none."""
    import torch

    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as fault:
        raise TrainingError(f"{path}: no such checkpoint") from fault
    except Exception as fault:  # torch.load raises whatever its readers raise
        raise TrainingError(f"{path}: not a checkpoint: {str(fault).splitlines()[0]}") from fault
    if not isinstance(state, dict):
        raise TrainingError(f"{path}: not a checkpoint: a {type(state).__name__}")
    return state


def load_weights(network: Any, path: Path) -> None:
    """Put a checkpoint's weights into a network; TrainingError if they are of another one."""
    state = read_checkpoint(path)
    weights = state.get(WEIGHTS, state.get("averaged"))
    if not isinstance(weights, dict):
        raise TrainingError(f"{path}: not a checkpoint: holds no weights")
    try:
        network.load_state_dict(weights)
    except (RuntimeError, TypeError, AttributeError) as fault:
        raise TrainingError(f"{path}: weights of another network") from fault


def blend_weights(network: Any, start: Path, share: float) -> None:
    """Bring a network's weights back towards those it began with: `share` of the way it went remains.

    Between the two lies what both know; fine-tuning alone forgets more than it needs to.
    """
    import torch

    went = {key: value.clone() for key, value in network.state_dict().items()}
    load_weights(network, start)
    with torch.no_grad():
        for key, value in network.state_dict().items():
            if value.dtype.is_floating_point:
                value.lerp_(went[key].to(value.dtype), share)
            else:
                value.copy_(went[key])


def install_checkpoint(name: str, candidate: Path, weights: Path) -> None:
    """Take a candidate's checkpoint along with its weights, that the next training may start from them.

    Where it has none the old one stays, and is refused from then on: the new weights do not come from it.
    """
    source, target = checkpoints_of(candidate), checkpoints_of(weights)
    try:
        path = checked_path(source, name)
    except WeightsError:
        return
    entry = read_manifest(source)[name]
    target.mkdir(parents=True, exist_ok=True)
    with replacing(target / f"{name}.pt") as part:
        part.write_bytes(path.read_bytes())
    record(target, entry)


def _halved(value: Any) -> Any:
    import torch

    if value.dtype == torch.float32 and value.ndim > 1:
        return value.half()
    return value.clone()
