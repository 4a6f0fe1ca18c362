"""Measures the calibration of the state values, and how much luck explains of results, on matches of the population.

`python benchmarks/state_values.py [--matches N] [--out FILE]` prints a table of the largest error of a decile between
rounds and after the roll, the slope of the result on luck, the mean luck of the first seat in standard errors, and by
how much luck reduces the variance of results. No table is one of those that the values were learned from.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liarsdice.state_value.situation import Situation
from liarsdice.state_value.value_network import ValueNetwork, value_network
from liarsdice.train.population import PLAYERS, Player
from liarsdice.train.state_samples import PLAYER_WEIGHTS, StateTable, play_table

RULES = ("basic", "classic", "mustache", "chart", "official", "perudo")
SEATS = (2, 3, 4, 6)
SEED = 20_261_123
TABLES = 20
"""Tables of each rules and number of seats; their players are drawn as in training."""
DEALS = 48
"""Deals from which the expected value of a roll is estimated; their chance lowers the slope by about 1%."""

FloatArray = NDArray[np.float64]


def players_of(seats: int, number: int) -> tuple[Player, ...]:
    """Return the players of a table, drawn as in training."""
    rng = np.random.default_rng((SEED, seats, number))
    weights = np.array([PLAYER_WEIGHTS.get(player, 1.0) for player in PLAYERS])
    drawn = rng.choice(len(PLAYERS), seats, p=weights / weights.sum())
    return tuple(PLAYERS[kind] for kind in (drawn if rng.random() < 0.75 else drawn[:1].repeat(seats)))


def expected_after_roll(network: ValueNetwork, situation: Situation, rng: np.random.Generator) -> FloatArray:
    """Return the mean share of each seat over random deals, float64 [row, seat]."""
    total = np.zeros(situation.dice.shape)
    faces = situation.hands.shape[2]
    for _ in range(DEALS):
        hands = rng.multinomial(situation.dice, np.full(faces, 1 / faces))
        total += network.shares(situation._replace(hands=hands), in_round=True)
    return total / DEALS


def decile_error(predicted: FloatArray, actual: FloatArray) -> float:
    """Return the largest difference between mean prediction and mean result of ten groups of equal size."""
    order = np.argsort(predicted)
    groups = np.array_split(order, 10)
    return max(abs(float(predicted[group].mean() - actual[group].mean())) for group in groups)


def measure(rules: str, seats: int, matches: int, network: ValueNetwork) -> dict[str, float]:
    """Return the figures of one ruleset and number of seats."""
    rng = np.random.default_rng((SEED, seats, len(rules)))
    between, rolled, actual, lucks, results = [], [], [], [], []
    for number in range(TABLES):
        players = players_of(seats, number)
        table = StateTable(rules, players, matches // TABLES, SEED + 1000 * seats + number)
        samples = play_table(table, sample_rate=0.0, random_start_share=0.0)
        known = np.isfinite(samples.result[:, 0])
        keep = known[samples.between_match]
        situation, owner = samples.between.rows(keep), samples.between_match[keep]
        after = network.shares(situation, in_round=True)
        luck, first = np.zeros(samples.result.shape), (situation.round_number == 1)[:, np.newaxis]
        expected = np.where(first, 1 / seats, expected_after_roll(network, situation, rng))
        np.add.at(luck, owner, after - expected)
        alive = situation.dice > 0
        between.append(network.shares(situation, in_round=False)[alive])
        rolled.append(after[alive])
        actual.append(samples.result[owner][alive])
        lucks.append(luck[known])
        results.append(samples.result[known])
    luck, result = np.concatenate(lucks), np.concatenate(results)
    x, y = luck.ravel(), result.ravel() - 1 / seats
    slope = float(x @ y / (x @ x))
    one = luck[:, 0]
    seats_actual = np.concatenate(actual)
    return {
        "matches": len(result),
        "between": decile_error(np.concatenate(between), seats_actual),
        "rolled": decile_error(np.concatenate(rolled), seats_actual),
        "slope": slope,
        "mean_luck_se": float(one.mean() / (one.std() / np.sqrt(len(one)))),
        "usual_luck": float(np.abs(luck).mean()),
        "ratio": float((y @ y) / ((y - x) @ (y - x))),
    }


def main() -> None:
    """Print the table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=3000)
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--seats", default=",".join(map(str, SEATS)))
    parser.add_argument("--network", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    network = value_network() if options.network is None else ValueNetwork.load(options.network)
    lines = [
        "| rules | seats | matches | between rounds | after the roll | slope | mean luck | usual luck | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for rules in options.rules.split(","):
        for seats in map(int, options.seats.split(",")):
            started = time.process_time()
            found = measure(rules, seats, options.matches, network)
            line = (
                f"| {rules} | {seats} | {found['matches']:.0f} | {found['between']:.3f} | {found['rolled']:.3f}"
                f" | {found['slope']:.2f} | {found['mean_luck_se']:+.1f} s.e. | {found['usual_luck']:.3f}"
                f" | {found['ratio']:.2f} |"
            )
            print(line, f"<!-- {time.process_time() - started:.0f} s of CPU -->", flush=True)
            lines.append(line)
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
