"""The cost of a decision of built-in bots, by the measure of `liarsdice evaluate`, to compare language models with.

`python -m benchmarks.decision_cost --bots champion --seats 4 --deals 60` plays so many deals of these bots, and keeps
all other figures. In a duplicate deal a bot plays one match from every seat, and the opponent fills the other seats.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.analysis.review.report import Reviewer
from liarsdice.analysis.review.results import UNASSESSED
from liarsdice.bots.protocol import Bot
from liarsdice.core.records.record import Record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import MatchResult
from liarsdice.values.judgement import Z_95
from liarsdice.version import __version__
from liarsdice_lab.tournaments.adjustment import cluster_mean
from liarsdice_lab.tournaments.arena import Arena, make_arena, play_deal

OPPONENT, RULES, SEATS = "regular", "perudo", 2
BOTS = "champion", "sharp", "regular", "novice", "random"
REVIEW_DEALS = 240


def deal_costs(arena: Arena, number: int) -> list[float]:
    """Return the costs, as shares of the match, of the subject's decisions with a choice in all matches of a deal."""
    costs: list[float] = []

    def add_costs(match_number: int, _bots: Sequence[Bot], result: MatchResult) -> None:
        record = Record(__version__, tuple(result.events), result.match.state)
        costs.extend(seat_costs(record, arena.seatings(number)[match_number].index(0)))

    play_deal(arena, number, on_match_end=add_costs)
    return costs


def seat_costs(record: Record, seat: int) -> Iterator[float]:
    """Yield the costs of the decisions of a seat in which there was a choice."""
    reviewer = Reviewer(record, deals=REVIEW_DEALS)
    for number in range(reviewer.decision_count):
        if reviewer.decision(number).seat == seat:
            review = reviewer.review(number)
            if review.source not in UNASSESSED:
                yield review.cost


def measure(subject: str, opponent: str, seats: int, deals: int) -> Figures:
    """Return the mean cost of a decision in hundredths of a match, with its 95% interval over deals."""
    arena = make_arena(preset(RULES).ruleset, [subject], opponents=[opponent], seats=seats, duplicate=True)
    costs = {number: deal_costs(arena, number) for number in range(deals)}
    mean, error, _ = cluster_mean(costs)
    return {
        "deals": deals,
        "decisions": sum(map(len, costs.values())),
        "cost": round(100 * mean, 2),
        "low_95": round(100 * (mean - Z_95 * error), 2),
        "high_95": round(100 * (mean + Z_95 * error), 2),
    }


def main() -> None:
    """Measure each bot among equal opponents, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", default=",".join(BOTS), help="separated by commas")
    parser.add_argument("--opponent", default=OPPONENT)
    parser.add_argument("--seats", type=int, default=SEATS)
    parser.add_argument("--deals", type=int, default=500, help="that each bot plays, of one match from every seat each")
    options = parser.parse_args()
    figures: dict[str, Figures] = read_figures("decision_cost")
    for subject in options.bots.split(","):
        title = f"{subject} {options.opponent} {options.seats}"
        figures[title] = measure(subject, options.opponent, options.seats, options.deals)
        save_figures("decision_cost", figures)


if __name__ == "__main__":
    main()
