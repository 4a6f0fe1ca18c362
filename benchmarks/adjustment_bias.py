"""Measures whether luck is biased where it is known who plays, and by how much results without it vary less.

`python -m benchmarks.adjustment_bias [--matches N] [--playouts N] [--out FILE]` plays matches of perudo at two seats
between players of all kinds, and prints a row for each pair of kinds: the mean of what the rolls gave the first one,
and by how many times its results vary less without it, both with 95% intervals. The last row has the mean of all pairs.
Actions that bots draw are not adjusted for, unlike in `arena --adjusted`. With `--playouts`, the bots themselves play,
and luck is all that `arena --adjusted` takes for it, by so many copies of each round.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.state_values import expected_after_roll
from liarsdice.analysis.adjustment import adjusted_results
from liarsdice.analysis.luck import Z_95
from liarsdice.analysis.playout_adjustment import playout_adjustment
from liarsdice.bots.registry import make_bot
from liarsdice.core.rules.presets import preset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match_runner import play_match
from liarsdice.state_value.player_kinds import PLAYER_KINDS
from liarsdice.state_value.value_network import KNOWN_PLAYERS, ValueNetwork, value_network
from liarsdice.train.state_samples import StateTable, draw_kinds, play_table

RULES, SEATS = "perudo", 2
MATCHES, TABLE_MATCHES = 100_000, 5_000
DEALS = 8
"""How many deals are drawn for the expected value of each roll; few of them do not change the mean."""
SEED = 20_261_125
RESAMPLES = 400

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def play(number: int, matches: int, network: ValueNetwork) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the kinds of the players, their results and their luck in the matches of a table, each [match, seat]."""
    samples = play_table(StateTable(RULES, SEATS, matches, SEED + number), sample_rate=0.0, random_start_share=0.0)
    owner = samples.between_match
    situation = samples.between._replace(players=samples.kinds[owner])
    expected = expected_after_roll(network, situation, np.random.default_rng((SEED, number)), DEALS)
    luck = np.zeros(samples.result.shape)
    np.add.at(luck, owner, network.shares(situation, in_round=True) - expected)
    finished = np.isfinite(samples.result[:, 0])
    return samples.kinds[finished], samples.result[finished], luck[finished]


def play_again(number: int, matches: int, playouts: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return what `play` does, of matches whose bots play each round again in so many copies."""
    seed = SEED + number
    kinds = draw_kinds(StateTable(RULES, SEATS, matches, seed), np.random.default_rng(seed))
    results, given = np.zeros(kinds.shape), np.zeros(kinds.shape)
    for row, players in enumerate(kinds.tolist()):
        names = [PLAYER_KINDS[kind].value for kind in players]
        match = play_match(preset(RULES).ruleset, names, seed=f"{seed}/{row}")
        results[row, list(match.winners)] = 1 / len(match.winners)
        copies = [make_bot(name, f"{seed}/{row}/playouts/{seat}") for seat, name in enumerate(names)]
        given[row] = playout_adjustment(match.events, copies, Dealer(f"{seed}/{row}/playouts"), playouts, players)
    return kinds, results, given


def rows_of(kinds: IntArray, results: FloatArray, luck: FloatArray, playouts: int = 0) -> list[str]:
    """Return the rows of the table. `playouts`: the copies of each round from which luck comes, 0 for values."""
    deals, counts = list(range(len(kinds))), [playouts] * len(kinds)
    adjusted = np.array(adjusted_results(kinds.tolist(), results.tolist(), luck.tolist(), deals, counts))
    first = kinds.argmin(axis=1)
    raw, reduced, given = (
        np.take_along_axis(by_seat, first[:, np.newaxis], 1)[:, 0] for by_seat in (results, adjusted, luck)
    )
    pairs = np.sort(kinds, axis=1)
    rows, residuals = [], np.zeros((2, len(kinds)))
    for pair in np.unique(pairs, axis=0):
        matches = np.flatnonzero((pairs == pair).all(axis=1))
        names = " | ".join(PLAYER_KINDS[kind].value for kind in pair)
        residuals[:, matches] = [values[matches] - values[matches].mean() for values in (raw, reduced)]
        rows.append(f"| {names} | {len(matches)} | {bias(given[matches])} | {ratio(*residuals[:, matches])} |")
    return [*rows, f"| all | | {len(kinds)} | {bias(given)} | {ratio(*residuals)} |"]


def bias(given: FloatArray) -> str:
    """Return the mean of what chance gave, in hundredths of a match, with its 95% interval."""
    error = Z_95 * given.std(ddof=1) / np.sqrt(len(given))
    return f"{100 * given.mean():+.2f} ± {100 * error:.2f}"


def ratio(raw: FloatArray, adjusted: FloatArray) -> str:
    """Return the ratio of the variances with its 95% interval, from a bootstrap of the matches; "-" without any."""
    if not raw.any():
        return "-"
    rng = np.random.default_rng(SEED)
    drawn = (rng.integers(len(raw), size=len(raw)) for _ in range(RESAMPLES))
    low, high = np.nanquantile([raw[rows].var() / max(adjusted[rows].var(), 1e-12) for rows in drawn], (0.025, 0.975))
    return f"{raw.var() / adjusted.var():.2f} ({low:.2f} to {high:.2f})"


def main() -> None:
    """Print the table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--playouts", type=int, default=0)
    parser.add_argument("--network", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    network = value_network(KNOWN_PLAYERS) if options.network is None else ValueNetwork.load(options.network)
    starts = range(0, options.matches, TABLE_MATCHES)
    sizes = [min(TABLE_MATCHES, options.matches - start) for start in starts]
    if options.playouts:
        tables = [play_again(start, size, options.playouts) for start, size in zip(starts, sizes, strict=True)]
    else:
        tables = [play(start, size, network) for start, size in zip(starts, sizes, strict=True)]
    lines = ["| player | against | matches | luck, in hundredths | ratio |", "|---|---|---|---|---|"]
    kinds, results, given = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    lines += rows_of(kinds, results, given, options.playouts)
    print("\n".join(lines))
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
