"""`liarsdice arena`: measures how strong bots are, and what best responses win against them in one round."""

import json
import sys
import time
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import nullcontext

import msgspec

from liarsdice.analysis.ratings import Rating, ratings
from liarsdice.bots.external.user_bots import load_bot, parse_bot_list
from liarsdice.cli.solve.options import read_dice, read_rules
from liarsdice.cli.stdio import EXIT_INTERRUPTED, align_columns
from liarsdice.core.errors import MalformedError, counted, printable
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.processes import TerminatedError, stoppable
from liarsdice.version import __version__
from liarsdice_lab.best_response import exploitability, exploitability_bounds
from liarsdice_lab.cli.app import ArenaOptions, ExploitOptions, GateOptions
from liarsdice_lab.tournaments.arena import (
    Arena,
    ArenaFile,
    ArenaSummary,
    BotSummary,
    DealResult,
    make_arena,
    play_deals,
    summarize,
)
from liarsdice_lab.tournaments.gate import MIXED, OPPONENTS, CellResult, make_cells, play_gate, rules_names
from liarsdice_lab.tournaments.simulation import MAX_MATCHES

HEADINGS = ("bot", "win share (95%)", "fair", "place", "median", "p99", "faults")
MAX_PLACE_COLUMNS = 8
"""With more seats, only the mean place is printed; the JSON has the share of each place."""


def run(options: ArenaOptions) -> int:
    """Play the deals that the file lacks and print the summary.

    Returns 0, or 128 and the number of the signal that stopped it; then the summary covers the deals played so far.
    Raises `MalformedError` if the options name too many matches or not the right bots.
    """
    if options.matches > MAX_MATCHES:
        raise MalformedError(f"--matches is {MAX_MATCHES:,} at most, not {options.matches}")
    arena = _make_arena(options)
    numbers = range(arena.deals_for(options.matches))
    known: dict[int, DealResult] = {}
    stopped = 0
    with nullcontext() if options.out is None else ArenaFile(options.out, arena, __version__) as arena_file:
        if arena_file is not None:
            known |= {number: deal for number, deal in arena_file.deals.items() if number in numbers}
        try:
            with stoppable() as raise_if_stopped:
                for deal in _play_missing(arena, numbers, set(known), options):
                    known[deal.number] = deal
                    if arena_file is not None:
                        arena_file.append(deal)
                    raise_if_stopped()
        except TerminatedError as order:
            stopped = order.status
        except KeyboardInterrupt:
            stopped = EXIT_INTERRUPTED
    if known:
        _print_summary(options, arena, list(known.values()))
    if stopped:
        print(f"liarsdice: stopped after {len(known)} of {counted(len(numbers), 'deal')}", file=sys.stderr)
    return stopped


def _make_arena(options: ArenaOptions) -> Arena:
    """Return the arena of the options. Raises `MalformedError` unless they name the bots in one of two ways."""
    has_subject = options.subject is not None
    if has_subject is (options.opponents is None) or has_subject is (options.bots is not None):
        raise MalformedError("name the bots: --bots A,B or --subject A --opponents B")
    return make_arena(
        find_rules(options.rules),
        parse_bot_list(options.bots or "") if options.subject is None else [options.subject],
        opponents=parse_bot_list(options.opponents or ""),
        seats=options.seats,
        seed=options.seed,
        duplicate=options.duplicate,
        adjusted=options.adjusted,
        playouts=options.playouts,
    )


def _play_missing(arena: Arena, numbers: range, known: AbstractSet[int], options: ArenaOptions) -> Iterator[DealResult]:
    """Yield the results of the deals that are not known yet, and count them on stderr if that is a terminal."""
    on_terminal, done = sys.stderr.isatty(), len(known)
    missing = (number for number in numbers if number not in known)
    for deal in play_deals(arena, missing, jobs=options.jobs, ray=options.ray):
        yield deal
        done += 1
        if on_terminal:
            print(
                f"\r{done} of {counted(len(numbers), 'deal')}",
                end="\n" if done == len(numbers) else "",
                file=sys.stderr,
                flush=True,
            )


def _print_summary(options: ArenaOptions, arena: Arena, deals: list[DealResult]) -> None:
    summary = summarize(arena, deals)
    bot_ratings = _ratings(arena, deals)
    for warning in summary.warnings:
        print(f"liarsdice: {printable(warning)}", file=sys.stderr)
    print(_as_json(options, arena, summary, bot_ratings) if options.as_json else _as_text(arena, summary, bot_ratings))


def _ratings(arena: Arena, deals: list[DealResult]) -> tuple[Rating, ...]:
    """Return the ratings of a pool of bots; none for two bots or a subject, whose win shares suffice."""
    if arena.has_subject or len(arena.bots) < 3:
        return ()
    played = sorted(deals, key=lambda deal: deal.number)
    return ratings(((match.seating, match.places) for deal in played for match in deal.matches), len(arena.bots))


def _as_json(options: ArenaOptions, arena: Arena, summary: ArenaSummary, bot_ratings: tuple[Rating, ...]) -> str:
    settings = {
        "rules": options.rules,
        "bots": arena.bots,
        "subject": arena.bots[0] if arena.has_subject else None,
        "seats": arena.seats,
        "seed": arena.seed,
        "duplicate": arena.duplicate,
        "adjusted": arena.adjusted,
        "playouts": arena.playouts,
        "matches_asked": options.matches,
    }
    return msgspec.json.format(
        msgspec.json.encode(settings | msgspec.to_builtins(summary) | {"ratings": bot_ratings})
    ).decode()


def _as_text(arena: Arena, summary: ArenaSummary, bot_ratings: tuple[Rating, ...]) -> str:
    deals_text = f", {counted(summary.deals, 'deal')}, each played from every seat" if arena.duplicate else ""
    played = f"{counted(summary.matches, 'match', 'matches')}{deals_text}"
    head = f"{arena.ruleset.labels.game}, {arena.seats} seats, {played}, seed {arena.seed}"
    rounds_per_match, speed = summary.rounds / summary.matches, summary.matches_per_s
    means = f"{rounds_per_match:.1f} rounds per match, {speed:.0f} matches per second and process"
    rows = [HEADINGS, *map(_row, summary.standings)]
    if bot_ratings:
        strengths = [f"{rating.strength:.1f} ± {rating.error:.1f}" for rating in bot_ratings]
        rows = [(*row, strength) for row, strength in zip(rows, ("rating", *strengths), strict=True)]
    if arena.adjusted:
        cells = ("adjusted (95%)", *map(_adjusted_cell, summary.standings))
        rows = [(*row, cell) for row, cell in zip(rows, cells, strict=True)]
    lines = [head, means, "", *align_columns(rows)]
    if arena.seats <= MAX_PLACE_COLUMNS:
        places = [("place", *(str(place) for place in range(1, arena.seats + 1)))]
        places += [(bot.bot, *(f"{share:.1%}" for share in bot.place_shares)) for bot in summary.standings]
        lines += ["", *align_columns(places)]
    return "\n".join(lines)


def _row(bot: BotSummary) -> tuple[str, ...]:
    low, high = bot.win_share_95
    return (
        bot.bot,
        f"{bot.win_share:.1%} ({100 * low:.1f}-{100 * high:.1f})",
        f"{bot.fair_share:.1%}",
        f"{bot.mean_place:.2f}",
        _ms(bot.median_ms),
        _ms(bot.p99_ms),
        str(bot.faults),
    )


def _adjusted_cell(bot: BotSummary) -> str:
    """Return the adjusted share with its interval, and how many times less it varies, if the raw one varies at all."""
    if bot.adjusted is None:
        return ""
    low, high = bot.adjusted.share_95
    ratio = f" {bot.adjusted.variance_ratio:.2f}x" if 0 < bot.win_share < 1 else ""
    return f"{bot.adjusted.share:.1%} ({100 * low:.1f}-{100 * high:.1f}){ratio}"


def _ms(time_ms: float | None) -> str:
    return "" if time_ms is None else f"{time_ms:.2f} ms"


def run_gate(options: GateOptions) -> int:
    """Print the result of each table, then those where the bot falls short. Returns 1 if there are any, else 0.

    Raises `MalformedError` or `UnavailableError` if rules, bots or the file cannot be used.
    """
    try:
        seats = [int(count) for count in options.seats.split(",")]
    except ValueError:
        raise MalformedError(f"--seats takes numbers such as 2,4, not {options.seats!r:.80}") from None
    rules = rules_names() if options.rules is None else [name.strip() for name in options.rules.split(",")]
    opponents = OPPONENTS if options.opponents is None else parse_bot_list(options.opponents)
    cells = make_cells(rules, seats, opponents)
    for name in {options.subject, *opponents} - {MIXED}:
        load_bot(name)
    short = []
    for result in play_gate(
        cells, options.subject, options.out, __version__, most=options.matches, seed=options.seed, jobs=options.jobs
    ):
        print(_gate_line(result), flush=True)
        if result.falls_short:
            short.append(result)
    print(f"\n{options.subject} falls short at {len(short)} of {len(cells)} tables", *map(_gate_line, short), sep="\n")
    return int(bool(short))


def _gate_line(result: CellResult) -> str:
    cell = result.cell
    return (
        f"{cell.rules}, {cell.seats} seats, among {cell.opponent}: {result.share:.1%}"
        f" ({100 * result.low:.1f}-{100 * result.high:.1f}), asked {cell.asked:.1%},"
        f" {counted(result.matches, 'match', 'matches')}" + f", {counted(result.faults, 'fault')}" * bool(result.faults)
    )


EXPLOIT_HEADINGS = ("bot", "exploitability", "as first", "as second", "own moves only", "at most", "seconds")
OWN_MOVE_PROB = 0.05
"""A move counts as the bot's own if the bot makes it with the same hand at this probability or more."""
EXPLANATION = (
    "exploitability: what an opponent who knows the bot's probabilities wins a round, in rounds won less rounds lost"
    " (0 to 1), mean of both seats; own moves only: if it makes only moves that the bot makes with the same hand at"
    f" {OWN_MOVE_PROB:.0%} or more"
)

BOUND_EXPLANATION = (
    "exploitability: at least this is won by an opponent who knows the bot's probabilities, in rounds won less rounds"
    " lost, mean of both seats; it looks ahead where the bot's own bids lead with probability {min_reach:g} or more;"
    " at most: if it sees the bot's hand elsewhere"
)
NO_FIGURE = "-"


class ExploitRow(msgspec.Struct, frozen=True):
    """The result of one bot, or a lower bound of it and, `at_most`, an upper bound.

    `restricted`: the exploitability by the bot's own moves only, None beside bounds.
    """

    bot: str
    exploitability: float
    as_first: float
    as_second: float
    restricted: float | None
    at_most: float | None
    seconds: float


def run_exploit(options: ExploitOptions) -> int:
    """Print a table with a row for each bot. Returns 0.

    Raises `UnavailableError` or `MalformedError` if a bot, the rules or the dice cannot be used.
    """
    if options.min_reach is not None and not 0 < options.min_reach <= 1:
        raise MalformedError(f"--min-reach is above 0 and at most 1, not {options.min_reach:g}")
    rules, start = read_rules(options.rules, options.faces), read_dice(options.dice)
    rows = [_measure(name, rules, start.dice, options) for name in options.bots]
    if options.as_json:
        print(json.dumps([msgspec.structs.asdict(row) for row in rows], indent=2))
        return 0
    table = [
        EXPLOIT_HEADINGS,
        *(
            (
                row.bot,
                f"{row.exploitability:.4f}",
                f"{row.as_first:+.4f}",
                f"{row.as_second:+.4f}",
                NO_FIGURE if row.restricted is None else f"{row.restricted:.4f}",
                NO_FIGURE if row.at_most is None else f"{row.at_most:.4f}",
                f"{row.seconds:.1f}",
            )
            for row in rows
        ),
    ]
    print(
        f"{rules.labels.game}, {options.dice}, {rules.dice.faces} faces",
        "",
        *align_columns(table),
        "",
        EXPLANATION if options.min_reach is None else BOUND_EXPLANATION.format(min_reach=options.min_reach),
        sep="\n",
    )
    return 0


def _measure(name: str, rules: Ruleset, dice: tuple[int, int], options: ExploitOptions) -> ExploitRow:
    bot, began_s = load_bot(name, 0), time.perf_counter()
    restricted, at_most, stakes = None, None, options.match_stakes
    if options.min_reach is None:
        full = exploitability(bot, rules, dice, match_stakes=stakes)
        restricted = exploitability(bot, rules, dice, min_prob=OWN_MOVE_PROB, match_stakes=stakes).exploitability
    else:
        bounds = exploitability_bounds(bot, rules, dice, options.min_reach, match_stakes=stakes)
        full, at_most = bounds.low, bounds.high.exploitability
    seconds = round(time.perf_counter() - began_s, 1)
    return ExploitRow(name, full.exploitability, full.as_first, full.as_second, restricted, at_most, seconds)
