"""Compares what a coup file expects with what the checker says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from veedor.rules.account import Account
from veedor.rules.checker import Checker
from veedor.rules.coup_file import CoupFile
from veedor.rules.finding import Finding, standing
from veedor.rules.verdict import Verdict

EXPECT_KEYS = (
    "findings",
    "points",
    "results",
    "final_hands",
    "dead",
    "banker_duty",
    "payouts",
    "cagnotte",
    "bank_after",
    "next_hand",
)
FINDING_KEYS = ("code", "actor", "t", "rule", "verdict")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One thing expected that does not hold."""

    key: str
    expected: str
    found: str


def compare(case: CoupFile, checker: Checker, findings: Sequence[Finding]) -> list[Mismatch]:
    """Every expectation of the file that does not hold; empty where all do."""
    wrong: list[Mismatch] = []
    for key, value in case.expect.items():
        if key == "findings":
            wrong += _findings(value, standing(findings))
        elif key not in EXPECT_KEYS:
            wrong.append(Mismatch(key, "a known key", "not one"))
        else:
            found = _account_value(key, checker.account)
            if not _same(key, value, found):
                wrong.append(Mismatch(key, str(value), str(_plain(found))))
    return wrong


def _account_value(key: str, account: Account | None) -> object:
    if account is None:
        return None
    if key == "results":
        return account.results_plain()
    value: object = getattr(account, key)
    return value


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Decimal) else value


def _number(value: object) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _same(key: str, expected: object, found: object) -> bool:
    if key == "payouts" and isinstance(expected, Mapping) and isinstance(found, Mapping):
        # A bettor left out is expected to gain nothing.
        names = set(expected) | set(found)
        return all(_number(expected.get(name, 0)) == _number(found.get(name, 0)) for name in names)
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return set(expected) == set(found) and all(_same("", expected[k], found[k]) for k in expected)
    if isinstance(expected, list) and isinstance(found, tuple):
        return [str(one) for one in expected] == [str(one) for one in found]
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        return found is not None and _number(expected) == _number(found)
    return expected == found


def _findings(expected: object, found: Sequence[Finding]) -> list[Mismatch]:
    if not isinstance(expected, list):
        return [Mismatch("findings", "a list", str(expected))]
    left = list(found)
    wrong = []
    for entry in expected:
        unknown = [key for key in entry if key not in FINDING_KEYS] if isinstance(entry, Mapping) else []
        if unknown:
            wrong.append(
                Mismatch("findings", f"keys of {', '.join(FINDING_KEYS)}", ", ".join(map(str, unknown)))
            )
        match = next((one for one in left if isinstance(entry, Mapping) and _fits(entry, one)), None)
        if match is None:
            wrong.append(Mismatch("findings", str(entry), "no such finding"))
        else:
            left.remove(match)
    for one in left:
        text = f"{one.code} {one.verdict} actor {one.actor} t {one.t:g} rule {one.rule}"
        wrong.append(Mismatch("findings", "no more", text))
    return wrong


def _fits(entry: Mapping[str, object], finding: Finding) -> bool:
    if entry.get("code") != finding.code or str(entry.get("verdict", Verdict.BROKEN)) != finding.verdict:
        return False
    if "actor" in entry and str(entry["actor"]) != finding.actor:
        return False
    if "t" in entry and _number(entry["t"]) != _number(round(finding.t, 3)):
        return False
    return "rule" not in entry or str(entry["rule"]) in finding.rule
