"""What is wrong with labels that come in or go out."""

from __future__ import annotations

from pathlib import Path

from veedor.datasets.errors import DatasetError


class FormatFault(DatasetError):
    """A file of labels that cannot be used; one line that names it and the fault."""

    def __init__(self, path: Path | str, fault: str, line: int | None = None) -> None:
        place = f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {fault}")
