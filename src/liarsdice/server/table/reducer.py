"""Applying an entry of a table's log. Never refuses: what is in the log has happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from liarsdice.core.engine.engine import evolve_all, seated
from liarsdice.core.engine.evolve import opened
from liarsdice.core.events import Eliminated, Penalised, RoundStarted, StarterRolled
from liarsdice.server.protocol.messages import Happened, News
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.deadlines import due
from liarsdice.server.table.public_events import told, verdict
from liarsdice.server.table.table_state import Charge, MatchState, Player, TableState

KEPT_NEWS = 100
KEPT_WISHES = 256


def fold(rows: Iterable[e.Row]) -> TableState | None:
    """The table that a log leads to, None for an empty log."""
    table = None
    for row in rows:
        table = grown(table, row)
    return table


def grown(table: TableState | None, row: e.Row) -> TableState:
    """The table after one more entry."""
    if table is None:
        assert isinstance(row.entry, e.Opened)
        table = TableState(code=row.entry.code, options=row.entry.options)
    else:
        table = _applied(table, row.entry)
    fresh = tuple(News(row.seq, row.at_ms, what) for what in told(row.entry))
    return replace(
        table,
        seq=row.seq,
        news=(*table.news, *fresh)[-KEPT_NEWS:] if fresh else table.news,
        wishes=_remembered(table.wishes, row.wish, row.seq) if row.wish else table.wishes,
    )


def _remembered(wishes: dict[str, int], wish: str, seq: int) -> dict[str, int]:
    kept = dict(wishes)
    kept[wish] = seq
    if len(kept) > KEPT_WISHES:
        del kept[next(iter(kept))]
    return kept


def _applied(table: TableState, entry: e.Entry) -> TableState:
    match entry:
        case e.Played():
            return _played(table, entry)
        case e.Began(number):
            return _began(table, number)
        case e.WasReady(player):
            seat = table.seat_of(player)
            assert table.match is not None
            assert seat is not None
            return replace(table, match=replace(table.match, ready=(*table.match.ready, seat)))
        case e.Sealed(server_seed):
            return replace(table, sealed=server_seed)
        case e.Changed(options):
            return replace(table, options=options)
        case e.Paused(left_ms):
            waiting = due(table)
            return replace(table, paused=True, left_ms=left_ms, left_of=waiting.key if waiting else None)
        case e.Resumed():
            return replace(table, paused=False, left_ms=None, left_of=None)
        case e.Accused(number, player, trigger):
            return replace(
                table, charges=(*table.charges, Charge(number, player, trigger)), next_charge=table.next_charge + 1
            )
        case e.Answered(number):
            return replace(table, charges=tuple(one for one in table.charges if one.number != number))
        case e.Denied(number):
            charges = (replace(one, denied=one.denied or one.number == number) for one in table.charges)
            return replace(table, charges=tuple(charges))
        case e.Spoke() | e.Opened():
            return table
        case _:
            return _people(table, entry)


def _people(table: TableState, entry: e.Entry) -> TableState:
    match entry:
        case e.Joined(player, name, holder, seed):
            return _sat_down(table, Player(id=player, name=name, holders=(holder,), seed=seed))
        case e.BotJoined(player, name, bot):
            return _sat_down(table, Player(id=player, name=name, bot=bot))
        case e.Left(player):
            return _left(table, player)
        case e.HostMade(player):
            return replace(table, host=player)
        case e.HolderAdded(player, holder):
            return _with(table, player, lambda one: replace(one, holders=(*one.holders, holder)))
        case e.Muted(player, muted):
            return _with(table, player, lambda one: replace(one, muted=muted))
        case e.StoodIn(player, bot):
            return _with(table, player, lambda one: replace(one, stand_in=bot))
        case e.SeedGiven(player, seed):
            return _with(table, player, lambda one: replace(one, seed=seed))
        case _:
            raise AssertionError(f"{type(entry).__name__} is about nobody")


def _with(table: TableState, player: int, change: Callable[[Player], Player]) -> TableState:
    return replace(table, players=tuple(change(one) if one.id == player else one for one in table.players))


def _sat_down(table: TableState, player: Player) -> TableState:
    return replace(table, players=(*table.players, player), next_player=player.id + 1)


def _left(table: TableState, player: int) -> TableState:
    """Who played keeps the seat until the next match, so that seats keep their places; others are gone at once."""
    host = None if table.host == player else table.host
    seat = table.seat_of(player)
    if table.match is None or (seat is not None and seat >= len(table.match.state.names)):
        return replace(table, host=host, players=tuple(one for one in table.players if one.id != player))
    return replace(_with(table, player, lambda one: replace(one, gone=True, stand_in=one.bot is None)), host=host)


def _began(table: TableState, number: int) -> TableState:
    bank_ms = table.options.clock.bank_s * 1000
    players = tuple(replace(one, stand_in=False, bank_ms=bank_ms) for one in table.players if not one.gone)
    match = MatchState(
        number=number,
        server_seed=table.sealed,
        seeds=tuple(one.seed for one in players),
        state=opened(seated(table.options.ruleset, [one.name for one in players])),
    )
    return replace(
        table,
        players=players,
        match=match,
        sealed="",
        charges=(),
        paused=False,
        left_ms=None,
        left_of=None,
        news=tuple(item for item in table.news if not isinstance(item.what, Happened)),  # its seats were other people
    )


def _played(table: TableState, entry: e.Played) -> TableState:
    match = table.match
    assert match is not None
    new_round = any(isinstance(event, RoundStarted) for event in entry.events)
    out = tuple(event.seat for event in entry.events if isinstance(event, Eliminated))
    match = replace(
        match,
        state=evolve_all(match.state, entry.events),
        mark=match.mark + 1,
        rolls=match.rolls + tuple(event for event in entry.events if isinstance(event, StarterRolled)),
        verdict=None if new_round else verdict(entry.events) or match.verdict,
        ready=() if new_round else match.ready,
        out=match.out + out,
        penalty_count=match.penalty_count + sum(isinstance(event, Penalised) for event in entry.events),
    )
    table = replace(table, match=match, charges=() if match.over else table.charges)
    if entry.seat is None or entry.bank_ms is None:
        return table
    actor = table.players[entry.seat].id
    return _with(table, actor, lambda one: replace(one, bank_ms=entry.bank_ms or 0))
