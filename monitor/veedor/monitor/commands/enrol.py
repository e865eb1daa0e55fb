"""`veedor enrol chips`: a table's chip set from pictures of chips that somebody points at."""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from veedor.monitor.arguments import add_json
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.still_source import picture_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veedor.vision.chip_confusion import Confusion
    from veedor.vision.chip_enrolment import Measured, Pointed
    from veedor.vision.table import ChipType, Table

_POINTED = re.compile(
    r"(?:(?P<image>\d{1,4}):)?(?P<x>\d{1,6}(?:\.\d{1,9})?),(?P<y>\d{1,6}(?:\.\d{1,9})?)="
    r"(?P<name>[^:=]+):(?P<value>\d{1,9})(?::(?P<shape>plaque|round))?(?::(?P<stack>\d{1,4}))?"
)
_SECOND = re.compile(r"(?:(?P<source>\d{1,4}):)?(?P<second>\d{1,7}(?:\.\d{1,9})?)")
TALLEST = 30


class _Seen(NamedTuple):
    """Names of chips whose outline is not seen free, and of those that are larger than any chip."""

    blocked: Sequence[str]
    too_big: Sequence[str]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "enrol", help=text(es="da de alta las fichas de una mesa", en="enrol a table's chips")
    )
    things = parser.add_subparsers(dest="thing", required=True, metavar=text(es="QUÉ", en="WHAT"))
    chips = things.add_parser(
        "chips",
        help=text(
            es="fichas y placas, señaladas en imágenes", en="chips and plaques, pointed at in pictures"
        ),
        description=text(
            es="Mide color y tamaño de cada ficha señalada y los escribe en el archivo de la mesa. Avisa "
            "de las que no se distinguen y entonces termina con 1.",
            en="Measures colour and size of each chip pointed at and writes them into the table file. Tells "
            "which cannot be told apart, and then ends with 1.",
        ),
    )
    chips.add_argument(
        "sources", nargs="+", metavar=text(es="FUENTE", en="SOURCE"),
        help=text(es="imágenes, grabaciones, números de cámara o direcciones RTSP o HTTP",
                  en="pictures, recordings, cameras' numbers, or RTSP or HTTP addresses"),
    )  # fmt: skip
    chips.add_argument(
        "--table", type=Path, required=True, metavar="T", help=text(es="archivo de la mesa", en="table file")
    )
    chips.add_argument(
        "--at",
        action="append",
        required=True,
        metavar="[N:]X,Y=NAME:VALUE[:plaque|:round][:STACK]",
        help=text(
            es="una ficha: píxel sobre su cara superior (en la imagen N, si no en la primera), nombre, valor "
            "y, si está sobre otras, de cuántas es la pila; [N:]S a solas: el segundo S de la grabación N",
            en="a chip: a pixel on its top (in picture N, else in the first), name, value and, if it lies on "
            "others, how many the stack has; [N:]S alone: second S of recording N",
        ),
    )
    chips.add_argument(
        "--only",
        action="store_true",
        help=text(es="quita del juego las no señaladas", en="drop the set's other chips"),
    )
    chips.add_argument(
        "--out",
        type=Path,
        metavar="T",
        help=text(es="otro archivo de mesa (si no, el mismo)", en="another table file (else the same)"),
    )
    add_json(chips)


def run(args: argparse.Namespace) -> int:
    from veedor.monitor.calibration_inputs import write_table
    from veedor.vision.chip_confusion import confusions
    from veedor.vision.chip_enrolment import chip_of, enrolled
    from veedor.vision.table_file import load_table

    table = load_table(args.table)
    count = len(args.sources)
    pointed = [parse_pointed(each, count) for each in args.at if _SECOND.fullmatch(each) is None]
    if not pointed:
        raise UsageFault(text(es="--at: no se señala ninguna ficha", en="--at: no chip is pointed at"))
    times = dict(parse_second(each, count) for each in args.at if _SECOND.fullmatch(each) is not None)
    table, measured = _measured(table, [(each, times.get(n)) for n, each in enumerate(args.sources)], pointed)
    by_name: dict[str, list[Measured]] = defaultdict(list)
    for each in measured:
        by_name[each.pointed.name].append(each)
    chips = [chip_of(looks) for looks in by_name.values()]
    table = enrolled(table, chips, only=args.only)
    found = confusions(table.chips)
    write_table(table, args.out or args.table)
    seen = _Seen(
        sorted({each.pointed.name for each in measured if not each.whole}),
        sorted({each.pointed.name for each in measured if each.too_big}),
    )
    if args.json:
        print(json.dumps(_as_json(chips, found, seen), ensure_ascii=False))
    else:
        print(_report(chips, found, seen))
    return 1 if found or seen.too_big else 0


def parse_pointed(given: str, images: int) -> tuple[int, Pointed]:
    """`2:640,360=red:20` as the number of a picture, from 0, and what is pointed at there."""
    from veedor.vision.chip_enrolment import Pointed

    match = _POINTED.fullmatch(given)
    if match is None:
        raise UsageFault(
            text(
                es=f"--at {given}: se espera [N:]X,Y=NOMBRE:VALOR[:plaque|:round][:PILA]",
                en=f"--at {given}: expected [N:]X,Y=NAME:VALUE[:plaque|:round][:STACK]",
            )
        )
    number, value = int(match["image"] or 1), int(match["value"])
    stack = int(match["stack"] or 1)
    if not 1 <= number <= images:
        raise UsageFault(
            text(es=f"--at {given}: no hay imagen {number}", en=f"--at {given}: there is no picture {number}")
        )
    if value == 0 or not 1 <= stack <= TALLEST:
        raise UsageFault(
            text(
                es=f"--at {given}: el valor es más que 0 y la pila de 1 a {TALLEST}",
                en=f"--at {given}: a value is above 0 and a stack of 1 to {TALLEST}",
            )
        )
    shape = match["shape"]
    name = match["name"].strip()
    return number - 1, Pointed(
        float(match["x"]),
        float(match["y"]),
        name,
        value,
        "plaque" if shape == "plaque" else "round" if shape == "round" else None,
        stack,
    )


def parse_second(given: str, sources: int) -> tuple[int, float]:
    """`2:12.5` as the number of a recording, from 0, and a second of it."""
    match = _SECOND.fullmatch(given)
    assert match is not None
    number = int(match["source"] or 1)
    if not 1 <= number <= sources:
        raise UsageFault(
            text(
                es=f"--at {given}: no hay grabación {number}",
                en=f"--at {given}: there is no recording {number}",
            )
        )
    return number - 1, float(match["second"])


def _measured(
    table: Table, sources: Sequence[tuple[str, float | None]], pointed: Sequence[tuple[int, Pointed]]
) -> tuple[Table, list[Measured]]:
    """What was pointed at, picture by picture, and the table with its felt's colour."""
    from veedor.vision.chip_enrolment import EnrolmentError, measure_chip, with_felt

    found = []
    for number, (source, at_s) in enumerate(sources):
        here = [each for picture, each in pointed if picture == number]
        if not here:
            continue
        still = picture_of(source, at_s)
        try:
            table = with_felt(table, still.image)
            found += [measure_chip(table, still.image, each) for each in here]
        except EnrolmentError as fault:
            kept = text(es="no se escribió ninguna ficha", en="no chip was written")
            raise EnrolmentError(f"{still.shown}: {fault}; {kept}") from fault
    return table, found


def _report(chips: Sequence[ChipType], found: Sequence[Confusion], seen: _Seen) -> str:
    from veedor.vision.table import ChipType

    lines = []
    for chip in chips:
        size = f"{chip.size_mm[0]:g} × {chip.size_mm[1]:g}" if chip.plaque else f"Ø {chip.diameter_mm:g}"
        colours = " / ".join(
            "#{:02x}{:02x}{:02x}".format(*colour)
            for colour in (chip.colour_rgb, chip.accent_rgb, chip.centre_rgb)
            if colour is not None
        )
        lines.append(f"{chip.name} ({chip.value}): {size} mm, {colours}")
    if seen.blocked:
        names, usual = ", ".join(seen.blocked), f"{ChipType.diameter_mm:g} mm"
        lines.append(
            text(
                es=f"el contorno no se ve libre y el tamaño es el usual: {names}; si {usual} es lo que mide, "
                "nada hay que hacer; si no, apártela de otras y de lo impreso y señálela en otra imagen",
                en=f"the outline is not seen free, so the size is the usual one: {names}; where {usual} is "
                "right nothing is to be done; else move it away from others and from print, in a new picture",
            )
        )
    if seen.too_big:
        names = ", ".join(seen.too_big)
        lines.append(
            text(
                es=f"MÁS GRANDE que una ficha: {names}; si es placa, añada :plaque; si toca a otra, apártela",
                en=f"LARGER than any chip: {names}; "
                "if it is a plaque, add :plaque; if it touches another, move it away",
            )
        )
    for each in found:
        pair = f"{each.one} / {each.other}"
        sure, delta = f"{100 * each.sure:.0f} %", f"ΔE {each.delta_e:.1f}"
        lines.append(
            text(
                es=f"NO SE DISTINGUEN bien: {pair} (segura {sure} de las veces, {delta})",
                en=f"CANNOT BE TOLD APART well: {pair} (sure {sure} of the time, {delta})",
            )
        )
    return "\n".join(lines)


def _as_json(chips: Sequence[ChipType], found: Sequence[Confusion], seen: _Seen) -> dict[str, object]:
    return {
        "chips": [
            {
                "name": chip.name,
                "value": chip.value,
                "shape": "plaque" if chip.plaque else "round",
                "colour_rgb": list(chip.colour_rgb),
                "accent_rgb": None if chip.accent_rgb is None else list(chip.accent_rgb),
                "centre_rgb": None if chip.centre_rgb is None else list(chip.centre_rgb),
                "size_mm": list(chip.size_mm) if chip.plaque else None,
                "diameter_mm": None if chip.plaque else chip.diameter_mm,
                "outline_free": chip.name not in seen.blocked,
                "larger_than_a_chip": chip.name in seen.too_big,
            }
            for chip in chips
        ],
        "confused": [
            {
                "chips": [each.one, each.other],
                "sure": round(each.sure, 3),
                "delta_e": round(each.delta_e, 1),
            }
            for each in found
        ],
    }
