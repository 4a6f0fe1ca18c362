"""Best responses in plain array steps: the bounds of the kernel, and never less than a pure strategy wins."""

from __future__ import annotations

import pytest

from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.strategy.average_strategy import average_strategy
from tests.solve import pure_strategies
from tests.solve.solved_rounds import make_tree, rules_of


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd-stairs", "chui-niu"])
@pytest.mark.parametrize("lanes", [1, 32])
@pytest.mark.parametrize("method", list(Method))
def test_bounds_by_plain_array_steps_are_those_of_the_compiled_kernel(name: str, lanes: int, method: Method) -> None:
    solver = Solver(make_tree(rules_of(name, 3), (2, 1)), method, lanes=lanes, double=True)
    for iterations in (1, 30):
        solver.iterate(iterations)
        compiled, plain = solver.bounds(), average_strategy(solver).bounds
        assert (plain.low, plain.high) == pytest.approx((compiled.low, compiled.high), abs=1e-6)


@pytest.mark.parametrize(
    "name, dice, faces",
    [("openspiel", (1, 1), 2), ("perudo", (1, 1), 2), ("snyd-joker", (1, 1), 3), ("chui-niu", (1, 1), 2)],
)
@pytest.mark.parametrize("iterations", [1, 40])
def test_no_pure_strategy_wins_more_than_the_best_response(
    name: str, dice: tuple[int, int], faces: int, iterations: int
) -> None:
    solver = Solver(make_tree(rules_of(name, faces), dice, sure_calls=False))
    solver.iterate(iterations)
    strategy = average_strategy(solver)
    assert pure_strategies.best_pure_value(strategy, 0) == pytest.approx(strategy.bounds.high, abs=1e-9)
    assert pure_strategies.best_pure_value(strategy, 1) == pytest.approx(-strategy.bounds.low, abs=1e-9)
