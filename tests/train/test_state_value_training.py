"""The training of state values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from liarsdice.train.state_samples import load_samples
from liarsdice.train.state_value_training import play_tables, train_state_values


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
