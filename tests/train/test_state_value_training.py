"""The training of state values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from liarsdice.train.state_value_training import (
    LAMBDA,
    StateTable,
    lambda_returns,
    load_samples,
    play_table,
    play_tables,
    shown_players,
    train_state_values,
)
from liarsdice.values.features import UNKNOWN_KIND


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
