"""Measures the calibration of the state values, and how much luck explains of results, on matches of the population.

`python -m benchmarks.state_values [--matches N] [--known] [--out FILE]` prints a table of the largest error of a decile
between rounds and after the roll, each with its standard error, the slope of the result on luck with its standard
error, the mean luck of the first seat in standard errors, and by how much luck reduces the variance of results. Each
match has its own players, drawn as in training, and none is one of those that the values were learned from. `--known`:
the values know who plays.
"""

from __future__ import annotations

import argparse
import time
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liarsdice.values.features import Situation
from liarsdice.values.value_network import (
    KNOWN_PLAYERS,
    TYPICAL_PLAYERS,
    ValueNetwork,
    value_network,
)
from liarsdice_lab.train.state_value_training import StateTable, play_table

RULES = ("basic", "classic", "mustache", "chart", "official", "perudo")
SEATS = (2, 3, 4, 6)
SEED = 20_261_123
DEALS = 8
"""Deals from which each of two estimates of the expected value of a roll comes."""

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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


def decile_error(predicted: FloatArray, actual: FloatArray, match: IntArray) -> tuple[float, float]:
    """Return the largest difference between mean prediction and mean result of ten groups of equal size, and its s.e.

    The situations of a match depend on each other: `match` is the number of that of each row.
    """
    groups = np.array_split(np.argsort(predicted), 10)
    differences = [abs(float(predicted[group].mean() - actual[group].mean())) for group in groups]
    largest = int(np.argmax(differences))
    group = groups[largest]
    by_match = np.bincount(match[group], weights=(actual - predicted)[group])
    return differences[largest], float(np.sqrt((by_match**2).sum())) / len(group)


def measure(rules: str, seats: int, matches: int, network: ValueNetwork, *, known: bool) -> dict[str, float]:
    """Return the figures of one ruleset and number of seats."""
    seed = SEED + zlib.crc32(f"{rules}/{seats}".encode())  # other players in each row
    rng = np.random.default_rng(seed)
    table = StateTable(rules, seats, matches, seed)
    samples = play_table(table, sample_rate=0.0, random_start_share=0.0)
    finished = np.isfinite(samples.result[:, 0])
    keep = finished[samples.between_match]
    situation, owner = samples.between.rows(keep), samples.between_match[keep]
    if known:
        situation = situation._replace(players=samples.kinds[owner])
    alive = situation.dice > 0
    between = network.shares(situation, in_round=False)
    after = network.shares(situation, in_round=True)
    won_shares = samples.result[owner][alive]
    match = np.broadcast_to(owner[:, np.newaxis], alive.shape)[alive]
    estimates = np.zeros((2, *samples.result.shape))
    for estimate in estimates:
        np.add.at(estimate, owner, after - expected_after_roll(network, situation, rng))
    luck, result = estimates.mean(axis=0)[finished], samples.result[finished] - 1 / seats
    x, y = luck.ravel(), result.ravel()
    spread = float(np.vdot(*estimates[:, finished]))  # of luck; the chance in the two estimates cancels out
    slope = float(x @ y / spread)
    one = luck[:, 0]
    residuals = (luck * (result - slope * luck)).sum(axis=1)
    between_error, between_se = decile_error(between[alive], won_shares, match)
    rolled_error, rolled_se = decile_error(after[alive], won_shares, match)
    return {
        "matches": len(np.unique(match)),
        "between": between_error,
        "between_se": between_se,
        "rolled": rolled_error,
        "rolled_se": rolled_se,
        "slope": slope,
        "slope_se": float(np.sqrt((residuals**2).sum()) / spread),
        "mean_luck_se": float(one.mean() / (one.std() / np.sqrt(len(one)))),
        "usual_luck": float(np.abs(luck).mean()),
        "ratio": float((y @ y) / (y @ y - 2 * (x @ y) + spread)),
    }


def main() -> None:
    """Print the table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=4000)
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--seats", default=",".join(map(str, SEATS)))
    parser.add_argument("--network", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    name = KNOWN_PLAYERS if options.known else TYPICAL_PLAYERS
    network = value_network(name) if options.network is None else ValueNetwork.load(options.network)
    lines = [
        "| rules | seats | matches | between rounds | after the roll | slope | mean luck | usual luck | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for rules in options.rules.split(","):
        for seats in map(int, options.seats.split(",")):
            started = time.process_time()
            found = measure(rules, seats, options.matches, network, known=options.known)
            line = (
                f"| {rules} | {seats} | {found['matches']:.0f} | {found['between']:.3f} ± {found['between_se']:.3f}"
                f" | {found['rolled']:.3f} ± {found['rolled_se']:.3f} | {found['slope']:.2f} ± {found['slope_se']:.2f}"
                f" | {found['mean_luck_se']:+.1f} | {found['usual_luck']:.3f}"
                f" | {found['ratio']:.2f} |"
            )
            print(line, f"<!-- {time.process_time() - started:.0f} s of CPU -->", flush=True)
            lines.append(line)
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
