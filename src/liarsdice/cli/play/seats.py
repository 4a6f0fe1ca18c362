"""Assigns the seats of a match to the human and to named bots."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.bots.external.user_bots import load_bot
from liarsdice.bots.protocol import Bot
from liarsdice.cli.play.saved_match import Seats
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.player_names import look_alike, normalize_name

DEFAULT_NAME = "Player"
"""The human's name in records if no other is given."""

BOT_NAMES = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ivy", "Joe", "Kay", "Lu", "Mia", "Nia", "Oz", "Pam"]
DEFAULT_BOTS = ("inference", "threshold", "threshold:0.4")
"""The bots of a match without --bots, repeated until every seat is taken."""

DEFAULT_SEAT_COUNT = 4


def assign_seats(
    rules: Ruleset, player_name: str, specs: Sequence[str], seats: int | None, seed: str
) -> tuple[Seats, list[str]]:
    """Return the seats and the names: the human in the first seat and a bot in each other one.

    `specs` are repeated or cut until every bot's seat has one. Without `seats`, their number is that of `specs` and
    one. Raises `InvalidNameError`, `MalformedError` if the human is called "you", and `UnavailableError` if there are
    too few names.
    """
    player_name = normalize_name(player_name)
    if look_alike(player_name, "you"):
        raise MalformedError(f"a player cannot be called {player_name!r} (choose another name)")
    seat_count = seats or (len(specs) + 1 if specs else _default_seat_count(rules))
    if seat_count > len(BOT_NAMES):
        raise UnavailableError(f"a table has at most {len(BOT_NAMES)} seats, not {seat_count}")
    bot_specs = specs or DEFAULT_BOTS
    for spec in bot_specs:
        load_bot(spec)  # refuses an unknown bot before anything is written
    bot_names = [name for name in BOT_NAMES if not look_alike(name, player_name)][: seat_count - 1]
    bots = [bot_specs[index % len(bot_specs)] for index in range(len(bot_names))]
    return Seats(0, ("", *bots), seed), [player_name, *bot_names]


def default_seats(names: Sequence[str], seed: str) -> Seats:
    """Return the seats of a record whose seats file is lost: the human in the first seat and the default bots."""
    bots = (DEFAULT_BOTS[seat % len(DEFAULT_BOTS)] for seat in range(1, len(names)))
    return Seats(0, ("", *bots), seed)


def replace_bots(seats: Seats, specs: Sequence[str]) -> Seats:
    """Return the same seats with other bots, repeated until every bot's seat has one."""
    for spec in specs:
        load_bot(spec)
    bot_seats = [seat for seat, spec in enumerate(seats.bots) if spec]
    new_specs = {seat: specs[index % len(specs)] for index, seat in enumerate(bot_seats)}
    return msgspec.structs.replace(seats, bots=tuple(new_specs.get(seat, "") for seat in range(len(seats.bots))))


def make_bots(seats: Seats, event_count: int) -> dict[int, Bot]:
    """Return the bots by seat. Their random choices depend on the seed and on the number of events so far."""
    return {seat: load_bot(spec, f"{seats.seed}/{seat}/{event_count}") for seat, spec in enumerate(seats.bots) if spec}


def _default_seat_count(rules: Ruleset) -> int:
    max_players = rules.players.max
    return max(rules.players.min, DEFAULT_SEAT_COUNT if max_players is None else min(DEFAULT_SEAT_COUNT, max_players))
