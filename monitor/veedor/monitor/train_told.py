"""What `veedor train` says before its first figures: loading, pictures to be drawn, the first step."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from veedor.monitor.language import text
from veedor.monitor.progress import Progress

Make = Callable[[Path, int], int]
_PART = 20  # pictures between two looks at the clock


def say(*, es: str, en: str) -> None:
    """A line on standard error, at once."""
    print(text(es=es, en=en), file=sys.stderr, flush=True)


def preparing(model: str, run: Path) -> None:
    """The first line: libraries and networks alone take a while to load."""
    say(
        es=f"{model}: se preparan los datos y la red en {run}",
        en=f"{model}: preparing data and network in {run}",
    )


def exporting() -> None:
    say(es="entrenado; se mide y se exporta", en="trained; measuring and exporting")


def draw(what: str, store: Path, count: int, make: Make) -> None:
    """Make the pictures of a store that are not there yet, saying so and how long it still takes."""
    say(
        es=f"se dibujan {count} {what} en {store}, las que falten",
        en=f"drawing {count} {what} in {store}, those missing",
    )
    bar, made = Progress(what, ""), 0
    for upto in [*range(_PART, count, _PART), count]:
        made += make(store, upto)
        bar.show(upto, count)
    bar.close()
    say(
        es=f"{what}: {made} nuevas, {count - made} ya estaban",
        en=f"{what}: {made} new, {count - made} were there",
    )


def stills_name() -> str:
    return text(es="imágenes de mesa", en="pictures of tables")


def composites_name() -> str:
    return text(es="composiciones", en="composites")


def first_step(steps: int | None) -> Callable[[int], None]:
    """What to tell once the run has learned its first step, with when the next line comes."""
    began_at = time.monotonic()

    def told(step: int) -> None:
        of = f"{step}/{steps}" if steps is not None else f"{step}"
        after = time.monotonic() - began_at
        say(
            es=f"primer paso hecho ({of}) a los {after:.0f} s; las cifras siguen de vez en cuando",
            en=f"first step done ({of}) after {after:.0f} s; figures follow now and then",
        )

    return told
