"""Rounds for lives, with calls for twice the stake and with hands that are rolled again, against linear programs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.actions import AnswerDouble, Challenge
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, NotationError, UnavailableError
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.round_game import RoundStart, make_round_game, of_round, round_start_of, state_before_bids
from liarsdice.solve.round_solver import solve_round
from liarsdice.solve.strategy.action_values import safe_answer
from liarsdice.solve.strategy.average_strategy import quantized
from liarsdice.solve.strategy.strategy import Strategy, iter_information_sets
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies
from tests.solve.sequence_form import SequenceForm, deals, match_value

ONE_EACH = (1, 1)
PI, COUNTER_PI = "chui-niu+pi", "chui-niu+counter-pi"


def round_rules(name: str, faces: int) -> Ruleset:
    return of_round(find_rules(name), ONE_EACH, faces)


@pytest.mark.parametrize("name", ["chui-niu+lives", PI, COUNTER_PI, "bar-strict"])
@pytest.mark.parametrize("faces", [2, 3])
def test_a_round_is_worth_what_a_linear_program_says(name: str, faces: int) -> None:
    rules = round_rules(name, faces)
    low, high = solve_round(rules, ONE_EACH, target=1e-4).bounds[2:]
    assert high - low <= 2.1e-4
    assert low - 1e-7 <= SequenceForm(rules, RoundStart(ONE_EACH)).value() <= high + 1e-7


def test_hands_that_are_rolled_again_are_not_dealt() -> None:
    rules = patched(find_rules("chui-niu+reroll-different"), dice={"per_player": 2, "faces": 2})
    game = make_round_game(rules, RoundStart((2, 1)))
    assert game.hands == (((1, 1), (2, 2)), ((1,), (2,)))
    assert [probs.tolist() for probs in game.hand_probs] == [[0.5, 0.5], [0.5, 0.5]]
    low, high = solve_round(rules, (2, 1), target=1e-4).bounds[2:]
    assert low - 1e-7 <= SequenceForm(rules, RoundStart((2, 1))).value() <= high + 1e-7


@pytest.mark.parametrize("name", ["chui-niu+lives", "bar-strict"])
def test_a_match_for_lives_is_worth_what_linear_programs_from_its_end_say(name: str) -> None:
    rules = patched(round_rules(name, 2), loss__lives=3)
    solver = MatchSolver(make_match_plan(rules, RoundStart(ONE_EACH)), Method.DCFR, 1e-3)
    low, high = solver.run()
    assert high - low <= 2.1e-3
    assert low - 1e-7 <= match_value(rules, RoundStart(ONE_EACH)) <= high + 1e-7
    assert {strategy.start.lives for strategy in solver.strategies.values()} >= {(3, 3), (1, 3), (1, 1)}


def test_the_value_counts_stakes_where_they_are_doubled() -> None:
    """With one life each nothing is left to double; with three a doubled call is worth two."""
    for lives, most in ((1, 1.0), (3, 3.0)):
        rules = patched(round_rules("bar-strict", 2), loss__lives=lives)
        low, high = (float(end(solve_round(rules, target=1e-3).tree.outcome_values)) for end in (min, max))
        assert (low, high) == (-most, most)


def expected_value(state: State, strategy: Strategy) -> float:
    """What a state of a round is worth to seat 0 in lost stakes, if both players follow the strategy."""
    if state.phase is not Phase.BIDDING:
        return state.stakes[0] - state.stakes[1]
    value = 0.0
    for action, p in strategy.policy(view(state, state.turn)).items():
        value += p * expected_value(evolve_all(state, decide(state, state.turn, action)), strategy)
    return value


@pytest.mark.parametrize("name", ["chui-niu+lives", PI, COUNTER_PI, "bar-strict"])
def test_strategies_that_the_engine_plays_out_win_the_value(name: str) -> None:
    rules = round_rules(name, 3)
    strategy = solve_round(rules, ONE_EACH, target=1e-4)
    state = state_before_bids(strategy.tree.game.rules, RoundStart(ONE_EACH))
    value = sum(
        p * expected_value(msgspec.structs.replace(state, hands=hands), strategy) for hands, p in deals(rules, ONE_EACH)
    )
    assert strategy.bounds.low - 1e-7 <= value <= strategy.bounds.high + 1e-7


def test_answers_follow_the_bids_as_text_and_from_a_view() -> None:
    strategy = solve_round(COUNTER_PI, faces=3)
    answers = strategy.action_probs((1,), ["2x2", "double"])
    assert set(answers) <= {AnswerDouble(answer) for answer in Answer}
    redoubled = strategy.action_probs((1,), ["2x2", "double", "redouble"])
    assert set(redoubled) <= {AnswerDouble(Answer.ACCEPT), AnswerDouble(Answer.FOLD)}
    paths = {node.bids for node in iter_information_sets(strategy)}
    assert any(path and path[-1] == Challenge(double=True) for path in paths)
    with pytest.raises(NotationError, match="'liar' ends a round"):
        strategy.action_probs((1,), ["2x2", "liar"])


def test_what_a_strategy_leaves_out_is_answered_safely() -> None:
    strategy = solve_round(COUNTER_PI, faces=3)
    bid = strategy.tree.game.situations[0].raises[0][0]
    assert set(safe_answer(strategy, (2,), [bid, Challenge(double=True)]).values()) == {1.0}


def test_a_file_holds_the_rounds_of_a_match_for_lives(tmp_path: Path) -> None:
    rules = patched(round_rules("chui-niu+lives", 2), loss__lives=2)
    solver = MatchSolver(make_match_plan(rules, RoundStart(ONE_EACH)), Method.DCFR, 1e-3)
    solver.run()
    file = tmp_path / "lives.lds"
    strategies = tuple(quantized(strategy) for strategy in solver.strategies.values())
    write_strategies(file, StrategySet(rules, True, strategies), "0")
    again = read_strategies(file)
    assert {strategy.start for strategy in again.strategies} == set(solver.plan.rounds)
    state = state_before_bids(rules, RoundStart(ONE_EACH, lives=(1, 2)))
    shown = view(msgspec.structs.replace(state, hands=((1,), (2,))), 0)
    assert round_start_of(shown).lives == (1, 2)
    assert again.policy(shown) == again.strategy(RoundStart(ONE_EACH, lives=(1, 2))).action_probs((1,))


def test_lives_and_dice_that_cannot_be_are_refused() -> None:
    rules = round_rules("chui-niu+lives", 3)
    with pytest.raises(MalformedError, match="everybody keeps all dice, 1 each"):
        make_round_game(rules, RoundStart((2, 1)))
    with pytest.raises(MalformedError, match="two players with dice"):
        make_round_game(rules, RoundStart(ONE_EACH, lives=(0, 1)))
    with pytest.raises(UnavailableError, match="choose a number of lives"):
        make_match_plan(round_rules("bar-strict", 2), RoundStart(ONE_EACH))
