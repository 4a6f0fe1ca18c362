"""The configuration of a table: its rules, seats, clock and what its players may see and do."""

from __future__ import annotations

from typing import Literal

import msgspec

from liarsdice.bots.registry import bot_maker
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.rule_costs import check_costs
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.player_names import normalize_name

MAX_PLAYERS = 20
DEFAULT_BOT = "inference"
BestOf = Literal[1, 3, 5, 7]
DAY_S = 24 * 3600
TURN_S_RANGE = (5, 14 * DAY_S)
MAX_BANK_S = DAY_S
SLOW_TURN_S = 3600
"""A table whose turns last this long is a slow one: nobody waits at it with an open page."""


class Away(Choice):
    """What happens to a seat whose player is away on their turn: a bot plays it, or the match waits."""

    BOT = "bot"
    WAIT = "wait"


class Leaver(Choice):
    """What happens when a player leaves a match: a bot plays on, to the end of the match or of the round, or it pauses.

    `OUT`: the seat is out with the next deal. `PAUSE`: until the host goes on; then a bot plays.
    """

    BOT = "bot"
    PAUSE = "pause"
    OUT = "out"


class Pace(Choice):
    """How long bots wait before they move, and reveals before the next round: shorter, as usual, or longer."""

    QUICK = "quick"
    NORMAL = "normal"
    RELAXED = "relaxed"


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time limits: `turn_s` seconds a turn (None: no limit), and a time bank of `bank_s` seconds a match."""

    turn_s: int | None = None
    bank_s: int = 0

    @property
    def slow(self) -> bool:
        """Whether players play by post: nobody waits at the table with an open page."""
        return self.turn_s is not None and self.turn_s >= SLOW_TURN_S


LISTED_CLOCK = Clock(turn_s=30, bank_s=120)
"""The clock of a table that the lobby shows, unless its host chooses another or none."""


class TableConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The configuration of a table.

    `rules_name`: the name of the preset that was chosen, "" for house rules. `rules_base`: the preset that house rules
    were derived from, "" if unknown. `hints`: whether players are shown the probabilities of bids, with up to 100 dice
    in play. `training`: whether players may ask for estimates of hands and moves. `spectators`: whether people without
    a seat may watch a match. `open_cups`: whether players who are out see all dice, also while people play on.
    `listed`: whether the lobby shows the table. `approval`: whether the host decides who sits down.
    `away`: who plays for a player who is away. `leaver`: what happens when a player leaves. `bot`: the bot that stands
    in. `pace`: how long bots and reveals leave people to follow. `best_of`: the matches of a series, which ends when a
    player has won more than half of so many; 1 for single matches. `quick`: the table of a quick match, which begins by
    itself.
    """

    title: str
    ruleset: Ruleset
    rules_name: str = ""
    rules_base: str = ""
    seats: int = 6
    clock: Clock = Clock()
    hints: bool = False
    training: bool = False
    spectators: bool = True
    open_cups: bool = False
    listed: bool = False
    approval: bool = False
    away: Away = Away.BOT
    leaver: Leaver = Leaver.BOT
    bot: str = DEFAULT_BOT
    pace: Pace = Pace.NORMAL
    best_of: BestOf = 1
    quick: bool = False


def normalize_config(config: TableConfig) -> TableConfig:
    """Return a configuration with its title in normal form (`normalize_name`).

    Raises `MalformedError` if no table can have this configuration (the message says what is allowed),
    `CostlyRulesError` if its rules cost too much, and `UnavailableError` if there is no bot of that name.
    """
    title = normalize_name(config.title, "a table's name")
    players = config.ruleset.players
    max_seats = min(players.max or MAX_PLAYERS, MAX_PLAYERS)
    if not players.min <= config.seats <= max_seats:
        raise MalformedError(
            f"{config.ruleset.labels.game} seats {players.min} to {max_seats} players here, not {config.seats}"
        )
    check_costs(config.ruleset, config.seats)
    turn_s, (shortest, longest) = config.clock.turn_s, TURN_S_RANGE
    if turn_s is not None and not shortest <= turn_s <= longest:
        raise MalformedError(f"a turn lasts {shortest} to {longest} seconds, or has no limit, not {turn_s}")
    if not 0 <= config.clock.bank_s <= MAX_BANK_S or (config.clock.bank_s and turn_s is None):
        raise MalformedError(
            f"a time bank is 0 to {MAX_BANK_S} seconds and goes with a limit per turn, not {config.clock.bank_s}"
        )
    if any(len(name) > 200 or not name.isprintable() for name in (config.rules_name, config.rules_base)):
        raise MalformedError("the rules' name is at most 200 printable characters")
    bot_maker(config.bot)
    return msgspec.structs.replace(config, title=title)


MAX_FACE = 99
"""Room for more pictures than any version of the page draws."""


class BanScope(Choice):
    """How long a removed person may not sit down: until the current or next match is over, or for good."""

    MATCH = "match"
    FOR_GOOD = "for_good"


def check_face(face: int) -> None:
    """Raise `MalformedError` unless a number can be that of a picture; 0 is the one that follows from the name."""
    if not 0 <= face <= MAX_FACE:
        raise MalformedError(f"a face is a number from 0 to {MAX_FACE}, not {face}")
