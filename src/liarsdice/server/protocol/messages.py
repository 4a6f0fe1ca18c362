"""Every message on the wire between a page and a table, in both directions, as JSON text frames.

A page says `hello` and what it has; the table answers with `setting` and `update`, and from then on with one `update`
for whatever happens. What a page wants done it says in a `do`, which is answered with `done` or `problem`.
"""

from __future__ import annotations

import msgspec

from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import PenaltySeen
from liarsdice.core.events import Cause, EndReason, PublicEvent, Revealed, StarterRolled
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice, Direction, PenaltyTrigger
from liarsdice.server.table.commands import Command
from liarsdice.server.table.table_config import Options

BidPair = tuple[int, int]
"""A bid as (quantity, face)."""


class ErrorCode(Choice):
    """What kind of thing went wrong, for a page to say in its own language."""

    MALFORMED = "malformed"
    ILLEGAL = "illegal"
    STALE = "stale"
    FORBIDDEN = "forbidden"
    UNAVAILABLE = "unavailable"
    NO_SUCH_TABLE = "no_such_table"
    NO_SPECTATORS = "no_spectators"
    TOO_FAST = "too_fast"
    TRY_AGAIN = "try_again"


class Stage(Choice):
    """Where a table is: before its first match, in one, or after one."""

    GATHERING = "gathering"
    PLAYING = "playing"
    OVER = "over"


# ---- from the page -------------------------------------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True, tag="hello", forbid_unknown_fields=True):
    """The first message: the latest seq that the page has, 0 for none."""

    have: int = 0


class Do(msgspec.Struct, frozen=True, tag="do", forbid_unknown_fields=True):
    """A wish. `id` is the page's own, 1 to 40 characters; the same id is done once, however often it is said.

    `mark` is the `MatchSeen.mark` that a move of the game answers; a move that comes after something else has happened
    is refused as stale. Other commands ignore it.
    """

    id: str
    what: Command
    mark: int = 0


ToTable = Hello | Do


# ---- to the page ---------------------------------------------------------------------------------------------------


class ChartCell(msgspec.Struct, frozen=True, array_like=True):
    """A bid's place in the picker: `row` counts from the bottom, 1 for the lowest."""

    quantity: int
    face: int
    row: int


class Setting(msgspec.Struct, frozen=True, tag="setting"):
    """What stays as it is during a match. `faces` are the columns of the picker, the special face where it belongs."""

    code: str
    options: Options
    faces: tuple[int, ...]
    cells: tuple[ChartCell, ...]


class PlayerSeen(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody at the table. `id` stays the same for as long as they sit here; seats are places in `players`.

    `bot`: the bot's name where one sits here for good. `stand_in`: a bot plays for an absent player. `bank_ms`: what
    is left of the time bank before this turn.
    """

    id: int
    name: str
    bot: str | None = None
    stand_in: bool = False
    gone: bool = False
    host: bool = False
    muted: bool = False
    bank_ms: int = 0


class LossSeen(msgspec.Struct, frozen=True):
    """Dice that a call cost: from whom, how many, what is left, why, and to whom they went (None: discarded)."""

    seat: int
    dice: int
    left: int
    cause: Cause
    to: int | None = None


class Verdict(msgspec.Struct, frozen=True):
    """The latest call and what came of it. `right`: whether the caller was."""

    exact: bool
    caller: int
    bidder: int
    out_of_turn: bool
    right: bool
    reveal: Revealed
    losses: tuple[LossSeen, ...]
    gains: tuple[LossSeen, ...]
    out: tuple[int, ...]
    next_starter: int | None
    special_seat: int | None


class Accusation(msgspec.Struct, frozen=True):
    """What somebody is said to have done, open until it is settled. `denied`: by the accused; the host decides."""

    number: int
    player: int
    trigger: PenaltyTrigger
    dice: int
    denied: bool


class MatchSeen(msgspec.Struct, frozen=True):
    """The public part of a match. Per seat: `dice`, `bids` as (seat, (quantity, face)), `pending` penalty dice.

    `mark` names this very situation. `turn` is None while nobody has to act. `left_ms` is what the player on turn has
    left, the bank included, None without a clock; `turn_ms` is a whole turn without the bank. `factor` multiplies what
    a call out of turn costs. `ready` are those of `watching` who have seen enough of the reveal; `resumes_ms` is when
    the next round begins without the others.
    """

    number: int
    mark: int
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
    rolls: tuple[StarterRolled, ...]
    verdict: Verdict | None
    ready: tuple[int, ...]
    watching: tuple[int, ...]
    places: tuple[int, ...]
    winners: tuple[int, ...]
    end_reason: EndReason | None
    left_ms: int | None
    turn_ms: int | None
    resumes_ms: int | None


class TableSeen(msgspec.Struct, frozen=True):
    """What everybody may know about a table now. `commitment` is the hash of the seed of this match's dice."""

    stage: Stage
    players: tuple[PlayerSeen, ...]
    paused: bool
    accusations: tuple[Accusation, ...]
    commitment: str
    match: MatchSeen | None


class Own(msgspec.Struct, frozen=True):
    """What one player alone sees and may do (`player` None: a spectator, who sees and may do nothing).

    `seat` is the player's place in `players`, None for who came after the match began.

    `bids`: legal bids; with `unlimited` higher ones are legal, too. `odds` and `standing_odds`: the chance, in percent,
    of each legal bid and of the standing bid, where the table allows hints. `counts`: places in the hand of the dice
    that count for the standing bid.
    """

    seat: int | None
    player: int | None = None
    hand: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    bids: tuple[BidPair, ...] = ()
    unlimited: bool = False
    odds: tuple[int, ...] = ()
    standing_odds: int | None = None
    exact_odds: int | None = None
    challenge: bool = False
    exact: bool = False
    directions: tuple[Direction, ...] = ()


class Said(msgspec.Struct, frozen=True, tag="said"):
    """Table talk."""

    player: int
    text: str


class NewsKind(Choice):
    """Things that happen at a table outside the match."""

    OPENED = "opened"
    JOINED = "joined"
    LEFT = "left"
    REMOVED = "removed"
    HOST = "host"
    MUTED = "muted"
    UNMUTED = "unmuted"
    PAUSED = "paused"
    RESUMED = "resumed"
    STAND_IN = "stand_in"
    BACK = "back"
    CHANGED = "changed"
    ACCUSED = "accused"
    LET_PASS = "let_pass"  # noqa: S105  no password
    TOOK = "took"
    TIME_UP = "time_up"


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """Something happened at the table, to a player where one is named."""

    kind: NewsKind
    player: int | None = None
    trigger: PenaltyTrigger | None = None


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """Something happened in the match. Hands are in it only when cups are lifted."""

    event: PublicEvent | PenaltySeen


class News(msgspec.Struct, frozen=True):
    """One line of the table's log. `at_ms`: when, in milliseconds since 1970."""

    seq: int
    at_ms: int
    what: Said | Notice | Happened


class Update(msgspec.Struct, frozen=True, tag="update"):
    """The table as it is after `seq`, with the news since what the page had (at most the latest 100)."""

    seq: int
    news: tuple[News, ...]
    table: TableSeen
    own: Own


class Presence(msgspec.Struct, frozen=True, tag="presence"):
    """Which players are connected, by id, and how many people watch."""

    here: tuple[int, ...]
    watching: int


class Done(msgspec.Struct, frozen=True, tag="done"):
    """A wish was granted and is on disk; `seq` is where."""

    id: str
    seq: int


class Problem(msgspec.Struct, frozen=True, tag="problem"):
    """A message was refused, and nothing changed. `id` names the wish where there was one."""

    code: ErrorCode
    text: str
    id: str | None = None


FromTable = Setting | Update | Presence | Done | Problem


def pair(bid: Bid) -> BidPair:
    """A bid as the wire has it."""
    return bid.quantity, bid.face
