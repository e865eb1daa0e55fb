"""`veedor simulate`: a played and rendered session, with the infractions asked for."""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from pathlib import Path

from veedor.datasets.looks import random_look
from veedor.datasets.play import DEVIATIONS, Order, Session, draw_infractions, play_journal
from veedor.datasets.play.spots import Felt
from veedor.datasets.simulate import (
    DEFAULT_FPS,
    DEFAULT_SIZE,
    Simulation,
    findings_json,
    simulate,
    write_journals,
)
from veedor.monitor.arguments import add_json, whole_number
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import counted, text
from veedor.monitor.progress import Progress
from veedor.rules.profile import load_profile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.telling import clock

SMALLEST_PX, LARGEST_PX = 320, 3840
FPS_RANGE = (Fraction(1), Fraction(60))
MOST_COUPS = 10_000  # what a night could hold many times over


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "simulate",
        help=text(es="juega y dibuja una sesión", en="play and render a session"),
        description=text(
            es="Juega una sesión según un reglamento, limpia o con infracciones, y la dibuja como la vería"
            " una cámara: vídeo, mesa, registro verdadero, anuncios, cajas y hallazgos esperados.",
            en="Plays a session under a rule profile, clean or with infractions, and draws it as a camera"
            " would see it: video, table file, true journal, announcements, boxes and expected findings.",
        ),
        epilog=_infractions(),
    )
    parser.add_argument(
        "--profile", default="dos-panos-limitada", metavar="P", help=text(es="reglamento", en="rule profile")
    )
    parser.add_argument(
        "--seed",
        type=whole_number(),
        default=1,
        metavar="N",
        help=text(es="semilla: la misma da los mismos bytes", en="seed: the same gives the same bytes"),
    )
    parser.add_argument(
        "--look",
        type=whole_number(),
        metavar="N",
        help=text(
            es="semilla de la mesa (paño, baraja, fichas, cámara), si no es la de la sesión: otra noche suya",
            en="seed of the table (felt, deck, chips, camera) if not the session's: another night of its",
        ),
    )
    parser.add_argument(
        "--coups",
        type=whole_number(1, MOST_COUPS),
        default=3,
        metavar="K",
        help=text(es="número de golpes", en="number of coups"),
    )
    parser.add_argument(
        "--infraction",
        action="append",
        default=[],
        metavar="CODE[@COUP]",
        help=text(
            es="infracción que se comete (repetible); random:N saca N de la semilla",
            en="an infraction to commit (repeatable); random:N draws N of them from the seed",
        ),
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help=text(es="carpeta de salida", en="output folder"),
    )
    parser.add_argument(
        "--fps",
        type=_fps,
        default=DEFAULT_FPS,
        help=text(es="cuadros por segundo (12.5)", en="frames a second (12.5)"),
    )
    parser.add_argument(
        "--size",
        type=_size,
        default=DEFAULT_SIZE,
        metavar="WxH",
        help=text(es="tamaño en píxeles (1920x1080)", en="size in pixels (1920x1080)"),
    )
    parser.add_argument(
        "--no-video",
        action="store_true",
        help=text(es="todo menos el vídeo, en segundos", en="everything but the video, in seconds"),
    )
    add_json(parser)


def _infractions() -> str:
    """What `--infraction` takes: first what can be filmed, then what only a journal can have."""
    filmed = ", ".join(sorted(code for code, kind in DEVIATIONS.items() if kind.on_felt))
    others = ", ".join(sorted(code for code, kind in DEVIATIONS.items() if not kind.on_felt))
    return text(
        es=f"Infracciones que se pueden filmar: {filmed}. Solo con --no-video, que entonces da los registros "
        f"y hallazgos, sin mesa ni cajas: {others}.",
        en=f"Infractions that can be filmed: {filmed}. Only with --no-video, which then gives journals and "
        f"findings, no table and no boxes: {others}.",
    )


def _fps(value: str) -> Fraction:
    try:
        fps = Fraction(value)
    except (ValueError, ZeroDivisionError):
        fps = Fraction(0)
    if not FPS_RANGE[0] <= fps <= FPS_RANGE[1]:
        raise argparse.ArgumentTypeError(
            text(es=f"se esperaba de 1 a 60, se halló {value}", en=f"expected 1 to 60, found {value}")
        )
    return fps


def _size(value: str) -> tuple[int, int]:
    width, _, height = value.partition("x")
    if width.isdigit() and height.isdigit():
        size = int(width), int(height)
        # H.264 with 4:2:0 colour wants even sides.
        if all(SMALLEST_PX <= side <= LARGEST_PX and side % 2 == 0 for side in size):
            return size
    raise argparse.ArgumentTypeError(
        text(
            es=f"se esperaba ANCHOxALTO, pares, de 320 a 3840, se halló {value}",
            en=f"expected WIDTHxHEIGHT, even, 320 to 3840, found {value}",
        )
    )


def orders_of(values: list[str], seed: int, coups: int) -> tuple[Order, ...]:
    """The infractions that `--infraction` values ask for."""
    orders: list[Order] = []
    for value in values:
        kind, _, count = value.partition(":")
        if kind == "random":
            if not count.isdigit():
                raise UsageFault(
                    text(
                        es=f"--infraction {value}: se esperaba random:N",
                        en=f"--infraction {value}: expected random:N",
                    )
                )
            orders += draw_infractions(seed, coups, int(count))
        else:
            orders.append(Order.parse(value))
    return tuple(orders)


def journal_only(job: Simulation, out: Path) -> Session:
    """A session of a game that has no felt to be staged on: journals and findings, no table, no boxes."""
    look, _ = random_look(job.look_seed, split="play", size=job.size)
    panos = Felt(look.layout).panos
    session = play_journal(job.profile, job.seed, job.coups, job.infractions, chips=look.chips, panos=panos)
    out.mkdir(parents=True, exist_ok=True)
    write_journals(session, job.profile, out)
    return session


def _on_felt(job: Simulation) -> bool:
    """Whether a session can be staged on a felt: its game has one, and each infraction can be seen there."""
    codes = [order.code for order in job.infractions]
    seen = all(DEVIATIONS[code].on_felt for code in codes if code in DEVIATIONS)
    return seen and load_profile(job.profile).family == DOS_PANOS


def run(args: argparse.Namespace) -> int:
    job = Simulation(
        args.profile,
        args.seed,
        args.coups,
        orders_of(args.infraction, args.seed, args.coups),
        args.fps,
        args.size,
        not args.no_video,
        args.look,
    )
    if args.out.exists() and not args.out.is_dir():
        raise UsageFault(text(es=f"{args.out}: no es una carpeta", en=f"{args.out}: not a folder"))
    if not job.video and not _on_felt(job):
        session = journal_only(job, args.out)
    else:
        with Progress("", text(es="cuadros", en="frames")) as progress:
            session = simulate(job, args.out, progress.show)
    seconds = max((event.t for event in session.journal), default=0.0)
    if session.timeline is not None:
        seconds = session.timeline.duration_s
    findings = findings_json(session, args.profile)
    if args.json:
        summary = {
            "out": str(args.out),
            "seconds": round(seconds, 3),
            "coups": args.coups,
            "events": len(session.journal),
            "findings": findings,
        }
        print(json.dumps(summary, ensure_ascii=False))
        return 0
    coups = counted(args.coups, es=("jugada", "jugadas"), en=("coup", "coups"))
    events = counted(len(session.journal), es=("suceso", "sucesos"), en=("event", "events"))
    planted = counted(len(findings), es=("infracción", "infracciones"), en=("infraction", "infractions"))
    print(f"{args.out}: {coups}, {seconds:.1f} s, {events}, {planted}")
    for finding in findings:
        at = clock(float(str(finding["t"])))
        print(f"  {finding['coup']}  {at:>9}  {finding['code']}  {finding['actor']}")
    return 0
