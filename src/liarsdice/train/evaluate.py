"""How strong a player is while it is trained: one among others of one kind, on matches that training never sees."""

from __future__ import annotations

import numpy as np

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.agent_selector import AgentSelector
from liarsdice.train.batch_observation import BatchObserver
from liarsdice.train.curriculum import INFERENCE
from liarsdice.train.opponents import OpponentPlayer

FIRST = "champion@1"
EVALUATIONS: dict[str, tuple[str, int, Policy | None]] = {
    f"{rules}, {seats}, {name}": (rules, seats, policy)
    for rules, seats, name, policy in (
        ("joker", 2, "threshold:0.3", ThresholdPolicy(0.3)),
        ("perudo", 2, "inference", INFERENCE),
        ("perudo", 3, "threshold:0.4", ThresholdPolicy(0.4)),
        ("perudo", 4, "inference", INFERENCE),
        ("perudo", 6, "threshold:0.4", ThresholdPolicy(0.4)),
        ("mustache", 2, "inference", INFERENCE),
        ("mustache", 4, "inference", INFERENCE),
        ("official", 2, "inference", INFERENCE),
        (FULL, 2, "inference", INFERENCE),
        ("basic", 2, "inference", INFERENCE),
        ("chart", 2, "inference", INFERENCE),
        ("joker", 2, FIRST, None),
        ("perudo", 2, FIRST, None),
        ("perudo", 4, FIRST, None),
        ("mustache", 2, FIRST, None),
    )
}
"""Rules, seats, and who sits in the others: a compiled bot, or for None the first champion's network.

Networks play alone here, without the solved last rounds that a champion has."""
SEED = 987_654_321
"""No training run counts up to it."""


def win_share(
    network: Network, rules: str, seats: int, company: Policy | Network, matches: int, seed: int = SEED
) -> float:
    """The share of matches that a network wins among others of one kind."""
    policies: list[Policy] = [ExternalPolicy()] * seats
    networks = {0: network}
    for seat in range(1, seats):
        if isinstance(company, Network):
            networks[seat] = company
        else:
            policies[seat] = company
    batch = VectorEnv(compile_rules(find_rules(rules), seats), matches, seed=seed)
    selector = AgentSelector(batch, tuple(policies))
    selector.advance()
    OpponentPlayer(batch, selector, BatchObserver(batch), networks).play_on(np.random.default_rng(seed))
    won = batch.won / np.maximum(batch.won.sum(axis=1, keepdims=True), 1)
    return float(won[:, 0].mean())


def evaluate(network: Network, matches: int) -> dict[str, float]:
    """The win share at every yardstick."""
    first = champion_network(1)
    return {
        name: win_share(network, rules, seats, company or first, matches)
        for name, (rules, seats, company) in EVALUATIONS.items()
    }
