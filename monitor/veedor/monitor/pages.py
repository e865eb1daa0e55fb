"""What the live page and the report share: the Jinja environment, and findings ready to be printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from veedor.monitor import wording
from veedor.monitor.language import Bilingual, Language
from veedor.rules.events import TableEvent

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class FindingView:
    """A finding as it is printed. `still` and `clip` are addresses relative to the page, or None."""

    number: int
    code: str
    verdict: str
    severity: str
    coup: int | None
    t_s: float
    actor: str
    rule: str
    title: Bilingual
    remedy: Bilingual
    expected: Bilingual
    found: Bilingual
    reason: Bilingual
    confidence: float
    still: str | None = None
    clip: str | None = None


def environment(language: Language | None, *folders: Path) -> Environment:
    """Templates of `folders`, then the shared ones, with the words in `language`.

    Without a language every text is printed in both, each in a span of its own, for pages that switch by
    style alone.
    """
    loader = ChoiceLoader([FileSystemLoader(folder) for folder in (*folders, TEMPLATES)])
    jinja = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

    def say(es: str, en: str) -> str | Markup:
        if language is not None:
            return es if language is Language.ES else en
        if es == en:
            return es
        return Markup('<span lang="es">{}</span><span lang="en">{}</span>').format(es, en)

    def both(words: Callable[[Language], str]) -> str | Markup:
        return say(words(Language.ES), words(Language.EN))

    def event_text(event: TableEvent, stakes: Iterable[wording.Stake] = ()) -> str | Markup:
        return both(lambda each: wording.describe(event, each, stakes))

    def plain_event(event: TableEvent, stakes: Iterable[wording.Stake] = ()) -> str:
        return wording.describe(event, language or Language.ES, stakes)

    def zone_text(zone: str) -> str | Markup:
        return both(lambda each: wording.zone_name(zone, each))

    def person_text(person: str | None) -> str | Markup:
        return both(lambda each: wording.person_name(person, each))

    jinja.globals |= {
        "say": say,
        "told": lambda text: say(text.es, text.en),
        "event_text": event_text,
        "plain_event": plain_event,
        "zone_text": zone_text,
        "person_text": person_text,
        "language": language,
    }
    jinja.filters |= {
        "card": wording.card_name,
        "amount": wording.amount_text,
        "signed": wording.signed_amount,
        "clock": wording.clock,
    }
    return jinja
