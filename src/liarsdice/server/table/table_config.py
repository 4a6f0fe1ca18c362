"""What a table is opened with: its rules, its seats, its clock and its manners."""

from __future__ import annotations

import msgspec

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import LONGEST_NAME
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.patch import MOST_FACES
from liarsdice.core.rules.ruleset import Ruleset

MOST_PLAYERS = 10
MOST_DICE_EACH = 20
"""Twice what a table of people plays with; what a turn costs the server grows faster than the dice in play."""

DEFAULT_BOT = "inference"
LONGEST_TURN_S = 24 * 3600
TURN_S_RANGE = (5, LONGEST_TURN_S)


class Away(Choice):
    """What becomes of a seat whose player stays away on their turn."""

    BOT = "bot"
    WAIT = "wait"


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a player may think: `turn_s` seconds a turn, and `bank_s` more for the whole match. None: no clock."""

    turn_s: int | None = None
    bank_s: int = 0


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a table is set up.

    `rules_name` is what the rules were chosen as: a preset's name, or "" for house rules; `rules_base` then is the
    preset that they were changed from, "" where it is not known. `hints`: whether the page may show how likely a bid
    is, with up to a hundred dice in play. `spectators`: whether people without a seat may watch. `listed`: whether the
    lobby shows the table. `away`: who plays for somebody who is gone.
    """

    title: str
    ruleset: Ruleset
    rules_name: str = ""
    rules_base: str = ""
    seats: int = 6
    clock: Clock = Clock()
    hints: bool = False
    spectators: bool = True
    listed: bool = False
    away: Away = Away.BOT
    bot: str = DEFAULT_BOT


def check_options(options: Options) -> None:
    """Raise `MalformedError` where a table cannot be opened so; the message says what would do."""
    check_name(options.title, "a table's name")
    players = options.ruleset.players
    most = min(players.max or MOST_PLAYERS, MOST_PLAYERS)
    if not players.min <= options.seats <= most:
        raise MalformedError(
            f"{options.ruleset.labels.game} seats {players.min} to {most} players here, not {options.seats}"
        )
    for field, number, limit in (
        ("dice.faces", options.ruleset.dice.faces, MOST_FACES),
        ("dice.per_player", options.ruleset.dice.per_player, MOST_DICE_EACH),
    ):
        if number > limit:
            raise MalformedError(f"{field} is {number}, but may be at most {limit} at a table of this server")
    turn_s, (least, longest) = options.clock.turn_s, TURN_S_RANGE
    if turn_s is not None and not least <= turn_s <= longest:
        raise MalformedError(f"a turn lasts {least} to {longest} seconds, or has no limit, not {turn_s}")
    if not 0 <= options.clock.bank_s <= LONGEST_TURN_S or (options.clock.bank_s and turn_s is None):
        raise MalformedError(
            f"a time bank is 0 to {LONGEST_TURN_S} seconds and goes with a limit per turn, not {options.clock.bank_s}"
        )
    if any(len(name) > 200 or not name.isprintable() for name in (options.rules_name, options.rules_base)):
        raise MalformedError("the rules' name is at most 200 printable characters")
    make_bot(options.bot)


def check_name(name: str, what: str = "a player's name") -> None:
    """Raise `MalformedError` for a name that is empty, long, or not made of printable characters."""
    if name != name.strip() or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise MalformedError(f"{what} is 1 to {LONGEST_NAME} printable characters, none of them around it")
