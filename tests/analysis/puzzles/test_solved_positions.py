"""Decisions in solved rounds."""

from __future__ import annotations

import pytest

from liarsdice.analysis.puzzles.find import solved_position
from liarsdice.bots.neural.belief import count_beliefs
from liarsdice.bots.neural.explain import p_right_given_bids
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.solver import Method
from liarsdice.solve.game.round_game import RoundStart, with_faces
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.strategy.strategy_file import StrategySet
from tests.bots.positions import dealt_state

LAST_DICE = dealt_state(preset("perudo").ruleset, ((5,), (2,)), (Bid(1, 5),))


def test_a_call_with_the_last_dice_wins_as_often_as_it_is_right() -> None:
    shown = view(LAST_DICE, 1)
    found = solved_position(shown, ())
    assert found is not None
    assert sum(found.belief.probs) == pytest.approx(1)
    beliefs = {found.opponent: found.belief}
    assert sum(count_beliefs(shown, beliefs)[0].posterior) == pytest.approx(1)  # over all hands, unlikely ones, too
    assert found.values([Challenge()])[0] == pytest.approx(p_right_given_bids(shown, beliefs, Challenge()), abs=1e-3)


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
