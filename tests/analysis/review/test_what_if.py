"""Another move is played on beside the one that was made, on the same dice, with an honest interval."""

from __future__ import annotations

import pytest

from liarsdice.analysis.review.report import Reviewer
from liarsdice.analysis.review.results import UNASSESSED, Source, WhatIf
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match


@pytest.fixture(scope="module")
def reviewer() -> Reviewer:
    match = play_match(preset("openspiel").ruleset, ["random", "random"], ["Ann", "Bo"], seed=4)
    return Reviewer(read_record(write_record(match.events, "0.1.0")))


def test_a_move_compared_with_itself_differs_by_nothing(reviewer: Reviewer) -> None:
    move = reviewer.review(0).move
    found = WhatIf().add(reviewer.what_if(0, move, 0))
    assert (found.difference, found.error) == (0.0, 0.0)
    assert found.made == found.other


def test_batches_are_the_same_again_and_differ_from_each_other(reviewer: Reviewer) -> None:
    other = next(value.move for value in reviewer.review(0).moves if value.move != reviewer.review(0).move)
    batches = [reviewer.what_if(0, other, batch) for batch in (0, 0, 1)]
    assert batches[0] == batches[1] != batches[2]


def test_every_legal_move_was_compared_or_is_offered_to_be_played_on(reviewer: Reviewer) -> None:
    for number in range(reviewer.decision_count):
        review, shown = reviewer.review(number), reviewer.decision(number).view
        compared = {review.move, *(value.move for value in review.moves)}
        others = {*(Bid(*bid) for bid in review.other_bids), *review.other_moves}
        assert not others & compared
        assert others | compared == set(shown.moves)
    review = reviewer.review(0)
    assert review.other_bids
    assert reviewer.what_if(0, Bid(*review.other_bids[-1]), 0).deals > 0


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
    assert reviewer.what_if(hopeless.number, Challenge(), 0).deals > 0


def test_moves_that_were_not_possible_and_decisions_that_do_not_exist_are_refused(reviewer: Reviewer) -> None:
    for move in (Challenge(), Exact(), None, Bid(99, 1)):
        with pytest.raises(IllegalActionError, match="not possible"):
            reviewer.what_if(0, move, 0)
    for number in (-1, reviewer.decision_count):
        with pytest.raises(MalformedError, match="the match has decisions 0 to"):
            reviewer.what_if(number, Bid(1, 1), 0)
