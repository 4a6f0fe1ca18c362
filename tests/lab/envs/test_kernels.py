"""Masks, observations and rewards of the kernels agree with the engine under any rules."""

import random
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from liarsdice.core.actions import ChooseStarter, Deal
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.choices import ShedBy, StarterMethod
from liarsdice.core.rules.meaning import sheds
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice_lab.envs.in_place import REWARDS, InPlaceEnv
from liarsdice_lab.envs.layout import Game, legal_ids, make_game, observe_view
from liarsdice_lab.envs.match_tree import seat_names, state_of_match
from tests.laws.random_rulesets import tables

MAX_STEPS = 60


def plain(rules: Ruleset) -> Ruleset:
    """The rules without what environments leave out: penalties, and rolls for the first start."""
    starter = msgspec.structs.replace(rules.first_starter, method=StarterMethod.CHOSEN)
    return msgspec.structs.replace(rules, penalties=(), first_starter=starter)


def dealt(state: State, env: InPlaceEnv) -> State:
    """The state after the engine has been given the dice of the environment."""
    hands = state_of_match(env.matches, 0).hands
    return evolve_all(state, decide(state, None, Deal(hands)))


def started(rules: Ruleset, env: InPlaceEnv) -> State:
    state = start(rules, seat_names(env.game.rules.seat_count))
    chosen = ChooseStarter(int(env.matches.match_field(schema.STARTER)[0]))
    return dealt(evolve_all(state, decide(state, None, chosen)), env)


def assert_same(env: InPlaceEnv, state: State) -> None:
    """Compare what the seat that acts next sees and may do, and the whole state."""
    game, seat = env.game, int(env.seats[0])
    seen = view(state, seat)
    assert seen.on_turn != env.out_of_turn[0]
    assert np.flatnonzero(env.buffers.masks[0]).tolist() == legal_ids(game, state, seat)
    row = observe_view(game, seen)
    assert {field.name: game.field(field.name, env.buffers.observations[0]).tolist() for field in game.fields} == {
        field.name: game.field(field.name, row).tolist() for field in game.fields
    }
    assert all(0 <= game.field(field.name, row).min() <= field.high for field in game.fields)
    in_arrays = state_of_match(env.matches, 0)
    assert set(in_arrays.had_special) == set(state.had_special)
    assert set(in_arrays.exempt) == set(state.exempt)
    unlike = {"had_special": (), "exempt": (), "revealed": None}
    assert msgspec.structs.replace(in_arrays, **unlike) == msgspec.structs.replace(state, **unlike)


def rewards_of_round(before: State, after: State, reward: str) -> list[Fraction]:
    """The rewards of a call by the engine's states before and after it."""
    count = len(before.dice)
    changes = [now - then for then, now in zip(before.dice, after.dice, strict=True)]
    if reward == "dice":
        sign = -1 if sheds(before.ruleset) else 1
        return [sign * (Fraction(change) - Fraction(sum(changes) - change, count - 1)) for change in changes]
    winners = len(after.winners)
    if after.phase is not Phase.OVER or winners == count:
        return [Fraction(0)] * count
    return [Fraction(1, winners) if seat in after.winners else Fraction(-1, count - winners) for seat in range(count)]


def play_both(rules: Ruleset, seats: int, seed: int, reward: str = "match") -> State:
    """Play a match with random actions in both, compare both before each action, and return the last state."""
    rules, rng = plain(rules), random.Random(seed)
    env = InPlaceEnv(make_game(rules, seats), 1, seed=seed, reward=reward, resets=False)
    state, pending = started(rules, env), None
    for _ in range(MAX_STEPS):
        seat, out_of_turn = int(env.seats[0]), bool(env.out_of_turn[0])
        assert_same(env, state)
        legal = np.flatnonzero(env.buffers.masks[0]).tolist()
        calls = [number for number in legal if number < schema.CLOCKWISE]
        number = rng.choice(calls if calls and rng.random() < 0.15 else legal[:12] + legal[-1:])
        action = env.game.action_from_id(number)
        env.step([number])
        if action is not None and not out_of_turn and bool(env.out_of_turn[0]):
            pending = seat, action  # it counts once nobody has called
            continue
        if action is None:
            if env.out_of_turn[0]:
                continue
            assert pending is not None
            seat, action = pending
        assert action is not None
        before, pending = state, None
        state = evolve_all(state, decide(state, seat, action))
        if state.phase is not Phase.BIDDING:
            expected = rewards_of_round(before, state, reward)
            assert env.buffers.rewards[0].tolist() == pytest.approx([float(share) for share in expected])
        assert env.buffers.terminals[0] == (state.phase is Phase.OVER)
        if state.phase is Phase.OVER:
            assert env.seats[0] == -1
            assert not env.buffers.masks.any()
            assert not env.buffers.observations.any()
            break
        if state.phase is Phase.DEAL:
            state = dealt(state, env)
    return state


@pytest.mark.parametrize("name", simulated_preset_names())
def test_kernels_agree_with_the_engine_under_every_preset(name: str) -> None:
    rules = preset(name).ruleset
    play_both(rules, 2, 1)
    play_both(rules, min(4, rules.players.max or 4), 2, "dice")


@settings(max_examples=40)
@given(tables(simulated=True), st.integers(0, 1000), st.sampled_from(("match", "dice")))
def test_kernels_agree_with_the_engine_under_random_rules(table: tuple[Ruleset, int], seed: int, reward: str) -> None:
    rules, seats = table
    play_both(rules, seats, seed, reward)


def random_actions(env: InPlaceEnv, rng: np.random.Generator) -> NDArray[np.intp]:
    """A random legal action of each match."""
    weights: NDArray[np.float64] = env.buffers.masks * rng.random(env.buffers.masks.shape)
    chosen: NDArray[np.intp] = np.argmax(weights, axis=1)
    return chosen


@pytest.mark.parametrize("name", ["perudo", "official"])
def test_seats_are_selected_as_the_agent_selector_does(name: str) -> None:
    game, rng = make_game(name, 3), np.random.default_rng(1)
    env, plain_env = InPlaceEnv(game, 20, seed=4, resets=False), VectorEnv(game.rules, 20, seed=4)
    selector = AgentSelector(plain_env, (ExternalPolicy(),))
    selector.advance()
    while (env.seats >= 0).any():
        assert env.seats.tolist() == selector.seats.tolist()
        assert env.out_of_turn.tolist() == selector.out_of_turn.tolist()
        assert env.matches.state.matches.tolist() == plain_env.state.matches.tolist()
        actions = np.where(env.seats >= 0, random_actions(env, rng), schema.NO_ACTION)
        env.step(actions)
        selector.step(np.where(actions == game.silence, schema.NO_ACTION, actions), actions != schema.NO_ACTION)
    assert env.matches.won.tolist() == plain_env.won.tolist()


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_sum_to_zero(reward: str) -> None:
    env, rng, total = InPlaceEnv(make_game("bluff", 3), 30, seed=1, reward=reward), np.random.default_rng(2), 0.0
    for _ in range(60):
        env.step(random_actions(env, rng))
        np.testing.assert_allclose(env.buffers.rewards.sum(axis=1), 0, atol=1e-5)
        total += float(np.abs(env.buffers.rewards).sum())
    assert total > 0


def one_die_each(reward: str, shed_by: ShedBy | None = None) -> InPlaceEnv:
    """A match of three seats with one die each."""
    game = make_game(patched(preset("basic").ruleset, dice__per_player=1, loss__shed_by=shed_by), 3)
    return InPlaceEnv(game, 1, seed=3, reward=reward, resets=False)


def test_the_reward_of_a_round_is_that_of_its_call() -> None:
    env = one_die_each("round")
    bidder, highest = int(env.seats[0]), env.game.action_count - 2
    env.step([highest])
    caller = int(env.seats[0])
    env.step([schema.CHALLENGE])
    expected = [0.0] * 3
    expected[bidder], expected[caller] = -1.0, 1.0
    assert env.buffers.rewards[0].tolist() == expected


def test_the_reward_of_a_place_goes_from_1_to_minus_1() -> None:
    env = one_die_each("placing")
    order = []
    for _ in range(2):
        order.append(int(env.seats[0]))
        env.step([int(np.flatnonzero(env.buffers.masks[0])[-2])])  # the highest bid is nearly always a lie
        env.step([schema.CHALLENGE])
    assert env.buffers.terminals[0]
    rewards = env.buffers.rewards[0]
    assert sorted(rewards.tolist()) == [-1.0, 0.0, 1.0]
    assert rewards[order].tolist() == [-1.0, 0.0]


@pytest.mark.parametrize("shed_by", ShedBy)
def test_the_reward_of_a_place_is_the_higher_the_sooner_a_player_is_safe(shed_by: ShedBy) -> None:
    env = one_die_each("placing", shed_by)
    bidders, callers = [], []
    while not env.buffers.terminals[0]:
        bidders.append(int(env.seats[0]))
        env.step([int(np.flatnonzero(env.buffers.masks[0])[-2])])
        callers.append(int(env.seats[0]))
        env.step([schema.CHALLENGE])
    rewards = env.buffers.rewards[0].tolist()
    assert rewards[bidders[-1]] == -1  # whoever lied last holds the last die
    if shed_by is ShedBy.WINNER:
        assert [rewards[seat] for seat in callers] == [1, 0]
    else:
        assert sorted(rewards) == [-1, 0.5, 0.5]
    assert env.matches.won[0].tolist() == [reward > 0 for reward in rewards]


def test_rules_beyond_the_limits_are_refused_with_the_limit() -> None:
    with pytest.raises(UnavailableError, match="at most 32767"):
        make_game(patched(preset("basic").ruleset, guards__max_rounds=40_000))


def test_a_field_is_found_by_its_name() -> None:
    game: Game = make_game("perudo", 3)
    assert game.fields[-1].stop == game.row_size
    with pytest.raises(Exception, match="has the fields"):
        game.field("cards", np.zeros(game.row_size, np.int16))
