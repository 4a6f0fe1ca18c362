"""Draws the tables of a training run: rules, number of seats, and opponents beside the learners."""

from collections.abc import Iterable

import msgspec
import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy, make_policy_arrays
from liarsdice_lab.train.config import MAX_SEATS, TrainingConfig, all_rulesets
from liarsdice_lab.train.rollout import TableSetup

RULES_WEIGHTS = {"perudo": 8, "official": 2, "joker": 2, FULL: 2}
"""How much more often some rules are drawn than the others (1)."""
SEAT_COUNTS = (2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, *[MAX_SEATS] * 3)
"""The numbers of seats of tables of learners, each as often as it is drawn."""
INFERENCE_POLICY = ThresholdPolicy(0.4, 0.7)
GUESSING_POLICY = ThresholdPolicy(0.6, guesses=True)
"""Nearly the bot `regular`."""
BOT_POLICIES: tuple[Policy, ...] = (
    ThresholdPolicy(0.4),
    ThresholdPolicy(0.4),
    ThresholdPolicy(0.3),
    ThresholdPolicy(0.5),
    INFERENCE_POLICY,
    INFERENCE_POLICY,
    ThresholdPolicy(0.3, 0.7),
)
MIXED_TABLE_SHARE = 0.15
"""The share of the other tables that seat learners among bots."""
BOT_TABLES: tuple[tuple[str, int, Policy], ...] = (
    *(("joker", 2, ThresholdPolicy(threshold)) for threshold in (0.3, 0.4, 0.5)),
    *(("perudo", seats, ThresholdPolicy(0.4)) for seats in (3, 4, 6) for _ in range(2)),
    *((rules, 4, INFERENCE_POLICY) for rules in ("perudo", "basic", "chart")),
    ("perudo", 3, INFERENCE_POLICY),
    *(("perudo", seats, GUESSING_POLICY) for seats in (3, 4, 4, 5, 6, 6)),
    *((FULL, 2, INFERENCE_POLICY) for _ in range(3)),
    *(
        (rules, seats, INFERENCE_POLICY)
        for rules in ("chart", FULL, "basic", "mustache", "official")
        for seats in (2, 4)
    ),
    *(
        (rules, seats, ThresholdPolicy(threshold))
        for rules in ("basic", "chart", "bluff", "red-dead", "official-strict", "chui-niu", "basic", "openspiel")
        for seats, threshold in ((2, 0.4), (2, 0.6), (4, 0.5))
    ),
)
"""Rules, seats and bot of the tables with one learner among bots of one kind; used in turn."""
TWO_LEARNER_RULES = ("perudo", "openspiel", "perudo", "joker", "perudo", "openspiel")
"""Rules of the tables with two learners; used in turn."""
TWO_LEARNERS = 2


def rules_beside_the_recipe(config: TrainingConfig, recipe: Iterable[str]) -> tuple[str, ...]:
    """Return the rules of a run that a recipe does not name; none if the run learns all simulated presets.

    The recipe is a list of tables or matches for the champion's rules; house rules and other presets need their own.
    """
    return (
        ()
        if config.rules == all_rulesets()
        else tuple(dict.fromkeys(name for name in config.rules if name not in {*recipe}))
    )


def own_bot_tables(name: str) -> list[tuple[str, int, Policy]]:
    """Return rules, seats and bot of tables with one learner among bots: two and four seats, if the rules allow them.

    Empty if the odds of these rules are not compiled.
    """
    rules = find_rules(name)
    seat_counts = sorted({_allowed_seat_count(rules, seats) for seats in (2, 4)})
    return [
        (name, seats, policy)
        for seats in seat_counts
        for policy in (INFERENCE_POLICY, ThresholdPolicy(0.4))
        if _is_compiled(rules, (ExternalPolicy(), *(policy,) * (seats - 1)))
    ]


def _is_compiled(rules: Ruleset, policies: tuple[Policy, ...]) -> bool:
    """Return whether bots can play these rules in arrays."""
    try:
        make_policy_arrays(compile_rules(rules, len(policies)), policies)
    except UnavailableError:
        return False
    return True


def make_table_setups(config: TrainingConfig) -> list[TableSetup]:
    """Return the `config.tables` tables of a run; `config.seed` determines them."""
    rng = np.random.default_rng(config.seed)
    weighted_rules = [find_rules(name) for name in config.rules for _ in range(RULES_WEIGHTS.get(name, 1))]
    setups = _bot_setups(config) + _two_learner_setups(config)
    for index in range(round(config.tables * config.opponent_table_share) if config.opponents else 0):
        setups.append(_opponent_setup(config, weighted_rules[rng.integers(len(weighted_rules))], index))
    while len(setups) < config.tables:
        setups.append(_sample_setup(weighted_rules[rng.integers(len(weighted_rules))], config.matches, rng))
    teachers = {find_rules(name): teacher for name, teacher in config.teachers.items() if config.ppo.teacher_weight}
    setups = setups[: config.tables]  # each share is rounded on its own, so that they may come to more
    return [
        msgspec.structs.replace(setup, teacher=teachers.get(setup.rules, ""), ends_with_two=config.ends_with_two)
        for setup in setups
    ]


def _bot_setups(config: TrainingConfig) -> list[TableSetup]:
    """Return the tables with one learner among bots of one kind."""
    tables = [table for table in BOT_TABLES if table[0] in config.rules]
    for name in rules_beside_the_recipe(config, (table[0] for table in BOT_TABLES)):
        tables += own_bot_tables(name)
    count = round(config.tables * config.bot_table_share) if tables else 0
    return [
        TableSetup(find_rules(name), (ExternalPolicy(), *(policy,) * (seats - 1)), config.matches)
        for name, seats, policy in (tables[index % len(tables)] for index in range(count))
    ]


def _two_learner_setups(config: TrainingConfig) -> list[TableSetup]:
    """Return the tables with two learners."""
    names = [name for name in TWO_LEARNER_RULES if name in config.rules]
    own = rules_beside_the_recipe(config, (*TWO_LEARNER_RULES, *(table[0] for table in BOT_TABLES)))
    names += [name for name in own if find_rules(name).players.min == TWO_LEARNERS]
    count = round(config.tables * config.two_learner_share) if names else 0
    return [
        TableSetup(find_rules(names[index % len(names)]), (ExternalPolicy(), ExternalPolicy()), config.matches)
        for index in range(count)
    ]


def _opponent_setup(config: TrainingConfig, rules: Ruleset, index: int) -> TableSetup:
    """Return the table number `index` with one learner among a network that learns no more.

    Each number of seats is used with all opponents in turn before the next one.
    """
    round_number, opponent = divmod(index, len(config.opponents))
    seat_counts = config.opponent_seats or (rules.players.min,)
    seats = _allowed_seat_count(rules, seat_counts[round_number % len(seat_counts)])
    return TableSetup(rules, (ExternalPolicy(),) * seats, config.matches, config.opponents[opponent], seats - 1)


def _allowed_seat_count(rules: Ruleset, seats: int) -> int:
    """Return the number of seats nearest to `seats` that the rules allow."""
    low = rules.players.min
    return int(np.clip(seats, low, rules.players.max or max(low, MAX_SEATS)))


def _sample_setup(rules: Ruleset, matches: int, rng: np.random.Generator) -> TableSetup:
    """Draw a table of learners, or of learners among bots where the odds of these rules are compiled."""
    seats = _allowed_seat_count(rules, SEAT_COUNTS[rng.integers(len(SEAT_COUNTS))])
    if rng.random() >= MIXED_TABLE_SHARE:
        return TableSetup(rules, (ExternalPolicy(),) * seats, matches)
    learners = int(rng.integers(1, seats))
    bot = BOT_POLICIES[rng.integers(len(BOT_POLICIES))]
    policies = (*(ExternalPolicy(),) * learners, *(bot,) * (seats - learners))
    if not _is_compiled(rules, policies):
        policies = (ExternalPolicy(),) * seats
    return TableSetup(rules, policies, matches)
