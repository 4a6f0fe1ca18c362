"""Average strategies: the same whatever the lanes, and rounded only if that costs little."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.strategy.average_strategy import average_strategy, average_weights, quantized
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies
from tests.solve.solved_rounds import make_tree, rules_of


def test_average_weights_do_not_depend_on_the_lanes() -> None:
    solved = make_tree(rules_of("perudo", 3), (2, 1))
    result = []
    for lanes in (1, 8, 64):
        solver = Solver(solved, lanes=lanes, double=True)
        solver.iterate(10)
        result.append(average_weights(solver))
    assert result[1] == pytest.approx(result[0], abs=1e-6)
    assert result[2] == pytest.approx(result[0], abs=1e-6)


def test_a_strategy_that_rounding_would_spoil_is_not_rounded(tmp_path: Path) -> None:
    solver = Solver(make_tree(rules_of("openspiel", 5), (1, 1)), Method.PCFR_PLUS)
    solve(solver, target=1e-6, iterations=3000)
    exact = average_strategy(solver)
    strategy = quantized(exact)
    assert strategy is exact
    file = tmp_path / "exact.lds"
    write_strategies(file, StrategySet(rules_of("openspiel", 5), False, (strategy,)), "0")
    assert np.array_equal(read_strategies(file).strategies[0].action_weights, exact.action_weights)
