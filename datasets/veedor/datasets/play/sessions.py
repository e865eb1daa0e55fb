"""A whole session in one call: what happened, what was said, what must be found, where everything was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from veedor.datasets.errors import DatasetError
from veedor.datasets.play.choreography import FeltStage
from veedor.datasets.play.dealing import Fix, Planted
from veedor.datasets.play.deviation import DEVIATIONS
from veedor.datasets.play.money import ChipLike, ChipSet
from veedor.datasets.play.orders import Order
from veedor.datasets.play.punto_script import write_punto
from veedor.datasets.play.script import Script, write_dos_panos
from veedor.datasets.play.spots import Felt
from veedor.datasets.play.stage import Stage
from veedor.datasets.play.timeline import Timeline
from veedor.rules.events import (
    BancoCalled,
    BankDeclared,
    BankDeposited,
    BankerLeft,
    BankerSeated,
    BettingClosed,
    BettingOpened,
    Checked,
    CoupOpened,
    LotDrawn,
    PlayersSeen,
    Ruling,
    Said,
    SessionOpened,
    ShoeStarted,
    TableEvent,
)
from veedor.rules.profile import RuleProfile, load_profile
from veedor.rules.profile_keys import DOS_PANOS
from veedor.vision.layout import TableLayout

# What a camera cannot know: it comes by voice or from an operator.
SPOKEN: tuple[type[TableEvent], ...] = (
    SessionOpened,
    ShoeStarted,
    PlayersSeen,
    BankerSeated,
    BankerLeft,
    BankDeposited,
    CoupOpened,
    BankDeclared,
    BettingOpened,
    BettingClosed,
    BancoCalled,
    LotDrawn,
    Said,
    Checked,
    Ruling,
)
VOICES: tuple[type[TableEvent], ...] = (BettingClosed, BettingOpened, Said, BancoCalled, BankDeclared)


@dataclass(frozen=True)
class PlantedFinding:
    """A finding that the rule checker must report: at what time, of whom, with what remedy."""

    code: str
    coup: int
    t: float
    actor: str
    remedy: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Session:
    """A played session. `timeline` is None where it was not staged on a felt."""

    script: Script
    journal: tuple[TableEvent, ...]
    planted: tuple[PlantedFinding, ...]
    timeline: Timeline | None

    @property
    def announcements(self) -> tuple[TableEvent, ...]:
        """The spoken part of the journal, numbered anew."""
        return tuple(spoken_part(self.journal))


def spoken_part(journal: Iterable[TableEvent]) -> Iterable[TableEvent]:
    """The events of a journal that are heard or typed in, with `voice` or `operator` as their source."""
    spoken = (event for event in journal if isinstance(event, SPOKEN))
    for number, event in enumerate(spoken, 1):
        yield replace(event, id=number, source="voice" if isinstance(event, VOICES) else "operator")


def play_session(
    profile: str | RuleProfile,
    seed: int,
    coups: int,
    infractions: Sequence[Order] = (),
    *,
    layout: TableLayout,
    chips: Sequence[ChipLike],
    back_colours: tuple[str, str] = ("red", "blue"),
) -> Session:
    """Plays a session on a felt; the same arguments give the same session, to the last bit.

    `profile` is an id, the path of a casino's own file, or what that holds. Raises ProfileError where it
    cannot be loaded, DatasetError where it cannot be played on a felt or an infraction cannot be planted.
    """
    felt = Felt(layout)
    rules = profile if isinstance(profile, RuleProfile) else load_profile(profile)
    if rules.family != DOS_PANOS:
        raise DatasetError(f"profile {rules.id}: played without a felt only, there is nothing to film")
    for order in infractions:
        if order.code in DEVIATIONS and not DEVIATIONS[order.code].on_felt:
            raise DatasetError(f"infraction {order.code}: played without a felt only, it cannot be filmed")
    script = write_dos_panos(rules, seed, coups, infractions, ChipSet.of(chips), felt.panos)
    stage = FeltStage(layout, Random(f"stage/{seed}"), back_colours)
    stage.perform(script.acts)
    return _session(script, stage, stage.timeline())


def play_journal(
    profile: str | RuleProfile,
    seed: int,
    coups: int,
    infractions: Sequence[Order] = (),
    *,
    chips: Sequence[ChipLike],
    panos: dict[str, tuple[int, ...]],
    varied: bool = False,
) -> Session:
    """Plays a session without a felt: only its journal, a thousand coups a second.

    `varied` brings in what is proper and less common: bancos, a short or broken bank, other bankers.
    """
    rules = profile if isinstance(profile, RuleProfile) else load_profile(profile)
    if rules.family != DOS_PANOS:
        seats = sorted(seat for numbers in panos.values() for seat in numbers)
        script = write_punto(rules, seed, coups, infractions, ChipSet.of(chips), seats)
    else:
        script = write_dos_panos(rules, seed, coups, infractions, ChipSet.of(chips), panos, varied=varied)
    stage = Stage()
    stage.perform(script.acts)
    return _session(script, stage, None)


def _session(script: Script, stage: Stage, timeline: Timeline | None) -> Session:
    def found(planted: Planted) -> PlantedFinding:
        t_s = min(map(stage.time_of, planted.events)) + planted.delay_s
        return PlantedFinding(planted.code, planted.coup, round(t_s, 3), planted.actor, planted.remedy)

    return Session(script, stage.journal(), tuple(map(found, script.planted)), timeline)
