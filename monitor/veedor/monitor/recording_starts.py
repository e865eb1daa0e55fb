"""When recordings began: as somebody says, as their names say, or as the containers say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from veedor.monitor.language import text
from veedor.vision.sources import VideoSource

# 2026-11-29_22-00-00, 20261129T220000, 20261129220000123, 2026.11.29 22.00.00 and what else recorders write;
# of a name with two, the first is the beginning.
_STAMP = re.compile(
    r"(?<!\d)(20\d\d)([-_.]?)([01]\d)\2([0-3]\d)[-_.T ]{0,3}"
    r"([0-2]\d)[-_.:h]?([0-5]\d)[-_.:m]?([0-5]\d)(?:[.,]?(\d{3}))?(?!\d)(Z?)"
)
# Recordings of a batch that was converted all carry the time of that.
_CREDIBLE_OVERLAP = 0.5


@dataclass(frozen=True)
class Start:
    """When a recording began. `exact`: told with a fraction of a second, not only to the second."""

    at: datetime
    exact: bool

    @classmethod
    def of(cls, at: datetime) -> Start:
        """A time without a zone is taken as this machine's local time."""
        return cls(at.astimezone(UTC), at.microsecond != 0)


def start_in_name(path: Path) -> datetime | None:
    """The time that a file's name begins with or holds, in local time unless it ends in Z; None without."""
    for found in _STAMP.finditer(path.stem):
        year, _, month, day, hour, minute, second, thousandths, zone = found.groups()
        try:
            return datetime(
                int(year), int(month), int(day), int(hour), int(minute), int(second),
                1000 * int(thousandths or 0), UTC if zone else None,
            )  # fmt: skip
        except ValueError:
            continue
    return None


def starts_of(
    sources: Sequence[VideoSource], told: Sequence[datetime | None]
) -> tuple[list[Start | None], tuple[str, ...]]:
    """When each recording began, and what is to be said about it. `told` holds what somebody says.

    If anything is told only that counts. Otherwise the names, if all have a time, or else the containers, if
    all have one: times of different clocks would make gaps and overlaps that never were.
    """
    if any(each is not None for each in told):
        return [None if each is None else Start.of(each) for each in told], ()
    named = [start_in_name(source.path) for source in sources]
    if all(each is not None for each in named):
        times = [each for each in named if each is not None]
        twice = [source.path.name for source, at in zip(sources, times, strict=True) if _comes_twice(at)]
        return [Start.of(each) for each in times], _twice_note(twice)
    created = [source.created_at for source in sources]
    if all(each is not None for each in created):
        starts = [Start.of(each) for each in created if each is not None]
        if _credible(sources, starts):
            return list(starts), ()
        notes = text(
            es="las horas dentro de las grabaciones contradicen su duración; van en el orden dado",
            en="the times inside the recordings contradict their lengths; they are taken in the order given",
        )
        return [None] * len(sources), (notes,)
    notes = text(
        es="sólo se sabe de algunas grabaciones cuándo empezaron; van en el orden dado, una tras otra",
        en="only of some recordings is known when they began; they follow one another in the order given",
    )
    some = any(each is not None for each in (*named, *created))
    return [None] * len(sources), ((notes,) if some else ())


def _comes_twice(at: datetime) -> bool:
    """Whether a local time is in the hour after which clocks were put back."""
    return at.tzinfo is None and at.replace(fold=0).astimezone(UTC) != at.replace(fold=1).astimezone(UTC)


def _twice_note(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    return (
        text(
            es=f"{names[0]}: su hora vino dos veces esa noche y se toma por la primera; con una lista con "
            "desfase horario no hay duda",
            en=f"{names[0]}: its time came twice that night and is taken for the first; a list with offsets "
            "leaves no doubt",
        ),
    )


def _credible(sources: Sequence[VideoSource], starts: Sequence[Start]) -> bool:
    """Whether no recording lies more than half within those that began before it."""
    by_time = sorted(zip(starts, sources, strict=True), key=lambda each: each[0].at)
    end_s = 0.0
    for start, source in by_time:
        begin_s = (start.at - by_time[0][0].at).total_seconds()
        length_s = source.info.duration_s
        if end_s - begin_s > _CREDIBLE_OVERLAP * length_s + 1.0:
            return False
        end_s = max(end_s, begin_s + length_s)
    return True
