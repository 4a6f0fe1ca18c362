"""Measures the calibration of the state values, and how much luck explains of results, on matches of the population.

By rules and seats: the largest error of a decile between rounds and after the roll, the slope of the result on luck
with its standard error, and by how much luck reduces the variance of results. Each match has its own players, drawn as
in training, and none is one of those that the values were learned from.
"""

from __future__ import annotations

import argparse
import zlib

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.values.features import Situation
from liarsdice.values.value_network import TYPICAL_PLAYERS, ValueNetwork, value_network
from liarsdice_lab.train.state_value_training import StateTable, play_table

RULES = ("classic", "mustache", "official", "perudo")
SEATS = (2, 3, 4, 6)
SEED = 20_261_123
DEALS = 8
"""Deals from which each of two estimates of the expected value of a roll comes."""

FloatArray = NDArray[np.float64]


def expected_after_roll(
    network: ValueNetwork, situation: Situation, rng: np.random.Generator, deals: int = DEALS
) -> FloatArray:
    """Return the mean share of each seat over random deals, float64 [row, seat]."""
    total = np.zeros(situation.dice.shape)
    faces = situation.hands.shape[2]
    for _ in range(deals):
        hands = rng.multinomial(situation.dice, np.full(faces, 1 / faces))
        total += network.shares(situation._replace(hands=hands), in_round=True)
    return total / deals


def decile_error(predicted: FloatArray, actual: FloatArray) -> float:
    """Return the largest difference between mean prediction and mean result of ten groups of equal size."""
    groups = np.array_split(np.argsort(predicted), 10)
    return max(abs(float(predicted[group].mean() - actual[group].mean())) for group in groups)


def measure(rules: str, seats: int, matches: int, network: ValueNetwork) -> Figures:
    """Return the figures of one ruleset and number of seats."""
    seed = SEED + zlib.crc32(f"{rules}/{seats}".encode())  # other players in each row
    rng = np.random.default_rng(seed)
    samples = play_table(StateTable(rules, seats, matches, seed), sample_rate=0.0, random_start_share=0.0)
    finished = np.isfinite(samples.result[:, 0])
    keep = finished[samples.between_match]
    situation, owner = samples.between.rows(keep), samples.between_match[keep]
    alive = situation.dice > 0
    between = network.shares(situation, in_round=False)
    after = network.shares(situation, in_round=True)
    won_shares = samples.result[owner][alive]
    estimates = np.zeros((2, *samples.result.shape))
    for estimate in estimates:
        np.add.at(estimate, owner, after - expected_after_roll(network, situation, rng))
    luck, result = estimates.mean(axis=0)[finished], samples.result[finished] - 1 / seats
    x, y = luck.ravel(), result.ravel()
    spread = float(np.vdot(*estimates[:, finished]))  # of luck; the chance in the two estimates cancels out
    slope = float(x @ y / spread)
    residuals = (luck * (result - slope * luck)).sum(axis=1)
    return {
        "error_between_rounds": round(decile_error(between[alive], won_shares), 3),
        "error_after_the_roll": round(decile_error(after[alive], won_shares), 3),
        "slope": round(slope, 2),
        "slope_standard_error": round(float(np.sqrt((residuals**2).sum()) / spread), 2),
        "variance_ratio": round(float((y @ y) / (y @ y - 2 * (x @ y) + spread)), 2),
    }


def main() -> None:
    """Measure and save the figures, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=12_000, help="of two seats, fewer of more seats")
    parser.add_argument("--rules", default=",".join(RULES))
    options = parser.parse_args()
    network = value_network(TYPICAL_PLAYERS)
    figures: dict[str, Figures] = read_figures("state_values")
    for rules in options.rules.split(","):
        for seats in SEATS:
            figures[f"{rules}, {seats} seats"] = measure(rules, seats, 2 * options.matches // seats, network)
            save_figures("state_values", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
