"""Who sits at the table: the human, and bots with names of their own."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.bots.external.user_bots import any_bot
from liarsdice.bots.protocol import Bot
from liarsdice.cli.play.saved_match import Seats
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset

PLAYER = "Player"
"""The human's name in records, where everybody is told of by name, unless the human gave another."""

BOT_NAMES = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ivy", "Joe", "Kay", "Lu", "Mia", "Nia", "Oz", "Pam"]
OPPONENTS = ("inference", "threshold", "threshold:0.4")
"""The bots that sit down when nobody asks for others, over and over."""

USUAL_SEATS = 4


def seat_all(rules: Ruleset, me: str, specs: Sequence[str], seats: int | None, seed: str) -> tuple[Seats, list[str]]:
    """The human in the first seat and a bot in each other one, with the names of all.

    `specs` are repeated or cut until everybody has one; without `seats` they say how many there are.
    """
    if me.casefold() == "you":
        raise MalformedError(f"{me!r} is what the table calls you anyway (give the name that others call you)")
    wanted = seats or (len(specs) + 1 if specs else _usual(rules))
    if wanted > len(BOT_NAMES):
        raise UnavailableError(f"this table has {len(BOT_NAMES)} chairs, not {wanted}")
    chosen = specs or OPPONENTS
    for spec in chosen:
        any_bot(spec)  # an unknown one is refused before anything is written
    others = [name for name in BOT_NAMES if name.lower() != me.lower()][: wanted - 1]
    bots = [chosen[place % len(chosen)] for place in range(len(others))]
    return Seats(0, ("", *bots), seed), [me, *others]


def seats_of(names: Sequence[str], seed: str) -> Seats:
    """Who sits where in a record that does not say: the human in the first seat, as everywhere here."""
    bots = (OPPONENTS[seat % len(OPPONENTS)] for seat in range(1, len(names)))
    return Seats(0, ("", *bots), seed)


def with_bots(seats: Seats, specs: Sequence[str]) -> Seats:
    """The same seats with other bots, repeated until everybody has one."""
    for spec in specs:
        any_bot(spec)
    others = [seat for seat, bot in enumerate(seats.bots) if bot]
    chosen = {seat: specs[place % len(specs)] for place, seat in enumerate(others)}
    return msgspec.structs.replace(seats, bots=tuple(chosen.get(seat, "") for seat in range(len(seats.bots))))


def make_bots(seats: Seats, event_count: int) -> dict[int, Bot]:
    """The bots by seat; their chance depends on the seed and on how far the match has come."""
    return {seat: any_bot(spec, f"{seats.seed}/{seat}/{event_count}") for seat, spec in enumerate(seats.bots) if spec}


def _usual(rules: Ruleset) -> int:
    most = rules.players.max
    return max(rules.players.min, USUAL_SEATS if most is None else min(USUAL_SEATS, most))
