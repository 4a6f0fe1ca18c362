"""`liarsdice solve table`: solves rounds or matches for all numbers of dice under several rules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from liarsdice.cli.solve.commands import SolveTableOptions
from liarsdice.cli.solve.options import read_method, read_rules, require_positive, with_starting_dice
from liarsdice.cli.stdio import EXIT_INTERRUPTED, print_error
from liarsdice.core.errors import MalformedError
from liarsdice.solve.match_solver import FILE_SUFFIX, SolveJob, SolveResult, solve_many
from liarsdice.solve.round_game import RoundStart
from liarsdice.version import __version__


class Row(msgspec.Struct, frozen=True):
    """The result of a game: bounds of the value of a round, or of the opener's probability of winning a match.

    `refused` is the reason if the game cannot be solved; then there are no bounds and no file.
    """

    rules: str
    dice: str
    faces: int
    bounds: tuple[float, float] | None
    refused: str | None
    file: str | None


def run(options: SolveTableOptions) -> int:
    """Solve the games that the folder lacks and print a line for each game.

    Returns 0, or 130 after Ctrl-C. Raises `MalformedError` if two games would have the same file.
    """
    require_positive(target=options.target)
    jobs_by_name: dict[str, tuple[str, SolveJob]] = {}
    for rules, job in _jobs(options):
        if jobs_by_name.setdefault(job.name, (rules, job)) != (rules, job):
            other_rules = jobs_by_name[job.name][0]
            raise MalformedError(f"{other_rules} and {rules} would both write {job.name}{FILE_SUFFIX}; rename one")
    rows: dict[str, Row] = {}
    jobs = [job for _, job in jobs_by_name.values()]
    if not options.as_json:
        heading = "probability that the opener wins" if options.matches else "value for the opener"
        print(f"{'rules':<24} {'dice':<6} {heading}")
    try:
        for result in solve_many(jobs, options.out, __version__, workers=options.jobs, ray=options.ray):
            row = rows[result.job.name] = _row(jobs_by_name[result.job.name][0], result)
            if not options.as_json:
                print(_format_row(row), flush=True)
            if sys.stderr.isatty():
                print(f"{len(rows)} of {len(jobs_by_name)} games", end="\r", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print_error(f"stopped with {len(rows)} of {len(jobs_by_name)} games; the same command continues from there")
        return EXIT_INTERRUPTED
    if options.as_json:
        print(msgspec.json.format(msgspec.json.encode([rows[name] for name in jobs_by_name])).decode())
    return 0


def _format_row(row: Row) -> str:
    outcome = row.refused if row.bounds is None else f"{row.bounds[0]:.6f} to {row.bounds[1]:.6f}"
    return f"{row.rules:<24} {row.dice:<6} {outcome}"


def _jobs(options: SolveTableOptions) -> Iterator[tuple[str, SolveJob]]:
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


def _row(rules: str, result: SolveResult) -> Row:
    job, strategy = result.job, result.strategy
    dice, faces = str(job.start), job.rules.dice.faces
    if strategy is None:
        return Row(rules, dice, faces, None, result.refusal, None)
    low, high = strategy.bounds.low, strategy.bounds.high
    bounds = ((1 + low) / 2, (1 + high) / 2) if job.match else (low, high)
    return Row(rules, dice, faces, bounds, None, job.name + FILE_SUFFIX)
