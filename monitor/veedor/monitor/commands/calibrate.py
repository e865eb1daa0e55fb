"""`veedor calibrate`: makes a table file's calibration from a picture, or checks one."""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veedor.monitor.calibration_inputs import check_near, clicked_points, layout_named, write_table
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import counted, text
from veedor.monitor.still_source import picture_of, seconds
from veedor.monitor.written_text import shows

if TYPE_CHECKING:
    from veedor.vision.frames import Image
    from veedor.vision.layout import TableLayout
    from veedor.vision.point_doubts import Suspects
    from veedor.vision.table import ReferencePoint, Table

MAX_ERROR_MM = 5.0
DOUBTS = {
    "NO_LINES": "no se encontraron las líneas impresas de este diseño",
    "FEW_LINES": "se ve demasiado poco de las líneas del diseño",
    "UNEVEN": "en una parte de la imagen las líneas no están donde deben",
    "STRAY": "se ven tantas líneas donde no debe haber ninguna",
    "AMBIGUOUS": "otra posición de la mesa explica la imagen igual de bien",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "calibrate",
        help=text(es="calibra una mesa con una imagen", en="calibrate a table from a picture"),
        description=text(
            es="Busca en una imagen las líneas impresas del paño, o toma puntos marcados, y escribe la "
            "calibración en el archivo de mesa. Si no hay certeza no escribe nada y termina con 1.",
            en="Finds the felt's printed lines in a picture, or takes clicked points, and writes the "
            "calibration into the table file. Where that is not certain it writes nothing and ends with 1.",
        ),
    )
    add = parser.add_argument
    add("source", nargs="?", metavar=text(es="FUENTE", en="SOURCE"),
        help=text(es="imagen, grabación, número de cámara o dirección RTSP o HTTP",
                  en="picture, recording, a camera's number, or an RTSP or HTTP address"))  # fmt: skip
    add("--at", type=seconds, metavar="S",
        help=text(es="de una grabación, la imagen de ese segundo",
                  en="of a recording, the picture at that second"))  # fmt: skip
    add("--layout", metavar="L",
        help=text(es="diseño: nombre o archivo", en="layout: a shipped one's name, or a file"))  # fmt: skip
    add("--out", type=Path, metavar="T",
        help=text(es="archivo de mesa; si existe, conserva lo demás",
                  en="table file; an existing one keeps the rest"))  # fmt: skip
    add("--points", action="append", default=[], metavar="NAME=X,Y[;…]",
        help=text(es="puntos marcados, en píxeles", en="clicked points, in pixels"))  # fmt: skip
    add("--points-file", type=Path, metavar="FILE",
        help=text(es="TOML o JSON: nombre = [x, y]", en="TOML or JSON: name = [x, y]"))  # fmt: skip
    add("--list-points", action="store_true",
        help=text(es="muestra los puntos del diseño", en="show the layout's named points"))  # fmt: skip
    add("--check", type=Path, metavar="T",
        help=text(es="comprueba este archivo de mesa", en="check this table file"))  # fmt: skip
    add("--max-error", type=float, default=MAX_ERROR_MM, metavar="MM",
        help=text(es="error admitido (5)", en="error allowed (5)"))  # fmt: skip
    add("--id", metavar="ID", help=text(es="de una mesa nueva", en="of a new table"))
    add("--name", metavar="NAME", help=text(es="de una mesa nueva", en="of a new table"))
    add("--profile", metavar="P", help=text(es="de una mesa nueva", en="of a new table"))
    add("--json", action="store_true", help=text(es="resultado en JSON", en="result as JSON"))


def run(args: argparse.Namespace) -> int:
    if not (math.isfinite(args.max_error) and args.max_error > 0):
        raise UsageFault(text(es="--max-error: se espera más de 0", en="--max-error: expected more than 0"))
    if args.check is not None:
        return _check(args)
    if args.layout is None:
        raise UsageFault(text(es="falta --layout", en="--layout is missing"))
    layout = layout_named(args.layout)
    if args.list_points:
        return _list(layout, as_json=args.json)
    if args.source is None or args.out is None:
        raise UsageFault(text(es="hacen falta una FUENTE y --out", en="a SOURCE and --out are needed"))
    table = _table(args, layout)
    points = clicked_points(args.points, args.points_file, layout)
    image = picture_of(args.source, args.at).image
    check_near(points, (image.shape[1], image.shape[0]))
    found, line = _from_points(image, points, layout) if points else _from_lines(image, layout)
    error = line["error_mm"]
    if found is not None and isinstance(error, float) and not error <= args.max_error:
        line["doubt"] = text(
            es=f"el error supera {args.max_error:g} mm", en=f"the error is above {args.max_error:g} mm"
        ) + _advice(found, line, args.max_error)
    written = found is not None and line["doubt"] is None
    if found is not None and written:
        write_table(replace(table, layout=layout, **found), args.out)
    _tell({"table": str(args.out), "written": written, **line}, as_json=args.json)
    return 0 if written else 1


def _list(layout: TableLayout, *, as_json: bool) -> int:
    from veedor.vision.calibration import reference_points

    named = reference_points(layout)
    if as_json:
        print(json.dumps({name: list(place) for name, place in named.items()}, ensure_ascii=False))
    else:
        for name, (x, y) in named.items():
            print(f"{name:32} {x:9.1f} {y:9.1f} mm")
    return 0


def _table(args: argparse.Namespace, layout: TableLayout) -> Table:
    """The table to write into: the one that is there, or a new one."""
    from veedor.datasets.replacing import refuse_all_but_a_file
    from veedor.rules.profile import load_profile
    from veedor.vision.table import LONGEST_NAME, is_table_id
    from veedor.vision.table_file import Table, load_table

    refuse_all_but_a_file(args.out)
    if args.out.is_file():
        table = load_table(args.out)
    else:
        stem = args.out.stem
        table = Table(stem, stem, "dos-panos-limitada", layout)
    named = {"id": args.id, "name": args.name, "profile": args.profile}
    table = replace(table, **{key: value for key, value in named.items() if value is not None})
    load_profile(table.profile, named_in=args.out)
    if not is_table_id(table.id):
        wanted = text(es="se esperan letras, cifras y . _ -", en="expected letters, digits, . _ -")
        raise UsageFault(f"--id {table.id[:60]!r}: {wanted}")
    if len(table.name) > LONGEST_NAME or (table.name and not shows(table.name)):
        most = text(
            es=f"hasta {LONGEST_NAME} letras en una línea", en=f"up to {LONGEST_NAME} letters in one line"
        )
        raise UsageFault(f"--name {table.name[:60]!r}: {most}")
    return table


def _advice(found: dict[str, Any], line: dict[str, object], max_error_mm: float) -> str:
    """What helps: another look at points that do not agree, or more of those that do."""
    from veedor.vision.point_doubts import suspects

    agree_mm, error_mm = line.get("reprojection_error_mm"), line["error_mm"]
    if line["from"] != "points" or not isinstance(agree_mm, float) or not isinstance(error_mm, float):
        return ""
    if not agree_mm <= max_error_mm:
        wrong = suspects(found["camera"], found["reference_points"])
        assert wrong is not None
        return f" ({agree_mm:.0f} mm): " + _contradiction(wrong)
    if not math.isfinite(error_mm):
        return text(
            es=": según los puntos no hay ninguna línea impresa en la imagen",
            en=": by the points no printed line is in the picture",
        )
    if error_mm < 2 * agree_mm:
        return ""
    return text(
        es=f" ({error_mm:.1f} mm): haría falta marcar más puntos, más separados",
        en=f" ({error_mm:.1f} mm): more points, further apart, would help",
    )


def _contradiction(wrong: Suspects) -> str:
    told = text(es="los puntos se contradicen: ", en="the points contradict each other: ")
    names = text(es=" y ", en=" and ").join(wrong.names)
    if wrong.swapped:
        return told + text(es=f"{names} parecen intercambiados", en=f"{names} seem to be swapped")
    return told + text(
        es=f"el peor es {names}: mal marcado, o con el nombre de otro",
        en=f"the worst is {names}: misplaced, or named as another",
    )


def _from_points(
    image: Image, points: tuple[ReferencePoint, ...], layout: TableLayout
) -> tuple[dict[str, Any] | None, dict[str, object]]:
    from veedor.vision.calibration import NoCameraError, camera_from_points, felt_error_mm
    from veedor.vision.point_doubts import suspects
    from veedor.vision.table import reprojection_error_mm

    line: dict[str, object] = {"from": "points", "points": len(points), "error_mm": None, "doubt": None}
    try:
        camera = camera_from_points(points, (image.shape[1], image.shape[0]))
    except NoCameraError:
        wrong = suspects(None, points)
        if wrong is None:
            raise
        return None, line | {"doubt": _contradiction(wrong)}
    agree_mm = reprojection_error_mm(camera, points)
    error_mm, worst_mm = felt_error_mm(camera, points, layout)
    found: dict[str, Any] = {
        "camera": camera,
        "reference_points": points,
        "reprojection_error_mm": agree_mm,
    }
    return found, line | {"error_mm": error_mm, "worst_mm": worst_mm, "reprojection_error_mm": agree_mm}


def _from_lines(image: Image, layout: TableLayout) -> tuple[dict[str, Any] | None, dict[str, object]]:
    from veedor.vision.calibration import landmarks
    from veedor.vision.registration import register
    from veedor.vision.table import reprojection_error_mm

    result = register(image, layout)
    doubt = result.doubt
    line: dict[str, object] = {
        "from": "lines",
        "points": 0,
        "error_mm": result.error_mm if doubt is None else None,
        "worst_mm": result.worst_mm if doubt is None else None,
        "support": round(result.support, 3),
        "stray": round(result.stray, 3),
        "doubt": None if doubt is None else text(es=DOUBTS[doubt.name], en=str(doubt)),
    }
    if doubt is not None or result.camera is None:
        return None, line
    points = landmarks(image, layout, result.camera)
    error = reprojection_error_mm(result.camera, points)
    line |= {"points": len(points), "reprojection_error_mm": error}
    found: dict[str, Any] = {
        "camera": result.camera,
        "reference_points": points,
        "reprojection_error_mm": error,
    }
    return found, line


def _check(args: argparse.Namespace) -> int:
    from veedor.vision.calibration import checked
    from veedor.vision.table_file import load_table

    table = load_table(args.check)
    source = args.source or table.source
    if source is None:
        raise UsageFault(
            text(
                es="falta la FUENTE: la mesa no nombra ninguna",
                en="the SOURCE is missing: the table names none",
            )
        )
    state = checked(picture_of(source, args.at).image, table)
    stored = table.reprojection_error_mm
    doubt = None
    if state.error_mm is None:
        doubt = text(es="las líneas no están donde deben", en="the lines are not where they should be")
    elif state.error_mm > args.max_error:
        doubt = text(
            es=f"las líneas están a más de {args.max_error:g} mm",
            en=f"the lines are more than {args.max_error:g} mm off",
        )
    elif state.points_mm is not None and stored is not None and abs(state.points_mm - stored) > 0.1:
        doubt = text(
            es=f"los puntos guardados dan {state.points_mm:.2f} mm, no {stored:.2f}",
            en=f"the stored points give {state.points_mm:.2f} mm, not {stored:.2f}",
        )
    line: dict[str, object] = {
        "table": str(args.check),
        "holds": doubt is None,
        "error_mm": state.error_mm,
        "support": round(state.support, 3),
        "points": len(table.reference_points),
        "reprojection_error_mm": state.points_mm,
        "doubt": doubt,
    }
    _tell(line, as_json=args.json)
    return 0 if doubt is None else 1


def _rounded(value: object) -> object:
    if not isinstance(value, float):
        return value
    return round(value, 3) if math.isfinite(value) else None  # JSON has no infinity


def _tell(line: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({key: _rounded(each) for key, each in line.items()}, ensure_ascii=False))
        return
    if line["doubt"] is not None:
        kept = "" if "holds" in line else text(es="; no se escribe nada", en="; nothing is written")
        print(f"{line['table']}: {line['doubt']}{kept}", file=sys.stderr)
        return
    told = text(es="se cumple", en="holds") if "holds" in line else text(es="calibrada", en="calibrated")
    parts = [told]
    if isinstance(line["error_mm"], float):
        parts.append(text(es=f"error {line['error_mm']:.2f} mm", en=f"error {line['error_mm']:.2f} mm"))
    if isinstance(line.get("worst_mm"), float):
        parts.append(text(es=f"máximo {line['worst_mm']:.2f} mm", en=f"at most {line['worst_mm']:.2f} mm"))
    points = line["points"]
    assert isinstance(points, int)
    parts.append(counted(points, es=("punto", "puntos"), en=("point", "points")))
    print(f"{line['table']}: {', '.join(parts)}")
