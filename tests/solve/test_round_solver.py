"""Solving a round in one call: from rules to a certified strategy."""

from __future__ import annotations

import time

import pytest

from liarsdice import Bid, UnavailableError, patched, solve_round
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.round_solver import DEFAULT_TARGET
from tests.solve.solved_rounds import make_tree

RULES = patched(preset("openspiel").ruleset, dice__faces=3, dice__special_face=3)


@pytest.mark.parametrize("method", list(Method))
def test_a_round_is_solved_to_the_default_target(method: Method) -> None:
    strategy = solve_round(RULES, method=method)
    assert strategy.bounds.exploitability <= DEFAULT_TARGET
    assert strategy.bounds.low <= strategy.bounds.high


def test_a_lower_target_takes_more_iterations() -> None:
    assert solve_round(RULES, target=1e-5).bounds.iterations > solve_round(RULES, target=1e-2).bounds.iterations


def test_the_number_of_iterations_is_a_limit() -> None:
    assert solve_round(RULES, iterations=3).bounds.iterations == 3


def test_the_seconds_count_from_before_the_compilation() -> None:
    solver = Solver(make_tree(RULES, (1, 1)), Method.DCFR)
    assert solve(solver, seconds=60, began_s=time.perf_counter() - 61).iterations == 1


@pytest.mark.parametrize("limits", [{"target": 0.0}, {"seconds": -1.0}, {"target": float("nan")}], ids=str)
def test_a_limit_that_is_not_positive_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(MalformedError, match="is a positive number, not"):
        solve_round(RULES, (1, 1), target=limits.get("target"), seconds=limits.get("seconds"))


def test_a_round_that_does_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(UnavailableError):
        solve_round(preset("openspiel").ruleset, (9, 9))


def test_rules_are_named_and_their_faces_are_chosen() -> None:
    strategy = solve_round("openspiel", faces=3, iterations=8)
    assert strategy.tree.game.rules == RULES
    assert strategy.bounds.low <= strategy.value <= strategy.bounds.high
    assert strategy.action_probs((1,), ["1x1", "2x3"]) == strategy.action_probs((1,), [Bid(1, 1), Bid(2, 3)])
