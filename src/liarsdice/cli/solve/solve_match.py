"""`liarsdice solve match`: what a whole match of two players is worth from every number of dice on the way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from liarsdice import __version__
from liarsdice.cli.solve.solve_options import SolveOptions, require_positive, with_starting_dice
from liarsdice.cli.stdio import EXIT_INTERRUPTED, print_error
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.solve.cfr.memory_check import make_tree_that_fits
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.game.round_game import make_round_game
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.match_solver import MatchSolver, ValueInterval, check_match_memory, make_match_plan
from liarsdice.solve.strategy.average_strategy import MAX_EXPLOITABILITY_RATIO
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies

COLUMNS = 78


class SolveMatchOptions(SolveOptions, frozen=True, kw_only=True):
    """What to solve, how nearly, and where to write it."""

    target: float
    out: Path | None
    as_json: bool


def run(options: SolveMatchOptions) -> int:
    """Solve round by round, the last ones first, and print how likely who opens wins.

    Returns 0, or 130 after Ctrl-C.
    """
    start, method = options.start(), options.read_method()
    rules = with_starting_dice(options.read_rules(), start)
    require_positive(target=options.target)
    check_writable(options.out)
    make_tree_that_fits(make_round_game(rules, start), method)
    plan = make_match_plan(rules, start)
    check_match_memory(plan, method)
    known = _known(options.out, rules)
    found: list[Strategy] = []

    def look(start: RoundStart, bounds: Bounds) -> None:
        done = f"{len(found)} of {len(plan.rounds)} rounds, {start}: exploitability {bounds.exploitability:.2e}"
        print(f"\r{done:<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    look_on = look if sys.stderr.isatty() else None

    def clear() -> None:
        if look_on:
            print(f"\r{'':<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    def keep(strategy: Strategy) -> None:
        found.append(strategy)
        clear()
        if options.out is not None:
            kept = {one.start: one for one in (*known, *found)}
            write_strategies(options.out, StrategySet(rules, True, tuple(kept.values())), __version__)
        if not options.as_json:
            print(_line(strategy), flush=True)

    if not options.as_json:
        faces = rules.dice.faces
        print(f"{rules.labels.game}, {faces} faces: bounds of the probability that the player who opens wins the match")
    solver = MatchSolver(plan, method, options.target, known=known, threads=options.threads, on_bounds=look_on)
    try:
        worth = solver.run(keep)
    except KeyboardInterrupt:
        kept = "-o FILE would save them" if options.out is None else "the same command continues from there"
        clear()
        print_error(f"stopped with {len(found)} of {len(plan.rounds)} rounds; {kept}")
        return EXIT_INTERRUPTED
    if worth.high - worth.low > 2 * MAX_EXPLOITABILITY_RATIO**2 * options.target:
        print_error("the bounds do not get closer: single precision is not enough, or a match may never end")
    if options.as_json:
        print(json.dumps(_figures(options, start, worth, found), indent=2))
    return 0


def _known(file: Path | None, rules: Ruleset) -> tuple[Strategy, ...]:
    """What a file holds from before. Raises `MalformedError` where it is of another match."""
    if file is None or not file.exists():
        return ()
    solved = read_strategies(file)
    if not solved.match or solved.rules != rules:
        raise MalformedError(f"{file} does not hold matches under these rules; choose another file")
    return solved.strategies


def _line(strategy: Strategy) -> str:
    low, high = _chances(ValueInterval(strategy.bounds.low, strategy.bounds.high))
    return f"{strategy.start!s:<40} {low:.5f} to {high:.5f}"


def _chances(worth: ValueInterval) -> tuple[float, float]:
    """How likely the match is won, from what it is worth."""
    return (1 + worth.low) / 2, (1 + worth.high) / 2


def _figures(options: SolveMatchOptions, start: RoundStart, worth: ValueInterval, found: list[Strategy]) -> dict[str, object]:
    return {
        "rules": options.rules,
        "dice": str(start),
        "p_win_bounds": _chances(worth),
        "method": options.method,
        "rounds": [
            {
                "dice": list(one.start.dice),
                "special": one.start.special,
                "had_special": list(one.start.had_special),
                "exact_calls": list(one.start.exact_calls),
                "p_win_bounds": _chances(ValueInterval(one.bounds.low, one.bounds.high)),
                "iterations": one.bounds.iterations,
            }
            for one in found
        ],
    }
