"""The strength of the bots: one bot among others of one kind, in duplicate.

`python -m benchmarks.strength` measures the match-ups that `results/strength.json` lacks, and keeps all others. With a
subject, a field, rules and a number of seats, as in `python -m benchmarks.strength inference greedy perudo 4`, it
measures that match-up again.
"""

import sys
from itertools import pairwise, product

import msgspec

from benchmarks.figures import Figures, save_figures, stored_figures
from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.bots.neural.champions import BASELINES
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice_lab.arena.arena import make_arena, play_deals
from liarsdice_lab.arena.summary import summarize

MATCHES = 2_000
SEED = 20_261_121
JOBS = 2


class MatchUp(msgspec.Struct, frozen=True):
    """One subject in each match, and a field that fills the other seats: names of bots with commas between them."""

    subject: str
    field: str
    rules: str
    seats: int

    @property
    def name(self) -> str:
        """The name of the match-up in the results, such as `inference perudo 4 threshold:0.4`."""
        return f"{self.subject} {self.rules} {self.seats} {self.field}"


LADDER = ("novice", "regular", "sharp", CHAMPION_NAME)
TEMPERS = ("cautious", "bold", "trusting", "suspicious")
RULE_SHEETS = ("chart", FULL, "basic", "mustache", "official")
"""The five rule sheets, 001 with all its options."""
MATCH_UPS = (
    MatchUp(CHAMPION_NAME, "inference", "perudo", 2),
    *(MatchUp(CHAMPION_NAME, "inference", rules, 2) for rules in RULE_SHEETS),
    *(MatchUp(CHAMPION_NAME, baseline, "perudo", 2) for baseline in BASELINES),
    *(MatchUp(stronger, weaker, "perudo", 2) for weaker, stronger in pairwise(LADDER)),
    *(MatchUp(f"{CHAMPION_NAME}:{temper}", CHAMPION_NAME, "perudo", 2) for temper in TEMPERS),
    MatchUp("threshold:0.4", "novice", "perudo", 2),
    *(MatchUp("inference", "threshold:0.4", "perudo", seats) for seats in (2, 3, 4, 6)),
    *(
        MatchUp("inference", "threshold:0.4", rules, seats)
        for rules, seats in product(("basic", "chart", "mustache", "official"), (2, 4))
    ),
    *(MatchUp("inference", "inference:0.3", "perudo", seats) for seats in (2, 4)),
    *(MatchUp("inference", "greedy:0.4", "perudo", seats) for seats in (2, 4)),
    *(MatchUp("threshold:0.3", "threshold:0.4", "perudo", seats) for seats in (2, 4)),
    MatchUp("threshold:0.4", "random", "perudo", 4),
)


def measure(match_up: MatchUp) -> Figures:
    """Play a match-up, and return its figures."""
    arena = make_arena(
        find_rules(match_up.rules),
        [match_up.subject],
        opponents=match_up.field.split(","),
        seats=match_up.seats,
        seed=SEED,
        duplicate=True,
    )
    summary = summarize(arena, list(play_deals(arena, range(arena.deals_for(MATCHES)), jobs=JOBS)))
    subject = summary.standings[0]
    low, high = subject.win_share_95
    return {
        **msgspec.structs.asdict(match_up),
        "seed": SEED,
        "deals": summary.deals,
        "matches": summary.matches,
        "win_share": round(subject.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "fair_share": round(subject.fair_share, 4),
        "mean_place": round(subject.mean_place, 3),
        "median_ms": round(subject.median_ms or 0, 3),
        "p99_ms": round(subject.p99_ms or 0, 3),
        "faults": sum(standing.faults for standing in summary.standings),
    }


def main(*arguments: str) -> None:
    """Measure the match-up of the arguments, or all match-ups without figures."""
    figures = stored_figures("strength")
    if arguments:
        subject, field, rules, seats = arguments
        match_ups = [MatchUp(subject, field, rules, int(seats))]
    else:
        match_ups = [match_up for match_up in MATCH_UPS if match_up.name not in figures]
    for match_up in match_ups:
        figures |= {match_up.name: measure(match_up)}
        save_figures("strength", figures, packages=(DISTRIBUTION, "msgspec"))


if __name__ == "__main__":
    main(*sys.argv[1:])
