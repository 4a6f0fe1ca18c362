"""Measures the strength of a network: its win share against fixed opponents, in matches that training never sees."""

from __future__ import annotations

import numpy as np

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.curriculum import INFERENCE_POLICY
from liarsdice.train.opponents import OpponentPlayer

FIRST_CHAMPION = "champion@1"
EVALUATIONS: dict[str, tuple[str, int, Policy | None]] = {
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
        ("joker", 2, FIRST_CHAMPION, None),
        ("perudo", 2, FIRST_CHAMPION, None),
        ("perudo", 4, FIRST_CHAMPION, None),
        ("mustache", 2, FIRST_CHAMPION, None),
    )
}
"""Rules, seats, and the policy in all seats but the first (None: the network of the first champion), by column name.

Networks play without the solved endgames that a champion uses."""
EVALUATION_SEED = 987_654_321
"""A seed that no training run uses."""


def win_share(
    network: Network, rules: str, seats: int, opponent: Policy | Network, matches: int, seed: int = EVALUATION_SEED
) -> float:
    """Return the share of `matches` that a network in seat 0 wins against the same opponent in all other seats.

    A match that ends with several winners counts in equal parts. 0..1; 1 / `seats` means equal strength.
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
    OpponentPlayer(env, selector, BatchObserver(env), networks).play_turns(np.random.default_rng(seed))
    shares = env.won / np.maximum(env.won.sum(axis=1, keepdims=True), 1)
    return float(shares[:, 0].mean())


def evaluate(network: Network, matches: int) -> dict[str, float]:
    """Return the win share of a network in each of `EVALUATIONS`, with `matches` matches each."""
    first_champion = champion_network(1)
    return {
        name: win_share(network, rules, seats, policy or first_champion, matches)
        for name, (rules, seats, policy) in EVALUATIONS.items()
    }
