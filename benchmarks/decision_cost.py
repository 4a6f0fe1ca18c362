"""The cost of a decision of built-in bots, by the measure of `liarsdice evaluate`, to compare language models with."""

from __future__ import annotations

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
DEALS = {"champion": 1000, "sharp": 1000, "regular": 50, "novice": 50, "random": 50}
"""How many deals each bot plays, of two matches each; more of those that are near each other."""
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
    figures: dict[str, Figures] = {}
    for subject, deals in DEALS.items():
        arena = make_arena(preset(RULES).ruleset, [subject], opponents=[OPPONENT], seats=SEATS, duplicate=True)
        costs = {number: deal_costs(arena, number) for number in range(deals)}
        mean, error, _ = cluster_mean(costs)
        figures[subject] = {
            "deals": deals,
            "decisions": sum(map(len, costs.values())),
            "cost": round(100 * mean, 2),
            "low_95": round(100 * (mean - Z_95 * error), 2),
            "high_95": round(100 * (mean + Z_95 * error), 2),
        }
    save_figures("decision_cost", figures)


if __name__ == "__main__":
    main()
