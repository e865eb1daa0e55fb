"""How well an observed journal agrees with the true one: cards, stakes, settlement, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from veedor.rules.events import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    CagnottePaid,
    CardDealt,
    CardMoved,
    CardTurned,
    CoupClosed,
    CoupOpened,
    HandTaken,
    TableEvent,
)

SAME_MOMENT_S = 2.0  # a stake is recognised again if it came to rest within this of the true moment


@dataclass
class Share:
    """So many of so many."""

    right: int = 0
    of: int = 0

    def add(self, *, right: bool) -> None:
        self.right += int(right)
        self.of += 1

    @property
    def share(self) -> float:
        return self.right / self.of if self.of else 1.0

    def __add__(self, other: Share) -> Share:
        return Share(self.right + other.right, self.of + other.of)


@dataclass
class JournalScore:
    """Counts over one or more sessions.

    Every share is of the truth's own, `false_*` count what is not in it.
    """

    coups: Share = field(default_factory=Share)
    cards: Share = field(default_factory=Share)  # right rank in the right hand at the end of the coup
    bet_zones: Share = field(default_factory=Share)
    bet_amounts: Share = field(default_factory=Share)
    bettors: Share = field(default_factory=Share)
    changes: Share = field(default_factory=Share)
    payments: Share = field(default_factory=Share)  # paid and collected, with the right amount
    cagnottes: Share = field(default_factory=Share)
    takers: Share = field(default_factory=Share)
    false_bets: int = 0
    false_settlements: int = 0
    findings: Share = field(default_factory=Share)
    false_findings: int = 0

    def __add__(self, other: JournalScore) -> JournalScore:
        return JournalScore(
            **{entry.name: getattr(self, entry.name) + getattr(other, entry.name) for entry in fields(self)}
        )

    def to_json(self) -> dict[str, object]:
        """Shares as fractions with their counts, the rest as numbers."""
        record: dict[str, object] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, Share):
                record[entry.name] = {"share": round(value.share, 4), "right": value.right, "of": value.of}
            else:
                record[entry.name] = value
        return record


def score_journal(truth: Sequence[TableEvent], seen: Sequence[TableEvent]) -> JournalScore:
    """Compare two journals of one session, coup by coup."""
    score = JournalScore()
    true_coups, seen_coups = _by_coup(truth), _by_coup(seen)
    for coup, events in true_coups.items():
        found = seen_coups.get(coup, [])
        score.coups.add(right=any(isinstance(event, CoupClosed) for event in found))
        _score_cards(events, found, score)
        _score_stakes(events, found, score)
        _score_takers(events, found, score)
    return score


def score_findings(
    planted: Iterable[tuple[str, int]], found: Iterable[tuple[str, int]], score: JournalScore
) -> None:
    """Add findings, each a code and a coup, to a score."""
    wanted, told = Counter(planted), Counter(found)
    hits = wanted & told
    score.findings.right += hits.total()
    score.findings.of += wanted.total()
    score.false_findings += (told - wanted).total()


def _by_coup(events: Sequence[TableEvent]) -> dict[int, list[TableEvent]]:
    coups: dict[int, list[TableEvent]] = {}
    current: list[TableEvent] | None = None
    for event in events:
        if isinstance(event, CoupOpened):
            current = coups.setdefault(event.coup or len(coups) + 1, [])
        if current is not None:
            current.append(event)
        if isinstance(event, CoupClosed):
            current = None
    return coups


def final_hands(events: Iterable[TableEvent]) -> Counter[tuple[str, str]]:
    """Hand and rank of every card at the end of a coup; an unread rank is `?`."""
    where: dict[str, str] = {}
    ranks: dict[str, str] = {}
    for event in events:
        match event:
            case CardDealt(card=card, to=to) | CardMoved(card=card, to=to):
                where[card] = to
            case CardTurned(card=card, shows=shows):
                ranks[card] = shows[0]
    return Counter((hand, ranks.get(card, "?")) for card, hand in where.items())


def _score_cards(truth: Sequence[TableEvent], seen: Sequence[TableEvent], score: JournalScore) -> None:
    wanted, found = final_hands(truth), final_hands(seen)
    score.cards.right += (wanted & found).total()
    score.cards.of += max(wanted.total(), found.total())


def _score_stakes(truth: Sequence[TableEvent], seen: Sequence[TableEvent], score: JournalScore) -> None:
    wanted = [event for event in truth if isinstance(event, BetPlaced)]
    found = [event for event in seen if isinstance(event, BetPlaced)]
    pairs = _paired(wanted, found)
    names = {pairs[event.bet].bet: event.bet for event in wanted if event.bet in pairs}
    for event in wanted:
        other = pairs.get(event.bet)
        score.bet_zones.add(right=other is not None and other.zone == event.zone)
        score.bet_amounts.add(right=other is not None and other.amount == event.amount)
        score.bettors.add(right=other is not None and other.seat == event.seat)
    score.false_bets += len(found) - len(pairs)
    for kind, share in (
        (BetChanged, score.changes),
        (BetPaid, score.payments),
        (BetCollected, score.payments),
    ):
        due = Counter((event.bet, event.amount) for event in truth if isinstance(event, kind))
        told = Counter(
            (names.get(event.bet, event.bet), event.amount) for event in seen if isinstance(event, kind)
        )
        share.right += (due & told).total()
        share.of += due.total()
        if kind is not BetChanged:
            score.false_settlements += (told - due).total()
    due_house = Counter(event.amount for event in truth if isinstance(event, CagnottePaid))
    told_house = Counter(event.amount for event in seen if isinstance(event, CagnottePaid))
    score.cagnottes.right += (due_house & told_house).total()
    score.cagnottes.of += max(due_house.total(), told_house.total())


def _paired(wanted: Sequence[BetPlaced], found: Sequence[BetPlaced]) -> dict[str, BetPlaced]:
    """True bet ids with the observed stake that is the same: nearest in time, the same seat and zone
    first.
    """
    candidates = sorted(
        (
            abs(one.t - other.t) + (one.seat != other.seat) * 1.0 + (one.zone != other.zone) * 1.0,
            one.bet,
            number,
        )
        for one in wanted
        for number, other in enumerate(found)
        if abs(one.t - other.t) <= SAME_MOMENT_S
    )
    pairs: dict[str, BetPlaced] = {}
    used: set[int] = set()
    for _, bet, number in candidates:
        if bet not in pairs and number not in used:
            pairs[bet] = found[number]
            used.add(number)
    return pairs


def _score_takers(truth: Sequence[TableEvent], seen: Sequence[TableEvent], score: JournalScore) -> None:
    wanted = Counter((event.hand, event.by) for event in truth if isinstance(event, HandTaken))
    found = Counter((event.hand, event.by) for event in seen if isinstance(event, HandTaken))
    score.takers.right += (wanted & found).total()
    score.takers.of += max(wanted.total(), found.total())
