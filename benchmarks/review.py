"""Measures the CPU time of the review of a match of perudo between four players, of about 15 rounds."""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

from benchmarks.figures import save_figures
from liarsdice.analysis.luck import match_account
from liarsdice.analysis.review.report import review_decisions
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.values.judgement import DEALS

RULES = "perudo"
BOTS = ("champion", "sharp", "inference", "regular")
ROUNDS = range(14, 17)


def record_of(bots: tuple[str, ...], seed: int) -> Record:
    """Return the record of a match between bots."""
    return read_record(write_record(play_match(preset(RULES).ruleset, bots, seed=seed).events, "0.1.0"))


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    deals = parser.parse_args().deals
    record = next(found for seed in range(100) if (found := record_of(BOTS, seed)).state.round_number in ROUNDS)
    list(review_decisions(record_of(("champion", "random"), 1), deals=30))  # compiles the kernels
    times = [time.process_time()]
    match_account(record.events)
    times.append(time.process_time())
    decisions = list(review_decisions(record, deals=deals))
    times.append(time.process_time())
    luck, costs = (round(after - before, 1) for before, after in pairwise(times))
    made = sum(decision.move is not None for decision in decisions)
    title = f"{RULES}, four bots, {record.state.round_number} rounds, {made} decisions"
    save_figures("review", {title: {"luck_and_play_cpu_s": luck, "costs_cpu_s": costs}})


if __name__ == "__main__":
    main()
