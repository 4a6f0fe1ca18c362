"""Computes the state of a table from its log, one entry at a time. Never refuses: entries of the log are facts."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from liarsdice.core.engine.engine import match_started
from liarsdice.core.engine.evolve import evolve_all, initial_state
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.events import Eliminated, Penalised, RoundStarted, StarterRolled
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.play.provable_dice import match_promise
from liarsdice.server.errors import ForbiddenError, UnreadableTableError
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.deadlines import next_deadline
from liarsdice.server.table.dice_source import fairness_of
from liarsdice.server.table.log_entries import (
    AccusationDenied,
    AccusationEntry,
    AccusationSettled,
    AccusationVoted,
    Accused,
)
from liarsdice.server.table.public_news import call_verdict, news_of
from liarsdice.server.table.seating import (
    bans_with,
    former_with,
    is_asked,
    is_opener,
    muted_with,
    muted_without,
    requests_after,
    seated,
    with_config,
    without_question,
)
from liarsdice.server.table.table_state import MatchState, OpenAccusation, Player, TableState
from liarsdice.wire import CallGuess, Happened, NewsItem, PlayoutSpeed, Verdict


def with_accusations(table: TableState, entry: AccusationEntry) -> TableState:
    """Return the table after an entry about an accusation."""
    accusations, number = table.accusations, entry.number
    match entry:
        case Accused(_, player_id, trigger, offence, accuser):
            new = OpenAccusation(number, player_id, trigger, offence=offence, accuser=accuser)
            return replace(table, accusations=(*accusations, new), next_accusation=table.next_accusation + 1)
        case AccusationSettled():
            others = tuple(accusation for accusation in accusations if accusation.number != number)
            return replace(table, accusations=others)
        case AccusationDenied():
            vote_round = 0 if table.match is None else table.match.state.round_number
            denied = (
                replace(item, denied=True, vote_round=vote_round) if item.number == number else item
                for item in accusations
            )
            return replace(table, accusations=tuple(denied))
        case AccusationVoted(_, player_id, take):
            voted = (
                replace(item, votes=item.votes | {player_id: take}) if item.number == number else item
                for item in accusations
            )
            return replace(table, accusations=tuple(voted))


def unconcerned(table: TableState, accusation: OpenAccusation) -> tuple[int, ...]:
    """Return the ids of the people who neither are accused nor accuse. Programs and bots, also stand-ins, are none."""
    return tuple(
        player.id
        for player in table.players
        if not player.played_by_bot
        and not player.gone
        and not player.program
        and player.id not in {accusation.player, accusation.accuser}
    )


def is_overdue(table: TableState, accusation: OpenAccusation) -> bool:
    """Return whether a vote is open for more than a whole round, so that the host decides alone."""
    round_number = 0 if table.match is None else table.match.state.round_number
    return accusation.denied and round_number > accusation.vote_round + 1


def judges(table: TableState, accusation: OpenAccusation) -> tuple[int, ...]:
    """Return the ids of the players who may vote on an accusation now, or of the host who decides it alone.

    Nobody may before the accused has denied it.
    """
    if not accusation.denied:
        return ()
    if is_overdue(table, accusation):
        return tuple(player_id for player_id in unconcerned(table, accusation) if player_id == table.host)
    return tuple(player_id for player_id in unconcerned(table, accusation) if player_id not in accusation.votes)


def is_accused(table: TableState, player_id: int) -> bool:
    """Return whether an accusation of a player is open. There is one at most."""
    return any(accusation.player == player_id for accusation in table.accusations)


def owes_all_dice(match: MatchState, seat: int) -> bool:
    """Return whether the penalties that are due at the end of the round take all dice or lives that a seat has left."""
    return sum(penalty.dice for penalty in match.state.penalties if penalty.seat == seat) >= match.state.stakes[seat]


def only_bots_left(table: TableState) -> bool:
    """Return whether no person who has dice could still play in the current match.

    A person for whom a bot stands in may come back, so the seat counts as that of a person.
    """
    match = table.ongoing_match
    if match is None or match.state.phase is Phase.STARTER:
        return False
    seats = zip(table.players, match.state.dice, strict=False)
    return all(player.bot is not None or player.gone or not dice for player, dice in seats)


def change_speed(table: TableState, player: Player, speed: PlayoutSpeed) -> list[e.LogEntry]:
    """Return the entry that changes how fast the bots play on, none if they do so already.

    Raises `IllegalActionError` unless only bots have dice left, and `ForbiddenError` for somebody who did not play.
    """
    match = table.ongoing_match
    if match is None or not only_bots_left(table):
        raise IllegalActionError("a match is played out faster only when nobody but bots has dice left")
    seat = table.seat_of(player.id)
    if seat is None or seat >= len(match.state.names):
        raise ForbiddenError("only somebody who played in this match can speed it up")
    return [] if match.speed is speed else [e.SpeedChanged(player.id, speed)]


def is_out(table: TableState, player_id: int | None) -> bool:
    """Return whether a player of the current match has no dice left while others bid."""
    match, seat = table.ongoing_match, table.seat_of(player_id)
    if match is None or seat is None or seat >= len(match.state.names):
        return False
    return match.state.phase is Phase.BIDDING and not match.state.dice[seat]


def sees_all_cups(table: TableState, player_id: int | None) -> bool:
    """Return whether a player may see the dice of all seats: one who is out, and cannot tell anybody about them."""
    return is_out(table, player_id) and (table.config.open_cups or only_bots_left(table))


def own_guess(table: TableState, player_id: int | None) -> CallGuess | None:
    """Return what a player has guessed about the call of this round, None for nothing."""
    seat = table.seat_of(player_id)
    if table.match is None or seat is None:
        return None
    return next((guess for guess in table.match.guesses if guess.seat == seat), None)


def guess_call(table: TableState, player: Player, caller: int, *, right: bool) -> list[e.LogEntry]:
    """Return the entry for a guess of who makes the next call, and whether the caller is right.

    Raises `ForbiddenError` for a player who is not out, and `IllegalActionError` outside the bidding, for a second
    guess in a round, and about a seat without dice.
    """
    match = table.ongoing_match
    if match is None or match.state.phase is not Phase.BIDDING:
        raise IllegalActionError("a call is guessed while players bid")
    if not is_out(table, player.id):
        raise ForbiddenError("only players who are out of this match may guess its calls")
    if own_guess(table, player.id) is not None:
        raise IllegalActionError("you have guessed the call of this round already")
    if not 0 <= caller < len(match.state.names) or not match.state.dice[caller]:
        raise IllegalActionError("only a player with dice can make the next call")
    return [e.CallGuessed(player.id, caller, right)]


def points_after(match: MatchState, verdict: Verdict) -> tuple[int, ...]:
    """Return the points of all seats after a call: one for its caller, one more for whether the caller was right."""
    points = list(match.guess_points or (0,) * len(match.state.names))
    for guess in match.guesses:
        if guess.caller == verdict.caller:
            points[guess.seat] += 1 + (guess.right == verdict.right)
    return tuple(points)


MAX_HANDLED_REQUESTS = 256
"""How many of the latest requests a table remembers."""

MAX_REQUESTS_OF_ONE = 8
"""How many of the latest requests of each person a table remembers, too, however many the others have sent since."""

MAX_REQUEST_AGE = 1_000
"""How many entries ago a request may be that a table remembers, so that old table talk need not be kept for it."""


def remember_request(handled: dict[str, int], request_id: str, seq: int) -> dict[str, int]:
    """Return the known requests with one more, without those that are forgotten now.

    `handled`: the seqs by the ids of the requests, oldest first. Ids begin with what stands for the token of the sender
    and a colon. What is known depends on the latest requests only: a log that lost entries before the oldest of the
    known requests leads to the same ones.
    """
    updated = dict(handled)
    updated[request_id] = seq
    while next(iter(updated.values())) < seq - MAX_REQUEST_AGE:
        del updated[next(iter(updated))]
    keys = list(updated)
    older = keys[:-MAX_HANDLED_REQUESTS]
    for person in {_sender(request_id), *map(_sender, older[-1:])}:
        if any(key.startswith(person) for key in older):
            of_one = [key for key in keys if key.startswith(person)]
            if len(of_one) > MAX_REQUESTS_OF_ONE:
                del updated[of_one[0]]
    return updated


def _sender(request_id: str) -> str:
    """The part of a request's id that stands for the token of its sender, with the colon behind it."""
    return request_id[: request_id.find(":") + 1]


MAX_NEWS = 100


def replay_log(rows: Iterable[e.LogRow]) -> TableState | None:
    """Return the state that a log leads to, None for an empty log."""
    table = None
    for row in rows:
        table = apply_row(table, row)
    return table


def apply_row(table: TableState | None, row: e.LogRow) -> TableState:
    """Return the state after one more entry. The first entry of a log is `Opened`; before it, `table` is None."""
    if table is None:
        assert isinstance(row.entry, e.Opened)
        ruleset = bid_space(row.entry.config.ruleset).ruleset  # one object for all tables with the same rules
        config = replace(row.entry.config, ruleset=ruleset)
        table = TableState(code=row.entry.code, config=config, opener_network=row.entry.network)
    else:
        table = _apply_entry(table, row.entry)
    people = sum(player.bot is None and not player.gone for player in table.players)
    waits = people > 1 and table.ongoing_match is None
    since_ms = table.waiting_since_ms if table.waiting_since_ms is not None else row.at_ms
    news = tuple(NewsItem(row.seq, row.at_ms, content) for content in news_of(row.entry))
    return replace(
        table,
        seq=row.seq,
        waiting_since_ms=since_ms if waits else None,
        seat_requests=requests_after(table, row.entry),
        news=(*table.news, *news)[-MAX_NEWS:] if news else table.news,
        handled_requests=remember_request(table.handled_requests, row.request_id, row.seq)
        if row.request_id
        else table.handled_requests,
    )


def apply_stored_row(table: TableState | None, row: e.LogRow) -> TableState:
    """Return the state after a row from a database, which something may have damaged.

    Raises `UnreadableTableError` if the row cannot follow.
    """
    try:
        return apply_row(table, row)
    except Exception as error:  # any error means that the log is not one that a server wrote
        name, cause = f"table {table.code}" if table else "a table", type(error).__name__
        raise UnreadableTableError(f"the log of {name} cannot be read: entry {row.seq} ({cause})") from error


def _apply_entry(table: TableState, entry: e.LogEntry) -> TableState:
    match entry:
        case e.Played():
            return _apply_played(table, entry)
        case e.MatchBegan():
            return _begin_match(table, entry)
        case e.PlayerSeedRevealed(player_id, seed):
            match, seat = _match_and_seat(table, player_id)
            return replace(table, match=replace(match, seeds=(*match.seeds[:seat], seed, *match.seeds[seat + 1 :])))
        case e.WasReady(player_id):
            match, seat = _match_and_seat(table, player_id)
            return replace(table, match=replace(match, ready=(*match.ready, seat)))
        case e.ConfigChanged(config):
            return with_config(table, config)
        case e.RulesAccepted(player_id):
            return without_question(table, player_id)
        case e.Arranged(order):
            first = table.match is None
            return replace(table, players=seated(table.players, order)) if first else replace(table, seating=order)
        case e.RematchWanted(player_id, wanted):
            others = tuple(other for other in table.rematch if other != player_id)
            return replace(table, rematch=(*others, player_id) if wanted else others)
        case e.SpeedChanged(_, speed):
            assert table.match is not None
            return replace(table, match=replace(table.match, speed=speed))
        case e.CallGuessed(player_id, caller, right):
            match, seat = _match_and_seat(table, player_id)
            return replace(table, match=replace(match, guesses=(*match.guesses, CallGuess(seat, caller, right))))
        case e.Paused(left_ms):
            deadline = next_deadline(table)
            key = deadline.key if deadline else None
            paused = table.match and replace(table.match, pause_count=table.match.pause_count + 1)
            return replace(table, match=paused, paused=True, paused_left_ms=left_ms, paused_deadline_key=key)
        case e.Resumed():
            return replace(table, paused=False, paused_left_ms=None, paused_deadline_key=None)
        case Accused() | AccusationSettled() | AccusationDenied() | AccusationVoted():
            return with_accusations(table, entry)
        case e.SeedCommitted() | e.Locked() | e.SeatRequested() | e.GroupJoined():
            return _with_field(table, entry)
        case e.Spoke() | e.Opened() | e.SeatRefused():
            return table
        case _:
            return _update_players(table, entry)


def _with_field(table: TableState, entry: e.SeedCommitted | e.Locked | e.SeatRequested | e.GroupJoined) -> TableState:
    """Return the table after an entry that sets one field of it."""
    match entry:
        case e.SeedCommitted(server_seed):
            return replace(table, next_server_seed=server_seed)
        case e.Locked(locked):
            return replace(table, locked=locked)
        case e.SeatRequested(number):
            return replace(table, next_request=number + 1)
        case e.GroupJoined(group):
            return replace(table, group=group)


def _match_and_seat(table: TableState, player_id: int) -> tuple[MatchState, int]:
    seat = table.seat_of(player_id)
    assert table.match is not None
    assert seat is not None
    return table.match, seat


def _update_players(table: TableState, entry: e.LogEntry) -> TableState:
    match entry:
        case e.Joined():
            return _add_person(table, entry)
        case e.BotJoined(player_id, name, bot):
            return _add_player(table, Player(id=player_id, name=name, bot=bot))
        case e.Left(player_id, _, ban):
            player = table.player(player_id)
            assert player is not None
            bans = table.bans if ban is None else bans_with(table, player, ban)
            muted_people = muted_with(table, player) if player.muted else table.muted_people
            former = former_with(table, player)
            rematch = tuple(other for other in table.rematch if other != player_id)
            table = replace(table, rematch=rematch, bans=bans, muted_people=muted_people, former_players=former)
            return _remove_player(table, player)
        case e.BanLifted(player_id):
            return replace(table, bans=tuple(ban for ban in table.bans if ban.player != player_id))
        case e.HostChanged(player_id, given):
            resigned = table.opener_resigned or (given and is_opener(table, table.player(table.host)))
            returns = is_opener(table, table.player(player_id))
            return replace(table, host=player_id, opener_resigned=resigned and not returns)
        case e.DeviceAdded():
            return _add_device(table, entry)
        case e.Muted(player_id, muted):
            if not muted:
                table = replace(table, muted_people=muted_without(table, table.player(player_id)))
            return table.with_player(player_id, muted=muted)
        case e.StandInChanged(player_id, bot, by_host):
            if by_host and table.match is not None:
                stand_ins = (*table.match.host_stand_ins, player_id)
                table = replace(table, match=replace(table.match, host_stand_ins=stand_ins))
            return table.with_player(player_id, stand_in=bot)
        case e.FaceChosen(player_id, face):
            return table.with_player(player_id, face=face)
        case e.PushChanged(player_id, endpoints):
            return table.with_player(player_id, push_endpoints=endpoints)
        case e.WebhookChanged(player_id, url):
            return table.with_player(player_id, webhook=url)
        case e.PlayerSeedCommitted(player_id, commitment):
            return table.with_player(player_id, seed_commitment=commitment)
        case _:
            raise AssertionError(f"{type(entry).__name__} is about nobody")


def _add_person(table: TableState, entry: e.Joined) -> TableState:
    """Return the table with one more person. The first person ever is the one who opened the table."""
    if table.next_player == 1:
        table = replace(table, opener_tokens=(entry.token_hash,))
    player = Player(
        id=entry.player,
        name=entry.name,
        token_hashes=(entry.token_hash,),
        seed_commitment=entry.seed_commitment,
        address_hash=entry.address_hash,
        program=entry.program,
        muted=any(person.matches(entry.token_hash, entry.address_hash) for person in table.muted_people),
    )
    return _add_player(table, player)


def _add_device(table: TableState, entry: e.DeviceAdded) -> TableState:
    player = table.player(entry.player)
    assert player is not None
    if is_opener(table, player) and entry.token_hash not in table.opener_tokens:
        table = replace(table, opener_tokens=(*table.opener_tokens, entry.token_hash))
    token_hashes = tuple(dict.fromkeys((*player.token_hashes, entry.token_hash)))
    return table.with_player(player.id, token_hashes=token_hashes, program=player.program or entry.program)


def _add_player(table: TableState, player: Player) -> TableState:
    return replace(table, players=(*table.players, player), next_player=player.id + 1)


def _remove_player(table: TableState, player: Player) -> TableState:
    """Return the table after a player left.

    A player of the current or latest match keeps the place in `players` until the next match, so that seats stay the
    same; all others disappear at once.
    """
    host = None if table.host == player.id else table.host
    seat = table.seat_of(player.id)
    if table.match is None or (seat is not None and seat >= len(table.match.state.names)):
        return replace(table, host=host, players=tuple(other for other in table.players if other.id != player.id))
    return replace(table.with_player(player.id, gone=True, stand_in=player.bot is None), host=host)


def _begin_match(table: TableState, entry: e.MatchBegan) -> TableState:
    bank_ms = table.config.clock.bank_s * 1000
    here = tuple(player for player in table.players if not player.gone)
    present = tuple(player for player in seated(here, entry.players) if player.id in entry.players or not entry.players)
    players = tuple(
        replace(player, stand_in=False, bank_ms=bank_ms, seed_commitment="", asked_about_rules=False)
        for player in present
    )
    others = tuple(replace(player, stand_in=False, seed_commitment="") for player in here if player not in present)
    if table.series_winner is not None:
        players, others = _without_wins(players), _without_wins(others)
    match = MatchState(
        number=entry.number,
        server_seed=table.next_server_seed,
        seeds=("",) * len(players),
        state=initial_state(match_started(table.config.ruleset, [player.name for player in players])),
        protocol=entry.protocol,
        seed_commitments=tuple(player.seed_commitment for player in present),
        key=entry.key,
        engine=entry.engine,
    )
    match = replace(match, promise=match_promise(fairness_of(table.code, match), entry.engine, entry.start))
    return replace(
        table,
        players=players + others,
        match=match,
        next_server_seed="",
        agreed_config=table.agreed_config if any(is_asked(table, player) for player in others) else None,
        rematch=(),
        seating=(),
        accusations=(),
        paused=False,
        paused_left_ms=None,
        paused_deadline_key=None,
        news=tuple(
            item for item in table.news if not isinstance(item.content, Happened)
        ),  # their seats are out of date
    )


def _apply_played(table: TableState, entry: e.Played) -> TableState:
    match = table.match
    assert match is not None
    new_round = any(isinstance(event, RoundStarted) for event in entry.events)
    eliminated = tuple(event.seat for event in entry.events if isinstance(event, Eliminated))
    starter_rolls = tuple(event for event in entry.events if isinstance(event, StarterRolled))
    verdict = call_verdict(entry.events)
    state = evolve_all(match.state, entry.events)
    out = match.out | dict.fromkeys(eliminated, state.round_number)
    settled = out.keys() - match.out.keys()
    if state.phase is Phase.OVER:
        settled = set(range(len(state.names))) - match.out.keys()
    match = replace(
        match,
        guess_points=points_after(match, verdict) if verdict and match.guesses else match.guess_points,
        guesses=() if new_round else match.guesses,
        state=state,
        turn_id=match.turn_id + 1,
        starter_rolls=match.starter_rolls + starter_rolls,
        verdict=None if new_round else verdict or match.verdict,
        ready=() if new_round else match.ready,
        out=out,
        stand_ins=match.stand_ins + tuple(seat for seat in sorted(settled) if table.players[seat].stand_in),
        penalty_count=match.penalty_count + sum(isinstance(event, Penalised) for event in entry.events),
    )
    table = replace(table, match=match, accusations=() if match.over else table.accusations)
    if match.over:
        table = _count_win(table, match)
    if entry.seat is None or entry.bank_ms is None:
        return table
    return table.with_player(table.players[entry.seat].id, bank_ms=entry.bank_ms)


def _count_win(table: TableState, match: MatchState) -> TableState:
    """Return the table after a match, which counts for its winner in a series; one that is shared counts for nobody.

    Neither does one that is won in the seat of a player who has left.
    """
    if table.config.best_of == 1 or len(match.state.winners) != 1:
        return table
    winner = table.players[match.state.winners[0]]
    return table if winner.gone else table.with_player(winner.id, wins=winner.wins + 1)


def _without_wins(players: tuple[Player, ...]) -> tuple[Player, ...]:
    return tuple(replace(player, wins=0) for player in players)
