"""`liarsdice solve table`: what every number of dice is worth, by several rules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from liarsdice import __version__
from liarsdice.cli.solve.solve_options import read_method, read_rules, require_positive, with_starting_dice
from liarsdice.cli.stdio import EXIT_INTERRUPTED, print_error
from liarsdice.core.errors import MalformedError
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.parallel import FILE_SUFFIX, SolveJob, SolveResult, solve_many


class SolveTableOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which games to solve, how nearly, where to write them, and how many at once."""

    rules: str
    faces: int | None
    method: str
    up_to: int
    target: float
    matches: bool
    out: Path
    jobs: int
    ray: bool
    as_json: bool


class Row(msgspec.Struct, frozen=True):
    """What is told of a game: bounds of the value of a round, or of the chance that who opens wins the match."""

    rules: str
    dice: str
    faces: int
    bounds: tuple[float, float] | None
    refused: str | None
    file: str | None


def run(options: SolveTableOptions) -> int:
    """Solve what the folder lacks, and print a line for every game. Returns 0, or 130 after Ctrl-C."""
    require_positive(target=options.target)
    games: dict[str, tuple[str, SolveJob]] = {}
    for rules, game in _games(options):
        if games.setdefault(game.name, (rules, game)) != (rules, game):
            twin = games[game.name][0]
            raise MalformedError(f"{twin} and {rules} would both write {game.name}{FILE_SUFFIX}; rename one")
    found: dict[str, Row] = {}
    wanted = [game for _, game in games.values()]
    if not options.as_json:
        heading = "probability that the opener wins" if options.matches else "value for the opener"
        print(f"{'rules':<24} {'dice':<6} {heading}")
    try:
        for answer in solve_many(wanted, options.out, __version__, workers=options.jobs, ray=options.ray):
            row = found[answer.job.name] = _row(games[answer.job.name][0], answer)
            if not options.as_json:
                print(_line(row), flush=True)
            if sys.stderr.isatty():
                print(f"{len(found)} of {len(games)} games", end="\r", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print_error(f"stopped with {len(found)} of {len(games)} games; the same command continues from there")
        return EXIT_INTERRUPTED
    if options.as_json:
        print(msgspec.json.format(msgspec.json.encode([found[name] for name in games])).decode())
    return 0


def _line(row: Row) -> str:
    told = row.refused if row.bounds is None else f"{row.bounds[0]:.6f} to {row.bounds[1]:.6f}"
    return f"{row.rules:<24} {row.dice:<6} {told}"


def _games(options: SolveTableOptions) -> Iterator[tuple[str, SolveJob]]:
    """All games, each with what its rules are called."""
    method = read_method(options.method)
    for name in dict.fromkeys(one.strip() for one in options.rules.split(",")):
        rules = read_rules(name, options.faces)
        for total in range(2, options.up_to + 1):
            for mine in range(total - 1, 0, -1):
                start = RoundStart((mine, total - mine))
                kind = "match" if options.matches else "round"
                game = SolveJob(
                    name=f"{Path(name).stem}-{rules.dice.faces}-faces-{start}-{kind}",
                    rules=with_starting_dice(rules, start) if options.matches else rules,
                    start=start,
                    match=options.matches,
                    method=method,
                    target=options.target,
                )
                yield name, game


def _row(rules: str, answer: SolveResult) -> Row:
    game, strategy = answer.job, answer.strategy
    dice, faces = str(game.start), game.rules.dice.faces
    if strategy is None:
        return Row(rules, dice, faces, None, answer.refusal, None)
    low, high = strategy.bounds.low, strategy.bounds.high
    bounds = ((1 + low) / 2, (1 + high) / 2) if game.match else (low, high)
    return Row(rules, dice, faces, bounds, None, game.name + FILE_SUFFIX)
