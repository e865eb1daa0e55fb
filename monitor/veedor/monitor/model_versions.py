"""Models among the versions that something was made with: `model NAME` and the sha256 of its weights."""

from __future__ import annotations

from collections.abc import Mapping

_MODEL = "model "


def as_versions(models: Mapping[str, str]) -> dict[str, str]:
    """sha256s by the models' names as they stand among other versions."""
    return {f"{_MODEL}{name}": digest for name, digest in models.items()}


def models_among(versions: Mapping[str, object]) -> dict[str, str]:
    """The models' sha256s by name; what else there is, is left out."""
    return {
        str(name).removeprefix(_MODEL): str(digest)
        for name, digest in versions.items()
        if str(name).startswith(_MODEL)
    }
