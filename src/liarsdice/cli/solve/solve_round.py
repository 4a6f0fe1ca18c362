"""`liarsdice solve`: exact play in one round of two players, and how far from it play still is."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from liarsdice import __version__
from liarsdice.cli.progress import Pace
from liarsdice.cli.solve.solve_options import Asked, need_positive
from liarsdice.cli.stdio import complain
from liarsdice.runtime.atomic_files import need_writable
from liarsdice.solve.cfr.memory_check import tree_that_fits
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.round_game import round_of
from liarsdice.solve.strategy.average_strategy import rounded, strategy_of
from liarsdice.solve.strategy.reach import MOST_NODES
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import Solved, write_solved

USUAL_TARGET = 1e-3


class Options(Asked, frozen=True, kw_only=True):
    """What to solve, when to stop, and where to write it."""

    target: float | None
    iterations: int | None
    seconds: float | None
    out: Path | None
    as_json: bool


class Spent(msgspec.Struct, frozen=True):
    """What solving took."""

    compile_s: float
    cpu_s: float
    wall_s: float


def run(options: Options) -> int:
    """Solve, print, and write the strategy where that is asked for. Returns 0."""
    target = options.target
    if target is None and options.iterations is None and options.seconds is None:
        target = USUAL_TARGET
    need_positive(target=target, iterations=options.iterations, seconds=options.seconds)
    need_writable(options.out)
    method = options.found_method()
    tree = tree_that_fits(round_of(options.found_rules(), options.opening()), method)
    solver = Solver(tree, method, threads=options.threads)
    compile_s = solver.get_ready()
    pace = None if options.as_json or not sys.stderr.isatty() else Pace(target, options.iterations, options.seconds)
    began_s, cpu_s = time.perf_counter(), time.process_time()
    found = None
    with suppress(KeyboardInterrupt):  # what was learned so far is kept
        found = solve(
            solver,
            target=target,
            iterations=options.iterations,
            seconds=options.seconds,
            tell=pace.tell if pace else None,
        )
    spent = Spent(compile_s, time.process_time() - cpu_s, time.perf_counter() - began_s)
    if pace:
        pace.end()
        if tree.kinds[tree.root].nodes > MOST_NODES:
            print("certifying its bounds in double precision takes some seconds", file=sys.stderr)
    limited = options.iterations is not None or options.seconds is not None
    if target is not None and found is not None and not limited and found.exploitability > target:
        complain(f"--target {target:g} is nearer than single precision comes; this is as near as it got")
    strategy = strategy_of(solver)
    del solver
    if options.out is not None:
        strategy = rounded(strategy)
        write_solved(options.out, Solved(tree.round.rules, False, (strategy,)), __version__)
    print(_as_json(strategy, spent) if options.as_json else _as_text(strategy, spent))
    if options.out is not None and not options.as_json:
        print(f"wrote {options.out}")
    return 0


def _as_json(strategy: Strategy, spent: Spent) -> str:
    bounds, tree = strategy.bounds, strategy.tree
    figures = {
        "exploitability": bounds.exploitability,
        "value": (bounds.low + bounds.high) / 2,
        "value_bounds": [bounds.low, bounds.high],
        "iterations": bounds.iterations,
        "cpu_s": round(spent.cpu_s, 3),
        "wall_s": round(spent.wall_s, 3),
        "compile_s": round(spent.compile_s, 3),
        "rss_mb": _most_memory_mb(),
        "public_nodes": tree.kinds[tree.root].nodes,
        "method": strategy.method,
    }
    return json.dumps(figures, indent=2)


def _most_memory_mb() -> float | None:
    """The most memory that this process had at a time; None where the system doesn't tell."""
    try:
        import resource
    except ImportError:  # Windows has none
        return None
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1)


def _as_text(strategy: Strategy, spent: Spent) -> str:
    bounds, tree = strategy.bounds, strategy.tree
    rules = tree.round.rules
    value, nodes = (bounds.low + bounds.high) / 2, tree.kinds[tree.root].nodes
    game = f"{rules.labels.game}, {tree.round.opening}, {rules.dice.faces} faces"
    took = f"{bounds.iterations} iterations of {strategy.method}, {spent.cpu_s:.3f} CPU s"
    return "\n".join(
        (
            f"{game}: {nodes:,} public nodes",
            f"value for who opens: {value:+.6f} (between {bounds.low:.6f} and {bounds.high:.6f})",
            f"exploitability {bounds.exploitability:.2e} after {took}",
        )
    )
