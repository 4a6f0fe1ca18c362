"""The population of players for many matches side by side."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import view
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.state_value_training import Population
from liarsdice.values.features import PLAYER_KINDS, PlayerKind


@pytest.mark.parametrize("player", [PlayerKind.NOVICE, PlayerKind.GREEDY, PlayerKind.THRESHOLD, PlayerKind.INFERENCE])
def test_deterministic_players_decide_as_their_bots(player: PlayerKind) -> None:
    rules = preset("basic").ruleset
    bot = make_bot(player.value)
    match = play_match(rules, ["inference", "random", "novice"], seed=4)
    compared = 0
    env: VectorEnv | None = None
    for state, seat, action in recorded_actions(match.events):
        if state.phase is not Phase.BIDDING or seat is None:
            env = None
            continue
        if env is None:
            env = VectorEnv(compile_rules(rules, 3), 1)
            env.reset(np.ones(1, np.bool_), starters=state.turn, dice=state.dice)
            env.state.hands[0] = [[hand.count(face) for face in range(1, 7)] for hand in state.hands]
        selector = AgentSelector(env, (ExternalPolicy(),))
        population = Population(env, selector, np.full(3, PLAYER_KINDS.index(player)), np.random.default_rng(0))
        expected = bot.act(view(state, state.turn))
        if not isinstance(expected, Exact):
            chosen = env.rules.action_from_id(int(population.actions()[0]))
            assert chosen == expected
            compared += 1
        assert not isinstance(action, Exact)
        if isinstance(action, Challenge):
            env = None
        else:
            env.step(np.array([env.rules.action_id(action)]))  # type: ignore[arg-type]
    assert compared > 10


@pytest.mark.parametrize("rules", ["perudo", "snyd-stairs", "mustache"])
def test_tables_of_all_players_play_legal_matches_to_their_end(rules: str) -> None:
    compiled = compile_rules(preset(rules).ruleset, 4)
    for start in range(0, len(PLAYER_KINDS), 4):
        kinds = (start + np.arange(8)[:, np.newaxis] + np.arange(4)) % len(PLAYER_KINDS)
        env = VectorEnv(compiled, 8, seed=start)
        selector = AgentSelector(env, (ExternalPolicy(),))
        population = Population(env, selector, kinds, np.random.default_rng(start))
        selector.advance()
        for _ in range(2000):
            if env.over.all():
                break
            actions = population.actions()
            assert ((actions >= 0) | selector.out_of_turn | env.over).all()
            selector.step(actions, ~env.over)
        assert env.over.all()
        assert (env.match_field(schema.ROUND) > 1).all()
