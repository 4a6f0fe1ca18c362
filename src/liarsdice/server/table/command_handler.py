"""Judging what somebody at a table asks for. Answers with entries for the log, or raises and nothing has happened."""

from __future__ import annotations

from liarsdice.core.actions import Challenge, Exact, Move, SetDirection
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Event
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.play.dealer import Dealer
from liarsdice.server.errors import ForbiddenError, StaleError
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.deadlines import turn_ms, watchers
from liarsdice.server.table.dice_source import Chances
from liarsdice.server.table.penalty_phrases import JOINERS, LONGEST_LINE, accused_of
from liarsdice.server.table.seating import begin, for_host, leave, take_over
from liarsdice.server.table.table_state import MatchState, Player, TableState

LONGEST_SEED = 64


def judge(
    table: TableState,
    who: Player,
    command: c.Command,
    mark: int,
    left_ms: int | None,
    chances: Chances,
    *,
    host_away: bool,
) -> list[e.Entry]:
    """The entries that a player's wish leads to.

    `mark`: the situation that a move answers. `left_ms`: what is left until the table goes on by itself. `host_away`:
    whether the host has had no page open for a while. Raises `StaleError`, `ForbiddenError`, `IllegalActionError` or
    `MalformedError`.
    """
    match command:
        case Bid() | Challenge() | Exact() | SetDirection():
            return _move(table, who, command, mark, left_ms)
        case c.Say(text):
            return _say(table, who, text)
        case c.Begin():
            return begin(table, who, chances)
        case c.Ready():
            return _ready(table, who)
        case c.Leave():
            return leave(table, who)
        case c.TakeBack():
            return [e.StoodIn(who.id, bot=False)] if who.stand_in else []
        case c.GiveSeed(seed):
            check_seed(seed)
            return [e.SeedGiven(who.id, seed)]
        case c.Accuse(player, trigger):
            return _accuse(table, player, trigger)
        case c.AnswerPenalty(number, take):
            return _answer(table, who, number, chances, take=take)
        case c.MakeHost(player) if player == who.id:
            return take_over(table, who, host_away=host_away)
        case _:
            if who.id != table.host:
                raise ForbiddenError("only the host of this table may do that")
            return for_host(table, command, left_ms)


def play(table: TableState, seat: int, move: Move, *, time_up: bool = False) -> list[e.Entry]:
    """A move of the game that a bot makes in a seat, with what follows from it."""
    match = _match(table)
    late = table.players[seat].id if time_up else None
    return [e.Played(tuple(decide(match.state, seat, move)), seat, 0 if time_up else None, late)]


def deal(table: TableState, chances: Chances) -> list[e.Entry]:
    """What the dealer does where the match waits for dice."""
    match = _match(table)
    dealer = chances.dealer(table.code, match)
    return [e.Played(tuple(decide(match.state, None, dealer.action(match.state, len(match.rolls)))))]


def sealed_after(table: TableState, chances: Chances) -> list[e.Entry]:
    """The promise about the next match's dice, made as soon as the one before is over."""
    over = table.match is None or table.match.over
    return [e.Sealed(chances.new_seed())] if over and not table.sealed else []


def check_seed(seed: str) -> None:
    """Raise `MalformedError` unless a seed is up to 64 letters and digits."""
    if len(seed) > LONGEST_SEED or (seed and not (seed.isascii() and seed.isalnum())):
        raise MalformedError(f"a seed is up to {LONGEST_SEED} letters and digits")


def _match(table: TableState) -> MatchState:
    match = table.playing
    if match is None:
        raise IllegalActionError("no match is on at this table")
    return match


def _move(table: TableState, who: Player, move: Move, mark: int, left_ms: int | None) -> list[e.Entry]:
    match = _match(table)
    if table.paused:
        raise IllegalActionError("the match is paused")
    if mark != match.mark:
        raise StaleError("something else happened first; look again and decide anew")
    seat = table.seat_of(who.id)
    assert seat is not None
    bank_ms = None
    clocked = turn_ms(table) is not None and not who.stand_in  # else what runs is the bot's time to think
    if clocked and seat == match.state.turn and left_ms is not None:
        bank_ms = max(0, min(who.bank_ms, left_ms))
    events: tuple[Event, ...] = tuple(decide(match.state, seat, move))
    back: list[e.Entry] = [e.StoodIn(who.id, bot=False)] if who.stand_in else []
    return [*back, e.Played(events, seat, bank_ms)]


def _say(table: TableState, who: Player, text: str) -> list[e.Entry]:
    said = text.strip()
    if not said or len(said) > LONGEST_LINE or not said.translate(JOINERS).isprintable():
        raise MalformedError(f"say 1 to {LONGEST_LINE} printable characters")
    if who.muted:
        raise ForbiddenError("the host has muted you at this table")
    match = table.playing
    found: list[e.Entry] = [e.Spoke(who.id, said)]
    seat = table.seat_of(who.id)
    if match is not None and seat is not None and match.state.dice[seat]:
        open_to = {penalty.trigger for penalty in match.state.ruleset.penalties}
        charged = {charge.trigger for charge in table.charges if charge.player == who.id}
        fresh = [trigger for trigger in accused_of(said) if trigger in open_to - charged]
        found += [e.Accused(table.next_charge + place, who.id, trigger) for place, trigger in enumerate(fresh)]
    return found


def _ready(table: TableState, who: Player) -> list[e.Entry]:
    match = _match(table)
    seat = table.seat_of(who.id)
    if match.state.phase is not Phase.DEAL or match.verdict is None or seat in match.ready:
        return []
    return [e.WasReady(who.id)] if seat in watchers(table) else []


def _accuse(table: TableState, player: int, trigger: PenaltyTrigger) -> list[e.Entry]:
    match = _match(table)
    seat = table.seat_of(player)
    if seat is None or not match.state.dice[seat]:
        raise IllegalActionError("only a player with dice can be accused")
    if trigger not in {penalty.trigger for penalty in match.state.ruleset.penalties}:
        raise IllegalActionError("that costs nothing at this table")
    if any(charge.player == player and charge.trigger is trigger for charge in table.charges):
        return []
    return [e.Accused(table.next_charge, player, trigger)]


def _answer(table: TableState, who: Player, number: int, chances: Chances, *, take: bool) -> list[e.Entry]:
    charge = next((one for one in table.charges if one.number == number), None)
    if charge is None:
        raise StaleError("that has been settled already")
    if who.id not in (table.host, charge.player):
        raise ForbiddenError("that is for the host and for whom it is about to settle")
    if not take and who.id != table.host:
        return [] if charge.denied else [e.Denied(number)]
    match = _match(table)
    seat = table.seat_of(charge.player)
    if not take or seat is None or not match.state.dice[seat]:
        return [e.Answered(number, taken=False, player=charge.player, trigger=charge.trigger)]
    dealer: Dealer = chances.dealer(table.code, match)
    penalty = dealer.penalty(match.state, seat, charge.trigger, match.penalty_count)
    answered = e.Answered(number, taken=True, player=charge.player, trigger=charge.trigger)
    return [answered, e.Played(tuple(decide(match.state, seat, penalty)), seat)]
