"""What is trained on: which rules, how many seats, and who sits beside those that learn."""

from __future__ import annotations

import msgspec
import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy, make_policy_arrays
from liarsdice.train.config import MAX_SEATS, TrainingConfig
from liarsdice.train.rollout import TableSetup

RULES_WEIGHTS = {"perudo": 8, "official": 2, "joker": 2, FULL: 2}
"""Rules that come up more often than others."""
SEATS = (2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, *[MAX_SEATS] * 3)
INFERENCE = ThresholdPolicy(0.4, 0.7)
BOT_POLICIES: tuple[Policy, ...] = (
    ThresholdPolicy(0.4),
    ThresholdPolicy(0.4),
    ThresholdPolicy(0.3),
    ThresholdPolicy(0.5),
    INFERENCE,
    INFERENCE,
    ThresholdPolicy(0.3, 0.7),
)
MIXED_TABLE_SHARE = 0.15
"""How many of the other tables seat learners, one or several, among bots."""
BOT_TABLES: tuple[tuple[str, int, Policy], ...] = (
    *(("joker", 2, ThresholdPolicy(t)) for t in (0.3, 0.4, 0.5)),
    *(("perudo", seats, ThresholdPolicy(0.4)) for seats in (3, 4, 6) for _ in range(2)),
    *((rules, 4, INFERENCE) for rules in ("perudo", "basic", "chart")),
    ("perudo", 3, INFERENCE),
    *((FULL, 2, INFERENCE) for _ in range(3)),
    *((rules, seats, INFERENCE) for rules in ("chart", FULL, "basic", "mustache", "official") for seats in (2, 4)),
)
"""Tables with one learner among bots of one kind, that come up in turn."""
TWO_LEARNER_RULES = ("perudo", "openspiel", "perudo", "joker", "perudo", "openspiel")
"""Rules of tables with two learners, that come up in turn."""


def make_table_setups(config: TrainingConfig) -> list[TableSetup]:
    """A plan's settings, by chance from its seed."""
    chance = np.random.default_rng(config.seed)
    often = [find_rules(name) for name in config.rules for _ in range(RULES_WEIGHTS.get(name, 1))]
    known = [one for one in BOT_TABLES if one[0] in config.rules]
    spars = (
        [known[number % len(known)] for number in range(round(config.tables * config.bot_table_share))] if known else []
    )
    found = [
        TableSetup(find_rules(name), (ExternalPolicy(), *(policy,) * (seats - 1)), config.matches)
        for name, seats, policy in spars
    ]
    duels = [name for name in TWO_LEARNER_RULES if name in config.rules]
    pairs = (
        [duels[number % len(duels)] for number in range(round(config.tables * config.two_learner_share))]
        if duels
        else []
    )
    found += [TableSetup(find_rules(name), (ExternalPolicy(), ExternalPolicy()), config.matches) for name in pairs]
    for place in range(round(config.tables * config.opponent_table_share) if config.opponents else 0):
        rules = often[chance.integers(len(often))]
        policies = (ExternalPolicy(),) * rules.players.min
        rival = config.opponents[place % len(config.opponents)]
        found.append(TableSetup(rules, policies, config.matches, rival, len(policies) - 1))
    while len(found) < config.tables:
        found.append(_drawn(often[chance.integers(len(often))], config.matches, chance))
    teachers = {find_rules(name): teacher for name, teacher in config.teachers.items() if config.ppo.teacher_weight}
    found = found[: config.tables]  # each share is rounded for itself
    return [msgspec.structs.replace(one, teacher=teachers.get(one.rules, "")) for one in found]


def _seats(rules: Ruleset, chance: np.random.Generator) -> int:
    most = rules.players.max or MAX_SEATS
    return int(np.clip(SEATS[chance.integers(len(SEATS))], rules.players.min, most))


def _drawn(rules: Ruleset, matches: int, chance: np.random.Generator) -> TableSetup:
    seats = _seats(rules, chance)
    if chance.random() >= MIXED_TABLE_SHARE:
        return TableSetup(rules, (ExternalPolicy(),) * seats, matches)
    learners = int(chance.integers(1, seats))
    policy = BOT_POLICIES[chance.integers(len(BOT_POLICIES))]
    policies = (*(ExternalPolicy(),) * learners, *(policy,) * (seats - learners))
    try:
        make_policy_arrays(compile_rules(rules, seats), policies)
    except UnavailableError:  # odds of these rules are not compiled
        policies = (ExternalPolicy(),) * seats
    return TableSetup(rules, policies, matches)
