"""Measures what a recalibration of the state values for each ruleset would mend at two seats.

`python -m benchmarks.recalibration [--matches N]` lets the population of `benchmarks.state_values` play other matches,
and fits the one number by which the log odds of the values are best multiplied. It prints the number with its standard
error, and the largest error of a decile without and with it. Each half of the matches is judged with the number that
the other half gives.
"""

from __future__ import annotations

import argparse
import zlib

import numpy as np

from benchmarks.state_values import RULES, SEED, FloatArray, IntArray, decile_error
from liarsdice.state_value.value_network import value_network
from liarsdice.train.state_samples import StateTable, play_table

STEPS = 30
SMALLEST = 1e-6
"""Values nearer to 0 or 1 are taken as this far from them."""


def log_odds(values: FloatArray) -> FloatArray:
    """Return the log odds of probabilities."""
    inner = np.clip(values, SMALLEST, 1 - SMALLEST)
    odds: FloatArray = np.log(inner / (1 - inner))
    return odds


def probs_of(odds: FloatArray, gain: float) -> FloatArray:
    """Return the probabilities whose log odds are these, multiplied by a number."""
    probs: FloatArray = 1 / (1 + np.exp(-gain * odds))
    return probs


def fit_gain(odds: FloatArray, won: FloatArray) -> float:
    """Return the number of the highest likelihood, by Newton's method."""
    gain = 1.0
    for _ in range(STEPS):
        probs = probs_of(odds, gain)
        gain += float(odds @ (won - probs) / (odds**2 @ (probs * (1 - probs))))
    return gain


def gain_error(odds: FloatArray, won: FloatArray, match: IntArray, gain: float) -> float:
    """Return the standard error of the number; the situations of a match depend on each other."""
    probs = probs_of(odds, gain)
    scores = np.bincount(match, weights=odds * (won - probs))
    return float(np.sqrt((scores**2).sum()) / (odds**2 @ (probs * (1 - probs))))


def largest_error(values: FloatArray, won: FloatArray, match: IntArray) -> tuple[float, float]:
    """Return the largest error of a decile and its standard error, from the values of the first of two seats."""
    both = np.concatenate([values, 1 - values])
    return decile_error(both, np.concatenate([won, 1 - won]), np.concatenate([match, match]))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=12_000)
    parser.add_argument("--rules", default=",".join(RULES))
    options = parser.parse_args()
    print(
        "| rules | when | matches | log odds times | largest error | recalibrated |\n|---|---|---|---|---|---|",
        flush=True,
    )
    for rules in options.rules.split(","):
        seed = SEED + zlib.crc32(f"recal/{rules}/2".encode())  # codespell:ignore recal
        samples = play_table(StateTable(rules, 2, options.matches, seed), sample_rate=0.0, random_start_share=0.0)
        finished = np.isfinite(samples.result[:, 0])
        keep = finished[samples.between_match]
        situation, match = samples.between.rows(keep), samples.between_match[keep]
        won = samples.result[match][:, 0]
        for name, in_round in (("between rounds", False), ("after the roll", True)):
            values = value_network().shares(situation, in_round=in_round)[:, 0]
            odds = log_odds(values)
            gain, half = fit_gain(odds, won), match % 2 == 0
            mended = np.empty_like(values)
            for rows in (half, ~half):
                mended[rows] = probs_of(odds[rows], fit_gain(odds[~rows], won[~rows]))
            before, after = largest_error(values, won, match), largest_error(mended, won, match)
            print(
                f"| {rules} | {name} | {finished.sum()} | {gain:.3f} ± {gain_error(odds, won, match, gain):.3f}"
                f" | {before[0]:.3f} ± {before[1]:.3f} | {after[0]:.3f} ± {after[1]:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
