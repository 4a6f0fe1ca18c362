"""Puzzles against several ways of playing, and the bots that miss them."""

import pytest
from msgspec.structs import replace

from liarsdice.analysis.puzzles.puzzle import OfferedMove, Puzzle, packaged_puzzles
from liarsdice.analysis.puzzles.robustness import (
    OTHERS,
    SOLVERS,
    count_missed,
    holds_against,
    is_robust,
    leads_against,
    view_of_puzzle,
)
from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from tests.analysis.puzzles.test_puzzle import PUZZLE

CERTAIN = replace(
    PUZZLE,
    hand=(1, 4, 4),
    bids=((0, Bid(5, 2)),),
    moves=(
        OfferedMove(Challenge(), 0.9, 0.0, 0.0, 0.9),
        OfferedMove(Bid(5, 3), 0.1, 0.8, 0.0, 0.1),
        OfferedMove(Bid(5, 6), 0.1, 0.8, 0.0, 0.1),
    ),
)
"""Five twos of five dice, one of them one's own ace: nobody should raise it."""


def test_the_view_of_each_shipped_puzzle_shows_what_the_puzzle_says_and_allows_its_moves() -> None:
    for puzzle in packaged_puzzles():
        shown = view_of_puzzle(puzzle)
        assert (shown.seat, shown.turn, shown.hand, shown.dice) == (puzzle.seat, puzzle.seat, puzzle.hand, puzzle.dice)
        assert (shown.bids, shown.wilds_count) == (puzzle.bids, puzzle.wilds_count)
        assert shown.special_seat == puzzle.special_seat
        assert all(shown.allows(offered.move) for offered in puzzle.moves), puzzle.key


@pytest.mark.parametrize("others", OTHERS)
def test_a_clear_best_move_holds_and_no_other_one_does(others: str) -> None:
    assert holds_against(CERTAIN, others)
    challenge, lower, higher = CERTAIN.moves
    assert not holds_against(replace(CERTAIN, moves=(lower, challenge, higher)), others)


def test_leads_are_the_same_again_and_differ_by_who_the_others_are() -> None:
    puzzle = next(one for one in packaged_puzzles() if len(one.dice) > 2)
    leads = {others: leads_against(puzzle, others, 60) for others in OTHERS}
    assert leads["regular"] == leads_against(puzzle, "regular", 60)
    assert len({tuple(found) for found in leads.values()}) > 1


def test_a_move_that_is_as_good_as_the_best_one_makes_no_puzzle() -> None:
    best, *_ = CERTAIN.moves
    assert is_robust(CERTAIN)
    assert not is_robust(replace(CERTAIN, moves=(best, best, *CERTAIN.moves[1:])))


def test_bots_that_make_another_move_more_often_miss_a_puzzle() -> None:
    assert count_missed(CERTAIN) == (0, len(SOLVERS))
    challenge, lower, higher = CERTAIN.moves
    wrong: Puzzle = replace(CERTAIN, moves=(lower, challenge, higher))
    assert count_missed(wrong) == (len(SOLVERS), len(SOLVERS))


def test_shipped_puzzles_hold_against_several_ways_of_playing() -> None:
    assert [puzzle.key for puzzle in packaged_puzzles()[::25] if not is_robust(puzzle)] == []


def test_shipped_puzzles_tell_how_many_bots_miss_them() -> None:
    for puzzle in packaged_puzzles()[::25]:
        assert puzzle.missed == count_missed(puzzle), puzzle.key
    assert {puzzle.missed[0] for puzzle in packaged_puzzles()} == set(range(len(SOLVERS) + 1))
