"""`liarsdice solve match`: what a whole match of two players is worth from every number of dice on the way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from liarsdice import __version__
from liarsdice.cli.exit_status import INTERRUPTED
from liarsdice.cli.solve.solve_options import Asked, need_positive, of_so_many
from liarsdice.cli.stdio import complain
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import need_writable
from liarsdice.solve.cfr.memory_check import tree_that_fits
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.game.round_game import round_of
from liarsdice.solve.game.round_start import Opening
from liarsdice.solve.match_solver import Between, MatchSolver, need_to_fit, plan_of
from liarsdice.solve.strategy.average_strategy import DEARER
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import Solved, read_solved, write_solved

COLUMNS = 78


class Options(Asked, frozen=True, kw_only=True):
    """What to solve, how nearly, and where to write it."""

    target: float
    out: Path | None
    as_json: bool


def run(options: Options) -> int:
    """Solve round by round, the last ones first, and print how likely who opens wins.

    Returns 0, or 130 after Ctrl-C.
    """
    opening, method = options.opening(), options.found_method()
    rules = of_so_many(options.found_rules(), opening)
    need_positive(target=options.target)
    need_writable(options.out)
    tree_that_fits(round_of(rules, opening), method)
    plan = plan_of(rules, opening)
    need_to_fit(plan, method)
    known = _known(options.out, rules)
    found: list[Strategy] = []

    def look(opening: Opening, bounds: Bounds) -> None:
        done = f"{len(found)} of {len(plan.rounds)} rounds, {opening}: exploitability {bounds.exploitability:.2e}"
        print(f"\r{done:<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    look_on = look if sys.stderr.isatty() else None

    def clear() -> None:
        if look_on:
            print(f"\r{'':<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    def keep(strategy: Strategy) -> None:
        found.append(strategy)
        clear()
        if options.out is not None:
            kept = {one.opening: one for one in (*known, *found)}
            write_solved(options.out, Solved(rules, True, tuple(kept.values())), __version__)
        if not options.as_json:
            print(_line(strategy), flush=True)

    if not options.as_json:
        faces = rules.dice.faces
        print(f"{rules.labels.game}, {faces} faces: how likely who opens wins the match, between bounds")
    solver = MatchSolver(plan, method, options.target, known=known, threads=options.threads, look=look_on)
    try:
        worth = solver.run(keep)
    except KeyboardInterrupt:
        kept = "-o FILE would keep them" if options.out is None else "the same command goes on from there"
        clear()
        complain(f"stopped with {len(found)} of {len(plan.rounds)} rounds; {kept}")
        return INTERRUPTED
    if worth.high - worth.low > 2 * DEARER**2 * options.target:
        complain("bounds come no closer: single precision is not enough, or a match may never end")
    if options.as_json:
        print(json.dumps(_figures(options, opening, worth, found), indent=2))
    return 0


def _known(file: Path | None, rules: Ruleset) -> tuple[Strategy, ...]:
    """What a file holds from before. Raises `MalformedError` where it is of another match."""
    if file is None or not file.exists():
        return ()
    solved = read_solved(file)
    if not solved.match or solved.rules != rules:
        raise MalformedError(f"{file} holds something else than matches by these rules; choose another file")
    return solved.strategies


def _line(strategy: Strategy) -> str:
    low, high = _chances(Between(strategy.bounds.low, strategy.bounds.high))
    return f"{strategy.opening!s:<40} {low:.5f} to {high:.5f}"


def _chances(worth: Between) -> tuple[float, float]:
    """How likely the match is won, from what it is worth."""
    return (1 + worth.low) / 2, (1 + worth.high) / 2


def _figures(options: Options, opening: Opening, worth: Between, found: list[Strategy]) -> dict[str, object]:
    return {
        "rules": options.rules,
        "dice": str(opening),
        "p_win_bounds": _chances(worth),
        "method": options.method,
        "rounds": [
            {
                "dice": list(one.opening.dice),
                "special": one.opening.special,
                "had_special": list(one.opening.had_special),
                "exact_calls": list(one.opening.exact_calls),
                "p_win_bounds": _chances(Between(one.bounds.low, one.bounds.high)),
                "iterations": one.bounds.iterations,
            }
            for one in found
        ],
    }
