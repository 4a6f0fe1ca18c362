"""What a network teaches another one: its probabilities in matches that it plays against itself and simple bots."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import sample_actions
from liarsdice.bots.neural.features import NetworkInput, dice_held
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import BoolArray, FloatArray, IntArray
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.game.round_start import PLAYERS
from liarsdice.train.config import TrainingConfig
from liarsdice.train.curriculum import make_table_setups
from liarsdice.train.load_networks import load_network
from liarsdice.train.rollout import TrainingTable
from liarsdice.train.value_training import explored_probs

BOT_TABLE_SHARE = 0.42
"""The share of tables at which the network plays among simple bots; `champion@7` learned with as many."""
Rounds = Collection[tuple[Ruleset, tuple[int, int]]]
"""Rounds of two players: the rules, and the dice of both."""


class MatchLessons(NamedTuple):
    """Decisions in matches, one a row.

    `features`: float16 [row, feature]. `action_mask`: bool [row, action]. `probs`: float16 [row, action].
    """

    features: NDArray[np.float16]
    action_mask: BoolArray
    probs: NDArray[np.float16]


class _Explorer:
    """Acts as a network does, and takes a random legal action now and then; an `ActFunction`."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def __call__(
        self, inputs: NetworkInput, hidden_features: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return sampled actions, int64 [row]; their probabilities and values are not used, float32 [row]."""
        unused = np.zeros(len(hidden_features), np.float32)
        return sample_actions(explored_probs(self._network, inputs), rng.random(len(unused))), unused, unused


def play_matches(name: str, seed: int, tables: int, steps: int, known_rounds: Rounds) -> MatchLessons:
    """Return the decisions of a network at tables of the default rules of a run, with every number of seats.

    `name`: of the network, see `load_network`. `steps`: the decisions in each match. `known_rounds`: decisions in these
    rounds are left out, as blueprints teach them.
    """
    network = load_network(name)
    config = TrainingConfig(
        seed=seed, tables=tables, bot_table_share=BOT_TABLE_SHARE, opponent_table_share=0.0, opponents=()
    )
    parts = []
    for number, setup in enumerate(make_table_setups(config)):
        played = TrainingTable(setup, seed * 100_003 + number).play(steps, _Explorer(network), gae_lambda=0.0)
        dice = {held for rules, held in known_rounds if rules == setup.rules}
        kept = ~_is_round(dice_held(played.features), dice)
        features, mask = played.features[kept], played.action_mask[kept]
        parts.append((features.astype(np.float16), mask, network.action_probs(features, mask).astype(np.float16)))
    return MatchLessons(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _is_round(held: IntArray, rounds: Collection[tuple[int, int]]) -> BoolArray:
    """Return whether two players hold the dice of one of these rounds, in either order, bool [row].

    `held`: int64 [row, seat slot].
    """
    own, other = held[:, 0], held[:, 1:].sum(axis=1)
    is_round = np.zeros(len(held), np.bool_)
    for first, second in rounds:
        is_round |= ((own == first) & (other == second)) | ((own == second) & (other == first))
    is_round &= (held > 0).sum(axis=1) == PLAYERS
    return is_round
