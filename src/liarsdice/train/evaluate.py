"""How strong a player is while it is trained: one among others of one kind, on matches that training never sees."""

from __future__ import annotations

import numpy as np

from liarsdice.bots.neural.champion import model
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.compile import compiled
from liarsdice.sim.policies import Asked, Mind, Threshold
from liarsdice.sim.vector_env import Batch
from liarsdice.train.agent_selector import Asking
from liarsdice.train.batch_observation import Watcher
from liarsdice.train.curriculum import INFERENCE
from liarsdice.train.opponents import Rivals

FIRST = "champion@1"
YARDSTICKS: dict[str, tuple[str, int, Mind | None]] = {
    f"{rules}, {seats}, {name}": (rules, seats, mind)
    for rules, seats, name, mind in (
        ("joker", 2, "threshold:0.3", Threshold(0.3)),
        ("perudo", 2, "inference", INFERENCE),
        ("perudo", 3, "threshold:0.4", Threshold(0.4)),
        ("perudo", 4, "inference", INFERENCE),
        ("perudo", 6, "threshold:0.4", Threshold(0.4)),
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
    network: Network, rules: str, seats: int, company: Mind | Network, matches: int, seed: int = SEED
) -> float:
    """The share of matches that a network wins among others of one kind."""
    minds: list[Mind] = [Asked()] * seats
    networks = {0: network}
    for seat in range(1, seats):
        if isinstance(company, Network):
            networks[seat] = company
        else:
            minds[seat] = company
    batch = Batch(compiled(find_rules(rules), seats), matches, seed=seed)
    asking = Asking(batch, tuple(minds))
    asking.advance()
    Rivals(batch, asking, Watcher(batch), networks).play_on(np.random.default_rng(seed))
    won = batch.won / np.maximum(batch.won.sum(axis=1, keepdims=True), 1)
    return float(won[:, 0].mean())


def measured(network: Network, matches: int) -> dict[str, float]:
    """The win share at every yardstick."""
    first = model(1)
    return {
        name: win_share(network, rules, seats, company or first, matches)
        for name, (rules, seats, company) in YARDSTICKS.items()
    }
