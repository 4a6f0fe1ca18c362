"""The strength of the bots: one bot among others of one kind, in duplicate.

`python -m benchmarks.strength inference greedy perudo 4` measures a subject among a field (names of bots with commas
between them) by rules, at a number of seats, and keeps all other figures.
"""

import argparse

from benchmarks.figures import Figures, save_figures, stored_figures
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice_lab.arena.arena import make_arena, play_deals
from liarsdice_lab.arena.summary import summarize

MATCHES = 2_000
SEED = 20_261_121
JOBS = 2


def measure(subject: str, field: str, rules: str, seats: int, matches: int) -> Figures:
    """Play matches with one subject each, and return its figures."""
    opponents = field.split(",")
    arena = make_arena(find_rules(rules), [subject], opponents=opponents, seats=seats, seed=SEED, duplicate=True)
    summary = summarize(arena, list(play_deals(arena, range(arena.deals_for(matches)), jobs=JOBS)))
    standing = summary.standings[0]
    low, high = standing.win_share_95
    return {
        "matches": summary.matches,
        "win_share": round(standing.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "median_ms": round(standing.median_ms or 0, 3),
        "p99_ms": round(standing.p99_ms or 0, 3),
    }


def main() -> None:
    """Measure the match-up of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subject")
    parser.add_argument("field")
    parser.add_argument("rules")
    parser.add_argument("seats", type=int)
    parser.add_argument("--matches", type=int, default=MATCHES)
    line = parser.parse_args()
    figures = measure(line.subject, line.field, line.rules, line.seats, line.matches)
    title = f"{line.subject} {line.rules} {line.seats} {line.field}"
    save_figures("strength", stored_figures("strength") | {title: figures}, packages=(DISTRIBUTION, "msgspec"))


if __name__ == "__main__":
    main()
