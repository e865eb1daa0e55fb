"""What a coup comes to: points, results, hands, duty, what is due to everybody, who holds next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from veedor.rules.coup import Coup
from veedor.rules.coup_parts import DEAD
from veedor.rules.duty import Must, banker_duty
from veedor.rules.outcome import BANKER, PLAYER, is_annulled, points
from veedor.rules.profile import RuleProfile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.rules.settlement import Settlement


@dataclass(frozen=True, slots=True)
class Account:
    """The account of one coup; values the record does not show are None."""

    number: int
    points: Mapping[str, int | None]
    results: Mapping[str, str | None]
    final_hands: Mapping[str, tuple[str, ...]]
    dead: tuple[str, ...]
    banker_duty: Must
    payouts: Mapping[str, Decimal]
    cagnotte: Decimal | None
    bank_after: Decimal | None
    next_hand: Mapping[str, str]

    def results_plain(self) -> dict[str, str | None] | str | None:
        """Results as a coup file writes them: by paño, or one word in punto y banca."""
        if "punto" not in self.results:
            return dict(self.results)
        found = self.results["punto"]
        return {PLAYER: "punto", BANKER: "banca"}.get(found or "", found)


def account_of(
    coup: Coup,
    profile: RuleProfile,
    settlement: Settlement,
    bank_after: Decimal | None,
    next_hand: Mapping[str, str],
) -> Account:
    """The account of a coup already settled."""
    hands = (*coup.players, coup.bank)
    null = {hand for hand in coup.players if is_annulled(coup, hand, profile)}
    if len(null) == len(coup.players):
        null.add(coup.bank)
    live = [hand for hand in hands if hand not in null and coup.hands.get(hand)]
    dead = {card.id for card in coup.cards.values() if card.place == DEAD}
    dead |= {card for hand in null for card in coup.hands.get(hand, ())}
    return Account(
        number=coup.number,
        points={hand: points(coup, hand, profile) for hand in live},
        results=settlement.results,
        final_hands={
            hand: tuple(sorted(coup.hands[hand], key=lambda card: coup.cards[card].order)) for hand in live
        },
        dead=tuple(sorted(dead, key=lambda card: coup.cards[card].order)),
        banker_duty=banker_duty(coup, profile).must if profile.family == DOS_PANOS else Must.FREE,
        payouts=settlement.payouts(),
        cagnotte=settlement.cagnotte,
        bank_after=bank_after,
        next_hand=next_hand,
    )
