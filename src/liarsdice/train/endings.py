"""The ends of matches, from where two players are left: what share of them the champion wins."""

from __future__ import annotations

from functools import cache

import numpy as np

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.observation import BoolArray, FloatArray, IntArray
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.load_networks import load_opponent
from liarsdice.train.opponents import OpponentPlayer

PLAYERS = 2
MATCHES_PER_START = 200
"""The matches that are played from each start; a share is then within 7 points with a probability of 95%."""
SEED = 24_601


@cache
def champion_shares(rules: Ruleset, opponent: Policy | str, matches: int = MATCHES_PER_START) -> FloatArray:
    """Return what share of matches of two players the champion wins, float32 [opens, own dice, other's dice].

    `opponent`: a policy, or the name of a network (see `load_opponent`). `opens`: 1 where the champion opens the first
    round, else 0. `matches`: how many are played from each start. Shares are 0..1, and 0 without dice of its own or of
    the other. Raises `UnavailableError` if the champion's rounds depend on earlier ones under these rules.
    """
    compiled = compile_rules(rules, PLAYERS)
    most = compiled.dice[0]
    starts = [(opens, own, other) for opens in (0, 1) for own in range(1, most + 1) for other in range(1, most + 1)]
    opens, own, other = np.repeat(np.array(starts), matches, axis=0).T
    env = VectorEnv(compiled, len(opens), seed=SEED)
    env.reset(np.ones(len(env), np.bool_), starters=1 - opens, dice=np.stack([own, other], axis=1))
    networks, champions = {0: champion_network(rules)}, [0]
    if isinstance(opponent, str):
        player = load_opponent(opponent, rules)
        networks[1] = player.network
        champions += [1] * player.plays_rounds
    selector = AgentSelector(env, (ExternalPolicy(), ExternalPolicy() if isinstance(opponent, str) else opponent))
    selector.advance()
    OpponentPlayer(env, selector, BatchObserver(env), networks, champions).play_turns(np.random.default_rng(SEED))
    won = env.won[:, 0] / np.maximum(env.won.sum(axis=1), 1)
    shares = np.zeros((2, most + 1, most + 1), np.float32)
    shares[tuple(np.array(starts).T)] = won.reshape(len(starts), matches).mean(axis=1)
    return shares


class Endings:
    """Ends the matches of a table where two players are left, for its only learner."""

    def __init__(self, env: VectorEnv, learner: int, shares: FloatArray) -> None:
        self._env, self._learner, self._shares = env, learner, shares

    def reached(self) -> BoolArray:
        """Return in which matches at most two players are left, bool [match]."""
        reached: BoolArray = (self._env.dice > 0).sum(axis=1) <= PLAYERS
        return reached

    def values(self, matches: IntArray) -> FloatArray:
        """Return the share that the learner wins of matches with two players left, int64 [row]; float32 [row]."""
        dice = self._env.dice[matches]
        own = dice[:, self._learner]
        opens = (self._env.match_field(schema.STARTER)[matches] == self._learner).astype(np.int64)
        values: FloatArray = self._shares[opens, own, np.where(own > 0, dice.sum(axis=1) - own, 0)]
        return values
