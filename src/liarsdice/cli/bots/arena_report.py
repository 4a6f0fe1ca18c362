"""What `liarsdice arena` does and prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from pathlib import Path

import msgspec

from liarsdice import __version__
from liarsdice.analysis.arena import Arena, Deal, arena
from liarsdice.analysis.arena_file import Kept
from liarsdice.analysis.parallel import play_deals
from liarsdice.analysis.ratings import Rating, ratings
from liarsdice.analysis.simulation import MOST_MATCHES
from liarsdice.analysis.summary import Standing, Summary, summary
from liarsdice.bots.external.user_bots import listed
from liarsdice.cli.exit_status import INTERRUPTED
from liarsdice.cli.text_table import in_columns
from liarsdice.core.errors import MalformedError, printable
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.signals import TerminatedError, stoppable

HEADINGS = ("bot", "win share (95%)", "fair", "place", "median", "p99", "faults")
MOST_PLACES = 8
"""At larger tables only the mean place is printed; JSON has all."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What to play. `bots` and `field` are names with commas between them."""

    bots: str | None
    subject: str | None
    field: str | None
    seats: int | None
    rules: str
    matches: int
    seed: int
    duplicate: bool
    jobs: int
    ray: bool
    out: Path | None
    as_json: bool


def run(options: Options) -> int:
    """Play what is missing, and print; 0, or 130 and the like when it was stopped, and then what is done is printed."""
    if options.matches > MOST_MATCHES:
        raise MalformedError(f"--matches is {MOST_MATCHES:,} at most, not {options.matches}")
    contest = _contest(options)
    wanted = range(contest.deals(options.matches))
    known: dict[int, Deal] = {}
    stopped = 0
    with nullcontext() if options.out is None else Kept(options.out, contest, __version__) as kept, stoppable():
        if kept is not None:
            known |= {number: deal for number, deal in kept.deals.items() if number in wanted}
        try:
            for deal in _played(contest, wanted, set(known), options):
                known[deal.number] = deal
                if kept is not None:
                    kept.keep(deal)
        except TerminatedError as order:
            stopped = order.status
        except KeyboardInterrupt:
            stopped = INTERRUPTED
    if known:
        _tell(options, contest, list(known.values()))
    if stopped:
        print(f"liarsdice: stopped after {len(known)} of {len(wanted)} deals", file=sys.stderr)
    return stopped


def _contest(options: Options) -> Arena:
    if (options.subject is None) is not (options.field is None) or (options.bots is None) is (options.subject is None):
        raise MalformedError("name the bots: --bots A,B or --subject A --field B")
    return arena(
        find_rules(options.rules),
        listed(options.bots or "") if options.subject is None else [options.subject],
        field=listed(options.field or ""),
        seats=options.seats,
        seed=options.seed,
        duplicate=options.duplicate,
    )


def _played(contest: Arena, wanted: range, known: AbstractSet[int], options: Options) -> Iterator[Deal]:
    """The deals that aren't known, counted on stderr if that is a terminal."""
    watched, done = sys.stderr.isatty(), len(known)
    missing = (number for number in wanted if number not in known)
    for deal in play_deals(contest, missing, jobs=options.jobs, ray=options.ray):
        yield deal
        done += 1
        if watched:
            print(
                f"\r{done} of {len(wanted)} deals", end="\n" if done == len(wanted) else "", file=sys.stderr, flush=True
            )


def _tell(options: Options, contest: Arena, deals: list[Deal]) -> None:
    found = summary(contest, deals)
    rated = _ratings(contest, deals)
    for line in found.told:
        print(f"liarsdice: {printable(line)}", file=sys.stderr)
    print(_as_json(options, contest, found, rated) if options.as_json else _as_text(contest, found, rated))


def _ratings(contest: Arena, deals: list[Deal]) -> tuple[Rating, ...]:
    """Ratings of a pool; of two bots the win share says it all."""
    if contest.subject or len(contest.bots) < 3:
        return ()
    played = sorted(deals, key=lambda deal: deal.number)
    return ratings(((one.seating, one.places) for deal in played for one in deal.matches), len(contest.bots))


def _as_json(options: Options, contest: Arena, found: Summary, rated: tuple[Rating, ...]) -> str:
    asked = {
        "rules": options.rules,
        "bots": contest.bots,
        "subject": contest.bots[0] if contest.subject else None,
        "seats": contest.seats,
        "seed": contest.seed,
        "duplicate": contest.duplicate,
        "matches_asked": options.matches,
    }
    return msgspec.json.format(msgspec.json.encode(asked | msgspec.structs.asdict(found) | {"ratings": rated})).decode()


def _as_text(contest: Arena, found: Summary, rated: tuple[Rating, ...]) -> str:
    dealt = f", {found.deals} deals, each played from every seat" if contest.duplicate else ""
    head = f"{contest.ruleset.labels.game}, {contest.seats} seats, {found.matches} matches{dealt}, seed {contest.seed}"
    means = f"{found.rounds / found.matches:.1f} rounds a match, {found.matches_per_s:.0f} matches a second and process"
    rows = [HEADINGS, *map(_row, found.standings)]
    if rated:
        strengths = [f"{one.strength:.1f} ± {one.error:.1f}" for one in rated]
        rows = [(*row, more) for row, more in zip(rows, ("rating", *strengths), strict=True)]
    lines = [head, means, "", *in_columns(rows)]
    if contest.seats <= MOST_PLACES:
        places = [("place", *(str(place) for place in range(1, contest.seats + 1)))]
        places += [(one.bot, *(f"{share:.1%}" for share in one.place_shares)) for one in found.standings]
        lines += ["", *in_columns(places)]
    return "\n".join(lines)


def _row(one: Standing) -> tuple[str, ...]:
    low, high = one.win_share_95
    return (
        one.bot,
        f"{one.win_share:.1%} ({100 * low:.1f}-{100 * high:.1f})",
        f"{one.fair_share:.1%}",
        f"{one.mean_place:.2f}",
        _ms(one.median_ms),
        _ms(one.p99_ms),
        str(one.faults),
    )


def _ms(time_ms: float | None) -> str:
    return "" if time_ms is None else f"{time_ms:.2f} ms"
