"""`liarsdice solve`: solves one round of two players and prints its value and the exploitability."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress

import msgspec

from liarsdice.cli.solve.commands import SolveRoundOptions
from liarsdice.cli.solve.options import read_dice, read_method, require_positive
from liarsdice.cli.stdio import SolveProgress, print_error
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.solve.cfr.solver import Solver, make_tree_that_fits, solve
from liarsdice.solve.round_game import make_round_game, of_round
from liarsdice.solve.round_solver import DEFAULT_TARGET
from liarsdice.solve.strategy.average_strategy import average_strategy, quantized
from liarsdice.solve.strategy.reach import MAX_NODES
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, write_strategies
from liarsdice.version import __version__


class SolveTime(msgspec.Struct, frozen=True):
    """The time that compiling and solving took, in seconds."""

    compile_s: float
    cpu_s: float
    wall_s: float


def run(options: SolveRoundOptions) -> int:
    """Solve the round, write the strategy if `out` is given, and print the result. Returns 0.

    Raises `MalformedError` if an option has no meaning, and `UnavailableError` if the file cannot be written or the
    round does not fit into memory.
    """
    command_s = time.perf_counter()
    target = options.target
    if target is None and options.iterations is None and options.seconds is None:
        target = DEFAULT_TARGET
    require_positive(target=target, iterations=options.iterations, seconds=options.seconds)
    check_writable(options.out)
    method, start = read_method(options.method), read_dice(options.dice)
    rules = of_round(find_rules(options.rules), start.dice, options.faces)
    tree = make_tree_that_fits(make_round_game(rules, start), method)
    solver = Solver(tree, method, threads=options.threads)
    compile_s = solver.compile_kernels()
    progress = (
        None
        if options.as_json or not sys.stderr.isatty()
        else SolveProgress(target, options.iterations, options.seconds, command_s)
    )
    began_s, cpu_s = time.perf_counter(), time.process_time()
    bounds = None
    with suppress(KeyboardInterrupt):  # the strategy so far is kept
        bounds = solve(
            solver,
            target=target,
            iterations=options.iterations,
            seconds=options.seconds,
            began_s=command_s,
            on_progress=progress.show if progress else None,
        )
    solve_time = SolveTime(compile_s, time.process_time() - cpu_s, time.perf_counter() - began_s)
    if progress:
        progress.end()
        if tree.subtree_types[tree.root].node_count > MAX_NODES:
            print("certifying the bounds in double precision takes a few seconds", file=sys.stderr)
    has_limit = options.iterations is not None or options.seconds is not None
    if target is not None and bounds is not None and not has_limit and bounds.exploitability > target:
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
        "rss_mb": _peak_memory_mb(),
        "public_nodes": tree.subtree_types[tree.root].node_count,
        "method": strategy.method,
    }
    return json.dumps(figures, indent=2)


def _peak_memory_mb() -> float | None:
    """Return the peak memory of this process in megabytes, or None if the system does not report it."""
    try:
        import resource
    except ImportError:  # not available on Windows
        return None
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1)


def _as_text(strategy: Strategy, solve_time: SolveTime) -> str:
    bounds, tree = strategy.bounds, strategy.tree
    rules = tree.game.rules
    value, nodes = (bounds.low + bounds.high) / 2, tree.subtree_types[tree.root].node_count
    game = f"{rules.labels.game}, {tree.game.start}, {rules.dice.faces} faces"
    effort = f"{bounds.iterations} iterations of {strategy.method}, {solve_time.cpu_s:.3f} CPU s"
    return "\n".join(
        (
            f"{game}: {nodes:,} public nodes",
            f"value for the player who opens: {value:+.6f} (between {bounds.low:.6f} and {bounds.high:.6f})",
            f"exploitability {bounds.exploitability:.2e} after {effort}",
        )
    )
