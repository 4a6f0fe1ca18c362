"""Policies that run in the kernels: their order by seat, and the same decisions as the bots make."""

import random

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings

from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import MisjudgedOdds, Misjudgement
from liarsdice.bots.simple.simple_bots import Threshold as ThresholdBot
from liarsdice.core.actions import Penalise
from liarsdice.core.bids.odds import p_true
from liarsdice.core.engine.engine import legal
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee
from liarsdice.sim import array_schema as schema
from liarsdice.sim import rollouts
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.kernels import policies
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy, UniformPolicy, make_policy_arrays
from liarsdice.sim.vector_env import VectorEnv
from tests.bots.positions import dealt_state
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


def compare_with_core(rules: Ruleset, seats: int, seed: int) -> None:
    """Compare the kernel's probability of every bid with the core's, for each seat of a freshly dealt match."""
    compiled = compile_rules(rules, seats)
    odds = make_policy_arrays(compiled, (ThresholdPolicy(),)).odds
    env = VectorEnv(compiled, 1, seed=seed)
    wilds_count = bool(env.match_field(schema.WILDS_COUNT)[0])
    places = len(compiled.arrays.faces)
    for seat in range(seats):
        hand = tuple(face + 1 for face, count in enumerate(env.hands[0, seat].tolist()) for _ in range(count))
        others = tuple(dice for other, dice in enumerate(env.dice[0].tolist()) if other != seat and dice)
        row = policies.odds_row(env.state, odds, 0, seat)
        for bid_id, bid in enumerate(compiled.bids):
            place = bid_id % places
            p = policies.p_true(compiled.arrays, env.state, odds, 0, seat, row, bid.quantity, place)
            assert p == pytest.approx(p_true(rules, bid, hand, others, wilds_count=wilds_count), abs=1e-12), bid


@pytest.mark.parametrize("name", simulated_preset_names())
def test_bids_are_as_likely_in_the_kernels_as_in_the_core_by_every_preset(name: str) -> None:
    compare_with_core(preset(name).ruleset, 3, seed=1)


@settings(max_examples=60)
@given(tables(most_dice=4, simulated=True), seeds)
def test_bids_are_as_likely_in_the_kernels_as_in_the_core_by_random_rules(
    table: tuple[Ruleset, int], seed: int
) -> None:
    try:
        compare_with_core(*table, seed)
    except UnavailableError:  # no tables for these rules
        assume(False)


def test_odds_that_are_not_compiled_are_refused_with_the_reason() -> None:
    rules = patched(preset("snyd-stairs+loser-pays").ruleset, wilds__needs_natural=True)
    assert rollouts.play_matches(rules, 3, 5).won.sum() == 5
    with pytest.raises(UnavailableError, match="hands with a bonus are not compiled where"):
        rollouts.play_matches(rules, 3, 5, policies=(ThresholdPolicy(0.4),))
    many = patched(preset("basic").ruleset, dice__per_player=60)
    with pytest.raises(UnavailableError, match="at most 100 dice, and here there may be 120"):
        rollouts.play_matches(many, 2, 1, policies=(ThresholdPolicy(0.4),))


def test_players_who_guess_take_the_average_without_wild_dice_for_certain_as_the_bot_does() -> None:
    rules = preset("perudo").ruleset
    compiled = compile_rules(rules, 4)
    odds = make_policy_arrays(compiled, (ThresholdPolicy(0.6, guesses=True), ExternalPolicy())).odds
    env = VectorEnv(compiled, 1, seed=3)
    seat, hands = (
        0,
        tuple(
            tuple(face + 1 for face, count in enumerate(counts) for _ in range(count))
            for counts in env.hands[0].tolist()
        ),
    )
    guessed = MisjudgedOdds(view(dealt_state(rules, hands), seat), Misjudgement.GUESSES)
    row, places = policies.odds_row(env.state, odds, 0, seat), len(compiled.arrays.faces)
    for bid_id, bid in enumerate(compiled.bids):
        if bid.face != rules.dice.special_face:
            p = policies.p_true(compiled.arrays, env.state, odds, 0, seat, row, bid.quantity, bid_id % places)
            assert p == guessed.p_bid(bid), bid
    with pytest.raises(MalformedError, match="do not sit at one table"):
        make_policy_arrays(compiled, (ThresholdPolicy(), ThresholdPolicy(0.6, guesses=True)))
    with pytest.raises(UnavailableError, match="bonus"):
        make_policy_arrays(compile_rules(preset("snyd-stairs").ruleset, 2), (ThresholdPolicy(0.6, guesses=True),))
