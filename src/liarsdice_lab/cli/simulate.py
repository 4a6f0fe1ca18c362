"""`liarsdice simulate`: lets bots play each other and prints a table of their results."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from liarsdice.bots.external.user_bots import parse_bot_list
from liarsdice.cli.stdio import EXIT_INTERRUPTED, align_columns
from liarsdice.core.errors import MalformedError, counted
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.processes import TerminatedError, stoppable
from liarsdice_lab.cli.app import SimulateOptions
from liarsdice_lab.tournaments.simulation import (
    MAX_MATCHES,
    BotScore,
    Simulation,
    SimulationResult,
    bot_labels,
    make_simulation,
)

HEADINGS: tuple[str, ...] = ("bot", "wins", "share (95%)", "moves", "calls", "exact", "faults")


def run(options: SimulateOptions) -> int:
    """Play the matches and print the result.

    Returns 0, or 128 and the number of the signal that stopped it; then the result is that of the matches played so
    far. Raises `MalformedError` if the number of matches is out of range.
    """
    if options.matches < 1:
        raise MalformedError(f"play at least one match, not {options.matches}")
    if options.matches > MAX_MATCHES:
        raise MalformedError(f"--matches is {MAX_MATCHES:,} at most, not {options.matches}")
    simulation = make_simulation(
        find_rules(options.rules), parse_bot_list(options.bots), seats=options.seats, seed=options.seed
    )
    standings, stopped, started = simulation.empty_result(), 0, time.perf_counter()
    try:
        with stoppable() as raise_if_stopped, _progress(options.matches) as numbers:
            for number in numbers:
                standings = standings + simulation.play(number)
                raise_if_stopped()
    except TerminatedError as order:
        stopped = order.status
    except KeyboardInterrupt:
        stopped = EXIT_INTERRUPTED
    seconds = time.perf_counter() - started
    for warning in standings.warnings:
        print(f"liarsdice: {warning}", file=sys.stderr)
    print(
        _as_json(options, simulation, standings, seconds)
        if options.as_json
        else _as_text(simulation, standings, seconds)
    )
    if stopped:
        print(
            f"liarsdice: stopped after {standings.matches} of {counted(options.matches, 'match', 'matches')}",
            file=sys.stderr,
        )
    return stopped


@contextmanager
def _progress(matches: int) -> Iterator[Iterator[int]]:
    """Iterate over the numbers of the matches, with a progress bar on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield iter(range(matches))
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        yield iter(progress.track(range(matches)))


def _as_json(options: SimulateOptions, simulation: Simulation, standings: SimulationResult, seconds: float) -> str:
    bots = [
        {
            "bot": label,
            **msgspec.structs.asdict(score),
            "win_share": score.win_share,
            "win_share_95": score.win_share_95,
        }
        for label, score in zip(bot_labels(simulation.bots), standings.scores, strict=True)
    ]
    return json.dumps(
        {
            "rules": options.rules,
            "seed": options.seed,
            "seats": len(simulation.bots),
            "matches": standings.matches,
            "matches_asked": options.matches,
            "rounds": standings.rounds,
            "seconds": round(seconds, 3),
            "bots": bots,
        },
        indent=2,
    )


def _as_text(simulation: Simulation, standings: SimulationResult, seconds: float) -> str:
    matches = standings.matches
    matches_text = counted(matches, "match", "matches")
    head = f"{simulation.ruleset.labels.game}, {len(simulation.bots)} seats, {matches_text} from seed {simulation.seed}"
    if not matches:
        return head
    decisions = sum(score.decisions for score in standings.scores)
    means = (
        f"{standings.rounds / matches:.1f} rounds and {decisions / matches:.1f} decisions per match, "
        f"{matches / seconds:.0f} matches per second"
    )
    rows = [HEADINGS, *map(_row, bot_labels(simulation.bots), standings.scores)]
    return "\n".join(
        [head, means, "", *align_columns(rows), "", "moves: per match; calls and exact calls: right / made"]
    )


def _row(label: str, score: BotScore) -> tuple[str, ...]:
    low, high = score.win_share_95
    return (
        label,
        f"{score.wins:.6g}",
        f"{score.win_share:.1%} ({100 * low:.1f}-{100 * high:.1f})",
        f"{score.decisions / score.matches:.1f}",
        f"{score.calls_right}/{score.calls}",
        f"{score.exact_calls_right}/{score.exact_calls}",
        str(score.faults),
    )
