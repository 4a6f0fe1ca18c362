"""Samples for the training of state values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from liarsdice.train.state_value_training import (
    CHAMPION_RULES,
    StateTable,
    draw_champion_table,
    draw_kinds,
    draw_table,
    load_samples,
    play_table,
    save_samples,
)
from liarsdice.values.features import PLAYER_KINDS, PlayerKind

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
