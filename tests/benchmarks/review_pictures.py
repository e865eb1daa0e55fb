"""Pictures of the review pages for the docs, of a data folder that `veedor review --data` has left.

    python tests/benchmarks/review_pictures.py DATA docs/images [--lang es]

The coup shown is the one with the gravest finding; the what-if halves the stake that was settled wrong, and
saves nothing. Needs Chromium and Playwright.
"""

from __future__ import annotations

import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from page_pictures import Pit
from photographed import PASSWORD, WAIT_S, Shot, options, pages, served, taken
from veedor.monitor.store import Store
from veedor.monitor.store.search import CoupFilter, FoundCoup, search
from veedor.web.access.database import AccountsFile
from veedor.web.access.people import Role
from veedor.web.app import create_app
from veedor.web.serving import guarded_door

_GRAVE = ("annul", "money", "rectify", "warn", "info")
_READY = (
    "document.getElementById('overlay').dataset.ready === 'yes' && !document.getElementById('video').seeking"
)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    with Store.of_data(args.data) as store:
        coup = gravest(search(store, CoupFilter(with_findings=True)))
        with tempfile.TemporaryDirectory() as scratch:
            take(store, coup, args.out, args.lang, Path(scratch))
    return 0


def gravest(coups: list[FoundCoup]) -> FoundCoup:
    def rank(coup: FoundCoup) -> int:
        broken = [each.severity for each in coup.findings if each.verdict == "broken"]
        return min((_GRAVE.index(each) for each in broken), default=len(_GRAVE))

    return min(coups, key=rank)


def take(store: Store, coup: FoundCoup, out: Path, lang: str, scratch: Path) -> None:
    """Serve the pages and take their pictures."""
    file = AccountsFile(scratch / "accounts.sqlite")
    door = guarded_door(file)
    person = door.accounts.add("rosa", Role.REVIEWER, PASSWORD)
    place = f"/review/{coup.session}/coups/{coup.place}"
    gravest_first = min(coup.findings, key=lambda each: _GRAVE.index(each.severity))
    at = "" if coup.at is None else f"?q={coup.at:%H:%M}"
    shots = (
        Shot("review-search", f"/review/search{at}", person, (1280, 640)),
        Shot("review-session", f"/review/{coup.session}", person, (1280, 720)),
        Shot("review", f"{place}#finding-{gravest_first.number}", person, (1280, 1120)),
        Shot("review-what-if", f"{place}/what-if", person, (1280, 1080)),
        Shot("review-statistics", "/review/statistics", person),
        Shot("review-phone", place, person, (390, 844)),
    )
    with served(create_app(Pit([], store), door)) as address:
        for shot, page in pages(address, door, shots, lang):
            prepare(page, shot.name, place, address)
            taken(page, out, shot.name)
    file.close()


def prepare(page: Any, name: str, place: str, address: str) -> None:
    """What somebody would have done before he looks so."""
    if name == "review-what-if":
        page.goto(address + place, wait_until="domcontentloaded")
        page.locator(".stake-row.breaks .pen").first.click()
        amount = page.locator('input[name="field-amount"]')
        amount.wait_for()
        amount.fill(f"{Decimal(amount.input_value()) / 2:f}")
        page.locator(".editing button.strong").click()
        page.locator("#fates-title").wait_for()
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    elif name in ("review", "review-phone"):
        for _ in range(WAIT_S):
            if page.evaluate(_READY):
                break
            page.wait_for_timeout(1000)
        page.wait_for_timeout(3000)
        page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(800)


if __name__ == "__main__":
    sys.exit(main())
