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
from liarsdice.cli.solve.solve_options import SolveOptions, require_positive
from liarsdice.cli.stdio import print_error
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.solve.cfr.memory_check import make_tree_that_fits
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.round_game import make_round_game
from liarsdice.solve.strategy.average_strategy import average_strategy, quantized
from liarsdice.solve.strategy.reach import MAX_NODES
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, write_strategies

DEFAULT_TARGET = 1e-3


class SolveRoundOptions(SolveOptions, frozen=True, kw_only=True):
    """What to solve, when to stop, and where to write it."""

    target: float | None
    iterations: int | None
    seconds: float | None
    out: Path | None
    as_json: bool


class SolveTime(msgspec.Struct, frozen=True):
    """What solving took."""

    compile_s: float
    cpu_s: float
    wall_s: float


def run(options: SolveRoundOptions) -> int:
    """Solve, print, and write the strategy where that is asked for. Returns 0."""
    target = options.target
    if target is None and options.iterations is None and options.seconds is None:
        target = DEFAULT_TARGET
    require_positive(target=target, iterations=options.iterations, seconds=options.seconds)
    check_writable(options.out)
    method = options.read_method()
    tree = make_tree_that_fits(make_round_game(options.read_rules(), options.start()), method)
    solver = Solver(tree, method, threads=options.threads)
    compile_s = solver.compile_kernels()
    pace = None if options.as_json or not sys.stderr.isatty() else Pace(target, options.iterations, options.seconds)
    began_s, cpu_s = time.perf_counter(), time.process_time()
    found = None
    with suppress(KeyboardInterrupt):  # what was learned so far is kept
        found = solve(
            solver,
            target=target,
            iterations=options.iterations,
            seconds=options.seconds,
            on_progress=pace.tell if pace else None,
        )
    solve_time = SolveTime(compile_s, time.process_time() - cpu_s, time.perf_counter() - began_s)
    if pace:
        pace.end()
        if tree.subtree_types[tree.root].node_count > MAX_NODES:
            print("certifying the bounds in double precision takes a few seconds", file=sys.stderr)
    limited = options.iterations is not None or options.seconds is not None
    if target is not None and found is not None and not limited and found.exploitability > target:
        print_error(f"--target {target:g} is beyond single precision; this is as close as it gets")
    strategy = average_strategy(solver)
    del solver
    if options.out is not None:
        strategy = quantized(strategy)
        write_strategies(options.out, StrategySet(tree.game.rules, False, (strategy,)), __version__)
    print(_as_json(strategy, solve_time) if options.as_json else _as_text(strategy, solve_time))
    if options.out is not None and not options.as_json:
        print(f"wrote {options.out}")
    return 0


def _as_json(strategy: Strategy, solve_time: SolveTime) -> str:
    bounds, tree = strategy.bounds, strategy.tree
    figures = {
        "exploitability": bounds.exploitability,
        "value": (bounds.low + bounds.high) / 2,
        "value_bounds": [bounds.low, bounds.high],
        "iterations": bounds.iterations,
        "cpu_s": round(solve_time.cpu_s, 3),
        "wall_s": round(solve_time.wall_s, 3),
        "compile_s": round(solve_time.compile_s, 3),
        "rss_mb": _most_memory_mb(),
        "public_nodes": tree.subtree_types[tree.root].node_count,
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


def _as_text(strategy: Strategy, solve_time: SolveTime) -> str:
    bounds, tree = strategy.bounds, strategy.tree
    rules = tree.game.rules
    value, nodes = (bounds.low + bounds.high) / 2, tree.subtree_types[tree.root].node_count
    game = f"{rules.labels.game}, {tree.game.start}, {rules.dice.faces} faces"
    took = f"{bounds.iterations} iterations of {strategy.method}, {solve_time.cpu_s:.3f} CPU s"
    return "\n".join(
        (
            f"{game}: {nodes:,} public nodes",
            f"value for the player who opens: {value:+.6f} (between {bounds.low:.6f} and {bounds.high:.6f})",
            f"exploitability {bounds.exploitability:.2e} after {took}",
        )
    )
