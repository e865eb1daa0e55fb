"""`veedor check`: coup files and journals through the rule checker."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from pathlib import Path

from veedor.monitor.coup_yaml import read_yaml
from veedor.monitor.errors import UsageFault
from veedor.monitor.fault_words.telling import in_words
from veedor.monitor.language import current, text, with_system_words
from veedor.rules.account import Account
from veedor.rules.checker import Checker
from veedor.rules.coup import Coup
from veedor.rules.coup_file import read_coup_file
from veedor.rules.errors import RulesError
from veedor.rules.events import CoupClosed, SessionOpened, TableEvent
from veedor.rules.expectation import Mismatch, compare
from veedor.rules.faults import JournalFault
from veedor.rules.finding import Finding
from veedor.rules.journal import JournalReader
from veedor.rules.plain_text import printable, printable_json
from veedor.rules.profile import RuleProfile, load_profile
from veedor.rules.record_audit import RecordAudit, audit
from veedor.rules.settled import corrections_of, settled
from veedor.rules.telling import clock
from veedor.rules.timeline import account_lines, describe, hands_line
from veedor.rules.verdict import Verdict

JOURNAL_SUFFIXES = (".jsonl", ".ndjson")
COUP_SUFFIXES = (".yaml", ".yml")
SNIFFED_BYTES = 65_536
MARKS = {
    Verdict.BROKEN: "✗",
    Verdict.UNDECIDED: "?",
    Verdict.INSPECTOR: "!",
    Verdict.WITHDRAWN: "↶",
}


@dataclass
class Report:
    """What checking one file gave: lines for people are printed as they come, the rest is kept for JSON."""

    path: Path
    title: str
    profile: RuleProfile
    findings: list[Finding] = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    faults: list[JournalFault] = field(default_factory=list)
    mismatches: list[Mismatch] | None = None


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "check",
        help=text(es="pasa casos o registros por el reglamento", en="check coup files or journals"),
        description=text(
            es="Pasa archivos de jugada (YAML) y registros (JSONL) por el reglamento: línea de tiempo, "
            "hallazgos y liquidación. Termina con 1 si no se cumple algo de «expect».",
            en="Runs coup files (YAML) and journals (JSONL) through the rule checker: timeline, findings and "
            "settlement. Exit status 1 where something of an `expect` does not hold.",
        ),
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument(
        "--profile",
        metavar="P",
        help=text(
            es="reglamento con que se juzga, en vez del que el archivo nombra",
            en="rule profile to judge by, instead of the one a file names",
        ),
    )
    parser.add_argument(
        "--brief", action="store_true", help=text(es="sin línea de tiempo", en="leave out the timeline")
    )
    parser.add_argument(
        "--json", action="store_true", help=text(es="una línea JSON por archivo", en="one JSON line a file")
    )


def run(args: argparse.Namespace) -> int:
    failed = faulty = False
    for path in args.files:
        try:
            report = _check_journal(path, args) if _is_journal(path) else _check_coup_file(path, args)
        except (UsageFault, RulesError, OSError) as fault:
            # The other files are still judged.
            told = with_system_words(" ".join(_told(path, fault).split()))
            print(f"veedor check: {printable(told)}", file=sys.stderr)
            faulty = True
            continue
        failed = failed or bool(report.mismatches)
        if args.json:
            print(printable_json(json.dumps(_as_json(report), ensure_ascii=False)))
        else:
            _print_end(report)
    return 2 if faulty else 1 if failed else 0


def _told(path: Path, fault: Exception) -> str:
    """The fault in a line that names the file."""
    said = in_words(fault)
    if isinstance(fault, OSError):
        return f"{path}: {fault.strerror or fault}"
    return said if said.startswith(f"{path}: ") else f"{path}: {said}"


def _is_journal(path: Path) -> bool:
    """By its name, or, where that says nothing, by its first line."""
    if path.suffix in JOURNAL_SUFFIXES:
        return True
    if path.suffix in COUP_SUFFIXES:
        return False
    with path.open("rb") as file:
        first = file.readline(SNIFFED_BYTES)
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _check_coup_file(path: Path, args: argparse.Namespace) -> Report:
    written = read_yaml(path)
    case = read_coup_file(written.document, written.event_lines, profile=args.profile)
    report = Report(path, f"{case.id} · {case.title}", case.profile)
    checker = Checker(case.profile, bank=case.bank)
    _walk(report, checker, case.events, quiet=args.json or args.brief, show=not args.json)
    report.faults = audit(case.events, written.event_lines, case.profile)
    if case.expect:
        report.mismatches = compare(case, checker, report.findings)
    return report


def _check_journal(path: Path, args: argparse.Namespace) -> Report:
    reader = JournalReader(path)
    events = iter(reader)
    first = next(events, None)
    if first is None:
        raise UsageFault(_no_event(reader))
    name = args.profile or (first.profile if isinstance(first, SessionOpened) else None)
    if name is None:
        raise UsageFault(
            text(
                es="el registro no empieza con session_opened; indique --profile",
                en="the journal does not begin with session_opened; give --profile",
            )
        )
    profile = load_profile(name)
    report = Report(path, path.name, profile)
    record = RecordAudit(profile)
    checker = Checker(profile)

    # A pipe can be read but once, and then without looking ahead for corrections.
    corrections = corrections_of(JournalReader(path)) if path.is_file() else {}

    def audited() -> Iterator[TableEvent]:
        for event in chain([first], events):
            record.feed(reader.line, event)
            yield event

    _walk(report, checker, settled(audited(), corrections), quiet=args.json or args.brief, show=not args.json)
    record.finish()
    report.faults = sorted([*reader.faults, *record.faults], key=lambda fault: fault.line)
    return report


def _no_event(reader: JournalReader) -> str:
    if not reader.faults:
        return text(es="vacío: ningún suceso", en="empty: no event in it")
    said = text(es="no es un registro: ninguna línea es un suceso", en="not a journal: no line is an event")
    first = reader.faults[0]
    return f"{said}; {text(es='línea', en='line')} {first.line}: {first.told(str(current()))}"


def _walk(
    report: Report,
    checker: Checker,
    events: Iterator[TableEvent] | Sequence[TableEvent],
    *,
    quiet: bool,
    show: bool,
) -> None:
    """Feeds the events and prints the timeline as it goes, unless quiet."""
    if show:
        _say(f"{report.title} — {report.profile.names[str(current())]}")
    for event in events:
        if not quiet:
            _say(f"{clock(event.t):>9}  {describe(event, str(current()))}")
        _note(report, checker.feed(event), show=show)
        if isinstance(event, CoupClosed) and checker.account is not None:
            report.accounts.append(checker.account)
            if show and checker.session.coup is not None:
                _print_account(checker.session.coup, checker.account)
    _note(report, checker.finish(), show=show)
    if not report.accounts and checker.account is not None:
        report.accounts.append(checker.account)


def _note(report: Report, findings: Sequence[Finding], *, show: bool) -> None:
    report.findings += findings
    if not show:
        return
    lang = str(current())
    for one in findings:
        _say(f"       {MARKS[one.verdict]}   {one.code} · {one.name(lang)} · {one.actor} · {clock(one.t)}")
        _say(f"           {text(es='debía', en='due')}: {one.expected(lang)}")
        _say(f"           {text(es='fue', en='found')}: {one.found(lang)}")
        reason = one.reason_text(lang)
        if reason is not None:
            _say(f"           {text(es='sin decidir', en='undecided')}: {reason}")
        elif one.verdict is not Verdict.WITHDRAWN:
            _say(f"           {text(es='remedio', en='remedy')}: {one.remedy(lang)}")
        certain = "" if one.confidence >= 1 else f" · {one.confidence:.0%}"
        _say(f"           {one.rule}{certain}")


def _say(line: str) -> None:
    """Prints a line for people; what a file says in it cannot steer their terminal."""
    print(printable(line))


def _print_account(coup: Coup, account: Account) -> None:
    _say(f"           {hands_line(coup, account)}")
    for line in account_lines(account, str(current())):
        _say(f"           {line}")


def _print_end(report: Report) -> None:
    for fault in report.faults:
        _say(f"       {text(es='línea', en='line')} {fault.line}: {fault.told(str(current()))}")
    if report.mismatches is None:
        count = len(report.findings)
        found = text(es=f"{count} hallazgos", en=f"{count} findings")
        _say(f"       {text(es='1 hallazgo', en='1 finding') if count == 1 else found}")
    elif not report.mismatches:
        _say(f"       {text(es='como se esperaba', en='as expected')}")
    for wrong in report.mismatches or ():
        expected, found = text(es="se esperaba", en="expected"), text(es="y hay", en="found")
        _say(f"       ≠ {wrong.key}: {expected} {wrong.expected}, {found} {wrong.found}")
    _say("")


def _as_json(report: Report) -> dict[str, object]:
    line: dict[str, object] = {
        "file": str(report.path),
        "title": report.title,
        "profile": report.profile.id,
        "faults": [
            {"line": fault.line, "text": fault.told(str(current())), "count": fault.count}
            for fault in report.faults
        ],
        "findings": [one.to_json(str(current())) for one in report.findings],
        "coups": [_account_json(account) for account in report.accounts],
    }
    if report.mismatches is not None:
        line["expect"] = {
            "holds": not report.mismatches,
            "mismatches": [
                {"key": one.key, "expected": one.expected, "found": one.found} for one in report.mismatches
            ],
        }
    return line


def _account_json(account: Account) -> dict[str, object]:
    def money(amount: Decimal | None) -> str | None:
        return None if amount is None else f"{amount.normalize():f}"

    return {
        "coup": account.number,
        "points": dict(account.points),
        "results": account.results_plain(),
        "final_hands": {hand: list(cards) for hand, cards in account.final_hands.items()},
        "dead": list(account.dead),
        "banker_duty": str(account.banker_duty),
        "payouts": {bettor: money(net) for bettor, net in account.payouts.items()},
        "cagnotte": money(account.cagnotte),
        "bank_after": money(account.bank_after),
        "next_hand": dict(account.next_hand),
    }
