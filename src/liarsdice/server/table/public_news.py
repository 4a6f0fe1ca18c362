"""What everybody at a table may know of an entry of its log, and the verdict on a call.

News about the table are built field by field from entries. Events of the match go through `event_view` for a spectator,
which returns public events unchanged and builds others from their public fields; deals are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from liarsdice.core.engine.settle import AnyCall, called_seat
from liarsdice.core.engine.view import HandDealt, PublicPenalty, PublicRoll, event_view
from liarsdice.core.events import (
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
from liarsdice.server.table import log_entries as e
from liarsdice.wire import DiceChange, Happened, NewsKind, Notice, PlayoutSpeed, Said, Verdict


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
            yield Notice(NewsKind.ACCUSED, entry.player, entry.trigger, entry.offence or "")
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
        case e.Arranged():
            yield Notice(NewsKind.ARRANGED)
        case e.ConfigChanged():
            yield Notice(NewsKind.CHANGED)
        case e.AccusationSettled():
            kind = NewsKind.TOOK if entry.taken else NewsKind.LET_PASS
            yield Notice(kind, entry.player, entry.trigger, entry.offence or "")
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
        opening=isinstance(call, Challenged) and bool(call.opening),
        double=isinstance(call, Challenged) and bool(call.double),
        redoubled=isinstance(call, Challenged) and bool(call.redoubled),
    )
