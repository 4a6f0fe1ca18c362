"""Measures the strength of a network: its win share against fixed opponents, in matches that training never sees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.champions import baseline_network
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.config import TrainingConfig
from liarsdice.train.curriculum import INFERENCE_POLICY, own_bot_tables, rules_beside_the_recipe
from liarsdice.train.rollout import OpponentPlayer

BASELINE = "champion@5"
Evaluation = tuple[str, int, Policy | None]
"""Rules, seats, and the policy in all seats but the first; None: the network of the baseline."""

EVALUATIONS: dict[str, Evaluation] = {
    f"{rules}, {seats}, {name}": (rules, seats, policy)
    for rules, seats, name, policy in (
        ("joker", 2, "threshold:0.3", ThresholdPolicy(0.3)),
        ("perudo", 2, "inference", INFERENCE_POLICY),
        ("perudo", 3, "threshold:0.4", ThresholdPolicy(0.4)),
        ("perudo", 4, "inference", INFERENCE_POLICY),
        ("perudo", 6, "threshold:0.4", ThresholdPolicy(0.4)),
        ("mustache", 2, "inference", INFERENCE_POLICY),
        ("mustache", 4, "inference", INFERENCE_POLICY),
        ("official", 2, "inference", INFERENCE_POLICY),
        (FULL, 2, "inference", INFERENCE_POLICY),
        ("basic", 2, "inference", INFERENCE_POLICY),
        ("chart", 2, "inference", INFERENCE_POLICY),
        ("joker", 2, BASELINE, None),
        ("perudo", 2, BASELINE, None),
        ("perudo", 4, BASELINE, None),
        ("mustache", 2, BASELINE, None),
    )
}
"""The evaluations of a run that learns all presets that are simulated, by column name.

Networks play without the solved endgames that a champion uses."""
EVALUATION_SEED = 987_654_321
"""A seed that no training run uses."""


def win_share(
    network: Network,
    rules: str,
    seats: int,
    opponent: Policy | Network,
    matches: int,
    seed: int = EVALUATION_SEED,
    *,
    champions: Collection[int] = (),
) -> float:
    """Return the share of `matches` that a network in seat 0 wins against the same opponent in all other seats.

    A match that ends with several winners counts in equal parts. 0..1; 1 / `seats` means equal strength. `champions`:
    seats with a network that play as a whole champion (see `OpponentPlayer`).
    """
    policies: list[Policy] = [ExternalPolicy()] * seats
    networks = {0: network}
    for seat in range(1, seats):
        if isinstance(opponent, Network):
            networks[seat] = opponent
        else:
            policies[seat] = opponent
    env = VectorEnv(compile_rules(find_rules(rules), seats), matches, seed=seed)
    selector = AgentSelector(env, tuple(policies))
    selector.advance()
    player = OpponentPlayer(env, selector, BatchObserver(env), networks, champions)
    player.play_turns(np.random.default_rng(seed))
    shares = env.won / np.maximum(env.won.sum(axis=1, keepdims=True), 1)
    return float(shares[:, 0].mean())


def evaluations_of(config: TrainingConfig) -> dict[str, Evaluation]:
    """Return the evaluations of a run, all under the rules that it learns.

    Under rules that `EVALUATIONS` do not have, a network plays at two and four seats, as far as the rules allow it,
    against `inference`, against random moves where the odds of the rules are not compiled, and against the
    baseline.
    """
    known = {name: evaluation for name, evaluation in EVALUATIONS.items() if evaluation[0] in config.rules}
    for name in rules_beside_the_recipe(config, (rules for rules, _, _ in EVALUATIONS.values())):
        seats = find_rules(name).players.min
        tables = [table for table in own_bot_tables(name) if table[2] == INFERENCE_POLICY]
        known |= {f"{rules}, {count}, inference": (rules, count, policy) for rules, count, policy in tables}
        if not tables:
            known[f"{name}, {seats}, random"] = name, seats, UniformPolicy()
        known[f"{name}, {seats}, {BASELINE}"] = name, seats, None
    return known


def evaluate(
    network: Network,
    matches: int,
    evaluations: Mapping[str, Evaluation] = EVALUATIONS,
    check: Callable[[], None] = lambda: None,
) -> dict[str, float]:
    """Return the win share of a network in each evaluation, with `matches` matches each.

    `check` is called before each one; what it raises ends them.
    """
    shares = dict[str, float]()
    for name, (rules, seats, policy) in evaluations.items():
        check()
        shares[name] = win_share(network, rules, seats, policy or baseline_network(BASELINE), matches)
    return shares
