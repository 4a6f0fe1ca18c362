"""Configurations of runs that take about a second, and what their tests share."""

import csv
from pathlib import Path

import numpy as np

from liarsdice.bots.neural.features import FloatArray, IntArray, NetworkInput
from liarsdice_lab.train.config import BalanceConfig, TrainingConfig
from liarsdice_lab.train.ppo import UpdateStats
from liarsdice_lab.train.trainer import CURVE_FILE

SMALL_BALANCE = BalanceConfig(dice=(1, 1), faces=2, hunter_rounds=2, hunter_dice=2, response_reach=0.5, response_dice=1)
SMALL = TrainingConfig(
    rules=("joker",),
    iterations=4,
    width=8,
    layers=1,
    tables=2,
    tables_per_iteration=1,
    matches=8,
    steps=8,
    evaluate_every=2,
    evaluation_matches=2,
    opponent_table_share=0,
    balance=SMALL_BALANCE,
)


def ignore_report(_iterations_done: int, _stats: UpdateStats, _decisions_per_s: float) -> None:
    """Ignore the report of an iteration."""


def evaluated_iterations(folder: Path) -> list[int]:
    """Return the iterations on the learning curve of a run."""
    with (folder / CURVE_FILE).open(newline="") as file:
        return [int(row["iteration"]) for row in csv.DictReader(file)]


class FirstLegalPolicy:
    """An `ActFunction` that takes the first legal action, expects 0, and counts the decisions."""

    def __init__(self) -> None:
        self.decisions = 0

    def __call__(
        self, inputs: NetworkInput, hidden_features: FloatArray, _rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return actions, log probabilities and values."""
        self.decisions += len(hidden_features)
        assert inputs.action_mask.any(axis=1).all()
        zeros = np.zeros(len(hidden_features), np.float32)
        return inputs.action_mask.argmax(axis=1), zeros, zeros
