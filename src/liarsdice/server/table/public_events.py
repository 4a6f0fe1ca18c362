"""What a table's log tells everybody, and the verdict on a call. Built from entries, never by hiding parts of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from liarsdice.core.engine.view import HandDealt, PenaltySeen, seen
from liarsdice.core.events import (
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    Eliminated,
    Event,
    ExactCalled,
    MatchStarted,
    Penalised,
    PublicEvent,
    Revealed,
    RoundEnded,
)
from liarsdice.server.protocol.messages import Happened, LossSeen, NewsKind, Notice, Said, Verdict
from liarsdice.server.table import log_entries as e


def told(entry: e.Entry) -> Iterator[Said | Notice | Happened]:
    """What everybody at the table learns of an entry."""
    match entry:
        case e.Spoke(player, text):
            yield Said(player, text)
        case e.Played():
            if entry.time_up is not None:
                yield Notice(NewsKind.TIME_UP, entry.time_up)
            yield from map(Happened, _public(entry.events))
        case e.Accused():
            yield Notice(NewsKind.ACCUSED, entry.player, entry.trigger)
        case _:
            yield from _notice(entry)


def _notice(entry: e.Entry) -> Iterator[Notice]:
    match entry:
        case e.Opened():
            yield Notice(NewsKind.OPENED)
        case e.Joined(player) | e.BotJoined(player):
            yield Notice(NewsKind.JOINED, player)
        case e.Left(player, removed):
            yield Notice(NewsKind.REMOVED if removed else NewsKind.LEFT, player)
        case e.HostMade(player):
            yield Notice(NewsKind.HOST, player)
        case e.Muted(player, muted):
            yield Notice(NewsKind.MUTED if muted else NewsKind.UNMUTED, player)
        case e.StoodIn(player, bot):
            yield Notice(NewsKind.STAND_IN if bot else NewsKind.BACK, player)
        case e.Paused():
            yield Notice(NewsKind.PAUSED)
        case e.Resumed():
            yield Notice(NewsKind.RESUMED)
        case e.Changed():
            yield Notice(NewsKind.CHANGED)
        case e.Answered():
            kind = NewsKind.TOOK if entry.taken else NewsKind.LET_PASS
            yield Notice(kind, entry.player, entry.trigger)
        case _:
            pass


def _public(events: Sequence[Event]) -> Iterator[PublicEvent | PenaltySeen]:
    for event in events:
        if isinstance(event, Dealt | MatchStarted):
            continue
        shown = seen(event, None)
        assert not isinstance(shown, HandDealt | Penalised)
        yield shown


def verdict(events: Sequence[Event]) -> Verdict | None:
    """What came of a call, from the events that it led to; None where there was no call."""
    if not events or not isinstance(events[0], Challenged | ExactCalled):
        return None
    call, reveal = events[0], events[1]
    assert isinstance(reveal, Revealed)
    exact = isinstance(call, ExactCalled)
    right = reveal.count == call.bid.quantity if exact else not reveal.bid_true
    ended = next((event for event in events if isinstance(event, RoundEnded)), None)
    return Verdict(
        exact=exact,
        caller=call.seat,
        bidder=call.bidder,
        out_of_turn=call.out_of_turn,
        right=right,
        reveal=reveal,
        losses=tuple(LossSeen(x.seat, x.dice, x.left, x.cause, x.to) for x in events if isinstance(x, DiceLost)),
        gains=tuple(LossSeen(x.seat, x.dice, x.left, x.cause) for x in events if isinstance(x, DiceGained)),
        out=tuple(x.seat for x in events if isinstance(x, Eliminated)),
        next_starter=ended.next_starter if ended else None,
        special_seat=ended.special_seat if ended else None,
    )
