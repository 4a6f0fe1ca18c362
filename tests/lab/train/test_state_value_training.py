"""The training of state values."""

from pathlib import Path

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
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.features import PLAYER_KINDS, UNKNOWN_KIND, PlayerKind
from liarsdice_lab.train.state_value_training import (
    CHAMPION_RULES,
    LAMBDA,
    Population,
    StateTable,
    draw_champion_table,
    draw_kinds,
    draw_table,
    lambda_returns,
    load_samples,
    play_table,
    play_tables,
    save_samples,
    shown_players,
    train_state_values,
)


def test_training_is_the_same_from_the_same_seed_and_learns_that_dice_are_worth_something(tmp_path: Path) -> None:
    said: list[str] = []
    paths = play_tables(tmp_path, 3, 4, 40, said.append)
    assert play_tables(tmp_path, 3, 4, 40, said.append) == paths
    assert said == [f"{number}/4 tables" for number in (1, 2, 3, 4)]  # the second time nothing was played
    network = train_state_values(paths, 1, 3, said.append)
    again = train_state_values(paths, 1, 3, said.append)
    for one, other in zip(network.in_round, again.in_round, strict=True):
        assert np.array_equal(one[0], other[0])
    samples = load_samples(paths[0])[1]
    shares = network.shares(samples.between, in_round=False)
    leads = samples.between.dice[:, 0] > samples.between.dice[:, 1:].max(axis=1)
    trails = (samples.between.dice[:, 0] < samples.between.dice[:, 1:].max(axis=1)) & (samples.between.dice[:, 0] > 0)
    assert shares[leads, 0].mean() > shares[trails, 0].mean()


def test_the_kinds_of_players_are_hidden_as_often_as_asked_but_those_of_champions_never() -> None:
    table = StateTable("perudo", 2, 60, 5)
    samples, rng = play_table(table), np.random.default_rng(1)
    assert (shown_players(table, samples, {1.0: 1.0}, rng) == UNKNOWN_KIND).all()
    assert np.array_equal(shown_players(table, samples, {0.0: 1.0}, rng), samples.kinds)
    hidden = shown_players(table, samples, {1.0: 0.5, 0.0: 0.5}, rng) == UNKNOWN_KIND
    assert np.array_equal(hidden[:, 0], hidden[:, 1])
    assert 10 < hidden[:, 0].sum() < 50
    champions = StateTable("perudo", 2, 60, 5, champions=True)
    assert np.array_equal(shown_players(champions, samples, {1.0: 1.0}, rng), samples.kinds)


def test_returns_mix_the_values_of_what_follows_with_the_result() -> None:
    samples = play_table(StateTable("perudo", 2, 10, 5))
    rounds, match = samples.between.round_number, samples.between_match
    values = np.column_stack([rounds / 100, 1 - rounds / 100])
    returns = lambda_returns(samples, values)
    for number in range(10):
        rows = np.flatnonzero(match == number)
        rows = rows[np.argsort(rounds[rows])]
        expected = samples.result[number]
        assert np.allclose(returns[rows[-1]], expected)
        for row, after in zip(rows[-2::-1], rows[:0:-1], strict=True):
            expected = (1 - LAMBDA) * values[after] + LAMBDA * expected
            assert np.allclose(returns[row], expected)


TABLE = StateTable("perudo", 3, 20, 7)


def test_samples_of_a_table_come_back_from_its_file(tmp_path: Path) -> None:
    samples = play_table(TABLE)
    path = tmp_path / "table.npz"
    save_samples(path, TABLE, samples)
    table, loaded = load_samples(path)
    assert table == TABLE
    for one, other in zip(
        (*samples.between[1:], *samples.in_round[1:], *samples[1::2], samples.result, samples.kinds),
        (*loaded.between[1:], *loaded.in_round[1:], *loaded[1::2], loaded.result, loaded.kinds),
        strict=True,
    ):
        assert np.array_equal(one, other)


def test_every_match_begins_with_a_situation_between_rounds_and_has_one_winner() -> None:
    samples = play_table(TABLE, sample_rate=1.0, random_start_share=0.0)
    first = samples.between.round_number == 1
    assert sorted(samples.between_match[first]) == list(range(20))
    assert (samples.between.dice[first] == 5).all()
    assert (samples.result.sum(axis=1) == 1).all()
    assert (samples.in_round.hands.sum(axis=2) == samples.in_round.dice).all()
    assert samples.in_round.bid_count.max() > 2


def test_tables_follow_from_their_seed_and_have_all_numbers_of_seats() -> None:
    tables = [draw_table(1, number, 10) for number in range(60)]
    assert tables == [draw_table(1, number, 10) for number in range(60)]
    assert tables[0] != draw_table(2, 0, 10)
    assert {table.seats for table in tables} == {2, 3, 4, 5, 6, 7}


def test_each_match_draws_its_own_players_and_some_have_players_of_one_kind() -> None:
    kinds = draw_kinds(StateTable("perudo", 4, 400, 7), np.random.default_rng(1))
    assert kinds.shape == (400, 4)
    assert set(kinds.ravel().tolist()) == set(range(len(PLAYER_KINDS)))
    of_one_kind = (kinds == kinds[:, :1]).all(axis=1).mean()
    assert 0.15 < of_one_kind < 0.4
    assert len({tuple(row) for row in kinds.tolist()}) > 100


def test_champion_tables_seat_champions_only() -> None:
    tables = [draw_champion_table(1, number, 10) for number in range(16)]
    assert all(table.champions for table in tables)
    assert {table.rules for table in tables} == set(CHAMPION_RULES)
    kinds = draw_kinds(tables[0], np.random.default_rng(1))
    assert set(kinds.ravel().tolist()) == {PLAYER_KINDS.index(PlayerKind.CHAMPION)}


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


@pytest.mark.parametrize("rules", ["perudo", "snyd-stairs+loser-pays", "mustache"])
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
