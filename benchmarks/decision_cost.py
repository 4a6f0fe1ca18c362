"""The cost of a decision of built-in bots, by the measure of `liarsdice evaluate`, to compare language models with.

`python -m benchmarks.decision_cost --bots champion --seats 4 --deals 60` plays so many deals of these bots, and keeps
all other figures. In a duplicate deal a bot plays one match from every seat, and the opponent fills the other seats.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.figures import RESULTS, Figures, save_figures
from liarsdice.analysis.ratings import Z_95
from liarsdice.analysis.review.report import Reviewer
from liarsdice.analysis.review.results import UNASSESSED
from liarsdice.bots.protocol import Bot
from liarsdice.core.records.record import Record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import MatchResult
from liarsdice.version import __version__
from liarsdice_lab.arena.adjustment import cluster_mean
from liarsdice_lab.arena.arena import Arena, make_arena, play_deal

OPPONENT, RULES, SEATS = "regular", "perudo", 2
BOTS = "champion", "sharp", "regular", "novice", "random"
REVIEW_DEALS = 240
BLUNDER = 0.10
"""A decision that costs more of the match than this is a blunder."""


class Cost(NamedTuple):
    """What a decision cost, as a share of the match, and its standard error."""

    share: float
    error: float


def deal_costs(arena: Arena, number: int) -> list[Cost]:
    """Return the costs of the subject's decisions with a choice in all matches of a deal."""
    costs: list[Cost] = []

    def add_costs(match_number: int, _bots: Sequence[Bot], result: MatchResult) -> None:
        record = Record(__version__, tuple(result.events), result.match.state)
        costs.extend(seat_costs(record, arena.seatings(number)[match_number].index(0)))

    play_deal(arena, number, on_match_end=add_costs)
    return costs


def seat_costs(record: Record, seat: int) -> Iterator[Cost]:
    """Yield the costs of the decisions of a seat in which there was a choice."""
    reviewer = Reviewer(record, deals=REVIEW_DEALS)
    for number in range(reviewer.decision_count):
        if reviewer.decision(number).seat == seat:
            review = reviewer.review(number)
            if review.source not in UNASSESSED:
                yield Cost(review.cost, review.error)


def measure(subject: str, opponent: str, seats: int, deals: int, rules: str = RULES) -> Figures:
    """Return the mean cost of a decision in hundredths of a match, and the percentage of blunders.

    Intervals are over deals. `sure_blunders`: the percentage of decisions whose own 95% interval is above `BLUNDER`.
    """
    arena = make_arena(preset(rules).ruleset, [subject], opponents=[opponent], seats=seats, duplicate=True)
    costs = {number: deal_costs(arena, number) for number in range(deals)}
    shares = {number: [cost.share for cost in of_deal] for number, of_deal in costs.items()}
    blunders = {number: [float(share > BLUNDER) for share in of_deal] for number, of_deal in shares.items()}
    decisions = sum(map(len, costs.values()))
    sure = sum(cost.share - Z_95 * cost.error > BLUNDER for of_deal in costs.values() for cost in of_deal)
    cost, low, high = hundredths_95(shares)
    blundered, least, most = hundredths_95(blunders)
    return {
        "opponent": opponent,
        "seats": seats,
        "deals": deals,
        "decisions": decisions,
        "cost": cost,
        "low_95": low,
        "high_95": high,
        "cost_of_match": round(100 * sum(map(sum, shares.values())) / (seats * deals), 1),
        "blunders": blundered,
        "blunders_low_95": max(least, 0.0),
        "blunders_high_95": most,
        "sure_blunders": round(100 * sure / decisions, 2),
    }


def hundredths_95(values: dict[int, list[float]]) -> tuple[float, float, float]:
    """Return the mean of values that came in deals and its 95% interval over deals, in hundredths."""
    mean, error, _ = cluster_mean(values)
    return round(100 * mean, 2), round(100 * (mean - Z_95 * error), 2), round(100 * (mean + Z_95 * error), 2)


def main() -> None:
    """Measure each bot among equal opponents, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", default=",".join(BOTS), help="separated by commas")
    parser.add_argument("--opponent", default=OPPONENT)
    parser.add_argument("--seats", type=int, default=SEATS)
    parser.add_argument("--rules", default=RULES)
    parser.add_argument("--deals", type=int, default=500, help="that each bot plays, of one match from every seat each")
    options = parser.parse_args()
    path = RESULTS / "decision_cost.json"
    figures: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    for subject in options.bots.split(","):
        title = f"{subject} {options.opponent} {options.seats}"
        title = title if options.rules == RULES else f"{title} {options.rules}"
        figures[title] = measure(subject, options.opponent, options.seats, options.deals, options.rules)
        save_figures("decision_cost", figures)


if __name__ == "__main__":
    main()
