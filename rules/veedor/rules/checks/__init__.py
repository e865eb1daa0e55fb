"""Every rule that is checked, small and separate; add one by adding it to a module's RULES."""

from __future__ import annotations

from veedor.rules.checks import (
    bank,
    banker,
    basket,
    cagnotte,
    deal,
    hands,
    payments,
    punto,
    serving,
    shoe,
    speech,
    stakes,
    thirds,
)
from veedor.rules.verdict import Rule

ALL_RULES: tuple[Rule, ...] = (
    *stakes.RULES,
    *deal.RULES,
    *speech.RULES,
    *hands.RULES,
    *thirds.RULES,
    *serving.RULES,
    *banker.RULES,
    *basket.RULES,
    *payments.RULES,
    *cagnotte.RULES,
    *bank.RULES,
    *shoe.RULES,
    *punto.RULES,
)

ALL_CODES: tuple[str, ...] = tuple(sorted({code for rule in ALL_RULES for code in rule.codes}))
