"""Measures by how many times the adjusted results of an arena vary less than the raw ones, with 95% intervals.

`python -m benchmarks.adjusted [--matches N] [--cases NAMES] [--playouts N] [--out FILE]` prints a table. The column
`playouts` has the ratio of `arena --adjusted`, where bots play each round again; `values` that of `--playouts 0`, and
`rolls` that of the rolls alone, by the values of typical players, as reviews have them. The last columns have the mean
of what chance gave by playouts in its standard errors, and how long a match, its playouts and its values take.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer
from liarsdice.play.match_runner import play_match
from liarsdice.values.features import kind_number
from liarsdice_lab.arena.adjustment import adjusted_results, match_adjustment, playout_adjustment, policies_of

CASES = {
    "champion-2": (("champion",) * 2, 2),
    "champion-4": (("champion",) * 4, 4),
    "champion-6": (("champion",) * 6, 6),
    "mixed-2": (bot_names(), 2),
    "mixed-4": (bot_names(), 4),
}
"""The bots from which each table is drawn, and the number of seats, by name; the rules are those of perudo."""
SEED = 20_261_124
RESAMPLES = 400

FloatArray = NDArray[np.float64]


class MeasuredMatch(NamedTuple):
    """A match: the bots by seat, the result, what chance gave by each method, and the processor time of each part.

    `playouts` and `values` know who plays, and the probabilities of moves; `rolls` is by rolls alone. `seconds`: of the
    match, of its playouts and of its values.
    """

    seating: tuple[int, ...]
    result: FloatArray
    playouts: FloatArray
    values: FloatArray
    rolls: FloatArray
    seconds: tuple[float, float, float]


def play(bots: tuple[str, ...], seats: int, number: int, playouts: int) -> MeasuredMatch:
    """Return a match of bots that are drawn from a pool; no bot sits at a table twice."""
    rng = np.random.default_rng((SEED, seats, len(bots), number))
    drawn = tuple(rng.permutation(len(bots))[:seats].tolist())
    names = [bots[bot] for bot in drawn]
    seed = f"{SEED}/{seats}/{number}"
    times = [time.process_time()]
    match = play_match(preset("perudo").ruleset, names, seed=seed)
    times.append(time.process_time())
    kinds = [kind_number(name) for name in names]
    copies = [make_bot(name, f"{seed}/playouts/{seat}") for seat, name in enumerate(names)]
    by_playouts = playout_adjustment(match.events, copies, Dealer(f"{seed}/playouts"), playouts, kinds)
    times.append(time.process_time())
    by_values = match_adjustment(match.events, policies_of(copies), number, kinds)
    times.append(time.process_time())
    rolls = match_adjustment(match.events, {}, number)
    won = np.bincount(match.winners, minlength=seats) / len(match.winners)
    first, second, third = np.diff(times).tolist()
    return MeasuredMatch(drawn, won, by_playouts, by_values, rolls, (first, second, third))


def variance_ratio(
    seatings: list[tuple[int, ...]], results: FloatArray, adjustments: FloatArray, playouts: int = 0
) -> float:
    """Return how many times less the results vary after adjustment, around the mean of each bot at each set of bots.

    `playouts`: the copies of each round from which the adjustments come, 0 for values.
    """
    deals, counts = list(range(len(seatings))), [playouts] * len(seatings)
    adjusted = np.array(adjusted_results(seatings, results.tolist(), adjustments.tolist(), deals, counts))
    rows: dict[tuple[object, ...], list[tuple[float, float]]] = {}
    for seating, raw, reduced in zip(seatings, results, adjusted, strict=True):
        for seat, bot in enumerate(seating):
            rows.setdefault((tuple(sorted(seating)), bot), []).append((raw[seat], reduced[seat]))
    raw_sum, reduced_sum = sum(((np.array(pairs) - np.mean(pairs, axis=0)) ** 2).sum(axis=0) for pairs in rows.values())
    return float(raw_sum / reduced_sum)


def interval(
    seatings: list[tuple[int, ...]], results: FloatArray, adjustments: FloatArray, playouts: int = 0
) -> tuple[float, float]:
    """Return the 95% interval of `variance_ratio`, from a bootstrap of the matches."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(RESAMPLES):
        rows = rng.integers(len(seatings), size=len(seatings))
        found.append(variance_ratio([seatings[row] for row in rows], results[rows], adjustments[rows], playouts))
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def main() -> None:
    """Print the table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--playouts", type=int, default=8)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    heading = "| tables | matches | playouts | values | rolls | mean, standard errors | ms a match, playouts, values |"
    lines = [heading, "|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for case in options.cases.split(","):
        bots, seats = CASES[case]
        play(bots, seats, options.matches, 1)  # reads the files of the bots
        played = [play(bots, seats, number, options.playouts) for number in range(options.matches)]
        seatings = [match.seating for match in played]
        results = np.array([match.result for match in played])
        cells = []
        for method, playouts in (("playouts", options.playouts), ("values", 0), ("rolls", 0)):
            given = np.array([getattr(match, method) for match in played])
            low, high = interval(seatings, results, given, playouts)
            cells.append(f"{variance_ratio(seatings, results, given, playouts):.2f} ({low:.2f} to {high:.2f})")
        first = np.array([match.playouts[0] for match in played])
        mean = first.mean() / (first.std() / np.sqrt(len(first)))
        costs = ", ".join(f"{1000 * cost:.0f}" for cost in np.mean([match.seconds for match in played], axis=0))
        line = f"| {case} | {options.matches} | {' | '.join(cells)} | {mean:+.1f} | {costs} |"
        print(line, flush=True)
        lines.append(line)
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
