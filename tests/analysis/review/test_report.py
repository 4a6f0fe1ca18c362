"""The review of a whole match."""

from __future__ import annotations

import pytest

from liarsdice.analysis.review.report import end_values, review_decisions, review_match, summarize_review
from liarsdice.analysis.review.results import DecisionReview, accuracy
from liarsdice.core.errors import MalformedError, UnfinishedError
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.values.round_ends import RoundEnd


@pytest.fixture(scope="module")
def record() -> Record:
    """A short match between a strong bot and one that plays at random."""
    match = play_match(preset("openspiel").ruleset, ["champion", "random"], ["Ann", "Bo"], seed=6)
    return read_record(write_record(match.events, "0.1.0"))


@pytest.fixture(scope="module")
def decisions(record: Record) -> list[DecisionReview]:
    return list(review_decisions(record, deals=60, seed=1))


def test_players_have_the_sums_of_their_decisions(record: Record, decisions: list[DecisionReview]) -> None:
    review = summarize_review(record, decisions, 60)
    assert review.winners == record.state.winners
    for player in review.players:
        compared = [decision for decision in decisions if decision.seat == player.seat and decision.moves]
        own = [decision for decision in compared if decision.cost > 0]
        assert player.decisions == len(compared)
        assert player.costly == len(own)
        assert player.cost == pytest.approx(sum(decision.cost for decision in own))
        assert player.error**2 == pytest.approx(sum(decision.error**2 for decision in own))
        assert player.accuracy == accuracy(player.cost, player.decisions)


def test_the_review_of_a_record_has_its_decisions_and_their_sums(
    record: Record, decisions: list[DecisionReview]
) -> None:
    assert review_match(record, deals=60, seed=1) == summarize_review(record, decisions, 60)


def test_a_cost_is_above_the_error_of_its_interval_and_names_a_better_move(decisions: list[DecisionReview]) -> None:
    assert any(decision.cost > 0 for decision in decisions)
    for decision in decisions:
        if decision.cost > 0:
            assert decision.cost > decision.error
            assert decision.best != decision.move
        else:
            assert decision.best == decision.move


def test_numbers_of_deals_out_of_range_and_unfinished_matches_are_refused(record: Record) -> None:
    for deals in (29, 100_001):
        with pytest.raises(MalformedError, match="30 to 100,000 deals"):
            review_decisions(record, deals=deals)
    unfinished = read_record(write_record(record.events[:4], "0.1.0"))
    with pytest.raises(UnfinishedError, match="only finished matches"):
        review_decisions(unfinished)


def test_the_values_of_round_ends_are_less_certain_under_rules_where_they_are_worse() -> None:
    end = RoundEnd((5, 4, 3), 0, -1, 1, (0,) * 3, (False,) * 3, 0, None)
    perudo, mustache = (end_values(preset(name).ruleset, 3).variances([end]) for name in ("perudo", "mustache"))
    assert (perudo > 0).all()
    assert (mustache > 4 * perudo).all()
