"""What is odd about a record as a record: coups left open, places, stakes and cards that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from veedor.rules.coup import PLAYER_WORDS
from veedor.rules.coup_parts import DEAD, OFF_TABLE, SHOE
from veedor.rules.event_types import (
    BetChanged,
    BetCollected,
    BetPaid,
    BetPlaced,
    BetRemoved,
    BetReturned,
    CardDealt,
    CardDrawn,
    CardDropped,
    CardMoved,
    CardPickedUp,
    CardsStuck,
    CardTurned,
    Checked,
    CommissionTaken,
    CoupClosed,
    CoupOpened,
    HandPosed,
    HandTaken,
    LotDrawn,
    PlayersSeen,
    Said,
    TableEvent,
)
from veedor.rules.faults import FaultList, JournalFault, SequenceAudit
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.stakes import DOS_PANOS_ZONES, PUNTO_ZONES

_CardEvent = CardDrawn | CardDealt | CardsStuck | CardMoved | CardTurned | CardDropped | CardPickedUp
WORDS = (*PLAYER_WORDS, "banco", "cuadro", "advice", "repeat", "point")
_NOT_JUDGED = ("not one of this game, not judged", "no es de este juego, no se juzga")
# Stakes are known by id for this many coups: a late correction is no stake that nobody placed.
_COUPS_REMEMBERED = 3


class RecordAudit:
    """Looks at events as they pass; each oddity is reported once, with its line."""

    def __init__(self, profile: RuleProfile) -> None:
        self._faults = FaultList()
        self._hands = set(profile.hands)
        self._panos = set(profile.hands[:-1])
        self._zones = set(DOS_PANOS_ZONES if profile.family == DOS_PANOS else PUNTO_ZONES)
        self._open: tuple[int, int | None] | None = None
        self._coups = 0
        self._cards: set[str] = set()
        self._bets: dict[str, int] = {}

    @property
    def faults(self) -> list[JournalFault]:
        """The oddities found so far."""
        return self._faults.all()

    def feed(self, line: int, event: TableEvent) -> None:
        """Looks at one event, of the line counted from 1."""
        match event:
            case CoupOpened():
                self._close_unclosed(line)
                self._open = (line, event.coup)
                self._begin_coup()
            case CoupClosed():
                if self._open is None:
                    self._tell(line, "coup_closed", "without an open coup", "sin jugada abierta")
                self._open = None
            case CardDrawn() | CardDealt() | CardsStuck():
                self._card(line, event)
            case CardMoved() | CardTurned() | CardDropped() | CardPickedUp():
                self._card(line, event)
            case BetPlaced():
                self._place(line, "zone", event.zone, self._zones)
                self._bets[event.bet] = self._coups
            case BetChanged():
                self._stake(line, event.bet)
                if event.zone is not None:
                    self._place(line, "zone", event.zone, self._zones)
            case BetRemoved() | BetPaid() | BetCollected() | BetReturned() | CommissionTaken():
                self._stake(line, event.bet)
            case HandTaken() | HandPosed() | Checked():
                self._place(line, "hand", event.hand, self._hands)
            case PlayersSeen():
                self._place(line, "pano", event.pano, self._panos)
            case LotDrawn():
                for hand in event.order:
                    self._place(line, "order", hand, self._panos)
            case Said():
                self._words(line, event)
            case _:
                pass

    def _begin_coup(self) -> None:
        self._coups += 1
        self._cards.clear()
        oldest = self._coups - _COUPS_REMEMBERED
        if any(coup < oldest for coup in self._bets.values()):
            self._bets = {bet: coup for bet, coup in self._bets.items() if coup >= oldest}

    def _card(self, line: int, event: _CardEvent) -> None:
        if self._open is None:
            name = event.card if not isinstance(event, CardsStuck) else " ".join(event.cards)
            self._tell(line, f"card {name}", "outside any coup", "fuera de toda jugada", key="outside")
        if isinstance(event, CardDrawn | CardDealt | CardsStuck):
            self._cards.update(event.cards if isinstance(event, CardsStuck) else (event.card,))
        else:
            if event.card not in self._cards:
                self._tell(
                    line, f"card {event.card}", "never seen drawn or dealt", "no se vio salir ni repartir"
                )
            self._cards.add(event.card)
        if isinstance(event, CardTurned) and "?" in event.shows:
            name, shows = f"card {event.card}", event.shows
            self._tell(line, name, f"not read ({shows})", f"no leída ({shows})", key=f"unread {name}")
        elif isinstance(event, CardDealt):
            self._place(line, "to", event.to, self._hands)
        elif isinstance(event, CardMoved):
            self._place(line, "to", event.to, self._hands | {DEAD, SHOE, OFF_TABLE})

    def _stake(self, line: int, bet: str) -> None:
        if bet not in self._bets:
            self._bets[bet] = self._coups
            self._tell(line, f"bet {bet}", "never seen placed", "no se vio poner")

    def _place(self, line: int, key: str, name: str, known: set[str]) -> None:
        if name not in known:
            self._tell(line, f"{key} {name}", *_NOT_JUDGED, key=f"* {key} {name}")

    def _words(self, line: int, event: Said) -> None:
        if event.words not in WORDS:
            known, name = ", ".join(WORDS), f"words {event.words}"
            en, es = f"not one of {known}, not judged", f"no es de {known}, no se juzga"
            self._tell(line, name, en, es, key=f"* {name}")
        elif event.words == "point" and event.point is None:
            self._tell(line, "point", "missing in said, not judged", "falta en said, no se juzga")

    def finish(self) -> None:
        """Looks at the end of the record."""
        self._close_unclosed(None)

    def _close_unclosed(self, line: int | None) -> None:
        if self._open is not None:
            opened, number = self._open
            coup = f"coup {number}" if number is not None else f"coup at line {opened}"
            jugada = f"jugada {number}" if number is not None else f"jugada de la línea {opened}"
            ended = line is None
            en = "the record ends" if ended else f"another opens at line {line}"
            es = "el registro termina" if ended else f"otra se abre en la línea {line}"
            self._faults.note(opened, en=f"{coup}: never closed, {en}", es=f"{jugada}: sin cerrar, {es}")

    def _tell(self, line: int, name: str, en: str, es: str, *, key: str = "") -> None:
        """Notes something once a coup, or with a key that begins with a star once in the record."""
        scope = key if key.startswith("*") else f"{self._coups} {key or name}"
        self._faults.note(line, en=f"{name}: {en}", es=f"{name}: {es}", key=scope)


def audit(events: Sequence[TableEvent], lines: Iterable[int], profile: RuleProfile) -> list[JournalFault]:
    """What is odd about events that a person wrote, each with its line; there time never runs back."""
    record = RecordAudit(profile)
    found = FaultList()
    sequence = SequenceAudit(found, slack_s=0.0)
    for line, event in zip(lines, events, strict=True):
        sequence.feed(line, event)
        record.feed(line, event)
    record.finish()
    return sorted([*found.all(), *record.faults], key=lambda fault: fault.line)
