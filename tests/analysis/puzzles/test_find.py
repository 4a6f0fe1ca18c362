"""Finding puzzles: they depend on the seed alone, and other random numbers confirm them."""

from __future__ import annotations

import pytest

from liarsdice.analysis.puzzles.find import PuzzleFinder
from liarsdice.analysis.puzzles.puzzle import Certificate, Puzzle

DEALS = 200


@pytest.fixture(scope="module")
def puzzles() -> list[Puzzle]:
    finder = PuzzleFinder(["perudo"], 1, DEALS)
    return [puzzle for match in range(3) for puzzle in finder.puzzles(match)]


def test_every_puzzle_has_one_move_that_is_clearly_better(puzzles: list[Puzzle]) -> None:
    assert puzzles
    for puzzle in puzzles:
        assert 3 <= len(puzzle.moves) <= 4
        assert all(offered.behind - offered.error > 0.0799 for offered in puzzle.moves[1:])
        assert (puzzle.deals == DEALS) == (puzzle.certificate is Certificate.PLAYOUTS)


def test_a_match_gives_the_same_puzzles_again(puzzles: list[Puzzle]) -> None:
    match = puzzles[0].match
    again = list(PuzzleFinder(["perudo"], 1, DEALS).puzzles(match))
    assert again == [puzzle for puzzle in puzzles if puzzle.match == match]
