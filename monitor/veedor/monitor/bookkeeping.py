"""What the rules require as a coup runs, and what is due once its cards lie open: for pages and reports.

The rule checker judges what was done; this tells a person what is to be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from veedor.monitor.language import Bilingual
from veedor.monitor.wording import amount_text
from veedor.rules.coup import Coup
from veedor.rules.coup_parts import Bet
from veedor.rules.duty import Must, banker_duty
from veedor.rules.events import CoupOpened, TableEvent
from veedor.rules.outcome import ANNULLED, BANKER, PLAYER, TIE, points, say_of
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.session import Session
from veedor.rules.settlement import settle

_CARDS_OF_A_HAND = 2
_MUST = {
    Must.DRAW: ("El banquero debe pedir", "The banker must draw"),
    Must.STAND: ("El banquero debe plantarse", "The banker must stand"),
    Must.FREE: ("El banquero decide", "The banker is free"),
    Must.INSPECTOR: ("Decide el inspector: las lecturas difieren", "For the inspector: the readings differ"),
}
_RESULTS = {
    PLAYER: ("gana", "wins"),
    BANKER: ("gana la banca", "the bank wins"),
    TIE: ("empate", "tie"),
    ANNULLED: ("anulado", "annulled"),
}


@dataclass(frozen=True)
class CoupAccount:
    """What a coup comes to by the rules. `due` is each stake's net gain, for stakes whose result is known.

    `stakes` are the stakes as the rules count them: what was changed after the call plays as it stood. `bank`
    is what was declared for this coup, else what the bank holds after deposits and settlements.
    """

    due: Mapping[str, Decimal] = field(default_factory=dict)
    cagnotte: Decimal | None = None
    results: Mapping[str, str | None] = field(default_factory=dict)
    stakes: Mapping[str, Bet] = field(default_factory=dict)
    bank: Decimal | None = None


class Bookkeeper:
    """Follows a journal by the rules; one account for each `coup_opened`."""

    def __init__(self, profile: RuleProfile) -> None:
        self.session = Session.start(profile)
        self.accounts: list[CoupAccount] = []
        self._bank: Decimal | None = None

    def feed(self, event: TableEvent) -> None:
        if isinstance(event, CoupOpened):
            self.accounts.append(CoupAccount())
        self.session = self.session.apply(event)
        coup = self.session.coup
        # The bank as it stood before the coup covers its stakes, not the one that its settlement leaves.
        if coup is None or self.session.open_coup is not None:
            self._bank = self.session.bank.amount
        if self.accounts and coup is not None:
            self.accounts[-1] = self._account(coup)

    def duties(self) -> tuple[Bilingual, ...]:
        """What the rules require at this moment, most pressing first."""
        coup, profile = self.session.open_coup, self.session.profile
        if coup is None or profile.family != DOS_PANOS or not coup.cards:
            return ()
        if coup.call is None:
            return (Bilingual("Cartas antes de «ya no va más»", "Cards before “ya no va más”"),)
        if any(len(coup.cards_of(hand)) < _CARDS_OF_A_HAND for hand in (*coup.players, coup.bank)):
            return ()
        silent = next((hand for hand in coup.players if say_of(coup, hand) is None), None)
        known = settle(coup, profile, self._bank).results
        if any(known.values()):
            return self._due(coup, known)
        if silent is not None:
            name = f"paño {silent[1:]}"
            return (
                Bilingual(
                    f"Habla el {name}: con 0–4 pide, con 5 elige, con 6–7 no pide, con 8–9 las muestra",
                    f"{name} speaks: draws on 0–4, free on 5, stands on 6–7, shows 8–9",
                ),
            )
        duty = banker_duty(coup, profile)
        cells = ", ".join(f"{hand} {letter}" for hand, letter in duty.cells)
        tail = f" ({duty.rule}{'; cuadro ' + cells if cells else ''})"
        spanish, english = _MUST[duty.must]
        return (Bilingual(spanish + tail, english + tail),)

    def _account(self, coup: Coup) -> CoupAccount:
        bank = coup.declared if coup.declared is not None else self._bank
        if not coup.cards:
            return CoupAccount(bank=bank)
        settlement = settle(coup, self.session.profile, self._bank)
        due = {bet: due.net for bet, due in settlement.due.items()}
        return CoupAccount(due, settlement.cagnotte, settlement.results, coup.bets, bank)

    def _due(self, coup: Coup, known: Mapping[str, str | None]) -> tuple[Bilingual, ...]:
        bank = points(coup, coup.bank, self.session.profile)
        lines = []
        for hand, result in known.items():
            if result is not None:
                spanish, english = _RESULTS[result]
                mine = points(coup, hand, self.session.profile)
                score = "" if mine is None or bank is None else f" ({mine}–{bank})"
                name = f"Paño {hand[1:]}"
                lines.append(Bilingual(f"{name}: {spanish}{score}", f"{name}: {english}{score}"))
        cagnotte = self.accounts[-1].cagnotte if self.accounts else None
        if cagnotte is not None and all(known.values()):
            due = amount_text(cagnotte)
            lines.append(Bilingual(f"Cagnotte que corresponde: {due}", f"Cagnotte due: {due}"))
        return tuple(lines)
