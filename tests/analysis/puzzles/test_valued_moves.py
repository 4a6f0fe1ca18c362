"""Which of the moves of a decision a puzzle may offer."""

from __future__ import annotations

import pytest

from liarsdice.analysis.puzzles.find import (
    PlayedMove,
    ValuedMoves,
    certain_moves,
    is_worth_asking,
    offered_moves,
)
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid

BEST, NEAR, FAR, FARTHER = Bid(2, 3), Bid(3, 3), Bid(4, 4), Bid(5, 5)


def valued(behind: dict[PlayedMove, float], error: float = 0.01) -> ValuedMoves:
    """Return moves by how far behind the best one they are."""
    columns = list(behind.values())
    return ValuedMoves(
        list(behind), [0.6 - one for one in columns], columns, [error if one else 0.0 for one in columns]
    )


def test_moves_near_the_best_are_not_offered_and_at_most_four_are() -> None:
    far: dict[PlayedMove, float] = {FAR: 0.11, Challenge(): 0.12, FARTHER: 0.2, Bid(6, 6): 0.3}
    offered = offered_moves(valued({BEST: 0.0, NEAR: 0.05, **far}), 0.1)
    assert offered is not None
    assert offered.moves == [BEST, FAR, Challenge(), FARTHER]
    assert offered.behind == [0.0, 0.11, 0.12, 0.2]


def test_no_puzzle_leaves_a_legal_call_out() -> None:
    for call in (Challenge(), Exact()):
        assert offered_moves(valued({BEST: 0.0, call: 0.09, FAR: 0.11, FARTHER: 0.2}), 0.1) is None


def test_a_puzzle_offers_at_least_three_moves() -> None:
    assert offered_moves(valued({BEST: 0.0, NEAR: 0.05, FAR: 0.2}), 0.1) is None


def test_moves_whose_interval_reaches_the_least_lead_are_left_out() -> None:
    certain = certain_moves(valued({BEST: 0.0, NEAR: 0.085, FAR: 0.11, Challenge(): 0.12}))
    assert certain is not None
    assert certain.moves == [BEST, FAR, Challenge()]
    assert certain_moves(valued({BEST: 0.0, Challenge(): 0.085, FAR: 0.11, FARTHER: 0.2})) is None


def test_nothing_is_certain_if_another_move_turns_out_to_be_best() -> None:
    moves = valued({BEST: 0.0, FAR: 0.2, FARTHER: 0.3})
    assert certain_moves(moves) == moves
    assert certain_moves(moves._replace(behind=[-0.01, 0.2, 0.3])) is None


@pytest.mark.parametrize(
    "p_right, asked",
    [
        ({Challenge(): 0.7, BEST: 0.3, FAR: 0.0}, True),
        ({Challenge(): 0.7, BEST: 0.1, FAR: 0.0}, False),  # no plausible mistake
        ({Challenge(): 0.99, BEST: 0.6, FAR: 0.0}, False),  # too easy
        ({BEST: 1.0, Challenge(): 0.0, FAR: 0.4}, False),  # too easy, too
        ({BEST: 1.0, Challenge(): 0.0, FAR: 0.6}, True),
        ({BEST: 0.1, Challenge(): 0.6, FAR: 0.0}, False),  # hard to believe
        ({BEST: 0.1, Challenge(): 0.3, FAR: 0.0}, True),
    ],
)
def test_a_question_has_a_plausible_mistake_and_an_answer_that_is_neither_too_easy_nor_hard_to_believe(
    p_right: dict[PlayedMove, float], asked: bool
) -> None:
    assert is_worth_asking(valued(dict(zip(p_right, (0.0, 0.1, 0.2), strict=True))), p_right) == asked
