"""Measures the CPU time of the review of a match.

`python -m benchmarks.review` reviews a match of perudo between four players of about 15 rounds, and prints the CPU
seconds until the page shows the match, of luck, and of the costs.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

from liarsdice.analysis.luck import match_account
from liarsdice.analysis.review.facts import match_facts
from liarsdice.analysis.review.report import review_decisions
from liarsdice.analysis.review.results import DEALS
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match

RULES = "perudo"
SPEED_BOTS = ("champion", "sharp", "inference", "regular")
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


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    measure_speed(parser.parse_args().deals)


if __name__ == "__main__":
    main()
