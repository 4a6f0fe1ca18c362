"""Solves a round of two players in one call, from the rules to a certified strategy."""

import time
from pathlib import Path

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, make_tree_that_fits, solve
from liarsdice.solve.round_game import RoundStart, make_round_game, of_round
from liarsdice.solve.strategy.average_strategy import average_strategy
from liarsdice.solve.strategy.strategy import Strategy

DEFAULT_TARGET = 1e-3
"""The exploitability at which solving stops unless another limit is given."""


def solve_round(
    rules: Ruleset | str | Path,
    dice: tuple[int, int] = (1, 1),
    *,
    faces: int | None = None,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    method: Method = Method.DCFR,
) -> Strategy:
    """Solve a round of two players and return both players' strategy with its certified bounds.

    `rules`: a ruleset, or what `find_rules` accepts. `dice`: the dice of the player who opens, and of the other; in a
    game for lives both hold as many. `faces`: those of a die, if the rules say another number. Solving stops at the
    first limit that is reached: `target`, the exploitability in the value of a round (0 to 1, `DEFAULT_TARGET` if no
    limit is given), `iterations`, or wall-clock `seconds`, which include
    compilation; the bounds are certified afterwards. `method`: the variant of counterfactual regret minimisation.

    Raises what `find_rules` raises, `MalformedError` if a limit is not positive, and `UnavailableError` if the round is
    too large for the memory of this machine or the solver does not know the rules.

    >>> from liarsdice.solve.round_solver import DEFAULT_TARGET
    >>> strategy = solve_round("openspiel", faces=3)
    >>> strategy.bounds.exploitability <= DEFAULT_TARGET
    True
    >>> strategy.action_probs((1,), ["2x2"])
    {Challenge(): 1.0}
    """
    began_s = time.perf_counter()
    for name, limit in {"target": target, "iterations": iterations, "seconds": seconds}.items():
        if limit is not None and not 0 < limit < float("inf"):
            raise MalformedError(f"{name} is a positive number, not {limit!r}")
    if target is None and iterations is None and seconds is None:
        target = DEFAULT_TARGET
    ruleset = rules if isinstance(rules, Ruleset) else find_rules(rules)
    game = make_round_game(of_round(ruleset, dice, faces), RoundStart(dice))
    solver = Solver(make_tree_that_fits(game, method), method)
    solve(solver, target=target, iterations=iterations, seconds=seconds, began_s=began_s)
    return average_strategy(solver)
