"""The costs of a seat's decisions are those of the review of the match."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from liarsdice.analysis.model_evaluation.evaluation import decision_costs
from liarsdice.analysis.review.report import review_decisions
from liarsdice.analysis.review.results import Source
from liarsdice.bots.external.language_model import ChatMessage, Completion, LanguageModelBot, ModelDecision
from liarsdice.core.records.record import Record
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.turn_text import move_text
from liarsdice.play.match_runner import play_match

SMALL = patched(preset("official").ruleset, dice__per_player=2)


class Doubter:
    """Doubts what it may, and else bids one two."""

    def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        return Completion("[liar]" if "Standing bid" in messages[1].content else "[3x2]")

    def close(self) -> None:
        pass


def played(rules: str) -> tuple[Record, list[ModelDecision]]:
    ruleset = SMALL if rules == "official" else preset(rules).ruleset
    bot = LanguageModelBot(Doubter(), ruleset)
    result = play_match(ruleset, ["threshold", bot, "threshold"], seed=2)
    return Record("1", tuple(result.events), result.match.state), bot.decisions


def test_each_decision_has_the_cost_of_its_review() -> None:
    record, decisions = played("official")
    costs = decision_costs(record, 1, decisions, deals=30)
    reviews = [review for review in review_decisions(record, deals=30) if review.seat == 1]
    assert [cost for cost in costs if cost is not None]
    found = iter(reviews)
    for decision, cost in zip(decisions, costs, strict=True):
        if cost is None:
            continue
        review = next(found)
        assert (decision.move, decision.round_number) == (move_text(review.move), review.round_number)
        assert (cost.cost, cost.source) == (round(review.cost, 6), review.source)
        assert cost.best == move_text(review.best)
    assert next(found, None) is None


def test_an_answer_that_came_too_late_has_no_cost() -> None:
    record, decisions = played("official")
    late = msgspec.structs.replace(decisions[0], bid_count=99)
    assert decision_costs(record, 1, [late], deals=30) == [None]


def test_without_deals_nothing_is_reviewed() -> None:
    record, decisions = played("official")
    assert decision_costs(record, 1, decisions, deals=0) == [None] * len(decisions)


def test_rules_that_only_the_engine_plays_have_costs_too() -> None:
    record, decisions = played("chui-niu+lives")
    costs = decision_costs(record, 1, decisions, deals=30)
    assert Source.PLAYOUTS in {cost.source for cost in costs if cost is not None}


@pytest.mark.parametrize("deals", [1, 29])
def test_the_number_of_deals_is_checked_by_the_review(deals: int) -> None:
    record, decisions = played("official")
    with pytest.raises(Exception, match="30 to 100,000 deals"):
        decision_costs(record, 1, decisions, deals=deals)
