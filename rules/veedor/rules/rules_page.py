"""The page of rules in the docs, made from rulebook, rules and profiles: never written by hand."""

from __future__ import annotations

from veedor.rules.catalogue import NOT_CHECKED
from veedor.rules.checks import ALL_RULES
from veedor.rules.profile import SHIPPED, load_profile
from veedor.rules.profile_keys import DOS_PANOS, READINGS
from veedor.rules.rulebook import RuleEntry, rulebook

TEST_FILES = "tests/rules/test_codes_*.py"
# Codes that only a limited bank can break.
_LIMITED_ONLY = ("REDEPOSIT_TOO_SMALL", "BANK_OVER_MAX", "COVER_ORDER")


def profiles_of(code: str) -> list[str]:
    """Ids of the shipped profiles in which the code can be found."""
    families = {family for rule in ALL_RULES if code in rule.codes for family in rule.families}
    found = []
    for name in SHIPPED:
        profile = load_profile(name)
        if profile.family not in families or not _belongs(code, profile.family):
            continue
        if code in _LIMITED_ONLY and not profile.limited_bank:
            continue
        found.append(name)
    return found


def _belongs(code: str, family: str) -> bool:
    """A rule shared by several games has a code for each."""
    if code.startswith("AR_"):
        return family == "punto-y-banca"
    if code.startswith("PR_"):
        return family == "punto-banco"
    if code in ("DEAL_ORDER", "BET_POSITION_FORBIDDEN", "ODD_UNIT_WRONG"):
        return family == DOS_PANOS
    return code != "CUT_CARD_DEPTH" or family == DOS_PANOS


def name_of_test(code: str) -> str:
    """The test that proves a code, by the convention that another test holds every code to."""
    return f"test_{code.lower()}"


def _entry(entry: RuleEntry) -> list[str]:
    english, spanish = entry.texts["en"], entry.texts["es"]
    tick = "`"
    return [
        f"### {tick}{entry.code}{tick}",
        "",
        f"{english.name}. *{spanish.name}.*",
        "",
        f"- Rule: {_plain(english.expected)}",
        f"- Fault: {_plain(english.found)}",
        f"- Source: {entry.source} (catalogue {', '.join(entry.rules)})",
        f"- Must be seen: {english.sees} ({entry.needs})",
        f"- Remedy: {english.remedy}",
        f"- Severity: {entry.severity}",
        f"- Profiles: {', '.join(f'{tick}{name}{tick}' for name in profiles_of(entry.code))}",
        f"- Proved by: {tick}{name_of_test(entry.code)}{tick} in {tick}{TEST_FILES}{tick}",
        "",
    ]


def _plain(template: str) -> str:
    return template.replace("{", "‹").replace("}", "›")


def rules_page() -> str:
    """The whole page as Markdown."""
    lines = [
        "# What is checked",
        "",
        "Made from the code by `python -m veedor.rules.rules_page docs/rules.md`; a test keeps it current.",
        "",
        "Sources: 001 is the Spanish catalogue of games of 9-10-1979, heading 09; 000 and 002 two prints of",
        "one book on bacará a dos paños; 003 a Puerto Rico procedure; 004 the Argentine punto y banca.",
        "A citation reads `001 VIII.4 p2`: heading VIII, number 4, second paragraph. C- and G- numbers",
        "are points where the sources differ or are silent; each is a switch of the profile.",
        "",
        "## Codes",
        "",
    ]
    for entry in rulebook().codes.values():
        lines += _entry(entry)
    lines += [
        "## Readings",
        "",
        "| point | values (default first) | changes verdicts | source |",
        "|---|---|---|---|",
    ]
    citations = load_profile(SHIPPED[0]).citations
    for key, spec in READINGS.items():
        lines.append(
            f"| {key} | {', '.join(spec.values)} | {'yes' if spec.judged else 'no'} | {citations[key]} |"
        )
    lines += ["", "## Rules of the catalogue without a code", "", "| rule | why |", "|---|---|"]
    lines += [f"| {rule} | {why} |" for rule, why in NOT_CHECKED.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import sys
    from pathlib import Path

    Path(sys.argv[1]).write_text(rules_page(), encoding="utf-8")
