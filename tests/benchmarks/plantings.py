"""Every plantable code planted many times, and clean play in plenty, against the rule checker.

    python tests/benchmarks/plantings.py OUT.jsonl [--coups 20000] [--times 200] [--profile P]… [--code CODE]…

plays, for each profile, clean coups (nothing may be found) and sessions with one planted infraction (it must
be found with its actor and its remedy, and nothing else). One line of OUT a unit of work; started again it
does only what OUT does not hold yet.
Prints the figures as JSON; exit status 1 if anything differs. A quarter of an hour on one core.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm
from veedor.datasets.plantings import clean_faults, plantable_codes, planting_faults
from veedor.rules.profile import SHIPPED

COUPS_A_SESSION = 200
TIMES_A_UNIT = 20
CLEAN = "clean"


def units(args: argparse.Namespace) -> Iterator[tuple[str, str, int]]:
    """Profile, code (or `clean`) and first seed of each unit of work."""
    for profile in args.profile or SHIPPED:
        for code in plantable_codes(profile):
            if not args.code or code in args.code:
                for seed in range(0, args.times, TIMES_A_UNIT):
                    yield profile, code, seed
    for profile in args.profile or SHIPPED:
        if not args.code:
            for seed in range(args.coups // COUPS_A_SESSION):
                yield profile, CLEAN, seed


def do(profile: str, code: str, seed: int) -> list[str]:
    if code == CLEAN:
        return [f"seed {seed}: {fault}" for fault in clean_faults(profile, seed, COUPS_A_SESSION)]
    return [
        f"seed {one}: {fault}"
        for one in range(seed, seed + TIMES_A_UNIT)
        for fault in planting_faults(profile, code, one)
    ]


def done_before(out: Path) -> dict[tuple[str, str, int], list[str]]:
    """What OUT holds already; a line cut short by a kill is cut off."""
    if not out.exists():
        return {}
    whole = out.read_bytes()
    kept = whole[: whole.rfind(b"\n") + 1]
    if kept != whole:
        out.write_bytes(kept)
    rows = [json.loads(line) for line in kept.splitlines()]
    return {(row["profile"], row["code"], row["seed"]): row["faults"] for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--coups", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--profile", action="append", choices=SHIPPED)
    parser.add_argument("--code", action="append")
    args = parser.parse_args()
    known = done_before(args.out)
    wanted = list(units(args))
    with args.out.open("a", encoding="utf-8") as file, tqdm(wanted, unit="unit", disable=None) as bar:
        for unit in bar:
            if unit not in known:
                known[unit] = do(*unit)
                row = dict(zip(("profile", "code", "seed"), unit, strict=True), faults=known[unit])
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
    faults = [
        f"{profile} {code} {fault}" for profile, code, seed in wanted for fault in known[profile, code, seed]
    ]
    print(json.dumps(figures(wanted, faults), indent=1))
    for fault in faults[:50]:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def figures(wanted: list[tuple[str, str, int]], faults: list[str]) -> dict[str, object]:
    clean = {profile: 0 for profile, _, _ in wanted}
    planted: dict[str, dict[str, int]] = {profile: {} for profile in clean}
    for profile, code, _ in wanted:
        if code == CLEAN:
            clean[profile] += COUPS_A_SESSION
        else:
            planted[profile][code] = planted[profile].get(code, 0) + TIMES_A_UNIT
    return {
        "clean_coups": clean,
        "codes_planted": {profile: len(codes) for profile, codes in planted.items()},
        "sessions_with_a_planting": {profile: sum(codes.values()) for profile, codes in planted.items()},
        "differences": len(faults),
    }


if __name__ == "__main__":
    sys.exit(main())
