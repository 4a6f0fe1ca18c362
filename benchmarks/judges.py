"""Measures how far good sets of state values differ about the luck in one match.

`python -m benchmarks.judges [--matches N]` lets the population of `benchmarks.state_values` play, computes the luck of
each match by each version of the values, on the same matches and with the same other deals, and prints by seats how
far two versions differ: the root mean square, and what 95% of the differences stay below.
"""

from __future__ import annotations

import argparse
import zlib
from itertools import combinations

import numpy as np

from benchmarks.state_values import SEED, FloatArray, expected_after_roll
from liarsdice.state_value.value_network import value_network
from liarsdice.train.state_samples import StateSamples, StateTable, play_table

VERSIONS = (2, 3, 4)
DEALS = 64
"""Deals from which the expected value of a roll comes, the same ones for all versions."""
RESAMPLES = 1000


def luck_by(version: int, samples: StateSamples, seed: int) -> FloatArray:
    """Return the luck in each finished match, float64 [match, seat]."""
    network, rng = value_network(version), np.random.default_rng(seed)
    finished = np.isfinite(samples.result[:, 0])
    keep = finished[samples.between_match]
    situation, owner = samples.between.rows(keep), samples.between_match[keep]
    luck = np.zeros_like(samples.result)
    changes = network.shares(situation, in_round=True) - expected_after_roll(network, situation, rng, DEALS)
    np.add.at(luck, owner, changes)
    return luck[finished]


def quantile_95(differences: FloatArray, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return the 0.95 quantile of absolute differences, float64 [match, seat], with its 95% interval over matches."""
    sizes = np.abs(differences)
    draws = rng.integers(len(sizes), size=(RESAMPLES, len(sizes)))
    resampled = [float(np.quantile(sizes[draw], 0.95)) for draw in draws]
    low, high = np.quantile(resampled, (0.025, 0.975))
    return float(np.quantile(sizes, 0.95)), float(low), float(high)


def main() -> None:
    """Print how far each two versions differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--rules", default="perudo")
    parser.add_argument("--seats", default="2,3,4,6")
    options = parser.parse_args()
    print("| rules | seats | matches | versions | root mean square | 95% below | same sign |", flush=True)
    print("|---|---|---|---|---|---|---|", flush=True)
    for rules in options.rules.split(","):
        for seats in map(int, options.seats.split(",")):
            seed = SEED + zlib.crc32(f"judges/{rules}/{seats}".encode())
            samples = play_table(
                StateTable(rules, seats, options.matches, seed), sample_rate=0.0, random_start_share=0.0
            )
            luck = {version: luck_by(version, samples, seed) for version in VERSIONS}
            for one, other in combinations(VERSIONS, 2):
                differences = luck[one] - luck[other]
                size, low, high = quantile_95(differences, np.random.default_rng(seed))
                same = float((np.sign(luck[one]) == np.sign(luck[other])).mean())
                spread = np.sqrt((differences**2).mean())
                print(
                    f"| {rules} | {seats} | {len(differences)} | {one}, {other} | {spread:.3f}"
                    f" | {size:.3f} ({low:.3f} to {high:.3f}) | {same:.0%} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
