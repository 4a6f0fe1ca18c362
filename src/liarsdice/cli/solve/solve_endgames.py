"""`liarsdice solve endgames`: last rounds of matches of two, a die each, for every preset; the champion plays them."""

from __future__ import annotations

from pathlib import Path

from liarsdice import __version__
from liarsdice.cli.solve.solve_options import require_positive
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.game.round_start import RoundStart, remembers_special_rounds, two_player_special_round
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, write_strategies


def endgames(rules: Ruleset, target: float) -> StrategySet:
    """All rounds with a die each that matches by these rules may end with; none where they lead back to longer ones."""
    found: dict[RoundStart, Strategy] = {}
    for start in _last_rounds(rules):
        plan = make_match_plan(rules, start)
        if all(one.dice == (1, 1) for one in plan.rounds):
            solver = MatchSolver(plan, Method.DCFR, target)
            solver.run()
            found |= solver.strategies
    return StrategySet(rules, match=True, strategies=tuple(found.values()))


def _last_rounds(rules: Ruleset) -> list[RoundStart]:
    """Rounds with a die each, with everything that the match before may have left to remember."""
    whose = (None,) if two_player_special_round(rules) is None else (None, 0, 1)
    had: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1)] if remembers_special_rounds(rules) else [()]
    return [RoundStart((1, 1), 0, seat, before) for seat in whose for before in had]


def run(folder: Path, target: float) -> int:
    """Write the files, and print how good each is. Returns 0."""
    require_positive(target=target)
    folder.mkdir(parents=True, exist_ok=True)
    for name in preset_names():
        try:
            solved = endgames(preset(name).ruleset, target)
        except UnavailableError as error:
            print(f"{name}: {error}")
            continue
        worst = max((one.bounds.exploitability for one in solved.strategies), default=0.0)
        print(f"{name}: {len(solved.strategies)} rounds, exploitability at most {worst:.1e}")
        if solved.strategies:
            write_strategies(folder / f"endgame-{name}.lds", solved, __version__)
    return 0
