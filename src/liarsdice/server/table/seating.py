"""Sitting down, getting up, beginning, and what a host may do with the chairs of a table."""

from __future__ import annotations

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import seated
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.protocol.messages import Stage
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.dice_source import Chances
from liarsdice.server.table.table_config import Options, check_name, check_options
from liarsdice.server.table.table_state import Player, TableState

BOT_NAMES = (
    *("Old Fitz", "Wren", "Barnacle", "Lamp", "Corky", "Anchor", "Tankard", "Compass", "Lantern", "Rudder"),
    *("Biscuit", "Marlin"),
)


def sit(table: TableState, name: str, holder: str, seed: str) -> list[e.Entry]:
    """Somebody sits down; the first one at a table is its host."""
    _need_chair(table)
    check_name(name)
    if any(one.name.casefold() == name.casefold() for one in here(table)):
        raise MalformedError(f"somebody here is called {name} already; choose another name")
    joined: list[e.Entry] = [e.Joined(table.next_player, name, holder, seed)]
    return joined if table.host is not None else [*joined, e.HostMade(table.next_player)]


def here(table: TableState) -> tuple[Player, ...]:
    """Those who will play in the next match as things stand."""
    return tuple(one for one in table.players if not one.gone)


def begin(table: TableState, who: Player, chances: Chances) -> list[e.Entry]:
    """A match begins with those who are here: the host says when, and after a match anybody who played."""
    if table.stage is Stage.PLAYING:
        raise IllegalActionError("the match is on already")
    if table.stage is Stage.GATHERING and who.id != table.host:
        raise ForbiddenError("the host begins the match")
    seated(table.options.ruleset, [one.name for one in here(table)])
    number = 1 if table.match is None else table.match.number + 1
    promised: list[e.Entry] = [] if table.sealed else [e.Sealed(chances.new_seed())]
    return [*promised, e.Began(number)]


def leave(table: TableState, who: Player, *, removed: bool = False) -> list[e.Entry]:
    """Somebody gets up; if it was the host, the next person is. Where nobody is left to end a pause, it ends."""
    gone: list[e.Entry] = [e.Left(who.id, removed)]
    if who.id == table.host:
        heir = next((one for one in here(table) if one.bot is None and one.id != who.id), None)
        if heir is not None:
            gone.append(e.HostMade(heir.id))
        elif table.paused:
            gone.append(e.Resumed())
    return gone


def take_over(table: TableState, who: Player, *, host_away: bool) -> list[e.Entry]:
    """Somebody makes themselves host, where the host has stayed away."""
    if who.id == table.host:
        return []
    if table.host is not None and not host_away:
        raise ForbiddenError("the host is here, or was a moment ago; wait, or ask to be made host")
    return [e.HostMade(who.id)]


def for_host(table: TableState, command: c.Command, left_ms: int | None) -> list[e.Entry]:
    """What only the host may do."""
    match command:
        case c.Change(options):
            return _change(table, options)
        case c.AddBot(bot):
            _need_chair(table)
            make_bot(bot)
            return [e.BotJoined(table.next_player, bot_name(table), bot)]
        case c.Remove(player):
            return leave(table, _person(table, player, bots=True), removed=True)
        case c.Mute(player, muted):
            return [e.Muted(_person(table, player).id, muted)]
        case c.Pause(paused):
            return _pause(table, left_ms, paused=paused)
        case c.StandIn(player, bot):
            one = _person(table, player)
            return [] if one.stand_in == bot else [e.StoodIn(one.id, bot)]
        case c.MakeHost(player):
            return [e.HostMade(_person(table, player).id)]
        case _:
            raise MalformedError(f"{type(command).__name__} is nothing that can be asked for here")


def bot_name(table: TableState) -> str:
    """A name for the next bot that nobody here has, and nobody who has left, as far as names go round."""
    taken = {one.name.casefold() for one in here(table)}
    known = {one.name.casefold() for one in table.players}
    free = [name for name in BOT_NAMES if name.casefold() not in taken]
    return min(free, key=lambda name: name.casefold() in known)


def _need_chair(table: TableState) -> None:
    if table.stage is Stage.PLAYING:
        raise IllegalActionError("the match is on; sit down when it is over")
    if len(here(table)) >= table.options.seats:
        raise IllegalActionError(f"all {table.options.seats} seats are taken")


def _change(table: TableState, options: Options) -> list[e.Entry]:
    if table.stage is Stage.PLAYING:
        raise IllegalActionError("the table can be changed when the match is over")
    check_options(options)
    if options.seats < len(here(table)):
        raise IllegalActionError(f"{len(here(table))} sit here already; send somebody away first")
    return [e.Changed(options)]


def _pause(table: TableState, left_ms: int | None, *, paused: bool) -> list[e.Entry]:
    if table.stage is not Stage.PLAYING:
        raise IllegalActionError("no match is on at this table")
    if table.paused == paused:
        return []
    return [e.Paused(left_ms) if paused else e.Resumed()]


def _person(table: TableState, player: int, *, bots: bool = False) -> Player:
    one = table.player(player)
    if one is None or one.gone or (one.bot is not None and not bots):
        raise IllegalActionError("nobody like that sits here")
    return one
