"""`liarsdice solve`: solves a round, a match, or a table of many of them, and prints the values."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from liarsdice.cli.solve.commands import SolveMatchOptions, SolveRoundOptions, SolveTableOptions
from liarsdice.cli.solve.options import read_dice, read_method, read_rules, require_positive, with_starting_dice
from liarsdice.cli.stdio import EXIT_INTERRUPTED, SolveProgress, format_duration, print_error
from liarsdice.core.errors import MalformedError, counted
from liarsdice.core.rules.parts import Labels, Players
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.cfr.solver import Solver, make_tree_that_fits, solve
from liarsdice.solve.match_solver import (
    FILE_SUFFIX,
    MatchSolver,
    SolveJob,
    SolveResult,
    ValueInterval,
    check_match_memory,
    make_match_plan,
    solve_many,
)
from liarsdice.solve.round_game import PublicTree, RoundStart, make_round_game, of_round
from liarsdice.solve.round_solver import DEFAULT_TARGET
from liarsdice.solve.strategy.average_strategy import (
    MAX_EXPLOITABILITY_RATIO,
    average_strategy,
    certification_s,
    quantized,
)
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies
from liarsdice.version import __version__

LONG_S = 2.0
"""Certifying for more seconds than this is announced."""


class SolveTime(msgspec.Struct, frozen=True):
    """The time that compiling and solving took, in seconds."""

    compile_s: float
    cpu_s: float
    wall_s: float


class RoundResult(msgspec.Struct, frozen=True):
    """What is printed of a solved round. `certified`: whether the bounds are, or estimates in single precision."""

    tree: PublicTree
    bounds: Bounds
    method: str
    certified: bool


def run_round(options: SolveRoundOptions) -> int:
    """Solve the round, write the strategy if `out` is given, and print the result.

    Returns 0, or 130 if Ctrl-C ended it before the file was written. Raises `MalformedError` if an option has no
    meaning, and `UnavailableError` if the file cannot be written or the round does not fit into memory.
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
    finish_s = certification_s(tree) * (1 if options.out is None else 2)  # a file is certified anew
    fits = options.seconds is None or finish_s <= options.seconds / 2
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
            seconds=options.seconds - finish_s if options.seconds is not None and fits else options.seconds,
            began_s=command_s,
            on_progress=progress.show if progress else None,
        )
    solve_time = SolveTime(compile_s, time.process_time() - cpu_s, time.perf_counter() - began_s)
    if progress:
        progress.end()
    has_limit = options.iterations is not None or options.seconds is not None
    if target is not None and bounds is not None and not has_limit and bounds.exploitability > target:
        print_error(f"--target {target:g} is beyond single precision; this is as close as it gets")
    result = RoundResult(tree, solver.bounds() if bounds is None else bounds, method.value, certified=False)
    if options.out is None and not fits:
        print_error(f"certified bounds take about {format_duration(finish_s)}, more than half of --seconds")
    else:
        with suppress(KeyboardInterrupt):
            _announce_certifying(options.out, finish_s)
            strategy = average_strategy(solver)
            del solver  # its arrays are the largest
            result = _kept(strategy, options.out)
    print(_round_json(result, solve_time) if options.as_json else _round_text(result, solve_time))
    if options.out is not None and not result.certified:
        print_error(f"stopped before {options.out} was written")
        return EXIT_INTERRUPTED
    if options.out is not None and not options.as_json:
        print(f"wrote {options.out}")
    return 0


def _announce_certifying(out: Path | None, finish_s: float) -> None:
    """Say on stderr that certifying takes long, if it does, and what Ctrl-C does meanwhile.

    `finish_s`: about how many seconds it takes.
    """
    if finish_s > LONG_S:
        work = "certifying the bounds" if out is None else f"certifying the bounds and writing {out}"
        loss = "shows estimates instead" if out is None else "loses the strategy"
        print_error(f"{work} takes about {format_duration(finish_s)}; Ctrl-C {loss}")


def _kept(strategy: Strategy, out: Path | None) -> RoundResult:
    """Return the certified result, and write the strategy to `out` if that is given."""
    if out is not None:
        strategy = quantized(strategy)
        write_strategies(out, StrategySet(strategy.tree.game.rules, False, (strategy,)), __version__)
    return RoundResult(strategy.tree, strategy.bounds, strategy.method, certified=True)


def _round_json(result: RoundResult, solve_time: SolveTime) -> str:
    bounds, tree = result.bounds, result.tree
    figures = {
        "exploitability": bounds.exploitability,
        "value": (bounds.low + bounds.high) / 2,
        "value_bounds": [bounds.low, bounds.high],
        "certified": result.certified,
        "iterations": bounds.iterations,
        "cpu_s": round(solve_time.cpu_s, 3),
        "wall_s": round(solve_time.wall_s, 3),
        "compile_s": round(solve_time.compile_s, 3),
        "rss_mb": _peak_memory_mb(),
        "public_nodes": tree.subtree_types[tree.root].node_count,
        "method": result.method,
    }
    return json.dumps(figures, indent=2)


def _peak_memory_mb() -> float | None:
    """Return the peak memory of this process in megabytes, or None if the system does not report it."""
    try:
        import resource
    except ImportError:  # not available on Windows
        return None
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1)


def _round_text(result: RoundResult, solve_time: SolveTime) -> str:
    bounds, tree = result.bounds, result.tree
    rules = tree.game.rules
    value, nodes = (bounds.low + bounds.high) / 2, tree.subtree_types[tree.root].node_count
    game = f"{rules.labels.game}, {tree.game.start}, {rules.dice.faces} faces"
    effort = f"{counted(bounds.iterations, 'iteration')} of {result.method}, {solve_time.cpu_s:.3f} CPU s"
    about = "" if result.certified else "estimated, not certified: "
    return "\n".join(
        (
            f"{game}: {nodes:,} public nodes",
            f"{about}value for the player who opens: {value:+.6f} (between {bounds.low:.6f} and {bounds.high:.6f})",
            f"{about}exploitability {bounds.exploitability:.2e} after {effort}",
        )
    )


COLUMNS = 78


def run_match(options: SolveMatchOptions) -> int:
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
        rounds = f"{len(solved)} of {counted(len(plan.rounds), 'round')}"
        progress_text = f"{rounds}, {start}: exploitability {bounds.exploitability:.2e}"
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
        print_error(f"stopped with {len(solved)} of {counted(len(plan.rounds), 'round')}; {hint}")
        return EXIT_INTERRUPTED
    if value.high - value.low > 2 * MAX_EXPLOITABILITY_RATIO**2 * options.target:
        print_error("the bounds do not get closer: single precision is not enough, or a match may never end")
    if options.as_json:
        print(json.dumps(_match_json(options, start, value, solved), indent=2))
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
    low, high = _win_probabilities(strategy.bounds)
    return f"{strategy.start!s:<40} {low:.5f} to {high:.5f}"


def _win_probabilities(value: ValueInterval | Bounds) -> tuple[float, float]:
    """Return bounds of the probability of winning the match from those of its value."""
    return (1 + value.low) / 2, (1 + value.high) / 2


def _match_json(
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
                "p_win_bounds": _win_probabilities(strategy.bounds),
                "iterations": strategy.bounds.iterations,
            }
            for strategy in solved
        ],
    }


class TableRow(msgspec.Struct, frozen=True):
    """The result of a game: bounds of the value of a round, or of the opener's probability of winning a match.

    `refused` is the reason if the game cannot be solved; then there are no bounds and no file.
    """

    rules: str
    dice: str
    faces: int
    bounds: tuple[float, float] | None
    refused: str | None
    file: str | None


def run_table(options: SolveTableOptions) -> int:
    """Solve the games that the folder lacks and print a line for each game.

    Returns 0, or 130 after Ctrl-C. Raises `MalformedError` if two games would have the same file.
    """
    require_positive(target=options.target)
    jobs_by_name: dict[str, tuple[str, SolveJob]] = {}
    for rules, job in _table_jobs(options):
        if jobs_by_name.setdefault(job.name, (rules, job)) != (rules, job):
            other_rules = jobs_by_name[job.name][0]
            raise MalformedError(f"{other_rules} and {rules} would both write {job.name}{FILE_SUFFIX}; rename one")
    rows: dict[str, TableRow] = {}
    jobs = [job for _, job in jobs_by_name.values()]
    if not options.as_json:
        heading = "probability that the opener wins" if options.matches else "value for the opener"
        print(f"{'rules':<24} {'dice':<6} {heading}")
    try:
        for result in solve_many(jobs, options.out, __version__, workers=options.jobs, ray=options.ray):
            row = rows[result.job.name] = _table_row(jobs_by_name[result.job.name][0], result)
            if not options.as_json:
                print(_format_table_row(row), flush=True)
            if sys.stderr.isatty():
                print(f"{len(rows)} of {counted(len(jobs_by_name), 'game')}", end="\r", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print_error(
            f"stopped with {len(rows)} of {counted(len(jobs_by_name), 'game')}; the same command continues from there"
        )
        return EXIT_INTERRUPTED
    if options.as_json:
        print(msgspec.json.format(msgspec.json.encode([rows[name] for name in jobs_by_name])).decode())
    return 0


def _format_table_row(row: TableRow) -> str:
    outcome = row.refused if row.bounds is None else f"{row.bounds[0]:.6f} to {row.bounds[1]:.6f}"
    return f"{row.rules:<24} {row.dice:<6} {outcome}"


def _table_jobs(options: SolveTableOptions) -> Iterator[tuple[str, SolveJob]]:
    """Yield the job of each game with the name of its rules."""
    method = read_method(options.method)
    for name in dict.fromkeys(part.strip() for part in options.rules.split(",")):
        rules = read_rules(name, options.faces)
        for dice_count in range(2, options.up_to + 1):
            for opener_dice in range(dice_count - 1, 0, -1):
                start = RoundStart((opener_dice, dice_count - opener_dice))
                kind = "match" if options.matches else "round"
                job = SolveJob(
                    name=f"{Path(name).stem}-{rules.dice.faces}-faces-{start}-{kind}",
                    rules=with_starting_dice(rules, start) if options.matches else rules,
                    start=start,
                    match=options.matches,
                    method=method,
                    target=options.target,
                )
                yield name, job


def _table_row(rules: str, result: SolveResult) -> TableRow:
    job, strategy = result.job, result.strategy
    dice, faces = str(job.start), job.rules.dice.faces
    if strategy is None:
        return TableRow(rules, dice, faces, None, result.refusal, None)
    bounds = _win_probabilities(strategy.bounds) if job.match else (strategy.bounds.low, strategy.bounds.high)
    return TableRow(rules, dice, faces, bounds, None, job.name + FILE_SUFFIX)
