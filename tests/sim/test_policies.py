"""Policies that run in the kernels: their order by seat, and the same decisions as the bots make."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings

from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import Threshold as ThresholdBot
from liarsdice.core.actions import Penalise
from liarsdice.core.engine.engine import legal
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee
from liarsdice.sim import array_schema as schema
from liarsdice.sim import rollouts
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy, UniformPolicy, make_policy_arrays
from liarsdice.sim.vector_env import VectorEnv
from tests.laws.random_matches import NAMES
from tests.laws.random_rulesets import seeds, tables

CREDITS = (0.0, BID_CREDIT, 1.0)


def test_policies_are_repeated_in_their_order() -> None:
    compiled = compile_rules(preset("basic").ruleset, 5)
    policies = make_policy_arrays(compiled, (ThresholdPolicy(0.3), UniformPolicy(), ExternalPolicy()))
    assert policies.kinds.tolist() == [
        schema.THRESHOLD,
        schema.UNIFORM,
        schema.EXTERNAL,
        schema.THRESHOLD,
        schema.UNIFORM,
    ]
    assert np.allclose(policies.thresholds, [0.3, 0, 0, 0.3, 0])


@pytest.mark.parametrize("count", [0, 6])
def test_there_is_at_most_one_policy_for_each_seat(count: int) -> None:
    with pytest.raises(MalformedError, match="5 seats have 1 to 5 policies"):
        make_policy_arrays(compile_rules(preset("basic").ruleset, 5), (UniformPolicy(),) * count)


def compare_with_bots(rules: Ruleset, seats: int, seed: int) -> None:
    """Compare policies and bots through a match; about every third action is random instead, so that much happens."""
    rules, rng = msgspec.structs.replace(rules, penalties=()), random.Random(seed)
    match = Match(rules, NAMES[:seats], Dealer(seed))
    parameters = [(0.2 + seat / 10, CREDITS[(seed + seat) % len(CREDITS)]) for seat in range(seats)]
    referee = Referee(match, {seat: ThresholdBot(t, credit) for seat, (t, credit) in enumerate(parameters)})
    policies = tuple(ThresholdPolicy(t, credit) for t, credit in parameters)
    compiled = compile_rules(rules, seats)
    while match.state.phase is Phase.STARTER:
        match.deal()
    env = VectorEnv(compiled, 1, starters=match.state.starter, deals=False)
    for _ in range(150):
        if match.is_over:
            return
        if match.waits_for_dealer:
            match.deal()
            env.deal([match.state.hands])
        action_of_bot = referee.next_action()
        assert action_of_bot is not None
        (seat,), (action_id,) = env.choose_actions(policies)
        assert (int(seat), compiled.action_from_id(int(action_id))) == action_of_bot
        if rng.random() < 1 / 3:
            action_of_bot = match.state.turn, rng.choice(legal(match.state).moves(match.state.turn))
        match.act(*action_of_bot)
        assert not isinstance(action_of_bot[1], Penalise)
        env.step([compiled.action_id(action_of_bot[1])], [action_of_bot[0]], deals=False)


@pytest.mark.parametrize("name", simulated_preset_names())
@pytest.mark.parametrize("seats", [2, 4])
def test_the_compiled_threshold_policy_acts_as_the_bot_by_every_preset(name: str, seats: int) -> None:
    compare_with_bots(preset(name).ruleset, seats, seed=seats)


@settings(max_examples=120)
@given(tables(most_dice=4, simulated=True), seeds)
def test_the_compiled_threshold_policy_acts_as_the_bot_by_random_rules(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    # without a cap the bot may bid more than all dice on the table, for which there is no compiled bid
    assume(rules.bidding.cap is not None)
    try:
        compare_with_bots(rules, seats, seed)
    except UnavailableError:
        assert rules.count.hand_bonus is HandBonus.STAIRS
        assume(False)


def test_threshold_policies_beat_uniform_ones() -> None:
    results = rollouts.play_matches(
        preset("perudo").ruleset, 4, 300, policies=(ThresholdPolicy(0.4), UniformPolicy()), threads=2
    )
    assert results.won[:, 0::2].sum() >= 299
