"""The review of a whole match: its results add up, and are read without compiled code."""

import subprocess
import sys

import numpy as np
import pytest

from liarsdice.analysis.luck import ChangeCause, MatchAccount, WinPoint, match_account
from liarsdice.analysis.review.decisions import match_facts
from liarsdice.analysis.review.parts import (
    JUDGE_ERRORS,
    MAX_TURNING_POINTS,
    parts_of,
    result_account,
    turning_points,
)
from liarsdice.analysis.review.report import Reviewer, end_values, review_decisions, review_match, summarize_review
from liarsdice.analysis.review.results import (
    UNASSESSED,
    DecisionReview,
    accuracy,
    is_judged_by_simulator,
    player_reviews,
)
from liarsdice.analysis.state_valuer import StateValuer
from liarsdice.bots.neural.explain import explain
from liarsdice.core.actions import Challenge, Exact, Reroll
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError, UnfinishedError
from liarsdice.core.events import Rerolled
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import Narrator, reason_sentences
from liarsdice.play.match_runner import play_match
from liarsdice.values.judgement import Source
from liarsdice.values.round_ends import RoundEnd


@pytest.fixture(scope="module")
def record() -> Record:
    """A short match between a strong bot and one that plays at random."""
    match = play_match(preset("openspiel").ruleset, ["champion", "random"], ["Ann", "Bo"], seed=6)
    return read_record(write_record(match.events, "0.1.0"))


@pytest.fixture(scope="module")
def decisions(record: Record) -> list[DecisionReview]:
    return list(review_decisions(record, deals=60, seed=1))


def test_matches_in_which_hands_may_be_rolled_again_have_facts_but_no_review() -> None:
    rules = patched(preset("chui-niu+lives+reroll-straights").ruleset, dice={"per_player": 2, "faces": 3})
    match = play_match(rules, ["novice", "regular"], ["Ann", "Bo"], seed=0)
    assert any(isinstance(event, Rerolled) for event in match.events)
    record = read_record(write_record(match.events, "0.1.0"))
    assert any(isinstance(facts.move, Reroll) for facts in match_facts(record).decisions)
    with pytest.raises(UnavailableError, match=r"reviewed only where nobody may roll .* is may_roll_again\)"):
        Reviewer(record)


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


def test_a_review_is_a_line_a_frame_and_a_picture(record: Record) -> None:
    review = review_match(record, deals=30)
    assert repr(review).startswith(
        f"<MatchReview: {review.rounds} rounds, {len(review.decisions)} decisions, 30 deals; "
    )
    frame = review.to_dataframe()
    assert len(frame) == len(review.decisions)
    assert frame.groupby("seat").cost.sum().tolist() == pytest.approx([player.cost for player in review.players])
    assert set(frame.name) == {"Ann", "Bo"}
    lines = review.plot().get_lines()
    assert [line.get_label() for line in lines] == ["Ann", "Bo"]
    assert np.asarray(lines[1].get_ydata()).tolist() == [point.shares[1] for point in review.win_line]


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


@pytest.fixture(scope="module")
def reviewer() -> Reviewer:
    match = play_match(preset("openspiel").ruleset, ["random", "random"], ["Ann", "Bo"], seed=4)
    return Reviewer(read_record(write_record(match.events, "0.1.0")))


def test_a_move_compared_with_itself_differs_by_nothing(reviewer: Reviewer) -> None:
    found = reviewer.what_if(0, reviewer.review(0).move, 30)
    assert (found.difference, found.error) == (0.0, 0.0)
    assert found.made == found.other


def test_another_move_is_worth_what_the_review_and_explain_say_of_it_by_as_many_deals() -> None:
    """Three seats until one is out: playouts by the simulator, by the engine, and exact values."""
    sources = set()
    for rules in (
        patched(preset("perudo").ruleset, dice__per_player=2),
        patched(preset("chui-niu+lives").ruleset, dice__per_player=2),
    ):
        simulated = is_judged_by_simulator(rules)
        match = play_match(rules, ["champion", "random", "champion"], seed=3)
        reviewer = Reviewer(read_record(write_record(match.events, "0.1.0")), deals=30)
        for number in range(reviewer.decision_count):
            review, shown = reviewer.review(number), reviewer.decision(number).view
            sources.add((simulated, review.source))
            values = {one.move: one.value for one in review.moves}
            for move, value in values.items():
                found = reviewer.what_if(number, move, 30)
                assert (found.made, found.other, found.source) == (values[review.move], value, review.source)
                assert (found.deals == 0) == found.source.is_exact
                assert (found.reason is not None) == (abs(found.difference) > found.error)
            if len(values) > 1:
                assert review.reason is not None
                assert review.compared is not None
                assert list(reason_sentences(review.reason, Narrator(rules, shown.names)))
                other = review.moves[review.compared].move
                assert (other == review.move) == (review.cost > 0)
                assert other != review.best
            if simulated and values and shown.dice == reviewer.decision(number).round_dice:
                explained = {one.move: one.value for one in explain(shown, deals=30, signals=False).moves}
                assert all(explained.get(move, value) == value for move, value in values.items())
    assert sources >= {(True, Source.PLAYOUTS), (True, Source.SOLVED), (False, Source.PLAYOUTS)}, sources


def test_every_legal_move_was_compared_or_is_offered_to_be_played_on(reviewer: Reviewer) -> None:
    for number in range(reviewer.decision_count):
        review, shown = reviewer.review(number), reviewer.decision(number).view
        compared = {review.move, *(value.move for value in review.moves)}
        others = {*(Bid(*bid) for bid in review.other_bids), *review.other_moves}
        assert not others & compared
        assert others | compared == set(shown.moves)
    review = reviewer.review(0)
    assert review.other_bids
    assert reviewer.what_if(0, Bid(*review.other_bids[-1]), 30).source is review.source


def test_a_bid_that_was_let_stand_can_be_called_in_a_playout() -> None:
    rules = patched(preset("mustache").ruleset, challenge__who=WhoCalls.ANYONE_BUT_BIDDER, dice__per_player=2)
    events = play_match(rules, ["champion"] * 3, seed=2).events
    reviewer = Reviewer(read_record(write_record(events, "0.1.0")))
    reviews = [reviewer.review(number) for number in range(reviewer.decision_count)]
    silent = [review for review in reviews if not review.on_turn and review.move is None]
    assert silent
    assert all(bool(review.moves) == (review.source not in UNASSESSED) for review in reviews)
    for review in silent:
        assert Challenge() in {*(value.move for value in review.moves), *review.other_moves}
    hopeless = next(review for review in silent if review.source is Source.BELIEFS)
    assert reviewer.what_if(hopeless.number, Challenge(), 30).deals > 0


def test_moves_that_were_not_possible_and_decisions_that_do_not_exist_are_refused(reviewer: Reviewer) -> None:
    for move in (Challenge(), Exact(), None, Bid(99, 1)):
        with pytest.raises(IllegalActionError, match="not possible"):
            reviewer.what_if(0, move, 30)
    for number in (-1, reviewer.decision_count):
        with pytest.raises(MalformedError, match="the match has decisions 0 to"):
            reviewer.what_if(number, Bid(1, 1), 30)


@pytest.fixture(scope="module")
def account() -> MatchAccount:
    match = play_match(preset("perudo").ruleset, ["threshold", "novice", "random"], seed=1)
    return match_account(match.events, StateValuer(1, deals=50))


def test_the_parts_of_each_player_are_the_result(account: MatchAccount) -> None:
    for parts in parts_of(account):
        total = parts.start + parts.luck + parts.own_play + parts.others_play
        assert total == pytest.approx(parts.result, abs=1e-9)
        assert parts.luck_error >= JUDGE_ERRORS[3]


def test_turning_points_are_the_largest_changes_in_their_order(account: MatchAccount) -> None:
    places = turning_points(account.win_line)
    assert list(places) == sorted(places)
    assert 0 < len(places) <= MAX_TURNING_POINTS
    sizes = [_size(point) for point in account.win_line]
    assert min(sizes[place] for place in places) >= max(size for place, size in enumerate(sizes) if place not in places)


def test_a_line_without_large_changes_has_no_turning_points() -> None:
    point = WinPoint(ChangeCause.ROLL, 1, None, None, (0.51, 0.49), (0.5, 0.5), (0.0, 0.0))
    assert turning_points([point]) == ()


def test_turning_points_of_a_player_are_the_largest_changes_of_that_players_share(account: MatchAccount) -> None:
    for seat in range(3):
        sizes = [abs(point.shares[seat] - point.expected[seat]) for point in account.win_line]
        places = turning_points(account.win_line, seat)
        assert places == tuple(sorted(sorted(range(len(sizes)), key=lambda place: -sizes[place])[: len(places)]))


def test_the_account_of_a_record_has_the_parts_and_a_line_from_equal_shares_to_the_result() -> None:
    match = play_match(preset("basic").ruleset, ["threshold", "random"], seed=3)
    account = result_account(match.events)
    assert account.win_line[0].shares == (0.5, 0.5)
    assert account.win_line[-1].shares == tuple(parts.result for parts in account.parts)
    assert len(account.turning_points) == 2
    with pytest.raises(UnfinishedError, match="not over"):
        result_account(match.events[:5])


def _size(point: WinPoint) -> float:
    return max(abs(after - before) for after, before in zip(point.shares, point.expected, strict=True))


def decision(number: int, seat: int, source: Source, cost: float = 0.0) -> DecisionReview:
    return DecisionReview(number, 1, seat, (2,), None, None, True, None, source, cost, cost / 2, None, ())


def test_decisions_without_a_choice_change_neither_the_mean_cost_nor_the_accuracy() -> None:
    hard = [
        decision(0, 0, Source.PLAYOUTS, 0.04),
        decision(1, 0, Source.SOLVED),
        decision(2, 1, Source.BLUEPRINT, 0.01),
    ]
    easy = [decision(3 + number, 0, source) for number, source in enumerate([*UNASSESSED] * 5)]
    alone, among_easy = player_reviews(("Ann", "Bo"), hard), player_reviews(("Ann", "Bo"), [*hard, *easy])
    assert among_easy == alone
    assert [(player.decisions, player.costly, player.cost) for player in alone] == [(2, 1, 0.04), (1, 1, 0.01)]
    assert alone[0].accuracy == accuracy(0.04, 2)


def test_results_of_reviews_are_read_without_compiled_code() -> None:
    code = "import sys, liarsdice.server.http.reviews; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
