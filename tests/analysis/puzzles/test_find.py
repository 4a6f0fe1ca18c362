"""Finding puzzles: they depend on the seed alone, and other random numbers confirm them."""

import pytest
from msgspec.structs import replace

from liarsdice.analysis.puzzles.find import (
    BOTS,
    PlayedMove,
    PuzzleFinder,
    ValuedMoves,
    certain_moves,
    compared_moves,
    is_worth_asking,
    looks_clear,
    may_be_puzzle,
    offered_moves,
    solved_position,
)
from liarsdice.analysis.puzzles.puzzle import Certificate, Puzzle, packaged_puzzles
from liarsdice.analysis.puzzles.robustness import bot_moves, count_missed, explained, is_robust, view_of_puzzle
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.bots.neural.belief import count_beliefs
from liarsdice.bots.neural.explain import explain
from liarsdice.bots.neural.reasons import p_right
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.round_game import RoundStart, with_faces
from liarsdice.solve.strategy.strategy_file import StrategySet
from tests.bots.positions import dealt_state

RULES, SEED, MATCH, DEALS = "basic", 1, 4, 300


@pytest.fixture(scope="module")
def puzzles() -> list[Puzzle]:
    return list(PuzzleFinder([RULES], SEED, DEALS).puzzles(MATCH))


def test_every_puzzle_has_one_move_that_is_clearly_better(puzzles: list[Puzzle]) -> None:
    assert puzzles
    for puzzle in puzzles:
        assert 3 <= len(puzzle.moves) <= 4
        offered = {one.move for one in puzzle.moves}
        made = bot_moves(view_of_puzzle(puzzle))
        assert made[-1] in offered
        for one in puzzle.moves[1:]:
            assert one.behind - one.error > (0 if one.move in made else 0.0799)
        assert is_robust(puzzle)
        assert puzzle.missed == count_missed(puzzle)
        assert puzzle.reason == explained(puzzle) is not None
        assert (puzzle.deals == DEALS) == (puzzle.certificate is Certificate.PLAYOUTS)


def test_the_puzzles_of_the_package_have_the_reasons_that_the_judge_gives_today() -> None:
    puzzles = packaged_puzzles()
    assert all(puzzle.reason is not None and not puzzle.reason.tied for puzzle in puzzles)
    for puzzle in puzzles[::9]:
        assert puzzle.reason == explained(puzzle), puzzle.key


def test_a_match_gives_the_same_puzzles_again(puzzles: list[Puzzle]) -> None:
    assert list(PuzzleFinder([RULES], SEED, DEALS).puzzles(MATCH)) == puzzles


def test_a_puzzle_tells_the_values_that_explanations_tell_by_as_many_deals(puzzles: list[Puzzle]) -> None:
    bots = [BOTS[seat % len(BOTS)] for seat in range(len(puzzles[0].dice))]
    match = play_match(preset(RULES).ruleset, bots, seed=f"puzzles/{SEED}/{MATCH}")
    made = list(decisions_of(match.events))
    told = 0
    for puzzle in puzzles:
        if puzzle.certificate is Certificate.PLAYOUTS:
            values = {one.move: one.value for one in explain(made[puzzle.decision].view, deals=DEALS).moves}
            both = [one for one in puzzle.moves if one.move in values]
            assert [one.value for one in both] == [round(values[one.move], 4) for one in both]
            told += len(both)
    assert told > 1


FIVES, SIXES, HIGH, HIGHER, CALL = Bid(2, 5), Bid(2, 6), Bid(3, 5), Bid(4, 5), Challenge()


def decisions(rules: str = "perudo") -> list[Decision]:
    match = play_match(preset(rules).ruleset, ["inference", "novice", "threshold"], seed=5)
    return list(decisions_of(match.events))


def test_only_decisions_on_turn_between_bids_and_calls_are_looked_at() -> None:
    looked_at = [decision for decision in decisions() if may_be_puzzle(decision)]
    assert looked_at
    assert all(decision.view.on_turn and decision.view.direction.step == 1 for decision in looked_at)
    assert any(not may_be_puzzle(decision) for decision in decisions("official"))


def test_special_rounds_are_looked_at_unless_a_seat_may_change_their_face() -> None:
    decision = next(one for one in decisions() if may_be_puzzle(one))
    special = replace(decision.view, special_seat=decision.seat)
    assert may_be_puzzle(replace(decision, view=special))
    assert not may_be_puzzle(replace(decision, view=replace(special, exempt=(0,))))


def test_calls_the_best_bids_and_worse_ones_on_other_faces_are_compared() -> None:
    decision = next(one for one in decisions() if may_be_puzzle(one) and one.view.bid is not None)
    values: dict[PlayerAction | None, float] = {
        CALL: 0.3,
        Exact(): 0.2,
        FIVES: 0.5,
        SIXES: 0.45,
        Bid(2, 4): 0.44,
        HIGH: 0.4,
        HIGHER: 0.39,
        Bid(3, 6): 0.35,
        Bid(3, 4): 0.34,
    }
    compared = compared_moves(decision, values, bot_moves(decision.view))
    assert compared == [CALL, Exact(), FIVES, SIXES, HIGH, Bid(3, 6), Bid(3, 4)]


def test_a_lead_over_two_moves_and_over_every_call_is_looked_for() -> None:
    values: dict[PlayerAction | None, float] = {FIVES: 0.5, SIXES: 0.49, HIGH: 0.4, CALL: 0.4}
    assert looks_clear([FIVES, SIXES, HIGH, CALL], values)
    assert not looks_clear([FIVES, SIXES, HIGH, CALL], {**values, CALL: 0.47})
    assert not looks_clear([FIVES, SIXES, CALL], values)


LAST_DICE = dealt_state(preset("perudo").ruleset, ((5,), (2,)), (Bid(1, 5),))


def test_a_call_with_the_last_dice_wins_as_often_as_it_is_right() -> None:
    shown = view(LAST_DICE, 1)
    found = solved_position(shown, ())
    assert found is not None
    assert sum(found.belief.probs) == pytest.approx(1)
    beliefs = {found.opponent: found.belief}
    assert sum(count_beliefs(shown, beliefs)[0].posterior) == pytest.approx(1)  # over all hands, unlikely ones, too
    assert found.values([Challenge()])[0] == pytest.approx(p_right(shown, beliefs, Challenge()), abs=1e-3)


def test_nothing_is_said_of_rounds_that_are_not_solved_or_of_bids_that_no_strategy_makes() -> None:
    more_dice = dealt_state(preset("perudo").ruleset, ((5, 5), (2, 3)), (Bid(1, 5),))
    assert solved_position(view(more_dice, 1), ()) is None
    absurd = dealt_state(preset("perudo").ruleset, ((2,), (3,)), (Bid(2, 6), Bid(1, 1)))
    assert solved_position(view(absurd, 0), ()) is None


def test_a_file_adds_the_rounds_that_it_holds() -> None:
    rules = with_faces(preset("basic").ruleset, 5)
    solver = MatchSolver(make_match_plan(rules, RoundStart((2, 1))), Method.DCFR, 0.05)
    solver.run()
    strategies = tuple(solver.strategies.values())
    shown = view(dealt_state(rules, ((3, 4), (5,))), 0)
    assert solved_position(shown, ()) is None
    found = solved_position(shown, [StrategySet(rules, True, strategies)])
    assert found is not None
    values = found.values([Bid(1, 3), Bid(1, 4), Bid(3, 5)])
    assert values[1] > values[2]
    assert found.belief.probs == pytest.approx([1 / 5] * 5)
    assert solved_position(shown, [StrategySet(rules, False, strategies)]) is None  # not the values of matches


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


def test_moves_that_bots_make_are_offered_first_if_they_are_certainly_worse() -> None:
    far: dict[PlayedMove, float] = {FAR: 0.11, Challenge(): 0.12, FARTHER: 0.2, Bid(6, 6): 0.3}
    moves = valued({BEST: 0.0, NEAR: 0.05, **far})
    offered = certain_moves(moves, [FARTHER, NEAR, BEST])
    assert offered is not None
    assert offered.moves == [BEST, NEAR, Challenge(), FARTHER]
    assert certain_moves(valued({BEST: 0.0, NEAR: 0.005, **far}), [NEAR]) is None


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
