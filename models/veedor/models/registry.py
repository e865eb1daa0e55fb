"""Where the shipped weights are, and proof that they are the ones their manifest describes.

`manifest.toml` beside the weights holds one table a model: `file`, `sha256`, `licence`, `trained` (date),
`data` (what it has seen, for people), `saw` (stores with their digests, seeds, split, steps, the weights it
began with) and `scores`. A file that does not match its hash is refused: a silently different
model is worse than none.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from veedor.datasets.digests import sha256_of
from veedor.datasets.replacing import replace_text
from veedor.models.errors import WeightsError

MANIFEST = "manifest.toml"
VARIABLE = "VEEDOR_WEIGHTS"


Seen = str | int | float | Sequence[str]


@dataclass(frozen=True)
class ModelEntry:
    """One model of the manifest. `scores` maps a labelled set to figures by name, shares in 0..1.

    `saw` is what its training was made of, as the training itself wrote it down.
    """

    name: str
    file: str
    sha256: str
    licence: str
    trained: str
    data: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    saw: Mapping[str, Seen] = field(default_factory=dict)


def weights_folder() -> Path:
    """The folder of the weights in use; WeightsError if there is none.

    Those that `VEEDOR_WEIGHTS` names, for a night to be looked at again with others, else the shipped ones,
    in a wheel or a checkout.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if not (Path(named) / MANIFEST).is_file():
            raise WeightsError(f"{VARIABLE}={named}: no {MANIFEST} in that folder")
        return Path(named)
    here = Path(__file__).resolve().parent
    candidates = (here / "data" / "weights", here.parents[1] / "weights")
    for folder in candidates:
        if (folder / MANIFEST).is_file():
            return folder
    places = " or ".join(map(str, candidates))
    raise WeightsError(f"no {MANIFEST} in {places}: the model files are not installed")


def read_manifest(folder: Path) -> dict[str, ModelEntry]:
    """The models a folder's manifest describes, by name."""
    path = folder / MANIFEST
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as fault:
        raise WeightsError(f"{path}: missing") from fault
    except ValueError as fault:
        raise WeightsError(f"{path}: not readable as TOML: {fault}") from fault
    except RecursionError:
        raise WeightsError(f"{path}: not readable as TOML: nested too deep") from None
    return {name: _entry(path, name, table) for name, table in tables.items()}


def weights_path(name: str) -> Path:
    """The checked file of a shipped model (`detector`, `reader`); WeightsError if missing or changed."""
    return checked_path(weights_folder(), name)


def checked_path(folder: Path, name: str) -> Path:
    """As `weights_path`, of the manifest in `folder`."""
    entry = read_manifest(folder).get(name)
    if entry is None:
        raise WeightsError(f"{folder / MANIFEST}: describes no model {name!r}")
    path = folder / entry.file
    if not path.is_file():
        raise WeightsError(f"{path}: missing, though {MANIFEST} lists it")
    stamp = path.stat()
    found = _sha256(path, stamp.st_mtime_ns, stamp.st_size)
    if found != entry.sha256:
        raise WeightsError(
            f"{path}: sha256 {found[:12]}… is not the {entry.sha256[:12]}… of {MANIFEST}; "
            "install the model file again or record it anew"
        )
    return path


def record(folder: Path, entry: ModelEntry) -> None:
    """Write `entry` into the folder's manifest, replacing the model of that name and keeping the others."""
    entries = read_manifest(folder) if (folder / MANIFEST).is_file() else {}
    entries[entry.name] = entry
    text = "# The shipped model files: what they are, what they have seen, how they scored.\n"
    text += "".join(_as_toml(entries[name]) for name in sorted(entries))
    replace_text(folder / MANIFEST, text)


@lru_cache(maxsize=16)
def _sha256(path: Path, _modified_ns: int, _size: int) -> str:
    """Hashing costs some 30 ms a model, and a file unchanged in time and size is not hashed again."""
    return sha256_of(path)


def _entry(path: Path, name: str, table: object) -> ModelEntry:
    if not isinstance(table, dict):
        raise WeightsError(f"{path}: expected a table [{name}], found {type(table).__name__}")
    for key in ("file", "sha256", "licence", "trained"):
        if not isinstance(table.get(key), str):
            raise WeightsError(f"{path}: [{name}] needs a text {key!r}, found {table.get(key)!r}")
    data, scores, saw = table.get("data", []), table.get("scores", {}), table.get("saw", {})
    if not isinstance(data, list) or not isinstance(scores, dict) or not isinstance(saw, dict):
        raise WeightsError(f"{path}: [{name}] needs a list `data` and tables `scores` and `saw`")
    return ModelEntry(
        name,
        table["file"],
        table["sha256"],
        table["licence"],
        table["trained"],
        tuple(map(str, data)),
        scores,
        saw,
    )


def _as_toml(entry: ModelEntry) -> str:
    lines = [f"\n[{entry.name}]"]
    for key in ("file", "sha256", "licence", "trained"):
        lines.append(f"{key} = {_quoted(getattr(entry, key))}")
    lines.append(f"data = {_quoted_list(entry.data)}")
    if entry.saw:
        lines.append(f"\n[{entry.name}.saw]")
        lines.extend(f"{_quoted(key)} = {_seen(value)}" for key, value in entry.saw.items())
    for name, figures in entry.scores.items():
        lines.append(f"\n[{entry.name}.scores.{_quoted(name)}]")
        lines.extend(f"{_quoted(key)} = {float(value)!r}" for key, value in figures.items())
    return "\n".join(lines) + "\n"


def _seen(value: Seen) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int | float):
        return repr(value)
    return _quoted_list(value)


def _quoted_list(texts: Sequence[str]) -> str:
    return "[" + "".join(f"\n    {_quoted(text)}," for text in texts) + ("\n]" if texts else "]")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
