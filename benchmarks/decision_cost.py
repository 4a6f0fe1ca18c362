"""The cost of a decision of built-in bots, by the measure of `liarsdice evaluate`, to compare language models with."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from benchmarks.figures import Figures, save_figures
from liarsdice.analysis.adjustment import cluster_mean
from liarsdice.analysis.arena import Arena, make_arena, play_deal
from liarsdice.analysis.intervals import Z_95
from liarsdice.analysis.model_evaluation.summary import UNASSESSED
from liarsdice.analysis.review.report import Reviewer
from liarsdice.bots.protocol import Bot
from liarsdice.core.records.record import Record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import MatchResult
from liarsdice.version import __version__

OPPONENT, RULES, SEATS = "regular", "perudo", 2
BOTS = "champion", "sharp", "regular", "novice", "random"
REVIEW_DEALS = 240


def deal_costs(arena: Arena, number: int) -> list[float]:
    """Return the costs of the subject's decisions with a choice in all matches of a deal."""
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


def main() -> None:
    """Print and save the mean cost of a decision of each bot against the same opponent, in hundredths of a match."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", default=",".join(BOTS), help="separated by commas")
    parser.add_argument("--deals", type=int, default=500, help="that each bot plays, of two matches each")
    options = parser.parse_args()
    figures: dict[str, Figures] = {}
    for subject in options.bots.split(","):
        arena = make_arena(preset(RULES).ruleset, [subject], opponents=[OPPONENT], seats=SEATS, duplicate=True)
        costs = {number: deal_costs(arena, number) for number in range(options.deals)}
        mean, error, _ = cluster_mean(costs)
        decisions = sum(map(len, costs.values()))
        figures[subject] = {
            "deals": options.deals,
            "decisions": decisions,
            "cost": round(100 * mean, 2),
            "low_95": round(100 * (mean - Z_95 * error), 2),
            "high_95": round(100 * (mean + Z_95 * error), 2),
            "cost_of_match": round(100 * sum(map(sum, costs.values())) / (2 * options.deals), 1),
        }
        print(subject, figures[subject], flush=True)
    save_figures("decision_cost", figures)


if __name__ == "__main__":
    main()
