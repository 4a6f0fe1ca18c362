"""Asking for, taking and leaving seats, bans, beginning a match, and the commands that only the host may give.

Every function returns the entries to append to the log, or raises and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import msgspec
from msgspec.structs import replace

from liarsdice.bots.registry import bot_maker
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import IllegalActionError, MalformedError, counted
from liarsdice.core.records.record import PROTOCOL
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.play.match import Dealer
from liarsdice.play.player_names import look_alike, player_name
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.errors import (
    AddressLimitError,
    BannedError,
    ForbiddenError,
    NameTakenError,
    StaleError,
    TableLockedError,
)
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.server.table.table_config import BanScope, Leaver, TableConfig, normalize_config
from liarsdice.server.table.table_state import (
    Ban,
    FormerPlayer,
    Identity,
    Player,
    SeatRequest,
    TableState,
    player_on_turn,
)
from liarsdice.version import __version__
from liarsdice.wire import Stage

MAX_OPEN_REQUESTS = 20
MAX_OPEN_PER_ADDRESS = 2
MAX_REFUSED = 100


def open_requests(table: TableState) -> tuple[SeatRequest, ...]:
    """Return the requests that the host has not answered yet, the oldest first."""
    return tuple(request for request in table.seat_requests if not request.refused)


def request_by_token(table: TableState, token_hash: str) -> SeatRequest | None:
    """Return the request of the owner of a token, open or refused; None if there is none."""
    return next((request for request in table.seat_requests if request.token_hash == token_hash), None)


def request_seat(
    table: TableState, name: str, token_hash: str, address_hash: str, *, program: bool = False
) -> list[e.LogEntry]:
    """Return the entry of a new request, none if the person has asked before. `program`: as in `Joined`.

    A refused person is recognised by the token, and by the address if nobody else at the table sat down from it. Raises
    `BannedError` if the host refused a request of this person, and `IllegalActionError` if too many are open.
    """
    known = request_by_token(table, token_hash)
    if known is not None and not known.refused:
        return []
    if known is not None or _is_refused_address(table, address_hash):
        raise BannedError("the host does not let you sit down in the next match")
    waiting = open_requests(table)
    from_address = sum(request.address_hash == address_hash != "" for request in waiting)
    if len(waiting) >= MAX_OPEN_REQUESTS or from_address >= MAX_OPEN_PER_ADDRESS:
        raise IllegalActionError("many people have asked for a seat here already; try again in a while")
    return [e.SeatRequested(table.next_request, name, token_hash, address_hash, program)]


def _is_refused_address(table: TableState, address_hash: str) -> bool:
    """Return whether the host refused somebody at an address from which nobody at the table sat down."""
    shared = any(player.address_hash == address_hash and not player.gone for player in table.players)
    refused = any(request.refused and request.address_hash == address_hash != "" for request in table.seat_requests)
    return refused and not shared


def open_request(table: TableState, number: int) -> SeatRequest:
    """Return an open request by its number. Raises `StaleError` if there is none."""
    request = next((request for request in open_requests(table) if request.number == number), None)
    if request is None:
        raise StaleError("that request has been answered already")
    return request


def requests_after(table: TableState, entry: e.LogEntry) -> tuple[SeatRequest, ...]:
    """Return the requests after an entry: answered ones go, refused ones stay until the next match begins."""
    requests = table.seat_requests
    match entry:
        case e.SeatRequested():
            new = SeatRequest(entry.number, entry.name, entry.token_hash, entry.address_hash, program=entry.program)
            return (*requests, new)[-MAX_REFUSED:]
        case e.SeatRefused(number):
            return tuple(replace(request, refused=request.refused or request.number == number) for request in requests)
        case e.Joined() | e.DeviceAdded():
            return tuple(request for request in requests if request.token_hash != entry.token_hash)
        case e.MatchBegan():
            return open_requests(table)
        case e.ConfigChanged(config):
            return requests if config.approval else ()
        case _:
            return requests


MAX_BANS = 100
MAX_FORMER = 100


def check_admission(table: TableState, token_hash: str, address_hash: str, seats_per_address: int) -> None:
    """Raise an error if a person may not sit down. Whoever opened the table always may.

    `seats_per_address`: how many seats at a listed table the people at one address may have, 0 for any number. Raises
    `BannedError`, `TableLockedError` or `AddressLimitError`.
    """
    if token_hash in table.opener_tokens:
        return
    check_not_banned(table, token_hash, address_hash)
    if seats_per_address and table.config.listed and address_hash:
        taken = sum(player.address_hash == address_hash and not player.gone for player in table.players)
        if taken >= seats_per_address:
            raise AddressLimitError(
                f"your network has {counted(taken, 'seat')} at this table already; choose another table"
            )
    if table.locked:
        raise TableLockedError("the host has locked this table; ask the host to unlock it")


def check_not_banned(table: TableState, token_hash: str, address_hash: str) -> None:
    """Raise `BannedError` if the host removed a person with this token or at this address, and the ban is in force.

    Whoever opened the table is never refused.
    """
    if token_hash in table.opener_tokens:
        return
    ban = next((ban for ban in active_bans(table) if ban.identity.matches(token_hash, address_hash)), None)
    if ban is not None:
        until = "for good" if ban.last_match is None else f"until match {ban.last_match} is over"
        raise BannedError(f"the host removed you from this table {until}; ask the host to let you sit down again")


def is_opener(table: TableState, player: Player | None) -> bool:
    """Return whether there is such a player, and they opened the table."""
    return player is not None and any(token_hash in table.opener_tokens for token_hash in player.token_hashes)


def active_bans(table: TableState) -> tuple[Ban, ...]:
    """Return the bans that are in force."""
    return tuple(ban for ban in table.bans if ban.last_match is None or ban.last_match > table.finished_count)


def bans_with(table: TableState, player: Player, scope: BanScope) -> tuple[Ban, ...]:
    """Return the bans after one more, of a player who is removed now. Only the latest `MAX_BANS` are kept."""
    last_match = None if scope is BanScope.FOR_GOOD else table.finished_count + 1
    ban = Ban(player.id, player.name, identity_of(table, player), last_match)
    return (*active_bans(table), ban)[-MAX_BANS:]


def former_with(table: TableState, player: Player) -> tuple[FormerPlayer, ...]:
    """Return the people who left, after one more leaves. Only the latest `MAX_FORMER` are kept."""
    if player.bot is not None:
        return table.former_players
    former = FormerPlayer(player.name, player.token_hashes)
    return (*(other for other in table.former_players if other != former), former)[-MAX_FORMER:]


def muted_with(table: TableState, player: Player) -> tuple[Identity, ...]:
    """Return the muted people who have left, after one more leaves. Only the latest `MAX_BANS` are kept.

    A person who leaves again, recognised by the same tokens or address, takes no further place.
    """
    leaving = identity_of(table, player)
    same = [
        person
        for person in table.muted_people
        if (person.address_hash or person.token_hashes) == (leaving.address_hash or leaving.token_hashes)
    ]
    others = [person for person in table.muted_people if person not in same]
    token_hashes = dict.fromkeys(token_hash for person in (*same, leaving) for token_hash in person.token_hashes)
    return (*others, Identity(tuple(token_hashes)[-MAX_BANS:], leaving.address_hash))[-MAX_BANS:]


def muted_without(table: TableState, player: Player | None) -> tuple[Identity, ...]:
    """Return the muted people who have left, without those whom a player who may speak again was."""
    if player is None:
        return table.muted_people
    hashes = {*player.token_hashes} or {""}
    return tuple(
        person
        for person in table.muted_people
        if not any(person.matches(token_hash, player.address_hash) for token_hash in hashes)
    )


def identity_of(table: TableState, player: Player) -> Identity:
    """Return what a player is recognised by.

    The address counts only if nobody else at the table sat down from it: people of one household, or behind one proxy,
    share an address.
    """
    others = {other.address_hash for other in table.players if other.id != player.id and not other.gone}
    return Identity(player.token_hashes, "" if player.address_hash in others else player.address_hash)


def is_asked(table: TableState, player: Player) -> bool:
    """Return whether a player is asked to accept changed rules. A bot, and the host who changed them, is not."""
    return player.asked_about_rules and player.bot is None and not player.gone and player.id != table.host


def accept_rules(table: TableState, player: Player, dice_source: DiceSource | None = None) -> list[e.LogEntry]:
    """Return the entry with which a player accepts the changed rules, none if there is nothing to accept.

    If a match waits for nobody else, and there is a `dice_source`, the entries that begin it follow.
    """
    if not is_asked(table, player):
        return []
    accepted = without_question(table, player.id)
    entry = e.RulesAccepted(player.id)
    if dice_source is None or not table.rematch or is_anybody_awaited(accepted):
        return [entry]
    return [entry, *_begin_entries(accepted, dice_source)]


def not_yet(table: TableState, player: Player) -> list[e.LogEntry]:
    """Return the entry with which a player wants no match yet, none if they did not want one."""
    return [e.RematchWanted(player.id, wanted=False)] if player.id in table.rematch else []


def with_config(table: TableState, config: TableConfig) -> TableState:
    """Return the table with another configuration; if the terms differ, everybody is asked to accept them.

    Whoever wanted a match wanted none by the new terms. A series of another length begins anew. `agreed_config` stays
    the one that everybody knew before the first change that somebody has not accepted.
    """
    agreed = table.agreed_config or table.config
    if _terms(config) == _terms(table.config):
        return replace(table, config=config)
    changed = _terms(config) != _terms(agreed)
    keeps_series = config.best_of == table.config.best_of
    players = tuple(
        replace(
            player,
            asked_about_rules=changed and player.bot is None,
            wins=player.wins if keeps_series else 0,
        )
        for player in table.players
    )
    return replace(table, config=config, players=players, agreed_config=agreed if changed else None, rematch=())


def _terms(config: TableConfig) -> tuple[object, ...]:
    return config.ruleset, config.clock, config.hints, config.training, config.open_cups, config.best_of


def without_question(table: TableState, player_id: int) -> TableState:
    """Return the table after a player accepted the rules."""
    table = table.with_player(player_id, asked_about_rules=False)
    is_open = any(player.asked_about_rules and player.id != table.host for player in table.players)
    return table if is_open else replace(table, agreed_config=None)


MAX_STAND_INS = 3
"""How often in a match the host may let a bot play for another player."""
MAX_PAUSES, MAX_LISTED_PAUSES = 20, 3
"""How often a match may be paused: at a private table, and at one that the lobby shows."""
COMMITMENT = re.compile("[0-9a-f]{64}")
BOT_NAMES = (
    *("Old Fitz", "Wren", "Barnacle", "Lamp", "Corky", "Anchor", "Tankard", "Compass", "Lantern", "Rudder"),
    *(
        "Biscuit",
        "Marlin",
        "Kettle",
        "Pepper",
        "Plank",
        "Whistle",
        "Sprat",
        "Juniper",
        "Barrel",
        "Oakum",
        "Bramble",
        "Shanty",
    ),
)


def take_seat(
    table: TableState,
    name: str,
    token_hash: str,
    commitment: str,
    address_hash: str = "",
    *,
    seats_per_address: int = 0,
    program: bool = False,
) -> list[e.LogEntry]:
    """Return the entries with which a person takes a seat.

    If the host decides who sits down, it is the entry of a request for a seat (`request_seat`), none for a second one.
    The first person at a table becomes its host, and so does whoever opened it, unless they made somebody else host.
    `commitment`: that to the person's seed, "" if it comes later. `address_hash`: a keyed hash of the person's address,
    "" if unknown. `program`: as in `Joined`.

    Raises as `check_admission`, `IllegalActionError` during a match, if no seat is free or for a commitment
    that was used, and as `_free_name`.
    """
    check_admission(table, token_hash, address_hash, seats_per_address)
    _check_free_seat(table)
    check_unused(table, commitment)
    name = _free_name(table, name, token_hash, program=program)
    if table.config.approval and token_hash not in table.opener_tokens:
        return request_seat(table, name, token_hash, address_hash, program=program)
    joined: list[e.LogEntry] = [e.Joined(table.next_player, name, token_hash, address_hash, commitment, program)]
    becomes_host = table.host is None or (token_hash in table.opener_tokens and not table.opener_resigned)
    return [*joined, e.HostChanged(table.next_player)] if becomes_host else joined


def _free_name(table: TableState, name: str, token_hash: str, *, program: bool) -> str:
    """Return a name in its normal form, which nobody else at the table has or had.

    Raises `NameTakenError` if it looks like the name of another player, or of a person who left and had another token,
    and as `player_name`.
    """
    name = player_name(name, program=program)
    for player in present_players(table):
        if look_alike(player.name, name):
            raise NameTakenError(f"{name} looks like {player.name}, who sits here already; choose another name")
    for former in table.former_players:
        if look_alike(former.name, name) and token_hash not in former.token_hashes:
            raise NameTakenError(f"{name} looks like {former.name}, who sat here before; choose another name")
    return name


def _answer_seat(table: TableState, number: int, *, give: bool) -> list[e.LogEntry]:
    request = open_request(table, number)
    if not give:
        return [e.SeatRefused(number)]
    _check_free_seat(table)
    name = _free_name(table, request.name, request.token_hash, program=request.program)
    return [e.Joined(table.next_player, name, request.token_hash, request.address_hash, program=request.program)]


def add_device(table: TableState, player_id: int, token_hash: str, *, program: bool) -> list[e.LogEntry]:
    """Return the entry with which another device holds a player's seat, too, none if it does already.

    `program`: as in `Joined`; a device that proves to be a program is entered again. Raises `ForbiddenError` if the
    player has left or the device holds another seat at this table, and `BannedError` if the host removed the owner of
    the device.
    """
    player, held = table.player(player_id), table.player_by_token(token_hash)
    if player is None or player.gone:
        raise ForbiddenError("that seat is free again; sit down again")
    check_not_banned(table, token_hash, "")
    if held is not None and held.id != player_id:
        raise ForbiddenError(f"this device sits at the table already, as {held.name}")
    known = held is not None and (held.program or not program)
    return [] if known else [e.DeviceAdded(player_id, token_hash, program)]


def seated_player(table: TableState, token_hash: str) -> Player:
    """Return the player whose seat a token holds. Raises `ForbiddenError` if it holds none."""
    player = table.player_by_token(token_hash)
    if player is None:
        raise ForbiddenError("only players at this table may do that")
    return player


def check_commitment(commitment: str) -> None:
    """Raise `MalformedError` unless a commitment is a SHA-256 in lower-case hexadecimal; "" is allowed."""
    if commitment and not COMMITMENT.fullmatch(commitment):
        raise MalformedError("a commitment to a seed is its SHA-256: 64 digits from 0 to 9 and a to f")


def check_unused(table: TableState, commitment: str) -> None:
    """Raise `IllegalActionError` if a commitment belongs to another player or to the latest match."""
    used = {player.seed_commitment for player in table.players} - {""}
    if table.match is not None:
        used.update(table.match.seed_commitments, {commitment_to(table.match.server_seed)})
    if table.next_server_seed:
        used.add(commitment_to(table.next_server_seed))
    if commitment and commitment in used:
        raise IllegalActionError("this seed was used already; commit to a new one")


def present_players(table: TableState) -> tuple[Player, ...]:
    """Return the players who would take part in the next match if it began now."""
    return tuple(player for player in table.players if not player.gone)


def begin_match(table: TableState, player: Player, dice_source: DiceSource) -> list[e.LogEntry]:
    """Return the entries with which a player wants a match, and those that begin it if nobody has to be waited for.

    Raises `IllegalActionError` during a match, `ForbiddenError` if somebody other than the host begins the first match,
    and `MalformedError` if the rules do not allow the number of players who are here.
    """
    if table.stage is Stage.PLAYING:
        raise IllegalActionError("the match is on already")
    if table.stage is Stage.GATHERING and player.id != table.host:
        raise ForbiddenError("the host begins the match")
    match_started(table.config.ruleset, [present.name for present in present_players(table)])
    accepted = accept_rules(table, player)
    wanted = [] if player.id in table.rematch else [e.RematchWanted(player.id)]
    table = replace(table.with_player(player.id, asked_about_rules=False), rematch=(*table.rematch, player.id))
    if is_anybody_awaited(table):
        return [*accepted, *wanted]
    return [*accepted, *_begin_entries(table, dice_source)]


def ready_players(table: TableState) -> tuple[Player, ...]:
    """Return the players who take part in the next match if it begins now: none if it cannot.

    People are ready for a rematch if they want it, and for any match if they have accepted its rules.
    """
    wants = [player for player in present_players(table) if player.id in table.rematch]
    may_begin = any(player.id == table.host or _has_played(table, player) for player in wants)
    first = table.stage is Stage.GATHERING
    ready = tuple(
        player
        for player in present_players(table)
        if player.bot is not None
        or (not is_asked(table, player) and (first or player.program or player.id in table.rematch))
    )
    return ready if may_begin and len(ready) >= table.config.ruleset.players.min else ()


def is_anybody_awaited(table: TableState) -> bool:
    """Return whether the next match cannot begin at once, because somebody who is here is not ready."""
    ready = {player.id for player in ready_players(table)}
    return any(player.id not in ready for player in present_players(table))


def rematch_entries(table: TableState, dice_source: DiceSource) -> list[e.LogEntry]:
    """Return the entries that begin the next match with those who are ready, none if these are too few."""
    return _begin_entries(table, dice_source) if ready_players(table) else []


def seated(players: tuple[Player, ...], order: tuple[int, ...]) -> tuple[Player, ...]:
    """Return players in an order of ids. Those who are not in it come last, in their own order."""
    places = {player_id: place for place, player_id in enumerate(order)}
    return tuple(sorted(players, key=lambda player: places.get(player.id, len(places))))


def _arrange(table: TableState, order: tuple[int, ...]) -> list[e.LogEntry]:
    if table.stage is Stage.PLAYING:
        raise IllegalActionError("seats are chosen before a match")
    if table.config.ruleset.first_starter.method is StarterMethod.SEATED_BY_ROLL:
        raise IllegalActionError("under these rules, everyone sits in the order of the first rolls")
    here = present_players(table)
    if sorted(order) != sorted(player.id for player in here):
        raise StaleError("players have come or left; look again and choose the seats")
    current = tuple(player.id for player in seated(here, table.seating))
    return [] if order == current else [e.Arranged(order)]


def _begin_entries(table: TableState, dice_source: DiceSource) -> list[e.LogEntry]:
    server_seed = table.next_server_seed or dice_source.new_seed()
    players = Dealer(server_seed).seat(table.config.ruleset, seated(ready_players(table), table.seating))
    start = match_started(table.config.ruleset, [present.name for present in players])
    began = e.MatchBegan(
        number=1 if table.match is None else table.match.number + 1,
        protocol=PROTOCOL,
        engine=__version__,
        key=dice_source.public_key,
        start=msgspec.json.encode(start).decode(),
        players=tuple(present.id for present in players),
        commitments=tuple(present.seed_commitment for present in players),
        server_seed=server_seed,
    )
    return [began] if table.next_server_seed else [e.SeedCommitted(server_seed), began]


def quick_begin_entries(table: TableState, dice_source: DiceSource) -> list[e.LogEntry]:
    """Return the entry of a bot for a free seat of a quick match, or of a full table those that begin the match.

    At a table whose players want a match, return those that begin it with them.
    """
    if table.rematch:
        return rematch_entries(table, dice_source)
    if len(present_players(table)) < table.config.seats:
        return [e.BotJoined(table.next_player, free_bot_name(table), table.config.bot)]
    host = table.player(table.host)
    return begin_match(table, host, dice_source) if host is not None else []


def _has_played(table: TableState, player: Player) -> bool:
    seat = table.seat_of(player.id)
    return table.match is not None and seat is not None and seat < len(table.match.state.names)


def leave_table(
    table: TableState,
    player: Player,
    left_ms: int | None = None,
    *,
    removed: bool = False,
    ban: BanScope | None = None,
) -> list[e.LogEntry]:
    """Return the entries with which a player leaves. `removed`, `ban`: as in `Left`. `left_ms`: as in `Paused`.

    If the host leaves, the next person becomes the host. If no person is left, a pause ends, because nobody could end
    it. If a player with dice leaves a match, a bot plays on, and a table with `Leaver.PAUSE` pauses before that.
    """
    entries: list[e.LogEntry] = [e.Left(player.id, removed, ban)]
    others = [other for other in present_players(table) if other.bot is None and other.id != player.id]
    if _holds_dice(table, player):
        entries.append(e.StandInChanged(player.id, bot=True))
        if table.config.leaver is Leaver.PAUSE and others and not removed and not table.paused:
            on_turn = player_on_turn(table)
            entries.append(e.Paused(None if on_turn is None or on_turn.id == player.id else left_ms))
    if player.id == table.host and others:
        entries.append(e.HostChanged(others[0].id))
    elif player.id == table.host and table.paused:
        entries.append(e.Resumed())
    return entries


def _holds_dice(table: TableState, player: Player) -> bool:
    """Return whether a person has dice in the current match."""
    match, seat = table.ongoing_match, table.seat_of(player.id)
    if match is None or seat is None or player.bot is not None or not _has_played(table, player):
        return False
    return match.state.dice[seat] > 0


def take_over_as_host(
    table: TableState, player: Player, *, host_away: bool, connected: Collection[int]
) -> list[e.LogEntry]:
    """Return the entry that makes a player the host. Raises `ForbiddenError` unless `host_away`.

    A host who is here all the same has let the others wait for too long, and does not become host again by coming
    back.
    """
    if player.id == table.host:
        return []
    if table.host is not None and not host_away:
        raise ForbiddenError("the host is here, or was a moment ago; wait, or ask to be made host")
    return [e.HostChanged(player.id, given=table.host in connected)]


def restore_host(table: TableState, player_id: int) -> list[e.LogEntry]:
    """Return the entry that makes whoever opened the table its host again, who has come back.

    Returns none for somebody else, and for a host who made somebody else host.
    """
    player = table.player(player_id)
    returns = is_opener(table, player) and player_id != table.host and not table.opener_resigned
    return [e.HostChanged(player_id)] if returns and player is not None and not player.gone else []


def return_seats(table: TableState, is_connected: Callable[[int], bool]) -> list[e.LogEntry]:
    """Return the entries that end the stand-ins of connected players: a bot plays only for those who are away."""
    back = (player for player in table.players if player.stand_in and not player.gone and is_connected(player.id))
    return [e.StandInChanged(player.id, bot=False) for player in back]


def check_may_change(table: TableState, player: Player) -> None:
    """Raise what `Change` of a player raises whatever its configuration: `ForbiddenError` or `IllegalActionError`."""
    check_is_host(table, player)
    _check_can_change(table)


def check_is_host(table: TableState, player: Player) -> None:
    """Raise `ForbiddenError` unless a player is the host."""
    if player.id != table.host:
        raise ForbiddenError("only the host of this table may do that")


def handle_host_command(
    table: TableState, command: c.Command, left_ms: int | None, connected: Collection[int]
) -> list[e.LogEntry]:
    """Return the entries for a command that only the host may give; the caller has checked that it is the host.

    `left_ms`: the milliseconds until the next deadline, None without one. `connected`: who has a page open. Raises
    `ForbiddenError`, `IllegalActionError`, `MalformedError`, `StaleError` or, for an unknown bot, `UnavailableError`.
    """
    if (
        table.config.quick
        and table.match is None
        and isinstance(command, c.Change | c.Lock | c.Remove | c.MakeHost | c.Arrange)
    ):
        raise ForbiddenError("a quick match begins by itself; until then its host changes nothing")
    match command:
        case c.Change(config):
            return _change_config(table, config)
        case c.Arrange(order):
            return _arrange(table, order)
        case c.AddBot(bot):
            _check_free_seat(table)
            bot_maker(bot)
            return [e.BotJoined(table.next_player, free_bot_name(table), bot)]
        case c.Remove(player_id, ban):
            return _remove(table, _present_player(table, player_id, bots=True), ban)
        case c.LiftBan(player_id):
            banned = any(ban.player == player_id for ban in active_bans(table))
            return [e.BanLifted(player_id)] if banned else []
        case c.AnswerSeat(number, give):
            return _answer_seat(table, number, give=give)
        case c.Lock(locked):
            return [] if table.locked == locked else [e.Locked(locked)]
        case c.Mute(player_id) if player_id == table.host:
            raise ForbiddenError("a host cannot mute or unmute themselves; make somebody else host first")
        case c.Mute(player_id, muted):
            player = _present_player(table, player_id)
            return [] if player.muted == muted else [e.Muted(player.id, muted)]
        case c.Pause(paused):
            return _pause(table, left_ms, paused=paused)
        case c.StandIn(player_id, bot):
            return _stand_in(table, _present_player(table, player_id), connected, bot=bot)
        case c.MakeHost(player_id):
            return [e.HostChanged(_present_player(table, player_id).id, given=True)]
        case _:
            raise MalformedError(f"this command is not possible here ({type(command).__name__})")


def free_bot_name(table: TableState) -> str:
    """Return a name for a bot that nobody present has, and preferably nobody who left has either."""
    present = [player.name for player in present_players(table)]
    everybody = [*(player.name for player in table.players), *(former.name for former in table.former_players)]
    free = [name for name in BOT_NAMES if not any(look_alike(name, taken) for taken in present)]
    return min(free, key=lambda name: any(look_alike(name, taken) for taken in everybody))


def _remove(table: TableState, player: Player, ban: BanScope) -> list[e.LogEntry]:
    may_return = player.bot is not None or player.id == table.host or is_opener(table, player)
    return leave_table(table, player, removed=True, ban=None if may_return else ban)


def _check_free_seat(table: TableState) -> None:
    if table.stage is Stage.PLAYING:
        raise IllegalActionError("the match is on; sit down when it is over")
    if len(present_players(table)) >= table.config.seats:
        raise IllegalActionError(f"all {table.config.seats} seats are taken")


def _change_config(table: TableState, config: TableConfig) -> list[e.LogEntry]:
    _check_can_change(table)
    config = replace(normalize_config(config), quick=table.config.quick)
    if config.seats < len(present_players(table)):
        raise IllegalActionError(f"{len(present_players(table))} players sit here; remove one first")
    return [] if config == table.config else [e.ConfigChanged(config)]


def _check_can_change(table: TableState) -> None:
    if table.stage is Stage.PLAYING:
        raise IllegalActionError("the table can be changed when the match is over")


def _stand_in(table: TableState, player: Player, connected: Collection[int], *, bot: bool) -> list[e.LogEntry]:
    if player.stand_in == bot:
        return []
    match = table.ongoing_match
    by_host = bot and player.id != table.host
    if by_host and player.id in connected:
        raise ForbiddenError(f"{player.name} is here; a bot can play only for somebody who is away")
    if by_host and match is not None and match.host_stand_ins.count(player.id) >= MAX_STAND_INS:
        raise ForbiddenError(f"a bot has played for {player.name} {MAX_STAND_INS} times in this match already")
    return [e.StandInChanged(player.id, bot, by_host)]


def _pause(table: TableState, left_ms: int | None, *, paused: bool) -> list[e.LogEntry]:
    if table.stage is not Stage.PLAYING:
        raise IllegalActionError("no match is on at this table")
    if table.paused == paused:
        return []
    most = MAX_LISTED_PAUSES if table.config.listed else MAX_PAUSES
    if paused and table.match is not None and table.match.pause_count >= most:
        raise ForbiddenError(f"the match was paused {counted(most, 'time')} already, and goes on now")
    return [e.Paused(left_ms) if paused else e.Resumed()]


def _present_player(table: TableState, player_id: int, *, bots: bool = False) -> Player:
    player = table.player(player_id)
    if player is None or player.gone or (player.bot is not None and not bots):
        raise IllegalActionError("there is no such player at this table")
    return player
