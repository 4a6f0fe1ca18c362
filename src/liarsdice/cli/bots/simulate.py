"""`liarsdice simulate`: bots play each other, and a table says how they did."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from liarsdice.analysis.simulation import MOST_MATCHES, Contest, Score, Standings, contest, labels
from liarsdice.bots.external.user_bots import listed
from liarsdice.cli.exit_status import INTERRUPTED
from liarsdice.cli.text_table import in_columns
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.signals import TerminatedError, stoppable

HEADINGS: tuple[str, ...] = ("bot", "wins", "share (95%)", "moves", "calls", "exact", "faults")


class Options(msgspec.Struct, frozen=True):
    """What to play. `bots` are names with commas between them."""

    rules: str
    bots: str
    matches: int
    seed: int
    seats: int | None
    as_json: bool


def run(options: Options) -> int:
    """Play, print, and say how it ended: 0, or 130 and the like when it was stopped; what was played is printed."""
    if options.matches < 1:
        raise MalformedError(f"play at least one match, not {options.matches}")
    if options.matches > MOST_MATCHES:
        raise MalformedError(f"--matches is {MOST_MATCHES:,} at most, not {options.matches}")
    table = contest(find_rules(options.rules), listed(options.bots), seats=options.seats, seed=options.seed)
    standings, stopped, started = table.nothing_yet(), 0, time.perf_counter()
    with stoppable():
        try:
            with _progress(options.matches) as numbers:
                for number in numbers:
                    standings = standings.plus(table.play(number))
        except TerminatedError as order:
            stopped = order.status
        except KeyboardInterrupt:
            stopped = INTERRUPTED
    seconds = time.perf_counter() - started
    for warning in standings.warnings:
        print(f"liarsdice: {warning}", file=sys.stderr)
    print(_as_json(options, table, standings, seconds) if options.as_json else _as_text(table, standings, seconds))
    if stopped:
        print(f"liarsdice: stopped after {standings.matches} of {options.matches} matches", file=sys.stderr)
    return stopped


@contextmanager
def _progress(matches: int) -> Iterator[Iterator[int]]:
    """The numbers of the matches, with a bar on stderr if that is a terminal."""
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


def _as_json(options: Options, table: Contest, standings: Standings, seconds: float) -> str:
    bots = [
        {
            "bot": label,
            **msgspec.structs.asdict(score),
            "win_share": score.win_share,
            "win_share_95": score.win_share_95,
        }
        for label, score in zip(labels(table.specs), standings.scores, strict=True)
    ]
    return json.dumps(
        {
            "rules": options.rules,
            "seed": options.seed,
            "seats": len(table.specs),
            "matches": standings.matches,
            "matches_asked": options.matches,
            "rounds": standings.rounds,
            "seconds": round(seconds, 3),
            "bots": bots,
        },
        indent=2,
    )


def _as_text(table: Contest, standings: Standings, seconds: float) -> str:
    matches = standings.matches
    counted = f"{matches} {'match' if matches == 1 else 'matches'}"
    head = f"{table.ruleset.labels.game}, {len(table.specs)} seats, {counted} from seed {table.seed}"
    if not matches:
        return head
    decisions = sum(score.decisions for score in standings.scores)
    means = (
        f"{standings.rounds / matches:.1f} rounds and {decisions / matches:.1f} decisions a match, "
        f"{matches / seconds:.0f} matches a second"
    )
    rows = [HEADINGS, *map(_row, labels(table.specs), standings.scores)]
    return "\n".join([head, means, "", *in_columns(rows), "", "moves: a match; calls, exact: right of made"])


def _row(label: str, score: Score) -> tuple[str, ...]:
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
