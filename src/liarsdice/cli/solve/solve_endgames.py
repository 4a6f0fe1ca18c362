"""`liarsdice solve endgames`: solves the rounds of one die each under every preset, which the champion bot plays."""

from __future__ import annotations

from pathlib import Path

from liarsdice.cli.solve.solve_options import require_positive
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.game.round_start import RoundStart, remembers_special_rounds, two_player_special_round
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, write_strategies
from liarsdice.version import __version__


def solve_last_rounds(rules: Ruleset, target: float) -> StrategySet:
    """Solve all rounds of one die each that end two-player matches, to the exploitability `target`.

    A round is left out if a later round of the match can have more dice, because the rules let a player win dice back.
    """
    strategies: dict[RoundStart, Strategy] = {}
    for start in _last_rounds(rules):
        plan = make_match_plan(rules, start)
        if all(later.dice == (1, 1) for later in plan.rounds):
            solver = MatchSolver(plan, Method.DCFR, target)
            solver.run()
            strategies |= solver.strategies
    return StrategySet(rules, match=True, strategies=tuple(strategies.values()))


def _last_rounds(rules: Ruleset) -> list[RoundStart]:
    """Return the starts of the rounds of one die each: every special round, with every earlier one."""
    special_seats = (None,) if two_player_special_round(rules) is None else (None, 0, 1)
    earlier_specials: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1)] if remembers_special_rounds(rules) else [()]
    return [RoundStart((1, 1), 0, seat, earlier) for seat in special_seats for earlier in earlier_specials]


def run(folder: Path, target: float) -> int:
    """Solve the last rounds of every preset, write a file for each and print its exploitability. Returns 0.

    Raises `MalformedError` if the target is not positive.
    """
    require_positive(target=target)
    folder.mkdir(parents=True, exist_ok=True)
    for name in preset_names():
        try:
            strategy_set = solve_last_rounds(preset(name).ruleset, target)
        except UnavailableError as error:
            print(f"{name}: {error}")
            continue
        worst = max((strategy.bounds.exploitability for strategy in strategy_set.strategies), default=0.0)
        print(f"{name}: {len(strategy_set.strategies)} rounds, exploitability at most {worst:.1e}")
        if strategy_set.strategies:
            write_strategies(folder / f"endgame-{name}.lds", strategy_set, __version__)
    return 0
