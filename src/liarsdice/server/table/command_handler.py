"""Decides on commands, moves of bots, deals and seeds: returns the entries to append, or raises and changes nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from liarsdice.core.actions import MOVES, Move, Withdraw
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Event
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.parts import find_penalty
from liarsdice.play.player_names import BLANK_SYMBOLS, is_stacked
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.errors import ForbiddenError, StaleError
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.deadlines import reveal_viewers, turn_ms
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.server.table.log_entries import AccusationDenied, AccusationSettled, AccusationVoted, Accused
from liarsdice.server.table.reducer import (
    change_speed,
    guess_call,
    is_accused,
    is_overdue,
    judges,
    owes_all_dice,
    unconcerned,
)
from liarsdice.server.table.seating import (
    accept_rules,
    begin_match,
    check_commitment,
    check_is_host,
    check_unused,
    handle_host_command,
    leave_table,
    not_yet,
    take_over_as_host,
)
from liarsdice.server.table.table_config import Leaver, check_face
from liarsdice.server.table.table_state import MatchState, OpenAccusation, Player, TableState

MAX_TALK_LENGTH = 280
"""The most characters of one line of table talk."""

INVISIBLE_JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f"))
"""Joiners and variation selectors: not printable on their own, but needed for emoji and some scripts. As a table for
`str.translate` that removes them."""

FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters of Hangul without ink, which Unicode counts as printable."""
MAX_TALK_MARKS = 3
"""The most combining marks on one character: a Hebrew letter can have three."""

QUESTIONS: dict[PenaltyTrigger, re.Pattern[str]] = {
    PenaltyTrigger.ASKS_WHOSE_TURN: re.compile(
        r"\bwho(['’`]?s|se| is| has)( the)? (turn|go|move|up(?! for)|next)\b"
        r"|\b(is it|am i|are you|is it your|is it my) (my |your |his |her |their )?(turn|next|up|go)\b"
        r"|\b(my|your) (turn|go)\s*\?|\bis it me\s*(\?|$)|\bwho (goes|plays)( now| next)?\s*(\?|$)"
        r"|\b(a|de) qui[eé]n(es)? (le |les )?(toca|es)\b|\bqui[eé]n(es)? (va|sigue|juega|apuesta)( ahora)?\s*(\?|$)"
        r"|¿\s*(ya )?me toca( a m[ií])?( jugar| apostar)?\s*(\?|$)|\b[mt]e toca( a \w+)?( ya| ahora)?\s*\?"
        r"|\b(le|les|nos|os) toca( a \w+)?\s*\?|\bahora qui[eé]n\s*(\?|$)"
        r"|\bde qui[eé]n es el turno\b|¿\s*es mi turno\b|\bes mi turno\s*\?",
        re.IGNORECASE,
    ),
    PenaltyTrigger.ASKS_DICE_LEFT: re.compile(
        r"\bhow many( dice| die)?( are| is|['’`]re| do| does| have| has)?( \w+)?( have| has| got)?( there)?( still)?"
        r" (left|remain(ing)?|in play|(on|around) the table)\b"
        r"|\bhow many( dice| die)? (does|do|has|have) \w+( still)? (have|hold|got)\b"
        r"|\bhow many (dice|die) ((has|have) \w+|\w+( have)? got)\s*(\?|$)"
        r"|\bhow many (dice|die)( are there)?( in total| altogether| now)?\s*(\?|$)|\bnumber of dice (left|in play)\b"
        r"|\bcu[aá]ntos dados( son)?( en total| ahora)?\s*(\?|$)"
        r"|\bcu[aá]ntos( dados)?( me| te| le| nos| os| les)? (hay|quedan?|tengo|tienes?|tenemos|ten[eé]is|tienen)\b",
        re.IGNORECASE,
    ),
}


def normalize_line(text: str) -> str:
    r"""Return a line of talk, trimmed and with marks composed (NFC).

    Raises `MalformedError` if it is empty or too long, or has unprintable or invisible characters or too many marks.

    >>> normalize_line(" e\u0301so ")
    'éso'
    """
    line = unicodedata.normalize("NFC", text.strip()) if len(text) <= 2 * MAX_TALK_LENGTH else ""
    visible = line.translate(INVISIBLE_JOINERS)
    if not visible.strip() or len(line) > MAX_TALK_LENGTH or not visible.isprintable():
        raise MalformedError(f"say 1 to {MAX_TALK_LENGTH} printable characters")
    if (BLANK_SYMBOLS | FILLERS) & {*visible} or is_stacked(visible, MAX_TALK_MARKS):
        raise MalformedError(f"say visible characters, with at most {MAX_TALK_MARKS} marks on each")
    return line


def penalty_triggers_in(text: str) -> tuple[PenaltyTrigger, ...]:
    """Return the penalty triggers whose question a line of talk contains.

    A question only opens an accusation; people decide whether it was asked.

    >>> penalty_triggers_in("wait, whose turn is it?")
    (PenaltyTrigger.ASKS_WHOSE_TURN,)
    >>> penalty_triggers_in("¿Cuántos dados quedan?")
    (PenaltyTrigger.ASKS_DICE_LEFT,)
    """
    return tuple(trigger for trigger, pattern in QUESTIONS.items() if pattern.search(text))


MAX_ENDPOINT_LENGTH = 500
MAX_ENDPOINTS = 3
"""How many browsers of a player are kept, the latest ones."""

PUSH_HOSTS = (
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "web.push.apple.com",
    ".push.apple.com",
    ".notify.windows.com",
)
"""The push services of Chromium, Firefox, Safari and Edge. A name that begins with a dot stands for all names below."""

NO_ENDPOINT = "a push endpoint is an https URL of the push service of a browser"


def endpoint_host(endpoint: str) -> str:
    """Return the host of a push endpoint. Raises `MalformedError` unless it is a URL of a known push service."""
    # `urlsplit` brings a host that is not ASCII into its compatibility form, which takes long for a long one.
    if len(endpoint) > MAX_ENDPOINT_LENGTH or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        raise MalformedError(NO_ENDPOINT)
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise MalformedError(NO_ENDPOINT) from None
    known = any(host == name or (name.startswith(".") and host.endswith(name)) for name in PUSH_HOSTS)
    if parts.scheme != "https" or parts.username is not None or port not in {None, 443} or not known:
        raise MalformedError(NO_ENDPOINT)
    return host


def with_endpoint(known: tuple[str, ...], endpoint: str, *, wanted: bool) -> tuple[str, ...]:
    """Return the endpoints of somebody with one more, the latest `MAX_ENDPOINTS`, or without that one.

    Raises `MalformedError` for an endpoint of no known push service.
    """
    endpoint_host(endpoint)
    others = tuple(other for other in known if other != endpoint)
    return (*others, endpoint)[-MAX_ENDPOINTS:] if wanted else others


def change_endpoint(player: Player, endpoint: str, *, wanted: bool) -> list[e.LogEntry]:
    """Return the entry after which a player's turns are pushed to an endpoint, or no more; none if nothing changes.

    Raises `MalformedError` for an endpoint of no known push service.
    """
    endpoints = with_endpoint(player.push_endpoints, endpoint, wanted=wanted)
    if set(endpoints) == set(player.push_endpoints):
        return []
    return [e.PushChanged(player.id, endpoints)]


NO_SEAT = "you have no seat in this match; the next one may have you"
MIN_SEED_LENGTH, MAX_SEED_LENGTH = 32, 64


class Attendance(msgspec.Struct, frozen=True):
    """The players who look at a table, by their ids.

    `connected`: those who look at it now. `away`: those who have not looked at it for a while. `host_away`: whether
    another player may become host.
    """

    connected: Collection[int] = ()
    away: Collection[int] = ()
    host_away: bool = False


def handle_command(
    table: TableState,
    player: Player,
    command: c.Command,
    *,
    turn_id: int,
    left_ms: int | None,
    dice_source: DiceSource,
    attendance: Attendance,
) -> list[e.LogEntry]:
    """Return the entries that a player's command leads to, none if it changes nothing.

    `turn_id`: the step of the match that a move answers. `left_ms`: the milliseconds until the next deadline, None
    without one. Raises `StaleError`, `ForbiddenError`, `IllegalActionError`, `MalformedError` or `UnavailableError`.
    """
    if isinstance(command, MOVES):
        return _make_move(table, player, command, turn_id, left_ms, dice_source)
    match command:
        case c.Say(text):
            return _say(table, player, text)
        case c.Begin():
            return begin_match(table, player, dice_source)
        case c.Ready():
            return _mark_ready(table, player)
        case c.NotYet():
            return not_yet(table, player)
        case c.Leave():
            return leave_table(table, player, left_ms)
        case c.AcceptRules():
            return accept_rules(table, player, dice_source)
        case c.PlayOut(speed):
            return change_speed(table, player, speed)
        case c.GuessCall(caller, right):
            return guess_call(table, player, caller, right=right)
        case c.ChooseFace(face):
            check_face(face)
            return [] if face == player.face else [e.FaceChosen(player.id, face)]
        case c.SetPush(endpoint, wanted):
            return change_endpoint(player, endpoint, wanted=wanted)
        case c.CommitSeed(commitment):
            return _commit_seed(table, player, commitment)
        case c.RevealSeed(seed):
            return _reveal_seed(table, player, seed)
        case c.Accuse():
            return _accuse(table, player, command)
        case c.AnswerPenalty(number, take):
            entries = _answer_penalty(table, player, number, attendance.away, take=take)
            return [part for entry in entries for part in _with_penalty(table, entry, dice_source)]
        case c.MakeHost(new_host) if new_host == player.id:
            return take_over_as_host(table, player, host_away=attendance.host_away, connected=attendance.connected)
        case _:
            check_is_host(table, player)
            return handle_host_command(table, command, left_ms, attendance.connected)


def bot_move_entries(
    table: TableState, seat: int, move: Move, dice_source: DiceSource, *, time_up: bool = False
) -> list[e.LogEntry]:
    """Return the entry for a move that a bot makes in a seat.

    `time_up`: the bot moves because the player did not act in time, which empties the time bank. Raises
    `IllegalActionError` if no match is on or the move is illegal.
    """
    match = _require_match(table)
    late_player = table.players[seat].id if time_up else None
    return [e.Played(_move_events(table, match, seat, move, dice_source), seat, 0 if time_up else None, late_player)]


def deal_entries(table: TableState, dice_source: DiceSource) -> list[e.LogEntry]:
    """Return the entries for the dealer's next action. Raises `IllegalActionError` if no match is on.

    When a round is dealt, accusations that were left unanswered until then count as denied. One on which players have
    voted for more than a whole round is dropped, unless the host can decide it.
    """
    match = _require_match(table)
    dealer, (state, withdrawn) = dice_source.dealer(table.code, match), _without_leavers(table, match)
    played = [e.Played(tuple(withdrawn))] if withdrawn else []
    if state.phase is not Phase.OVER:
        played.append(e.Played(tuple(decide(state, None, dealer.action(state, len(match.starter_rolls))))))
    accusations = table.accusations if match.state.phase is Phase.DEAL else ()
    return [*(entry for item in accusations for entry in _next_of(table, match, item)), *played]


def _without_leavers(table: TableState, match: MatchState) -> tuple[State, list[Event]]:
    """Return the state of a match and the events that led to it: between rounds leavers' seats go out, if so set."""
    state, events = match.state, list[Event]()
    for seat, player in enumerate(table.players[: len(state.names)]):
        is_out = player.gone and table.config.leaver is Leaver.OUT and state.stakes[seat] > 0
        if is_out and state.phase is Phase.DEAL:
            withdrawn = decide(state, None, Withdraw(seat))
            state, events = evolve_all(state, withdrawn), events + withdrawn
    return state, events


def _next_of(table: TableState, match: MatchState, accusation: OpenAccusation) -> list[e.LogEntry]:
    """Return what becomes of an open accusation when the next round is dealt."""
    if not accusation.denied:
        return _denied(table, accusation)
    host_decides = table.host in unconcerned(table, accusation)
    is_old = match.state.round_number > accusation.vote_round
    return [_settled(accusation, taken=False)] if is_old and not host_decides else []


def next_seed_entries(table: TableState, dice_source: DiceSource) -> list[e.LogEntry]:
    """Return the entry that commits to the dice of the next match, if no match is on and none is committed yet."""
    between_matches = table.match is None or table.match.over
    return [e.SeedCommitted(dice_source.new_seed())] if between_matches and not table.next_server_seed else []


def _commit_seed(table: TableState, player: Player, commitment: str) -> list[e.LogEntry]:
    """Return the entry for a player's commitment, none if it is the same again.

    The first one for a match counts, so that a page that was told `done` finds it in the match. Raises
    `MalformedError`, and `IllegalActionError` for another one or one that was used.
    """
    check_commitment(commitment)
    if not commitment or commitment == player.seed_commitment:
        return []
    check_unused(table, commitment)
    if player.seed_commitment:
        raise IllegalActionError("you have committed to a seed for the next match already")
    return [e.PlayerSeedCommitted(player.id, commitment)]


def _reveal_seed(table: TableState, player: Player, seed: str) -> list[e.LogEntry]:
    """Return the entry for the seed that a player reveals, none if it is revealed already.

    Raises `MalformedError`, `IllegalActionError` for a seed that the player did not commit to, and `StaleError` once
    the dealer has acted.
    """
    if not MIN_SEED_LENGTH <= len(seed) <= MAX_SEED_LENGTH or not (seed.isascii() and seed.isalnum()):
        raise MalformedError(f"a seed is {MIN_SEED_LENGTH} to {MAX_SEED_LENGTH} letters and digits")
    match = _require_match(table)
    seat = table.match_seat(player.id)
    if seat is not None and match.accepts_seeds and match.seeds[seat] == seed:
        return []
    if not match.accepts_seeds:
        raise StaleError("the dice are rolled already; this seed came too late")
    if seat is None:
        raise IllegalActionError(NO_SEAT)
    if commitment_to(seed) != match.seed_commitments[seat]:
        raise IllegalActionError("this is not the seed that you committed to")
    return [e.PlayerSeedRevealed(player.id, seed)]


def _require_match(table: TableState) -> MatchState:
    match = table.ongoing_match
    if match is None:
        raise IllegalActionError("no match is on at this table")
    return match


def _move_events(
    table: TableState, match: MatchState, seat: int, move: Move, dice_source: DiceSource
) -> tuple[Event, ...]:
    """Return the events of a move, and those of the dice that a bidder who shows some rolls again at once."""
    events = decide(match.state, seat, move)
    after = evolve_all(match.state, events)
    if after.phase is not Phase.ROLL_AGAIN:
        return tuple(events)
    return (*events, *decide(after, None, dice_source.dealer(table.code, match).action(after)))


def _make_move(
    table: TableState, player: Player, move: Move, turn_id: int, left_ms: int | None, dice_source: DiceSource
) -> list[e.LogEntry]:
    match = _require_match(table)
    if table.paused:
        raise IllegalActionError("the match is paused")
    if turn_id != match.turn_id:
        raise StaleError("the situation has changed; look again and choose a move")
    seat = table.match_seat(player.id)
    if seat is None:
        raise IllegalActionError(NO_SEAT)
    bank_ms = None
    clock_runs = turn_ms(table) is not None and not player.stand_in  # else the deadline is the bot's delay
    if clock_runs and seat == match.state.turn and left_ms is not None:
        bank_ms = max(0, min(player.bank_ms, left_ms))
    events = _move_events(table, match, seat, move, dice_source)
    took_back: list[e.LogEntry] = [e.StandInChanged(player.id, bot=False)] if player.stand_in else []
    return [*took_back, e.Played(events, seat, bank_ms)]


def _say(table: TableState, player: Player, text: str) -> list[e.LogEntry]:
    line = normalize_line(text)
    if player.muted:
        raise ForbiddenError("the host has muted you at this table")
    match = table.ongoing_match
    entries: list[e.LogEntry] = [e.Spoke(player.id, line)]
    seat = table.match_seat(player.id)
    if match is not None and seat is not None and match.state.dice[seat]:
        punished = {penalty.trigger for penalty in match.state.ruleset.penalties}
        triggers = [trigger for trigger in penalty_triggers_in(line) if trigger in punished]
        if triggers and not is_accused(table, player.id) and not owes_all_dice(match, seat):
            others = [
                other.id for other in table.players if other.bot is None and not other.gone and other is not player
            ]
            accuser = others[0] if len(others) == 1 else None
            entries.append(Accused(table.next_accusation, player.id, triggers[0], accuser=accuser))
    return entries


def _mark_ready(table: TableState, player: Player) -> list[e.LogEntry]:
    match = _require_match(table)
    seat = table.seat_of(player.id)
    if match.state.phase is not Phase.DEAL or match.verdict is None or seat in match.ready:
        return []
    return [e.WasReady(player.id)] if seat in reveal_viewers(table) else []


def _accuse(table: TableState, player: Player, command: c.Accuse) -> list[e.LogEntry]:
    if player.muted:
        raise ForbiddenError("the host has muted you at this table")
    match, accused = _require_match(table), command.player
    seat = table.match_seat(accused)
    if seat is None or not match.state.dice[seat]:
        raise IllegalActionError("only a player with dice can be accused")
    if accused == player.id:
        raise IllegalActionError("only another player can be accused")
    penalty = find_penalty(match.state.ruleset.penalties, command.trigger, command.offence)
    if penalty is None:
        raise IllegalActionError("that costs nothing at this table")
    if is_accused(table, accused):
        return []
    if owes_all_dice(match, seat):
        raise IllegalActionError("that player owes all dice already")
    return [Accused(table.next_accusation, accused, command.trigger, penalty.offence, player.id)]


def _answer_penalty(
    table: TableState, player: Player, number: int, away: Collection[int], *, take: bool
) -> list[e.LogEntry]:
    """Return the entries of an answer, without the events of a penalty that it leads to."""
    accusation = next((item for item in table.accusations if item.number == number), None)
    if accusation is None:
        raise StaleError("that has been settled already")
    if player.id == accusation.player:
        if not take:
            return _denied(table, accusation)
        if accusation.denied:
            raise StaleError("you have denied this; the other players vote")
        return [_settled(accusation, taken=True)]
    if player.id == accusation.accuser and not take:
        return [_settled(accusation, taken=False)]
    if player.id not in judges(table, accusation):
        if player.id in accusation.votes:
            raise StaleError("you have voted on this already")
        raise ForbiddenError(
            "only a player who has no part in this accusation may vote on it, and only after the accused has denied it"
        )
    if is_overdue(table, accusation):
        return [_settled(accusation, taken=take)]
    voted = replace(accusation, votes=accusation.votes | {player.id: take})
    outcome = _outcome(table, voted, away)
    settled = [] if outcome is None else [_settled(accusation, taken=outcome)]
    return [AccusationVoted(number, player.id, take), *settled]


def _outcome(table: TableState, accusation: OpenAccusation, away: Collection[int]) -> bool | None:
    """Return what the majority of those who are here decides, and the host if there is none; None while it is open.

    At a slow table nobody counts as away.
    """
    votes, missing = accusation.votes, set(judges(table, accusation))
    if not table.config.clock.slow:
        missing.difference_update(away)
    takes = sum(votes.values())
    passes = len(votes) - takes
    if abs(takes - passes) > len(missing):
        return takes > passes
    if missing:
        return None
    if table.host in votes:
        return votes[table.host]
    return None if table.host in unconcerned(table, accusation) else False


def _with_penalty(table: TableState, entry: e.LogEntry, dice_source: DiceSource) -> list[e.LogEntry]:
    """Return an entry, after one that takes a penalty with its events. One for which no dice are left is let pass."""
    if not isinstance(entry, AccusationSettled) or not entry.taken:
        return [entry]
    match = _require_match(table)
    seat = table.seat_of(entry.player)
    if seat is None or owes_all_dice(match, seat):
        return [replace(entry, taken=False)]
    penalty = dice_source.dealer(table.code, match).penalty(
        match.state, seat, entry.trigger, match.penalty_count, entry.offence or ""
    )
    return [entry, e.Played(tuple(decide(match.state, seat, penalty)), seat)]


def _denied(table: TableState, accusation: OpenAccusation) -> list[e.LogEntry]:
    """Return the entries of a denial. Without a player who could vote, the accusation is dropped at once."""
    if accusation.denied:
        return []
    dropped = [] if unconcerned(table, accusation) else [_settled(accusation, taken=False)]
    return [AccusationDenied(accusation.number), *dropped]


def _settled(accusation: OpenAccusation, *, taken: bool) -> AccusationSettled:
    number, player = accusation.number, accusation.player
    return AccusationSettled(number, taken, player, accusation.trigger, accusation.offence)
