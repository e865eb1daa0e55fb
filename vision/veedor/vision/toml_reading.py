"""Typed access to a parsed TOML document whose faults name the file and the key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from veedor.vision.errors import TableFileError

Kind = TypeVar("Kind", bound=StrEnum)

LARGEST = 1e9  # of any number: sizes, places and values of a table are far smaller


class Section:
    """One TOML table; every getter marks its key as known, `finish` refuses the keys nobody asked for."""

    def __init__(self, path: Path, key: str, values: Mapping[str, object], header: str = "") -> None:
        self._path = path
        self._key = key
        self._values = values
        self._header = header  # the line of the file that it stands below
        self._known: set[str] = set()

    def fault(self, key: str, text: str) -> TableFileError:
        """An error of this section that names file, key and fault."""
        where = f"{self._key}.{key}" if self._key and key else self._key or key
        return TableFileError(f"{self._path}: {where}: {text}" if where else f"{self._path}: {text}")

    def has(self, key: str) -> bool:
        return key in self._values

    def _get(self, key: str) -> object:
        self._known.add(key)
        if key not in self._values:
            raise self.fault(key, f"missing{self._strayed(key)}")
        return self._values[key]

    def _strayed(self, key: str) -> str:
        """Where a missing key stands instead: in TOML what comes below a header belongs to it."""
        for name, value in self._values.items():
            inside, header = (value, f"[[{name}]]") if isinstance(value, list) else ([value], f"[{name}]")
            if any(isinstance(each, dict) and key in each for each in inside):
                return f"; it stands below {header} and so belongs to that, keys of the whole file go above"
        return ""

    def text(self, key: str) -> str:
        value = self._get(key)
        if not isinstance(value, str) or not value:
            raise self.fault(key, f"expected a text, found {value!r}")
        if "\0" in value:
            raise self.fault(key, f"a text with a NUL character: {value!r:.80}")
        return value

    def choice(self, key: str, kinds: type[Kind]) -> Kind:
        """One of the words of an enumeration."""
        word = self.text(key)
        if word not in set(kinds):
            raise self.fault(key, f"expected one of {', '.join(kinds)}, found '{word}'")
        return kinds(word)

    def texts(self, key: str) -> list[str]:
        """A list of texts; empty if the key is absent."""
        self._known.add(key)
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise self.fault(key, f"expected a list of texts, found {value!r}")
        if any("\0" in each for each in value):
            raise self.fault(key, "a text with a NUL character")
        return list(value)

    def moment(self, key: str) -> datetime:
        """A date and time, as TOML has them or as a text in ISO 8601."""
        value = self._get(key)
        try:
            found = datetime.fromisoformat(value) if isinstance(value, str) else value
        except ValueError:
            found = None
        if not isinstance(found, datetime):
            raise self.fault(key, f"expected a date and time such as 2026-11-29T22:00:00, found {value!r}")
        return found

    def number(self, key: str, default: float | None = None) -> float:
        if default is not None and key not in self._values:
            self._known.add(key)
            return default
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(key, f"expected a number, found {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise self.fault(key, f"expected a number, found {value!r}")
        self._check_size(key, value)
        return float(value)

    def _check_size(self, key: str, value: float) -> None:
        if abs(value) > LARGEST:
            shown = f"{value:g}" if isinstance(value, float) else f"a number of {len(str(value))} signs"
            raise self.fault(key, f"expected at most {LARGEST:g}, found {shown}")

    def integer(self, key: str) -> int:
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fault(key, f"expected a whole number, found {value!r}")
        self._check_size(key, value)
        return value

    def optional_integer(self, key: str) -> int | None:
        self._known.add(key)
        return self.integer(key) if key in self._values else None

    def flag(self, key: str, *, default: bool) -> bool:
        self._known.add(key)
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.fault(key, f"expected true or false, found {value!r}")
        return value

    def array(self, key: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
        """Numbers of that shape; None in `shape` stands for any length."""
        value = self._get(key)
        wanted = " x ".join("n" if length is None else str(length) for length in shape)
        try:
            found = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise self.fault(key, f"expected {wanted} numbers") from None
        fits = found.ndim == len(shape) and all(
            length is None or length == real for length, real in zip(shape, found.shape, strict=True)
        )
        if not fits:
            raise self.fault(key, f"expected {wanted} numbers, found shape {found.shape}")
        if not np.isfinite(found).all():
            raise self.fault(key, "holds a value that is not finite")
        if found.size and np.abs(found).max() > LARGEST:
            raise self.fault(key, f"expected at most {LARGEST:g}, found {np.abs(found).max():g}")
        return found

    def section(self, key: str) -> Section:
        value = self._get(key)
        if not isinstance(value, dict):
            raise self.fault(key, f"expected a table, found {value!r}")
        return Section(self._path, self._below(key), value, f"[{self._plain_below(key)}]")

    def _below(self, key: str) -> str:
        return f"{self._key}.{key}" if self._key else key

    def _plain_below(self, key: str) -> str:
        outer = self._header.strip("[]")
        return f"{outer}.{key}" if outer else key

    def sections(self, key: str) -> Iterator[Section]:
        """The tables of an array of tables; none if the key is absent."""
        self._known.add(key)
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self.fault(key, "expected a list of tables")
        for number, entry in enumerate(value, start=1):
            name = entry.get("name")
            label = name if isinstance(name, str) and name else str(number)
            yield Section(self._path, f"{self._below(key)}[{label}]", entry, f"[[{self._plain_below(key)}]]")

    def finish(self) -> None:
        """Refuse keys that nobody asked for: a misspelt key would otherwise be dropped in silence."""
        unknown = sorted(set(self._values) - self._known)
        if unknown:
            below = f"; what stands below {self._header} belongs to it, keys of the whole file go above"
            raise self.fault(unknown[0], "unknown key" + (below if self._header else ""))


def read_toml(path: Path) -> Section:
    """The document at `path`; TableFileError if it is missing or no TOML."""
    if "\0" in str(path):
        raise TableFileError(f"{path}: a path with a NUL character")
    try:
        return Section(path, "", tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise TableFileError(f"{path}: no such file") from None
    except OSError as error:
        raise TableFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TableFileError(f"{path}: expected a TOML text file, found other bytes") from None
    except tomllib.TOMLDecodeError as error:
        raise TableFileError(f"{path}: not valid TOML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise TableFileError(f"{path}: not valid TOML: nested too deep") from None
    except ValueError:  # of thousands of digits: Python reads no such number
        raise TableFileError(f"{path}: not valid TOML: a number too long") from None
