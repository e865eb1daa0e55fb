"""What a weights file has seen, written down by the training that made it."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from veedor.datasets.digests import sha256_of
from veedor.models.registry import MANIFEST, ModelEntry, Seen, read_manifest, record

LICENCE = "AGPL-3.0-or-later"


def store_digest(folder: Path) -> str:
    """A store of pictures in one line: its name, its number of files, a digest of their names and sizes.

    Pictures are made from seeds, so names and sizes tell stores apart; hashing gigabytes would tell no more.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\n".encode())
    return f"{folder.name}: {len(files)} files, sha256 of names and sizes {digest.hexdigest()[:16]}"


def write_candidate(
    name: str, weights: Path, data: Sequence[str], saw: Mapping[str, Seen], base: Path | None = None
) -> None:
    """Record freshly trained weights in the manifest beside them, for `veedor models promote`.

    `base` is the checkpoint or the weights that training began with: what they saw was seen as well.
    """
    seen = list(data)
    facts = dict(saw)
    if base is not None:
        facts["base"] = f"{base.name} sha256 {sha256_of(base)}"
        earlier = read_manifest(base.parent).get(name) if (base.parent / MANIFEST).is_file() else None
        if earlier is not None:
            seen += [each for each in earlier.data if each not in seen]
            facts |= {f"base_{key}": value for key, value in earlier.saw.items()}
    record(
        weights.parent,
        ModelEntry(
            name,
            weights.name,
            sha256_of(weights),
            LICENCE,
            datetime.date.today().isoformat(),
            tuple(seen),
            saw=facts,
        ),
    )
