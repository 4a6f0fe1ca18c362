"""Every message between a client and a table, in both directions, as JSON text frames.

A client first sends `hello` with the last update that it has. The table answers with `setting` and `update`, and sends
one `update` for every later change. A client sends commands as `do`; the table answers each with `done` or `problem`.
Docstrings call fields by their names in JSON.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from liarsdice.core.bids.bid_chart import BidRange
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError, RulesetError, UnavailableError
from liarsdice.core.events import EndReason, StarterRolled
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Choice, Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.meaning import has_pure_bids
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.player_names import InvalidNameError, ReservedNameError
from liarsdice.server.errors import (
    AddressLimitError,
    BannedError,
    DatabaseLostError,
    ForbiddenError,
    NameTakenError,
    NewerEntryError,
    NoSpectatorsError,
    RateLimitError,
    ServerBannedError,
    StaleError,
    StoreError,
    TableLockedError,
    TableNotFoundError,
    TryAgainError,
    UnreadableTableError,
)
from liarsdice.server.table.commands import Command
from liarsdice.server.table.public_events import NewsItem, Verdict
from liarsdice.server.table.table_config import PlayoutSpeed, TableConfig
from liarsdice.server.table.table_state import CallGuess, Stage


class ErrorCode(Choice):
    """The kind of an error, from which a client chooses the text in its own language."""

    MALFORMED = "malformed"
    INVALID_NAME = "invalid_name"
    NAME_TAKEN = "name_taken"
    RESERVED_NAME = "reserved_name"
    ILLEGAL = "illegal"
    STALE = "stale"
    FORBIDDEN = "forbidden"
    BANNED = "banned"
    SERVER_BANNED = "server_banned"
    LOCKED = "locked"
    ADDRESS_LIMIT = "address_limit"
    UNAVAILABLE = "unavailable"
    NO_SUCH_TABLE = "no_such_table"
    NO_SPECTATORS = "no_spectators"
    TOO_FAST = "too_fast"
    TRY_AGAIN = "try_again"
    DATABASE_LOST = "database_lost"
    UNREADABLE = "unreadable"


CODES: tuple[tuple[type[LiarsDiceError], ErrorCode], ...] = (
    (StaleError, ErrorCode.STALE),
    (NoSpectatorsError, ErrorCode.NO_SPECTATORS),
    (BannedError, ErrorCode.BANNED),
    (ServerBannedError, ErrorCode.SERVER_BANNED),
    (TableLockedError, ErrorCode.LOCKED),
    (AddressLimitError, ErrorCode.ADDRESS_LIMIT),
    (ForbiddenError, ErrorCode.FORBIDDEN),
    (TableNotFoundError, ErrorCode.NO_SUCH_TABLE),
    (RateLimitError, ErrorCode.TOO_FAST),
    (TryAgainError, ErrorCode.TRY_AGAIN),
    (DatabaseLostError, ErrorCode.DATABASE_LOST),
    (StoreError, ErrorCode.TRY_AGAIN),
    (NewerEntryError, ErrorCode.TRY_AGAIN),
    (UnreadableTableError, ErrorCode.UNREADABLE),
    (IllegalActionError, ErrorCode.ILLEGAL),
    (UnavailableError, ErrorCode.UNAVAILABLE),
    (InvalidNameError, ErrorCode.INVALID_NAME),
    (ReservedNameError, ErrorCode.RESERVED_NAME),
    (NameTakenError, ErrorCode.NAME_TAKEN),
    (MalformedError, ErrorCode.MALFORMED),
    (RulesetError, ErrorCode.MALFORMED),
)
"""The first class that an error is an instance of decides, so subclasses come before their base."""


def error_code(error: LiarsDiceError) -> ErrorCode:
    """Return the code of an error.

    >>> error_code(ForbiddenError("only the host may do that"))
    ErrorCode.FORBIDDEN
    """
    return next(code for error_class, code in CODES if isinstance(error, error_class))


BidPair = tuple[int, int]
"""A bid as (quantity, face)."""


def bid_pair(bid: Bid) -> BidPair:
    """Return a bid as (quantity, face)."""
    return bid.quantity, bid.face


def places_of_pure_bids(state: State) -> tuple[int, ...] | UnsetType:
    """Return the places of the pure bids among those of the round; unset where no bid can be pure."""
    if not has_pure_bids(state.ruleset):
        return UNSET
    return tuple(place for place, (_, bid) in enumerate(state.bids) if bid.pure)


# ---- from the client -----------------------------------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True, tag="hello", forbid_unknown_fields=True):
    """The first message. `last_seq`: the `seq` of the last update that the client has, 0 for none.

    `version`: that of the messages that the client knows; a server refuses another one than its own.
    `spectate`: the client watches, also if it holds a seat, for example on a screen that everybody in the room sees.
    """

    last_seq: int = 0
    spectate: bool = False
    version: Literal[1] = 1


class CommandRequest(msgspec.Struct, frozen=True, tag="do", forbid_unknown_fields=True):
    """A command.

    `id`: chosen by the client, 1 to 40 characters; a repeated id is handled once, so a client can safely send a command
    again. The table knows the latest 8 ids of each client, and all of the last 256, unless they are 1,000 entries old:
    have no more commands than that unanswered. `turn_id`: that of the match that a move answers; a move is refused as
    stale if the match has gone on since. Other commands ignore it.
    """

    request_id: str = msgspec.field(name="id")
    command: Command
    turn_id: int = 0


ToTable = Hello | CommandRequest


# ---- to the client -------------------------------------------------------------------------------------------------


class ChartCell(msgspec.Struct, frozen=True, array_like=True):
    """The place of a bid in the bid chart. `row` counts from the bottom; 1 is the lowest."""

    quantity: int
    face: int
    row: int


class BannedPlayer(msgspec.Struct, frozen=True):
    """A removed person who may not sit down. `player` and `name`: the id and the name that the person had."""

    player: int
    name: str
    for_good: bool


class OpenSeatRequest(msgspec.Struct, frozen=True):
    """A request for a seat that the host has not answered yet. `number` identifies it."""

    number: int
    name: str


class TableSetup(msgspec.Struct, frozen=True, tag="setting"):
    """What seldom changes during a match.

    `faces`: the columns of the bid chart in order of rank, the special face included. `banned`: the people whom the
    host removed. `locked`: nobody new may sit down. `requests`: the open requests for a seat. `match_rules`: those of
    the latest match, None without one or if those of `config`. `agreed_config`: the one before a change
    of the rules, the clock or what players see that somebody has not accepted yet.
    """

    code: str
    config: TableConfig
    faces: tuple[int, ...]
    cells: tuple[ChartCell, ...]
    banned: tuple[BannedPlayer, ...]
    locked: bool
    requests: tuple[OpenSeatRequest, ...]
    match_rules: Ruleset | None = None
    agreed_config: TableConfig | None = None


class PublicPlayer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person or bot at the table, as everybody sees them. A seat is a place in `players`.

    `id` stays the same while the player is at the table. `bot`: the name of the bot that owns the seat. `stand_in`: a
    bot plays for a person. `gone`: the player left during the match. `bank_ms`: the time bank before this turn.
    `committed`: the player committed to a seed for the dice of the next match. `asked_about_rules`: the player has not
    accepted changed rules yet, which no match begins without. `face`: the number of the picture that a person chose.
    `program`: a program holds the seat.
    """

    id: int
    name: str
    bot: str | None = None
    stand_in: bool = False
    gone: bool = False
    host: bool = False
    muted: bool = False
    bank_ms: int = 0
    committed: bool = False
    asked_about_rules: bool = False
    face: int = 0
    program: bool = False


class SeedExchange(msgspec.Struct, frozen=True):
    """The seeds of the players for the dice of a match that has begun, until the dealer acts for the first time.

    `commitments`: the SHA-256 of the seed of each seat, "" for a seat without one. `revealed`: the seats that have
    revealed theirs with `reveal_seed`. The dealer waits up to 5 seconds for the others, or 20 if only one person plays.
    """

    commitments: tuple[str, ...]
    revealed: tuple[int, ...]


class Accusation(msgspec.Struct, frozen=True):
    """An open accusation. `dice`: what the penalty costs. `denied`: the accused denied it.

    `judges`: the ids of the players who may decide it now, apart from the accused, who may admit it. `accuser`: the id
    of the player who may withdraw it.
    """

    number: int
    player: int
    trigger: PenaltyTrigger
    dice: int
    denied: bool
    offence: str | msgspec.UnsetType = msgspec.UNSET
    judges: tuple[int, ...] = ()
    accuser: int | None = None


class PublicMatch(msgspec.Struct, frozen=True):
    """The public part of a match.

    Per seat: `dice`, `lives` (absent if losses cost dice), and what `pending` penalties cost. `bids`: the bids of the
    round as (seat, (quantity, face)). `turn_id` identifies this situation; a move names it. `turn`: the seat on turn,
    None while nobody has to act. `factor` multiplies what a wrong call out of turn costs. `ready`: those of `watching`
    who have finished looking at the reveal. `places`: the place of each seat, 1 for the winners, empty during a match.
    `stand_ins`: the seats of people for whom a bot played when they went out or the match ended, so that their results
    are those of a bot.
    `speed`: how fast bots play; `only_bots_left`: nobody else has dice, so that this can be changed. `passes`: those of
    the round as (seat, number of bids before), absent where nobody can pass. `pure`: the places in `bids` of those that
    are pure, absent where no bid can be. `shown`: the dice of each seat in the open, absent where nobody can show any.
    `doubled`: the seats that doubled the call that waits for an answer, the challenger and then the bidder; absent
    where such calls are not answered. `kind`: what the opener of the round chose, None before that; absent
    in a round without this choice. `guess_points`: the points of each seat for guesses about calls, empty before the
    first. `seeds`: how far the seeds for the dice are revealed, None once the dealer has acted. `left_ms`: the
    milliseconds that the player on turn has left, time bank included, None without a clock. `turn_ms`: the time of a
    whole turn without the bank. `resumes_ms`: the milliseconds until the match goes on at the latest.
    """

    number: int
    turn_id: int
    phase: Phase
    round_number: int
    dice: tuple[int, ...]
    direction: Direction
    starter: int
    turn: int | None
    top: int | None
    bids: tuple[tuple[int, BidPair], ...]
    wilds_count: bool
    special_seat: int | None
    face_locked: bool
    factor: int
    exact_calls: tuple[int, ...]
    pending: tuple[int, ...]
    starter_rolls: tuple[StarterRolled, ...]
    verdict: Verdict | None
    ready: tuple[int, ...]
    watching: tuple[int, ...]
    places: tuple[int, ...]
    winners: tuple[int, ...]
    end_reason: EndReason | None
    seeds: SeedExchange | None
    left_ms: int | None
    turn_ms: int | None
    resumes_ms: int | None
    speed: PlayoutSpeed = PlayoutSpeed.NORMAL
    only_bots_left: bool = False
    guess_points: tuple[int, ...] = ()
    stand_ins: tuple[int, ...] = ()
    lives: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    pure: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    shown: tuple[tuple[int, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    passes: tuple[tuple[int, int], ...] | msgspec.UnsetType = msgspec.UNSET
    doubled: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    kind: RoundKind | msgspec.UnsetType | None = msgspec.UNSET


class PublicTable(msgspec.Struct, frozen=True):
    """What everybody may know of a table.

    `commitment`: during a match its promise, the hash of all that its dice depend on and that was fixed when it began;
    otherwise the hash of the server's secret seed for the next match. `stalled_at_ms`: the time in milliseconds since
    1970 from which on any player may become host, because no match begins; None without such a time.
    """

    stage: Stage
    players: tuple[PublicPlayer, ...]
    paused: bool
    accusations: tuple[Accusation, ...]
    commitment: str
    match: PublicMatch | None
    stalled_at_ms: int | None = None


class PlayerView(msgspec.Struct, frozen=True):
    """What only one player may see. For a spectator, `player` is None and the other fields are empty.

    `seat`: the player's place in `players`, None for a player who came after the match began. `counts`: the places
    in `hand` of the dice that count for the standing bid. `bids`: the legal bids as ranges of quantities; with
    `unlimited`, higher ones are legal, too. `double`: the player may challenge for twice the stake. `answers`: the
    legal answers to such a challenge. `declare`: the player may declare the round special. `kinds`: those of the
    round of which the player chooses one. `may_pass`, `challenge_pass`: the player may pass, and doubt the latest
    pass; `pass_odds`: the probability in percent that the dice of that hand allow it, if the table allows hints.
    Fields of rules that the table lacks are absent. `odds`, `standing_odds`, `exact_odds`: probabilities in percent
    of each legal bid, of the standing bid, and of the standing bid being exactly right, if the table allows hints;
    100 only for certainty, 0 only for impossibility. `odds` are in the order of the quantities of the bids, and
    among equal ones in the order of the ranges; there are none of very many bids. `challenge`, `exact`,
    `directions`: the other legal moves. `cups`: the hands of the others where this player sees them, or those of
    all seats, for a player who is out and can tell nobody about them, else empty. `guess`: what the player has
    guessed about the next call; `may_guess`: the player may guess now. `showable`: by face from 1, the places in
    `hand` of the dice that may be shown with a bid on it, one of which has to stay hidden; empty if none may now.
    `pure_showable`: the same for pure bids. Dice in the open come first in `hand` and in `cups`. In an update,
    spaces follow the view, so that the length of the message does not depend on the dice.
    """

    seat: int | None
    player: int | None = None
    hand: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    bids: tuple[BidRange, ...] = ()
    unlimited: bool = False
    odds: tuple[int, ...] = ()
    standing_odds: int | None = None
    exact_odds: int | None = None
    challenge: bool = False
    exact: bool = False
    directions: tuple[Direction, ...] = ()
    cups: tuple[tuple[int, ...], ...] = ()
    guess: CallGuess | None = None
    may_guess: bool = False
    showable: tuple[tuple[int, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    pure_showable: tuple[tuple[int, ...], ...] | msgspec.UnsetType = msgspec.UNSET
    double: bool | msgspec.UnsetType = msgspec.UNSET
    declare: bool | msgspec.UnsetType = msgspec.UNSET
    may_pass: bool | msgspec.UnsetType = msgspec.UNSET
    challenge_pass: bool | msgspec.UnsetType = msgspec.UNSET
    pass_odds: int | msgspec.UnsetType | None = msgspec.UNSET
    answers: tuple[Answer, ...] | msgspec.UnsetType = msgspec.UNSET
    kinds: tuple[RoundKind, ...] | msgspec.UnsetType = msgspec.UNSET


class Update(msgspec.Struct, frozen=True, tag="update"):
    """The table after the entry `seq` of its log, with the news since the client's last update (at most 100 items)."""

    seq: int
    news: tuple[NewsItem, ...]
    table: PublicTable
    own: PlayerView


class Presence(msgspec.Struct, frozen=True, tag="presence"):
    """The ids of the players who are connected, and the number of spectators."""

    connected: tuple[int, ...]
    watching: int


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The command `id` is handled and stored; `seq` is its entry in the log."""

    request_id: str = msgspec.field(name="id")
    seq: int


class Problem(msgspec.Struct, frozen=True, tag="problem"):
    """A message was refused and changed nothing. `id`: that of the command, None if the message was none."""

    code: ErrorCode
    text: str
    request_id: str | None = msgspec.field(name="id", default=None)


FromTable = TableSetup | Update | Presence | Done | Problem
