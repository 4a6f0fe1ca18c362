"""What the decisions of one seat cost, by the review of its match."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

from liarsdice.analysis.model_evaluation.transcript import DecisionCost
from liarsdice.analysis.review.report import Reviewer
from liarsdice.bots.external.language_model import ModelDecision
from liarsdice.core.records.record import Record
from liarsdice.core.text.turn_text import move_text

Key = tuple[int, int, bool]
"""The round, the number of bids before the decision, and whether it was made on turn."""


def decision_costs(
    record: Record, seat: int, decisions: Sequence[ModelDecision], *, deals: int
) -> list[DecisionCost | None]:
    """Return the cost of each decision of a seat in a finished match, in the order of `decisions`.

    `deals`: how many deals the review plays out for each decision, 0 for no review. The cost is None without a review,
    and for an answer that did not count because somebody else's call came before it.
    """
    if not deals:
        return [None] * len(decisions)
    reviewer = Reviewer(record, deals=deals)
    numbers: dict[Key, deque[int]] = defaultdict(deque)
    for number in range(reviewer.decision_count):
        view = reviewer.decision(number).view
        if view.seat == seat:
            numbers[view.round_number, len(view.bids), view.on_turn].append(number)
    costs: list[DecisionCost | None] = []
    for decision in decisions:
        reviewed = numbers[decision.round_number, decision.bid_count, decision.on_turn]
        costs.append(_cost(reviewer, reviewed.popleft()) if reviewed else None)
    return costs


def _cost(reviewer: Reviewer, number: int) -> DecisionCost:
    review = reviewer.review(number)
    return DecisionCost(round(review.cost, 6), round(review.error, 6), review.source, move_text(review.best))
