"""How strong a player is while it is trained: one among compiled bots, on matches that training never sees."""

from __future__ import annotations

import numpy as np

from liarsdice.bots.features import Reading, read
from liarsdice.bots.network import Network, purified
from liarsdice.bots.scene import Ints
from liarsdice.core.presets import preset
from liarsdice.solve.arrays import compiled
from liarsdice.solve.batch import Batch
from liarsdice.solve.minds import Asked, Mind, Threshold
from liarsdice.train.pool import INFERENCE
from liarsdice.train.scenes import Watcher, actions_of

YARDSTICKS: dict[str, tuple[str, int, Mind]] = {
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
    )
}
SEED = 987_654_321
"""No training run counts up to it."""


def win_share(network: Network, rules: str, seats: int, company: Mind, matches: int, seed: int = SEED) -> float:
    """The share of matches that a network wins among compiled bots of one kind."""
    minds = (Asked(), *(company,) * (seats - 1))
    batch = Batch(compiled(preset(rules).ruleset, seats), matches, seed=seed)
    watcher, chance = Watcher(batch), np.random.default_rng(seed)
    batch.advance(minds)
    while not batch.over.all():
        seats_now = np.where(batch.over, 0, batch.turn).astype(np.int32)
        reading = read(watcher.scene(seats_now))
        reading.legal[batch.over, 0] = True  # nobody is asked there
        actions = actions_of(reading, drawn(network, reading, chance), batch)
        batch.advance(minds, np.where(batch.over, -1, actions))
    won = batch.won / np.maximum(batch.won.sum(axis=1, keepdims=True), 1)
    return float(won[:, 0].mean())


def drawn(network: Network, reading: Reading, chance: np.random.Generator) -> Ints:
    """Answers by the network's chances, without those that it would hardly give."""
    chances = purified(network.chances(reading.numbers, reading.legal))
    passed: Ints = (chances.cumsum(axis=1) < chance.random((len(chances), 1))).sum(axis=1)
    last: Ints = np.minimum(passed, chances.shape[1] - 1)
    return last


def measured(network: Network, matches: int) -> dict[str, float]:
    """The win share at every yardstick."""
    return {
        name: win_share(network, rules, seats, company, matches) for name, (rules, seats, company) in YARDSTICKS.items()
    }
