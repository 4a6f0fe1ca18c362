"""The vectorised environment plays as the engine does, on random rules and on every preset, to the end of matches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import is_stairs as is_stairs_in_core
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.kernels import transitions
from liarsdice.sim.kernels.compilation import GAMMA, first_state, mix_bits, random_below
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import VectorEnv, new_batch_state
from tests.laws.random_rulesets import seeds, tables
from tests.sim.engine_comparison import play_and_compare

PERUDO = compile_rules(preset("perudo").ruleset, 3)


@settings(max_examples=300)
@given(tables(simulated=True), seeds)
def test_random_rules_play_alike_in_the_engine_and_in_arrays(table: tuple[Ruleset, int], seed: int) -> None:
    play_and_compare(*table, seed)


@pytest.mark.parametrize("name", simulated_preset_names())
@pytest.mark.parametrize("seats", [2, 5])
def test_every_preset_plays_alike_in_the_engine_and_in_arrays(name: str, seats: int) -> None:
    assert play_and_compare(preset(name).ruleset, seats, seed=seats).phase is Phase.OVER


def test_the_classic_sheet_with_all_its_options_plays_alike_in_the_engine_and_in_arrays() -> None:
    rules = preset("classic+aces+palifico+calza+reversa").ruleset
    assert play_and_compare(rules, 4, seed=1).phase is Phase.OVER


def test_no_match_changes_if_one_action_of_many_is_illegal() -> None:
    env = VectorEnv(PERUDO, 3, seed=5)
    opening = PERUDO.action_id(Bid(1, 2))
    before = env.state.matches.copy()
    with pytest.raises(IllegalActionError, match=r"in match 1 seat . may not do 0 \(Challenge\(\)\)"):
        env.step([opening, schema.CHALLENGE, opening])
    assert (env.state.matches == before).all()
    env.step([opening, schema.NO_ACTION, opening])
    assert env.match_field(schema.BID_COUNT).tolist() == [1, 0, 1]


@pytest.mark.parametrize("number", [-2, PERUDO.action_count, 10**6])
def test_an_id_that_no_action_has_is_illegal(number: int) -> None:
    with pytest.raises(IllegalActionError, match="no action"):
        VectorEnv(PERUDO, 1).step([number])


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_a_seat_that_does_not_exist_has_no_legal_action(seat: int) -> None:
    env = VectorEnv(PERUDO, 1)
    assert not env.action_mask(seat).any()
    with pytest.raises(IllegalActionError, match="may not do"):
        env.step([PERUDO.action_id(Bid(1, 2))], [seat])


def test_a_call_out_of_turn_is_made_by_naming_the_seat() -> None:
    compiled = compile_rules(preset("official").ruleset, 4)
    env = VectorEnv(compiled, 1)
    env.reset(np.array([True]), starters=0, deals=False)
    env.deal([[[2, 2, 3, 3, 5]] * 4])
    env.step([compiled.action_id(Bid(9, 2))])
    assert env.action_mask(3)[0].nonzero()[0].tolist() == [compiled.action_id(Challenge())]
    env.step([schema.CHALLENGE], [3], deals=False)
    assert env.dice[0].tolist() == [3, 5, 5, 5]  # twice the loss
    assert (
        env.match_field(schema.CALL_COUNT)[0],
        env.match_field(schema.CALL_OUT_OF_TURN)[0],
        env.match_field(schema.CALL_LOSER)[0],
    ) == (8, 1, 0)
    assert env.seat_field(schema.DICE_CHANGE)[0].tolist() == [-2, 0, 0, 0]
    assert env.turn.tolist() == [-1]


def test_matches_begin_with_the_dice_and_the_starter_given() -> None:
    env = VectorEnv(PERUDO, 2)
    env.reset(np.array([True, True]), starters=[2, 0], dice=[[0, 5, 1], [2, 2, 2]])
    assert env.dice.tolist() == [[0, 5, 1], [2, 2, 2]]
    assert env.turn.tolist() == [2, 0]
    assert env.hands.sum(axis=2).tolist() == env.dice.tolist()


@pytest.mark.parametrize(
    "starters, dice", [(-1, (6, 5, 5)), (-1, (5, 0, 0)), (-1, (5, -1, 5)), (0, (0, 5, 5)), (3, (5, 5, 5))]
)
def test_matches_that_cannot_begin_are_refused(starters: int, dice: tuple[int, int, int]) -> None:
    with pytest.raises(MalformedError):
        VectorEnv(PERUDO, 1).reset(np.array([True]), starters=starters, dice=dice)


@pytest.mark.parametrize("hands", [((1, 2), (1, 2, 3, 4, 5)), ((1, 2, 3, 4, 7), (1, 2, 3, 4, 5))])
def test_hands_that_nobody_can_roll_are_refused(hands: tuple[tuple[int, ...], ...]) -> None:
    env = VectorEnv(compile_rules(preset("basic").ruleset, 2), 1)
    env.reset(np.array([True]), deals=False)
    with pytest.raises(MalformedError, match="rolls 5 dice"):
        env.deal([hands])


def test_a_match_does_not_depend_on_the_others_of_its_batch() -> None:
    batch, single = VectorEnv(PERUDO, 8, seed=3), VectorEnv(PERUDO, 1, seed=3, first=5)
    for _ in range(200):
        for env in (batch, single):
            seats, actions = env.choose_actions()
            env.step(actions, seats)
        assert (batch.state.matches[5] == single.state.matches[0]).all()
        assert (batch.hands[5] == single.hands[0]).all()


def test_finished_matches_stay_unchanged_until_they_are_reset() -> None:
    env = VectorEnv(compile_rules(preset("openspiel").ruleset, 2), 20, seed=1)
    while not env.over.all():
        seats, actions = env.choose_actions()
        env.step(actions, seats)
    assert (env.won.sum(axis=1) == 1).all()
    assert not env.action_mask().any()
    env.step(np.full(20, schema.NO_ACTION))
    assert env.reset().all()
    assert not env.over.any()
    assert not env.won.any()


@pytest.mark.parametrize("name", ["perudo", "official", "classic+reversa"])
def test_external_seats_act_on_their_turn_and_the_others_play_on_without_them(name: str) -> None:
    env = VectorEnv(compile_rules(preset(name).ruleset, 4), 50, seed=2)
    policies = (ExternalPolicy(), ThresholdPolicy(0.4), UniformPolicy(), UniformPolicy())
    env.advance(policies)
    while not env.over.all():
        assert set(env.turn.tolist()) <= {0, -1}
        env.advance(policies, np.where(env.over, schema.NO_ACTION, env.action_mask().argmax(axis=1)))
    assert env.won.sum() == 50


def test_an_external_action_for_another_policy_is_illegal() -> None:
    env = VectorEnv(PERUDO, 1)
    with pytest.raises(IllegalActionError):
        env.advance((UniformPolicy(),), [int(env.action_mask()[0].argmax())])


def test_advance_stops_after_the_last_round_given() -> None:
    env = VectorEnv(PERUDO, 10, seed=4)
    env.advance(last_round=2)
    assert env.match_field(schema.ROUND).tolist() == [2] * 10
    assert env.turn.tolist() == [-1] * 10
    env.advance(last_round=3)
    assert env.match_field(schema.ROUND).tolist() == [3] * 10


@given(st.lists(st.integers(1, 6), max_size=8).map(sorted))
def test_stairs_are_those_of_the_core(hand: list[int]) -> None:
    counts = np.bincount(hand, minlength=7)[1:].astype(np.int32)
    assert transitions.is_stairs(counts, len(hand)) == is_stairs_in_core(tuple(hand))


@pytest.mark.parametrize("hand, stairs", [((1, 2, 3), True), ((1,), True), ((2, 3), False), ((1, 1, 2), False)])
def test_stairs_are_one_die_of_each_face_from_the_first_up(hand: tuple[int, ...], stairs: bool) -> None:
    counts = np.bincount(hand, minlength=7)[1:].astype(np.int32)
    assert transitions.is_stairs(counts, len(hand)) == stairs


PUBLISHED = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)
"""The first outputs of SplitMix64 for the seed 1234567, as reference implementations print them."""
MASK = 2**64 - 1


def mix_bits_in_python(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def test_numbers_are_those_of_splitmix64() -> None:
    states = [(1234567 + number * int(GAMMA)) & MASK for number in range(1, 6)]
    assert tuple(int(mix_bits(np.uint64(state))) for state in states) == PUBLISHED
    assert tuple(map(mix_bits_in_python, states)) == PUBLISHED


def test_a_number_below_a_limit_is_uniform() -> None:
    state = new_batch_state(compile_rules(preset("basic").ruleset, 2), 1)
    counts = np.bincount([random_below(state, 0, 6) for _ in range(60_000)], minlength=6)
    assert len(counts) == 6
    assert np.abs(counts - 10_000).max() < 4.5 * np.sqrt(10_000 * 5 / 6)


def test_no_two_matches_begin_with_the_same_state() -> None:
    states = {int(first_state(seed, number)) for seed in range(100) for number in range(100)}
    assert len(states) == 100 * 100
