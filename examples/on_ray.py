"""Rounds that are solved and matches that are played on a Ray cluster, or on all processors of this machine."""

import sys

import ray

from liarsdice import preset, solve_round
from liarsdice_lab import SimulationResult, make_simulation

ROUNDS = ((1, 1), (2, 1), (1, 2))
SIMULATION = make_simulation(preset("perudo").ruleset, ["inference", "threshold:0.4"], seed=1)


def solved(dice: tuple[int, int]) -> tuple[float, float]:
    """Return the bounds of a round's value, which are smaller than its strategy."""
    bounds = solve_round("perudo", dice, faces=3).bounds
    return bounds.low, bounds.high


def played(first: int, count: int) -> SimulationResult:
    """Return the results of some matches, by number."""
    return sum((SIMULATION.play(first + number) for number in range(count)), SIMULATION.empty_result())


blocks, size = int(sys.argv[1]) if len(sys.argv) > 1 else 40, 25
ray.init(log_to_driver=False)
values = ray.get([ray.remote(solved).remote(dice) for dice in ROUNDS])
results = ray.get([ray.remote(played).remote(block * size, size) for block in range(blocks)])
for dice, (low, high) in zip(ROUNDS, values, strict=True):
    print(f"{dice}: value between {low:+.4f} and {high:+.4f}")
total = sum(results, SIMULATION.empty_result())
for bot, score in zip(SIMULATION.bots, total.scores, strict=True):
    print(f"{bot} wins {score.win_share:.1%} of {total.matches} matches")
