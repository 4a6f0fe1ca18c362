"""What everybody at a table may know of an entry of its log, and the verdict on a call.

News about the table are built field by field from entries. Events of the match go through `event_view` for a spectator,
which returns public events unchanged and builds others from their public fields; deals are left out. Clients receive
these types as they are, so their tags and field names are part of the wire format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.core.engine.settle import AnyCall, called_seat
from liarsdice.core.engine.view import HandDealt, PublicPenalty, PublicRoll, event_view
from liarsdice.core.events import (
    Cause,
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    DoubleAnswered,
    Doubled,
    Eliminated,
    Event,
    ExactCalled,
    LivesGained,
    LivesLost,
    MatchStarted,
    PassChallenged,
    Penalised,
    PublicEvent,
    Revealed,
    RolledAgain,
    RoundEnded,
)
from liarsdice.core.rules.choices import Choice, PenaltyTrigger
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_config import PlayoutSpeed


class DiceChange(msgspec.Struct, frozen=True):
    """Dice that a seat lost or gained by a call, or lives where the rules have them.

    `dice`: how many. `left`: how many the seat has now. `to`: the seat that received what was lost, None if nobody did.
    """

    seat: int
    dice: int
    left: int
    cause: Cause
    to: int | None = None


class Verdict(msgspec.Struct, frozen=True):
    """The latest call and its outcome.

    `exact`: an exact call, otherwise a challenge: of the bid of `bidder`, or of their pass if `reveal` has `pass_hand`.
    `right`: whether the caller was right. `out`: the seats that were
    eliminated. `next_starter` and `special_seat` are None if the match is over or no special round follows. `opening`:
    True for a challenge of the opening bid that costs more than others. `double`: True for one for twice the stake,
    and `redoubled` if the bidder doubled it again.
    """

    exact: bool
    caller: int
    bidder: int
    out_of_turn: bool
    right: bool
    reveal: Revealed
    losses: tuple[DiceChange, ...]
    gains: tuple[DiceChange, ...]
    out: tuple[int, ...]
    next_starter: int | None
    special_seat: int | None
    opening: bool | msgspec.UnsetType = msgspec.UNSET
    double: bool | msgspec.UnsetType = msgspec.UNSET
    redoubled: bool | msgspec.UnsetType = msgspec.UNSET


class NewsKind(Choice):
    """What happened at a table outside the match."""

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
    ACCEPTED = "accepted"
    HURRIED = "hurried"
    SKIPPED = "skipped"
    ACCUSED = "accused"
    LET_PASS = "let_pass"  # noqa: S105  no password
    TOOK = "took"
    TIME_UP = "time_up"
    LOCKED = "locked"
    UNLOCKED = "unlocked"


class Said(msgspec.Struct, frozen=True, tag="said"):
    """A line of table talk and the id of the player who sent it."""

    player: int
    text: str


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """Something that happened at the table outside the match, and the id of the player concerned, if any."""

    kind: NewsKind
    player: int | None = None
    trigger: PenaltyTrigger | None = None
    offence: str | msgspec.UnsetType = msgspec.UNSET


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """A public event of the match. It contains hands only after a call has revealed them."""

    event: PublicEvent | PublicPenalty


class NewsItem(msgspec.Struct, frozen=True):
    """One line of the table's public history.

    `seq`: the entry of the log that it comes from; several lines can share one. `at_ms`: milliseconds since 1970.
    """

    seq: int
    at_ms: int
    content: Said | Notice | Happened


def news_of(entry: e.LogEntry) -> Iterator[Said | Notice | Happened]:
    """Yield what everybody at the table may know of an entry: nothing, one item or several."""
    match entry:
        case e.Spoke(player, text):
            yield Said(player, text)
        case e.Played():
            if entry.time_up is not None:
                yield Notice(NewsKind.TIME_UP, entry.time_up)
            yield from map(Happened, _public(entry.events))
        case e.Accused():
            yield Notice(NewsKind.ACCUSED, entry.player, entry.trigger, entry.offence)
        case _:
            yield from _notices(entry)


def _notices(entry: e.LogEntry) -> Iterator[Notice]:
    match entry:
        case e.Opened():
            yield Notice(NewsKind.OPENED)
        case e.Joined(player) | e.BotJoined(player):
            yield Notice(NewsKind.JOINED, player)
        case e.Left(player, removed):
            yield Notice(NewsKind.REMOVED if removed else NewsKind.LEFT, player)
        case e.HostChanged(player):
            yield Notice(NewsKind.HOST, player)
        case e.Muted(player, muted):
            yield Notice(NewsKind.MUTED if muted else NewsKind.UNMUTED, player)
        case e.StandInChanged(player, bot):
            yield Notice(NewsKind.STAND_IN if bot else NewsKind.BACK, player)
        case e.Locked(locked):
            yield Notice(NewsKind.LOCKED if locked else NewsKind.UNLOCKED)
        case e.Paused():
            yield Notice(NewsKind.PAUSED)
        case e.Resumed():
            yield Notice(NewsKind.RESUMED)
        case e.RulesAccepted(player):
            yield Notice(NewsKind.ACCEPTED, player)
        case e.SpeedChanged(player, speed) if speed is not PlayoutSpeed.NORMAL:
            yield Notice(NewsKind.HURRIED if speed is PlayoutSpeed.FAST else NewsKind.SKIPPED, player)
        case e.ConfigChanged():
            yield Notice(NewsKind.CHANGED)
        case e.AccusationSettled():
            kind = NewsKind.TOOK if entry.taken else NewsKind.LET_PASS
            yield Notice(kind, entry.player, entry.trigger, entry.offence)
        case _:
            pass


def _public(events: Sequence[Event]) -> Iterator[PublicEvent | PublicPenalty]:
    """Yield the events as a spectator may see them; hands, dice rolled again and the match start are left out."""
    for event in events:
        if isinstance(event, Dealt | RolledAgain | MatchStarted):
            continue
        shown = event_view(event, None)
        assert not isinstance(shown, HandDealt | PublicRoll | RolledAgain | Penalised)
        yield shown


def _is_right(call: AnyCall, reveal: Revealed) -> bool:
    match call:
        case ExactCalled():
            return reveal.count == call.bid.quantity
        case PassChallenged():
            return reveal.pass_hand is None
        case Challenged():
            return not reveal.bid_true


def call_verdict(events: Sequence[Event]) -> Verdict | None:
    """Return the outcome of the call with which these events begin, None if they begin with something else.

    A doubled call begins with its doubling or with the answer to that.
    """
    if len(events) > 1 and isinstance(events[0], Doubled | DoubleAnswered):
        events = events[1:]
    if not events or not isinstance(events[0], Challenged | ExactCalled | PassChallenged):
        return None
    call, reveal = events[0], events[1]
    assert isinstance(reveal, Revealed)
    ended = next((event for event in events if isinstance(event, RoundEnded)), None)
    return Verdict(
        exact=isinstance(call, ExactCalled),
        caller=call.seat,
        bidder=called_seat(call),
        out_of_turn=not isinstance(call, PassChallenged) and call.out_of_turn,
        right=_is_right(call, reveal),
        reveal=reveal,
        losses=tuple(
            DiceChange(x.seat, x.amount, x.left, x.cause, x.to) for x in events if isinstance(x, DiceLost | LivesLost)
        ),
        gains=tuple(
            DiceChange(x.seat, x.amount, x.left, x.cause) for x in events if isinstance(x, DiceGained | LivesGained)
        ),
        out=tuple(x.seat for x in events if isinstance(x, Eliminated)),
        next_starter=ended.next_starter if ended else None,
        special_seat=ended.special_seat if ended else None,
        opening=call.opening if isinstance(call, Challenged) else msgspec.UNSET,
        double=call.double if isinstance(call, Challenged) else msgspec.UNSET,
        redoubled=call.redoubled if isinstance(call, Challenged) else msgspec.UNSET,
    )
