"""What is trained on: which rules, how many seats, and who sits beside those that learn."""

from __future__ import annotations

import msgspec
import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.compile import compiled
from liarsdice.sim.policies import Asked, Mind, Threshold, minds_of
from liarsdice.train.config import MOST_SEATS, Plan
from liarsdice.train.rollout import Setting

OFTEN = {"perudo": 8, "official": 2, "joker": 2, FULL: 2}
"""Rules that come up more often than others."""
SEATS = (2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, *[MOST_SEATS] * 3)
INFERENCE = Threshold(0.4, 0.7)
COMPANY: tuple[Mind, ...] = (
    Threshold(0.4),
    Threshold(0.4),
    Threshold(0.3),
    Threshold(0.5),
    INFERENCE,
    INFERENCE,
    Threshold(0.3, 0.7),
)
MIXED = 0.15
"""How many of the other tables seat learners, one or several, among bots."""
SPARRING: tuple[tuple[str, int, Mind], ...] = (
    *(("joker", 2, Threshold(t)) for t in (0.3, 0.4, 0.5)),
    *(("perudo", seats, Threshold(0.4)) for seats in (3, 4, 6) for _ in range(2)),
    *((rules, 4, INFERENCE) for rules in ("perudo", "basic", "chart")),
    ("perudo", 3, INFERENCE),
    *((FULL, 2, INFERENCE) for _ in range(3)),
    *((rules, seats, INFERENCE) for rules in ("chart", FULL, "basic", "mustache", "official") for seats in (2, 4)),
)
"""Tables with one learner among bots of one kind, that come up in turn."""
DUELS = ("perudo", "openspiel", "perudo", "joker", "perudo", "openspiel")
"""Rules of tables with two learners, that come up in turn."""


def settings_of(plan: Plan) -> list[Setting]:
    """A plan's settings, by chance from its seed."""
    chance = np.random.default_rng(plan.seed)
    often = [find_rules(name) for name in plan.rules for _ in range(OFTEN.get(name, 1))]
    known = [one for one in SPARRING if one[0] in plan.rules]
    spars = [known[number % len(known)] for number in range(round(plan.tables * plan.sparring))] if known else []
    found = [Setting(find_rules(name), (Asked(), *(mind,) * (seats - 1)), plan.matches) for name, seats, mind in spars]
    duels = [name for name in DUELS if name in plan.rules]
    pairs = [duels[number % len(duels)] for number in range(round(plan.tables * plan.duels))] if duels else []
    found += [Setting(find_rules(name), (Asked(), Asked()), plan.matches) for name in pairs]
    for place in range(round(plan.tables * plan.against) if plan.rivals else 0):
        rules = often[chance.integers(len(often))]
        minds = (Asked(),) * rules.players.min
        rival = plan.rivals[place % len(plan.rivals)]
        found.append(Setting(rules, minds, plan.matches, rival, len(minds) - 1))
    while len(found) < plan.tables:
        found.append(_drawn(often[chance.integers(len(often))], plan.matches, chance))
    teachers = {find_rules(name): teacher for name, teacher in plan.teachers.items() if plan.recipe.teaching}
    found = found[: plan.tables]  # each share is rounded for itself
    return [msgspec.structs.replace(one, teacher=teachers.get(one.rules, "")) for one in found]


def _seats(rules: Ruleset, chance: np.random.Generator) -> int:
    most = rules.players.max or MOST_SEATS
    return int(np.clip(SEATS[chance.integers(len(SEATS))], rules.players.min, most))


def _drawn(rules: Ruleset, matches: int, chance: np.random.Generator) -> Setting:
    seats = _seats(rules, chance)
    if chance.random() >= MIXED:
        return Setting(rules, (Asked(),) * seats, matches)
    learners = int(chance.integers(1, seats))
    mind = COMPANY[chance.integers(len(COMPANY))]
    minds = (*(Asked(),) * learners, *(mind,) * (seats - learners))
    try:
        minds_of(compiled(rules, seats), minds)
    except UnavailableError:  # odds of these rules are not compiled
        minds = (Asked(),) * seats
    return Setting(rules, minds, matches)
