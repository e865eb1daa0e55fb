"""`veedor rules`: what is checked, with its source, what must be seen and the remedy."""

from __future__ import annotations

import argparse
import json

from veedor.monitor.arguments import add_json
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import current, text
from veedor.monitor.rule_words import general, severity_name
from veedor.rules.plain_text import printable
from veedor.rules.profile import SHIPPED
from veedor.rules.rulebook import RuleEntry, rulebook
from veedor.rules.rules_page import profiles_of


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "rules",
        help=text(es="muestra qué se controla", en="show what is checked"),
        description=text(
            es="Lista los códigos o, con CODE, uno entero: texto, fuente, qué debe verse y remedio.",
            en="Lists the codes or, with CODE, one in full: text, source, what must be seen, remedy.",
        ),
    )
    parser.add_argument("code", nargs="?", metavar="CODE")
    parser.add_argument(
        "--profile", choices=SHIPPED, help=text(es="sólo los de un juego", en="only those of one game")
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    codes = rulebook().codes
    chosen = list(codes.values())
    if args.code is not None:
        entry = codes.get(args.code.upper())
        if entry is None:
            asked = printable(args.code)
            raise UsageFault(
                text(es=f"{asked}: no es un código", en=f"{asked}: not a code")
                + text(es="; vea «veedor rules»", en="; see `veedor rules`")
            )
        chosen = [entry]
    if args.profile is not None:
        chosen = [entry for entry in chosen if args.profile in profiles_of(entry.code)]
    if args.json:
        print(json.dumps([_as_json(entry) for entry in chosen], ensure_ascii=False, indent=1))
    elif args.code is not None and chosen:
        _print_one(chosen[0])
    else:
        for entry in chosen:
            print(f"{entry.code:<24} {entry.texts[str(current())].name}")
    return 0


def _print_one(entry: RuleEntry) -> None:
    texts = entry.texts[str(current())]
    rows = (
        (text(es="regla", en="rule"), general(texts.expected, current())),
        (text(es="falta", en="fault"), general(texts.found, current())),
        (text(es="fuente", en="source"), f"{entry.source} ({', '.join(entry.rules)})"),
        (text(es="debe verse", en="must be seen"), texts.sees),
        (text(es="remedio", en="remedy"), texts.remedy),
        (text(es="gravedad", en="severity"), severity_name(entry.severity, current())),
        (text(es="juegos", en="games"), ", ".join(profiles_of(entry.code))),
    )
    print(f"{entry.code} · {texts.name}")
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")


def _as_json(entry: RuleEntry) -> dict[str, object]:
    texts = entry.texts[str(current())]
    return {
        "code": entry.code,
        "name": texts.name,
        "expected": texts.expected,
        "found": texts.found,
        "source": entry.source,
        "rules": list(entry.rules),
        "needs": entry.needs,
        "sees": texts.sees,
        "remedy": texts.remedy,
        "severity": entry.severity,
        "profiles": profiles_of(entry.code),
    }
