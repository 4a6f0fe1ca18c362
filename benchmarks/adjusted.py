"""Measures by how many times the adjusted results of an arena vary less than the raw ones, with 95% intervals.

`python -m benchmarks.adjusted [--matches N] [--cases NAMES] [--out FILE]` prints a table. The column `adjusted` has the
ratio of `arena --adjusted`; `rolls` that of the rolls alone, by the values of typical players, as reviews have them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.adjustment import adjusted_results, match_adjustment, policies_of
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.state_value.player_kinds import kind_number

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


def play(bots: tuple[str, ...], seats: int, number: int) -> tuple[tuple[int, ...], FloatArray, FloatArray, FloatArray]:
    """Return the bots by seat, the result, the adjustment with known players and moves, and that by rolls alone.

    No bot sits at a table twice.
    """
    rng = np.random.default_rng((SEED, seats, len(bots), number))
    drawn = tuple(rng.permutation(len(bots))[:seats].tolist())
    names = [bots[bot] for bot in drawn]
    seed = f"{SEED}/{seats}/{number}"
    match = play_match(preset("perudo").ruleset, names, seed=seed)
    won = np.bincount(match.winners, minlength=seats) / len(match.winners)
    policies = policies_of([make_bot(name, 0) for name in names])
    kinds = [kind_number(name) for name in names]
    known = match_adjustment(match.events, policies, number, kinds)
    rolls = match_adjustment(match.events, {}, number)
    return drawn, won, known, rolls


def variance_ratio(seatings: list[tuple[int, ...]], results: FloatArray, adjustments: FloatArray) -> float:
    """Return how many times less the results vary after adjustment, around the mean of each bot at each set of bots."""
    adjusted = np.array(adjusted_results(seatings, results.tolist(), adjustments.tolist(), list(range(len(seatings)))))
    rows: dict[tuple[object, ...], list[tuple[float, float]]] = {}
    for seating, raw, reduced in zip(seatings, results, adjusted, strict=True):
        for seat, bot in enumerate(seating):
            rows.setdefault((tuple(sorted(seating)), bot), []).append((raw[seat], reduced[seat]))
    raw_sum, reduced_sum = sum(((np.array(pairs) - np.mean(pairs, axis=0)) ** 2).sum(axis=0) for pairs in rows.values())
    return float(raw_sum / reduced_sum)


def interval(seatings: list[tuple[int, ...]], results: FloatArray, adjustments: FloatArray) -> tuple[float, float]:
    """Return the 95% interval of `variance_ratio`, from a bootstrap of the matches."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(RESAMPLES):
        rows = rng.integers(len(seatings), size=len(seatings))
        found.append(variance_ratio([seatings[row] for row in rows], results[rows], adjustments[rows]))
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def main() -> None:
    """Print the table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    lines = ["| tables | matches | adjusted | rolls | mean adjustment, standard errors |", "|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for case in options.cases.split(","):
        bots, seats = CASES[case]
        played = [play(bots, seats, number) for number in range(options.matches)]
        seatings = [seating for seating, *_ in played]
        results, known, rolls = (np.array(column) for column in list(zip(*played, strict=True))[1:])
        cells = []
        for adjustments in (known, rolls):
            low, high = interval(seatings, results, adjustments)
            cells.append(f"{variance_ratio(seatings, results, adjustments):.2f} ({low:.2f} to {high:.2f})")
        mean = known[:, 0].mean() / (known[:, 0].std() / np.sqrt(len(known)))
        line = f"| {case} | {options.matches} | {cells[0]} | {cells[1]} | {mean:+.1f} |"
        print(line, flush=True)
        lines.append(line)
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
