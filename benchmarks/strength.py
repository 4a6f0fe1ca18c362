"""How strong the bots are: one among others of one kind, in duplicate; a file for each match-up in `results/strength/`.

`python -m benchmarks.strength` measures what has no file yet; with a subject, a field, rules and a number of seats, as
in `python -m benchmarks.strength inference greedy perudo 4`, it measures that match-up, anew if need be.
"""

import sys
from itertools import pairwise, product

import msgspec

from benchmarks.measured import RESULTS, Figures, save
from liarsdice.analysis.arena import arena
from liarsdice.analysis.parallel import play_deals
from liarsdice.analysis.summary import summary
from liarsdice.bots.neural.champion import LATEST
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules

MATCHES, CHAMPIONS_MATCHES = 2_000, 10_000
SEED = 20_261_121
JOBS = 2


class MatchUp(msgspec.Struct, frozen=True):
    """One bot at each table, and the others of one kind; several kinds have commas between them."""

    subject: str
    field: str
    rules: str
    seats: int

    @property
    def name(self) -> str:
        """What the file is called."""
        spelt = f"{self.subject} among {self.field} {self.rules} {self.seats}"
        return "".join(sign if sign.isalnum() or sign == "." else "-" for sign in spelt)


NEWEST = f"champion@{LATEST}"
LADDER = ("novice", "regular", f"sharp@{LATEST}", NEWEST)
TEMPERS = ("cautious", "bold", "trusting", "suspicious")
SHEETS = ("chart", FULL, "basic", "mustache", "official")
"""The five rule sheets, 001 with all its options."""
MATCH_UPS = (
    *(MatchUp(NEWEST, f"threshold:{t}", "joker", 2) for t in (0.3, 0.4, 0.5)),
    *(MatchUp(NEWEST, "threshold:0.4", "perudo", seats) for seats in (3, 4, 6)),
    *(MatchUp(NEWEST, "inference", "perudo", seats) for seats in (2, 3, 4, 6)),
    *(MatchUp(NEWEST, "inference", rules, seats) for rules, seats in product(SHEETS, (2, 4))),
    *(
        MatchUp(NEWEST, f"champion@{older}", rules, 2)
        for older, rules in product(range(1, LATEST), ("perudo", "joker"))
    ),
    *(MatchUp(stronger, weaker, "perudo", 2) for weaker, stronger in pairwise(LADDER)),
    *(MatchUp(f"{NEWEST}:{temper}", NEWEST, "perudo", 2) for temper in TEMPERS),
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


def measured(one: MatchUp) -> Figures:
    """Play a match-up."""
    contest = arena(
        find_rules(one.rules), [one.subject], field=one.field.split(","), seats=one.seats, seed=SEED, duplicate=True
    )
    among_simple = one.subject.startswith("champion") and not one.field.startswith(("champion", "sharp"))
    matches = CHAMPIONS_MATCHES if among_simple else MATCHES
    found = summary(contest, list(play_deals(contest, range(contest.deals(matches)), jobs=JOBS)))
    subject = found.standings[0]
    low, high = subject.win_share_95
    return {
        **msgspec.structs.asdict(one),
        "seed": SEED,
        "deals": found.deals,
        "matches": found.matches,
        "win_share": round(subject.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "fair_share": round(subject.fair_share, 4),
        "mean_place": round(subject.mean_place, 3),
        "median_ms": round(subject.median_ms or 0, 3),
        "p99_ms": round(subject.p99_ms or 0, 3),
        "faults": sum(standing.faults for standing in found.standings),
    }


def main(*words: str) -> None:
    """Measure what is asked for, or else what is missing."""
    (RESULTS / "strength").mkdir(exist_ok=True, parents=True)
    if words:
        subject, field, rules, seats = words
        wanted = [MatchUp(subject, field, rules, int(seats))]
    else:
        wanted = [one for one in MATCH_UPS if not (RESULTS / "strength" / f"{one.name}.json").exists()]
    for one in wanted:
        save(f"strength/{one.name}", {one.name: measured(one)}, packages=("liarsdice", "msgspec"))


if __name__ == "__main__":
    main(*sys.argv[1:])
