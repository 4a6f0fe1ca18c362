"""Measures the review: the CPU time of one match, and what the decisions of bots of different strength cost.

`python -m benchmarks.review speed` reviews a match of perudo between four players of about 15 rounds, and prints the
CPU seconds until the page shows the match, of luck, and of the costs. `python -m benchmarks.review strength --matches
N` prints the mean cost of a match of each bot at two seats, against `inference`, with its 95% interval.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

import numpy as np

from liarsdice.analysis.luck import match_account
from liarsdice.analysis.review.facts import match_facts
from liarsdice.analysis.review.report import review_decisions
from liarsdice.analysis.review.results import DEALS
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match

RULES = "perudo"
SPEED_BOTS = ("champion", "sharp", "inference", "regular")
STRENGTH_BOTS = ("random", "novice", "regular", "sharp", "champion")
OPPONENT = "inference"
ROUNDS = range(14, 17)


def record_of(bots: tuple[str, ...], seed: int) -> Record:
    """Return the record of a match between bots."""
    return read_record(write_record(play_match(preset(RULES).ruleset, bots, seed=seed).events, "0.1.0"))


def measure_speed(deals: int) -> None:
    """Print the CPU time of the review of a match."""
    seed = next(seed for seed in range(100) if record_of(SPEED_BOTS, seed).state.round_number in ROUNDS)
    record = record_of(SPEED_BOTS, seed)
    list(review_decisions(record_of(("champion", "random"), 1), deals=30))  # compiles the kernels
    text = write_record(record.events, "0.1.0")
    times = [time.process_time()]
    match_facts(read_record(text))
    times.append(time.process_time())
    match_account(record.events)
    times.append(time.process_time())
    decisions = list(review_decisions(record, deals=deals))
    times.append(time.process_time())
    facts, luck, costs = (after - before for before, after in pairwise(times))
    made = sum(decision.move is not None for decision in decisions)
    print(f"{RULES}, seed {seed}: {record.state.round_number} rounds, {made} decisions, {deals} deals")
    print(f"CPU: match {facts:.2f} s, luck {luck:.2f} s, costs {costs:.1f} s")


def measure_strength(matches: int, deals: int) -> None:
    """Print the mean cost of a match, by bot."""
    print("| bot | matches | cost of a match, in hundredths | cost of a decision |")
    print("|---|---|---|---|")
    for bot in STRENGTH_BOTS:
        costs, decisions = [], []
        for seed in range(matches):
            own = [one for one in review_decisions(record_of((bot, OPPONENT), seed), deals=deals) if one.seat == 0]
            costs.append(100 * sum(one.cost for one in own))
            decisions.append(len(own))
        mean, error = np.mean(costs), 1.96 * np.std(costs, ddof=1) / np.sqrt(matches)
        rate = sum(costs) / sum(decisions)
        moved = (np.array(costs) - rate * np.array(decisions)) / np.mean(decisions)
        rate_error = 1.96 * np.std(moved, ddof=1) / np.sqrt(matches)
        print(f"| {bot} | {matches} | {mean:.1f} ± {error:.1f} | {rate:.2f} ± {rate_error:.2f} |", flush=True)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("speed", "strength"))
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--deals", type=int, default=DEALS)
    options = parser.parse_args()
    if options.what == "speed":
        measure_speed(options.deals)
    else:
        measure_strength(options.matches, options.deals)


if __name__ == "__main__":
    main()
