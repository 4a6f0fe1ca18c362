"""Measures the CPU time of the review of a match, and how soon a server answers.

`python -m benchmarks.review` reviews a match of perudo between four players of about 15 rounds, and prints the CPU
seconds until the page shows the match, of luck, and of the costs. With `--server`, a server reviews two such matches,
one after the other: the first one starts its worker. The figures are wall seconds from the request to the first line
of each type, and to the last line.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice, pairwise

import httpx
import msgspec

from liarsdice.analysis.luck import match_account
from liarsdice.analysis.review.decisions import match_facts
from liarsdice.analysis.review.report import review_decisions
from liarsdice.analysis.review.results import DEALS
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match

RULES = "perudo"
SPEED_BOTS = ("champion", "sharp", "inference", "regular")
ROUNDS = range(14, 17)
LINE_TIMEOUT_S = 120.0


def record_of(bots: tuple[str, ...], seed: int) -> Record:
    """Return the record of a match between bots."""
    return read_record(write_record(play_match(preset(RULES).ruleset, bots, seed=seed).events, "0.1.0"))


def speed_records() -> Iterator[tuple[int, Record]]:
    """Yield matches of about 15 rounds, each with its seed."""
    for seed in range(100):
        record = record_of(SPEED_BOTS, seed)
        if record.state.round_number in ROUNDS:
            yield seed, record


def measure_speed(deals: int) -> None:
    """Print the CPU time of the review of a match."""
    seed, record = next(speed_records())
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


def measure_server() -> None:
    """Print when the lines of two reviews come from a server that has just started."""
    records = [write_record(record.events, "0.1.0") for _, record in islice(speed_records(), 2)]
    with tempfile.TemporaryDirectory() as folder:
        words = [
            sys.executable,
            "-m",
            "liarsdice",
            "serve",
            "--port",
            "0",
            "--database",
            f"sqlite:///{folder}/tables.db",
        ]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
                for name, record in zip(("first review", "second review"), records, strict=True):
                    times = first_lines(address, record)
                    print(
                        f"{name}:", ", ".join(f"{kind} {seconds:.2f} s" for kind, seconds in times.items()), flush=True
                    )
            finally:
                server.terminate()


def first_lines(address: str, record: str) -> dict[str, float]:
    """Return after how many seconds the first line of each type of a review came."""
    times: dict[str, float] = {}
    begun = time.monotonic()
    with httpx.stream("POST", f"{address.rstrip('/')}/api/reviews", content=record, timeout=LINE_TIMEOUT_S) as response:
        response.raise_for_status()
        for line in response.iter_lines():
            kind = msgspec.json.decode(line)["type"]
            times.setdefault(kind, time.monotonic() - begun)
    return times


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--server", action="store_true", help="measure how soon a server answers")
    options = parser.parse_args()
    if options.server:
        measure_server()
    else:
        measure_speed(options.deals)


if __name__ == "__main__":
    main()
