"""`liarsdice solve match`: solves a match of two players, with the probability of winning at each number of dice."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec

from liarsdice.cli.solve.commands import SolveMatchOptions
from liarsdice.cli.solve.options import read_dice, read_method, require_positive, with_starting_dice
from liarsdice.cli.stdio import EXIT_INTERRUPTED, print_error
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.parts import Labels, Players
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.cfr.solver import make_tree_that_fits
from liarsdice.solve.match_solver import MatchSolver, ValueInterval, check_match_memory, make_match_plan
from liarsdice.solve.round_game import RoundStart, make_round_game, of_round
from liarsdice.solve.strategy.average_strategy import MAX_EXPLOITABILITY_RATIO
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies
from liarsdice.version import __version__

COLUMNS = 78


def run(options: SolveMatchOptions) -> int:
    """Solve the rounds from the last to the first and print bounds of the opener's probability of winning.

    Returns 0, or 130 after Ctrl-C. Raises `MalformedError` if an option has no meaning, and `UnavailableError` if the
    file cannot be written or the match does not fit into memory.
    """
    start, method = read_dice(options.dice), read_method(options.method)
    rules = with_starting_dice(of_round(find_rules(options.rules), start.dice, options.faces), start)
    require_positive(target=options.target)
    check_writable(options.out)
    make_tree_that_fits(make_round_game(rules, start), method)
    plan = make_match_plan(rules, start)
    check_match_memory(plan, method)
    known_strategies = _read_known(options.out, rules)
    solved: list[Strategy] = []

    def show_bounds(start: RoundStart, bounds: Bounds) -> None:
        progress_text = (
            f"{len(solved)} of {len(plan.rounds)} rounds, {start}: exploitability {bounds.exploitability:.2e}"
        )
        print(f"\r{progress_text:<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    on_bounds = show_bounds if sys.stderr.isatty() else None

    def clear_line() -> None:
        if on_bounds:
            print(f"\r{'':<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    def save_strategy(strategy: Strategy) -> None:
        solved.append(strategy)
        clear_line()
        if options.out is not None:
            by_start = {known.start: known for known in (*known_strategies, *solved)}
            write_strategies(options.out, StrategySet(rules, True, tuple(by_start.values())), __version__)
        if not options.as_json:
            print(_format_round(strategy), flush=True)

    if not options.as_json:
        faces = rules.dice.faces
        print(f"{rules.labels.game}, {faces} faces: bounds of the probability that the player who opens wins the match")
    solver = MatchSolver(
        plan, method, options.target, known=known_strategies, threads=options.threads, on_bounds=on_bounds
    )
    try:
        value = solver.run(save_strategy)
    except KeyboardInterrupt:
        hint = "-o FILE would save them" if options.out is None else "the same command continues from there"
        clear_line()
        print_error(f"stopped with {len(solved)} of {len(plan.rounds)} rounds; {hint}")
        return EXIT_INTERRUPTED
    if value.high - value.low > 2 * MAX_EXPLOITABILITY_RATIO**2 * options.target:
        print_error("the bounds do not get closer: single precision is not enough, or a match may never end")
    if options.as_json:
        print(json.dumps(_as_json(options, start, value, solved), indent=2))
    return 0


def _read_known(file: Path | None, rules: Ruleset) -> tuple[Strategy, ...]:
    """Return the strategies in a file of an earlier run. Raises `MalformedError` if it has other rules or rounds."""
    if file is None or not file.exists():
        return ()
    strategy_set = read_strategies(file)
    if not strategy_set.match or _without_names(strategy_set.rules) != _without_names(rules):
        raise MalformedError(f"{file} does not hold matches under these rules; choose another file")
    return strategy_set.strategies


def _without_names(rules: Ruleset) -> Ruleset:
    """Return the rules without what changes no match of two players: the table's words and the numbers of players."""
    return msgspec.structs.replace(rules, labels=Labels(), players=Players())


def _format_round(strategy: Strategy) -> str:
    low, high = _win_probabilities(ValueInterval(strategy.bounds.low, strategy.bounds.high))
    return f"{strategy.start!s:<40} {low:.5f} to {high:.5f}"


def _win_probabilities(value: ValueInterval) -> tuple[float, float]:
    """Return bounds of the probability of winning the match from those of its value."""
    return (1 + value.low) / 2, (1 + value.high) / 2


def _as_json(
    options: SolveMatchOptions, start: RoundStart, value: ValueInterval, solved: list[Strategy]
) -> dict[str, object]:
    return {
        "rules": options.rules,
        "dice": str(start),
        "p_win_bounds": _win_probabilities(value),
        "method": options.method,
        "rounds": [
            {
                "dice": list(strategy.start.dice),
                "special": strategy.start.special,
                "had_special": list(strategy.start.had_special),
                "exact_calls": list(strategy.start.exact_calls),
                "lives": list(strategy.start.lives) if strategy.start.lives else None,
                "p_win_bounds": _win_probabilities(ValueInterval(strategy.bounds.low, strategy.bounds.high)),
                "iterations": strategy.bounds.iterations,
            }
            for strategy in solved
        ],
    }
