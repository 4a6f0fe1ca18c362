"""Groups on the server: their pages, the results of their tables, and what their chat rooms are told.

The docstrings of the handlers appear in the API's description at `/docs`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hmac
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec
import structlog
from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromPath, FromQuery, JSONBody
from msgspec.structs import replace

from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, UnavailableError
from liarsdice.core.events import MatchStarted
from liarsdice.core.rules.overlay import Plain, changes_between
from liarsdice.play.player_names import player_name
from liarsdice.server.errors import (
    ForbiddenError,
    StoreError,
    TableNotFoundError,
    TryAgainError,
    UnreadableTableError,
)
from liarsdice.server.groups import group as g
from liarsdice.server.groups.group_views import (
    SHOWN_NIGHTS,
    GroupExport,
    GroupPage,
    Tally,
    door_of,
    export_of,
    tally_of,
    view_of,
)
from liarsdice.server.groups.results import GroupResult, Night, ResultSeat, result_of, with_winners
from liarsdice.server.http.address_limits import RateLimits, client_address
from liarsdice.server.http.api import (
    absolute_url,
    cached_qr,
    read_table_form,
    seat_response,
    ticket_response,
    token_cookie,
    token_of,
)
from liarsdice.server.http.app_state import AppRequest, AppState, Invites, find_table
from liarsdice.server.http.auth import client_token, hash_token, is_program, new_token
from liarsdice.server.http.costly_work import CACHED_COST, LOBBY_COST, RULES_COST
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.match_api import MAX_ENTRIES, FinishedMatch, match_of_rows, table_summary
from liarsdice.server.http.schemas import FormBase, TableForm, TicketForm, TicketResponse
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import CODE_ALPHABET, TableRegistry
from liarsdice.server.rules.rules_api import possible_seats, ruleset_of
from liarsdice.server.storage.group_rows import GroupRows, read_body
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_config import TableConfig, check_face
from liarsdice.server.table.table_state import TableState, player_on_turn
from liarsdice.wire import SeatResponse, Stage, TableSummary

LOG = structlog.get_logger()
GROUP = msgspec.json.Decoder(g.Group)
RESULT = msgspec.json.Decoder(GroupResult)
TRIES = 8
Stamp = tuple[tuple[int, ...], tuple[g.Season, ...], str, str, int]
"""What a tally depends on of a group: the members, seasons, time zone and votes, and the number of its results."""

MAX_TALLIES = 500
"""Of how many groups it is known what their results come to."""

ADDED_PER_S = 10_000
"""How many results are read and added up in a second of processor time."""

MAX_COUNTED_AT_ONCE = 20
"""How many finished matches of a table a group counts at once: of one that it is made of, or that was missed."""

OPEN_MS = 12 * 3_600_000
"""For how long after its last change a table is open."""

REMINDED_BEFORE_MS = 3_600_000
PUSHED_FOR_S = 3600
"""How long a push service tries to reach a browser."""

CHECK_EVERY_S = 30.0
MAX_REMINDED = 50
STRANGER = "only members of this group may do that; ask to join"
NO_GROUP = "there is no such group; ask a friend of it for the link"


class Groups:
    """The groups of a server. Used on the event loop only. `public_url`: that of the server, "" if it has several."""

    def __init__(self, registry: TableRegistry, rate_limits: RateLimits, public_url: str) -> None:
        self._registry = registry
        self._services = registry.services
        self._rows = GroupRows(registry.services.store)
        self._rate_limits, self._public_url = rate_limits, public_url
        self._counting = WeakValueDictionary[str, asyncio.Lock]()
        self._moments = WeakKeyDictionary[LiveTable, tuple[int, int]]()
        self._tallies: OrderedDict[str, tuple[Stamp, Tally]] = OrderedDict()
        registry.watchers.append(self._watch)

    # ---- groups ---------------------------------------------------------------------------------------------------

    async def load(self, code: str) -> tuple[int, g.Group]:
        """Return the version of a group and the group. Raises `UnavailableError` if there is none with this code."""
        code = code.upper()
        row = await self._rows.load(code) if g.CODE.fullmatch(code) else None
        if row is None:
            raise UnavailableError(NO_GROUP)
        return row[0], read_body(code, row[1], GROUP)

    async def create(self, make: Callable[[str], g.Group]) -> g.Group:
        """Store a new group and return it. `make`: makes it, given its code. Raises `TryAgainError` if none is free."""
        for _ in range(TRIES):
            group = make("".join(secrets.choice(CODE_ALPHABET) for _ in range(g.CODE_LENGTH)))
            if await self._rows.create(group.code, self._services.now_ms(), None, msgspec.json.encode(group)):
                return group
        raise TryAgainError("no free code was found for a group; try again")

    async def change(self, code: str, decide: Callable[[g.Group], g.Group]) -> g.Group:
        """Change a group and return it. `decide` may be called again if somebody else was first.

        Raises `UnavailableError` as `load`, what `decide` raises, and `TryAgainError` if others are always first.
        """
        for _ in range(TRIES):
            version, group = await self.load(code)
            changed = decide(group)
            now_ms = self._services.now_ms()
            body, due_at_ms = msgspec.json.encode(changed), reminder_ms(changed, now_ms)
            if changed is group or await self._rows.update(group.code, version, now_ms, due_at_ms, body):
                return changed
        raise TryAgainError("many changed this group at once; try again")

    async def close(self, code: str) -> None:
        """Delete a group with its results."""
        await self._rows.delete(code)

    async def results(self, code: str) -> list[GroupResult]:
        """Return the results of a group, the earliest first."""
        return [read_body(code, body, RESULT) for body in await self._rows.results(code)]

    async def tally(self, group: g.Group, address: str) -> Tally:
        """Return what the results of a group come to.

        It is computed once, until something changes that matters, and paid from the budget of an address.
        """
        here = tuple(member.id for member in group.present)
        stamp = here, group.seasons, group.timezone, str(group.votes), len(await self._rows.counted(group.code))
        known = self._tallies.pop(group.code, None)
        if known is None or known[0] != stamp:
            results = await self.results(group.code)
            self._rate_limits.charge_work(address, len(results) / ADDED_PER_S)
            known = stamp, await asyncio.to_thread(tally_of, group, results)
        self._tallies[group.code] = known
        if len(self._tallies) > MAX_TALLIES:
            self._tallies.popitem(last=False)
        return known[1]

    # ---- tables ---------------------------------------------------------------------------------------------------

    async def adopt(self, group: g.Group, live_table: LiveTable) -> None:
        """Let the matches of a table count for a group from now on.

        Raises `IllegalActionError` if they count for another group, unless that was closed.
        """
        other = (await live_table.state()).group
        closed = bool(other) and await self._rows.load(other) is None

        def decide(table: TableState) -> list[e.LogEntry]:
            if table.group and not (closed and table.group == other):
                raise IllegalActionError("the people at this table are a group already")
            return [e.GroupJoined(group.code)]

        await live_table.append(decide)

    async def open_tables(self, group: g.Group) -> list[TableState]:
        """Return the tables of a group that are open, the newest first, and count matches of it that were missed."""
        counted = await self._rows.counted(group.code)
        since_ms = self._services.now_ms() - OPEN_MS
        tables = []
        for code in group.tables:
            with suppress(TableNotFoundError, UnreadableTableError):
                live_table = await self._registry.get(code)
                table = await live_table.state()
                if table.group != group.code:
                    continue
                if any((code, number) not in counted for number in _latest(table)):
                    await self.count(live_table)
                changed_ms = table.news[-1].at_ms if table.news else 0
                people = any(player.bot is None and not player.gone for player in table.players)
                if people and (changed_ms > since_ms or table.stage is Stage.PLAYING):
                    tables.append(table)
        return tables

    async def count(self, live_table: LiveTable) -> None:
        """Count the finished matches of a table for its group, those that are not counted yet."""
        async with self._counting.setdefault(live_table.code, asyncio.Lock()):
            await self._count(live_table)

    async def _count(self, live_table: LiveTable) -> None:
        table = await live_table.state()
        try:
            _, group = await self.load(table.group)
        except UnavailableError:
            return  # the group was closed
        counted = await self._rows.counted(group.code)
        for number in _latest(table):
            if (table.code, number) in counted:
                continue
            rows = await self._services.store.load_match(table.code, number, MAX_ENTRIES + 1)
            if len(rows) <= MAX_ENTRIES:
                match = await asyncio.to_thread(match_of_rows, table.code, rows, number)
                result = await asyncio.to_thread(_result, group, table, match)
            else:  # kept without what took so long, so that it is not loaded at every look
                result = GroupResult(table.code, number, rows[-1][1], table.config.ruleset.labels.game, ())
            body = msgspec.json.encode(result)
            await self._rows.add_result(group.code, table.code, number, result.at_ms, body)
            if await self._rows.load(group.code) is None:
                await self.close(group.code)  # again, because it was closed meanwhile

    def _watch(self, live_table: LiveTable) -> None:
        live_table.on_change.append(lambda: self._on_change(live_table))

    def _on_change(self, live_table: LiveTable) -> None:
        """Count a match that has just ended, and call whoever is on turn at a slow table and does not look at it."""
        table = live_table.known_state
        if table is None or not table.group or table.match is None or not live_table.drives:
            self._moments.pop(live_table, None)
            return
        on_turn = player_on_turn(table) if table.config.clock.slow else None
        moment = (table.match.number, table.match.turn_id if on_turn is not None else -int(table.match.over))
        known = self._moments.get(live_table)
        self._moments[live_table] = moment
        if moment == known:
            return
        if table.match.over:
            _ = self._services.start_task(self._count_quietly(live_table))
        elif on_turn and known and not (on_turn.program or live_table.presence.is_connected(on_turn.id)):
            _ = self._services.start_task(self._say(table.group, "turn", f"/t/{table.code}", on_turn.name))

    async def _count_quietly(self, live_table: LiveTable) -> None:
        """As `count`; what fails is counted when somebody next looks at the group."""
        try:
            await self.count(live_table)
        except (StoreError, TryAgainError, UnreadableTableError) as error:
            LOG.warning("match_not_counted", code=live_table.code, error=type(error).__name__)

    # ---- news ------------------------------------------------------------------------------------------------

    def push(self, group: g.Group, but: Collection[int] = ()) -> None:
        """Push to the browsers of all members but some that the group meets, without waiting for it."""
        for member in group.present:
            if member.push_endpoints and member.id not in but:
                _ = self._services.start_task(self._push(group.code, member))

    async def _push(self, code: str, member: g.Member) -> None:
        """Push to the endpoints of a member, one after another, and forget those that the push service says are gone.

        So a group of many takes a place of each member among the requests that wait for a push service.
        """
        push = self._services.web_push
        if push is None:
            return
        gone = {endpoint for endpoint in member.push_endpoints if not await push.send(endpoint, PUSHED_FOR_S)}

        def forget(group: g.Group) -> g.Group:
            known = group.member(member.id)
            kept = () if known is None else tuple(other for other in known.push_endpoints if other not in gone)
            return group.with_member(member.id, push_endpoints=kept)

        if gone:
            with suppress(UnavailableError, StoreError, TryAgainError):
                await self.change(code, forget)

    def tell(self, group: g.Group, key: str, path: str, *names: str) -> None:
        """Say something of `CHAT_WORDS` in the chat room of a group, if it has one, without waiting for it."""
        if group.chat:
            _ = self._services.start_task(self._say(group.code, key, path, *names))

    async def _say(self, code: str, key: str, path: str, *names: str) -> None:
        webhooks = self._services.webhooks
        with suppress(UnavailableError, StoreError):
            _, group = await self.load(code)
            if webhooks is not None and group.chat:
                words = CHAT_WORDS[group.language]
                text = words[key].format(*(name.translate(PLAIN) for name in names), group=group.name.translate(PLAIN))
                await webhooks.say(group.chat, f"{text} {self._public_url}{path}".strip())

    async def keep_reminding(self) -> None:
        """Remind groups of their nights, until cancelled."""
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            with suppress(StoreError):  # the loop of the tables logs it
                await self.remind()

    async def remind(self) -> None:
        """Remind all groups whose night begins within the hour, each once."""
        for code in await self._rows.due_codes(self._services.now_ms(), MAX_REMINDED):
            try:
                await self._remind(code)
            except Exception as error:  # noqa: BLE001  one group must not hold up the others
                LOG.warning("group_not_reminded", error=type(error).__name__)

    async def _remind(self, code: str) -> None:
        now_ms = self._services.now_ms()
        begins_ms = 0

        def decide(group: g.Group) -> g.Group:
            nonlocal begins_ms
            begins_ms = 0 if group.date is None else group.date.next_ms(now_ms)
            if begins_ms in {0, group.reminded_ms} or begins_ms - now_ms > REMINDED_BEFORE_MS:
                begins_ms = 0
            return replace(group, reminded_ms=begins_ms or group.reminded_ms)

        group = await self.change(code, decide)
        if begins_ms > now_ms and group.date is not None:
            at = f"{group.date.minute // 60}:{group.date.minute % 60:02}"
            coming = sum(
                member.coming_ms == begins_ms and member.coming in {g.Coming.YES, g.Coming.LATE}
                for member in group.present
            )
            self.tell(group, "tonight", f"/g/{group.code}", at, str(coming))
            self.push(group)


CHAT_WORDS = {
    "en": {
        "opened": "{0} opened a table of {group}:",
        "turn": "{0}, it is your turn:",
        "tonight": "{group} plays at {0}, {1} said that they come:",
        "season": "{0} won the season of {group}:",
    },
    "es": {
        "opened": "{0} ha abierto una mesa de {group}:",
        "turn": "{0}, te toca:",
        "tonight": "{group} juega a las {0}; han dicho que vienen: {1}.",
        "season": "{0} gana la temporada de {group}:",
    },
}
"""What chat rooms are told, by the language of the group."""

PLAIN = {ord(mark): chr(ord(mark) + 0xFEE0) for mark in "<>@[]()*_~`|\\/"} | {ord("."): "\u2024"}
"""Wide forms for what no name may bring into a chat room: mentions of everybody, links and styles, of any service."""


def reminder_ms(group: g.Group, now_ms: int) -> int | None:
    """Return when a group is to be reminded of its night, None for never."""
    if group.date is None or not (group.chat or any(member.push_endpoints for member in group.present)):
        return None
    begins_ms = group.date.next_ms(now_ms)
    if begins_ms <= now_ms or begins_ms == group.reminded_ms:
        begins_ms = group.date.next_ms(begins_ms + 24 * 3_600_000)
    return begins_ms - REMINDED_BEFORE_MS


def _latest(table: TableState) -> range:
    """Return the numbers of the latest finished matches of a table."""
    return range(max(1, table.finished_count - MAX_COUNTED_AT_ONCE + 1), table.finished_count + 1)


def _result(group: g.Group, table: TableState, match: FinishedMatch) -> GroupResult:
    """Return the result of a finished match, with the members among its players, known by their tokens."""
    start = match.events[0]
    assert isinstance(start, MatchStarted)
    tokens = {former.name: former.token_hashes for former in table.former_players}
    seated = {player.id: player.token_hashes for player in table.players}
    latest = table.match is not None and table.match.number == match.number and table.match.state.phase is Phase.OVER
    guesses = table.match.guess_points if latest and table.match is not None else ()
    seats = []
    for seat, (name, player, place) in enumerate(zip(start.names, match.players, match.places, strict=True)):
        found = [group.member_by_token(token_hash) for token_hash in seated.get(player) or tokens.get(name, ())]
        member = next((member for member in found if member is not None), None)
        played = member is not None and seat not in match.stand_ins
        guessed = guesses[seat] if seat < len(guesses) else 0
        seats.append(ResultSeat(member.id if member else None, place, played, guessed))
    return result_of(table.code, match.number, match.ended_at_ms, seats, match.events)


def _settings(table: TableState) -> Plain:
    """Return what a table of the group was opened with, apart from its rules, as fields of a `TableForm`."""
    config = table.config
    manners = ("seats", "clock", "hints", "training", "open_cups", "spectators", "approval", "away", "leaver")
    names = (*manners, "pace", "best_of")
    plain: Plain = {name: msgspec.to_builtins(getattr(config, name)) for name in names}
    return plain | {"bots": [player.bot for player in table.players if player.bot is not None]}


def _game_of(config: TableConfig) -> tuple[str, str, Plain]:
    """Return the name of a table's game, the preset of its rules, and what they change of it."""
    rules = config.rules_name or config.rules_base or "classic"
    changes = changes_between(ruleset_of(rules, {}), config.ruleset)
    return config.ruleset.labels.game, rules, changes


# ---- forms ----------------------------------------------------------------------------------------------------------


class FoundForm(FormBase, frozen=True, kw_only=True):
    """A request to found a group. `person`, `face`: who founds it. `timezone`: as "Europe/Madrid".

    `table`: the code of a table of which all people are members at once, and whose finished matches count; then the
    person is known.
    """

    name: str
    person: str = ""
    face: int = 0
    table: str = ""
    timezone: str = "UTC"
    language: str = "en"


class KnockForm(FormBase, frozen=True, kw_only=True):
    """A request to be let in. `lost`: the name is that of a member whose lost device this one replaces."""

    name: str = ""
    face: int = 0
    lost: bool = False


class GroupTableForm(FormBase, frozen=True, kw_only=True):
    """A request to open a table of the group.

    `game`: the id of one of its games, None for the one that is chosen for tonight. `form`: other rules and settings;
    its name and title are left out. `commitment`: as in `TableForm`.
    """

    game: int | None = None
    form: TableForm | None = None
    commitment: str = ""


class CommandForm(FormBase, frozen=True, kw_only=True):
    """A command of a member."""

    command: g.GroupCommand


# ---- handlers -------------------------------------------------------------------------------------------------------


def _groups(state: AppState) -> Groups:
    groups: Groups = state.groups
    return groups


async def _find(state: AppState, request: AppRequest, code: str) -> g.Group:
    """Return a group. An address that has tried too many codes finds only those that it found before."""
    address = client_address(request)
    state.rate_limits.check_look_up(address, code)
    try:
        _, group = await _groups(state).load(code)
    except UnavailableError:
        state.rate_limits.record_miss(address)
        raise
    state.rate_limits.record_hit(address, group.code)
    return group


def _member(group: g.Group, request: AppRequest) -> g.Member:
    """Return the member who asks. Raises `ForbiddenError` for a stranger."""
    member = group.member_by_token(hash_token(client_token(request)))
    if member is None:
        raise ForbiddenError(STRANGER)
    return member


async def _page(state: AppState, request: AppRequest, group: g.Group, token_hash: str = "") -> GroupPage:
    """Return a group as the owner of a token sees it, by default that of the request."""
    token_hash = token_hash or hash_token(client_token(request))
    groups, now_ms = _groups(state), state.registry.services.now_ms()
    member = group.member_by_token(token_hash)
    if member is None:
        return GroupPage(None, door_of(group, token_hash, now_ms))
    tables = [_summary(state.invites, table, member) for table in await groups.open_tables(group)]
    tally = await groups.tally(group, client_address(request))
    return GroupPage(view_of(group, tally, tables, member, now_ms), None)


def _summary(invites: Invites, table: TableState, member: g.Member) -> TableSummary:
    seated = any(table.player_by_token(token_hash) is not None for token_hash in member.token_hashes)
    on_turn = player_on_turn(table)
    return replace(
        table_summary(table, invites.path(table.code)),
        seated=seated,
        on_turn=on_turn is not None and not {*member.token_hashes}.isdisjoint(on_turn.token_hashes),
        matches=table.finished_count,
    )


@post("/api/groups", responses=ERRORS)
async def found_group(request: AppRequest, state: AppState, data: JSONBody[FoundForm]) -> Response[GroupPage]:
    """Found a group, of the people at a table or alone."""
    address = client_address(request)
    state.rate_limits.check_open_table(address)
    state.rate_limits.check_work(address, RULES_COST)
    token = token_of(request)
    token_hash = hash_token(token)
    live_table = await find_table(state, request, data.table) if data.table else None
    table = None if live_table is None else await live_table.state()
    people = [_founder(data, token_hash)] if table is None else _people(table, token_hash)
    games = () if table is None else (await state.costly_work.in_thread(_game_of, table.config),)
    now_ms = state.registry.services.now_ms()

    def make(code: str) -> g.Group:
        founded = g.found(
            code, data.name, people, token_hash, now_ms=now_ms, timezone=data.timezone, language=data.language
        )
        group = replace(founded, calendar_key=new_token())
        if table is None:
            return group
        brought = tuple(
            g.GroupGame(1, name, (g.GameVersion(now_ms, group.founder, rules, changes),))
            for name, rules, changes in games
        )
        group = replace(group, games=brought, next_game=2, tonight=1)
        return g.with_table(group, table.code, _settings(table))

    group = await _groups(state).create(make)
    if live_table is not None:
        try:
            await _groups(state).adopt(group, live_table)
        except LiarsDiceError:
            await _groups(state).close(group.code)
            raise
    state.rate_limits.record_hit(address, group.code)
    return Response(await _page(state, request, group, token_hash), cookies=_cookies(request, token))


def _founder(form: FoundForm, token_hash: str) -> g.Member:
    check_face(form.face)
    return g.Member(id=0, name=player_name(form.person), face=form.face, token_hashes=(token_hash,))


def _people(table: TableState, token_hash: str) -> list[g.Member]:
    """Return the people at a table, of whom one wants to found a group."""
    people = [
        g.Member(id=0, name=player.name, face=player.face, token_hashes=player.token_hashes)
        for player in table.players
        if player.token_hashes and not player.gone and not player.program
    ]
    if not any(token_hash in person.token_hashes for person in people):
        raise ForbiddenError("only the people at a table make a group of it")
    return people


@get("/api/groups/{code:str}", responses=ERRORS)
async def group_page(request: AppRequest, state: AppState, code: FromPath[str]) -> GroupPage:
    """Return a group as its member sees it, or what a stranger may know."""
    state.rate_limits.check_work(client_address(request), CACHED_COST)
    group = await _find(state, request, code)
    return await _page(state, request, group)


@get("/api/groups/{code:str}/nights", responses=ERRORS)
async def earlier_nights(
    request: AppRequest, state: AppState, code: FromPath[str], before: FromQuery[str] = "~"
) -> tuple[Night, ...]:
    """Return the latest nights of the season before a date, as 2026-11-19, a dozen at most."""
    state.rate_limits.check_work(client_address(request), CACHED_COST)
    group = await _find(state, request, code)
    _member(group, request)
    tally = await _groups(state).tally(group, client_address(request))
    return tuple(night for night in tally.nights if night.date < before)[:SHOWN_NIGHTS]


def _cookies(request: AppRequest, token: str) -> list[Cookie]:
    """Return the cookie that a browser keeps the token in; none for a program."""
    return [] if is_program(request) else [token_cookie(request, token)]


@post("/api/groups/{code:str}/knock", responses=ERRORS, status_code=200)
async def knock(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[KnockForm]
) -> Response[GroupPage]:
    """Ask the members to be let in, or to be given one's place back on a new device."""
    address = client_address(request)
    state.rate_limits.check_work(address, RULES_COST)
    group = await _find(state, request, code)
    token = token_of(request)
    token_hash = hash_token(token)
    dice = tuple(1 + secrets.randbelow(6) for _ in range(VOICE_DICE))
    now_ms = state.registry.services.now_ms()
    group = await _groups(state).change(
        group.code,
        lambda known: g.knocked(known, data.name, data.face, token_hash, dice if data.lost else None, now_ms),
    )
    asked = group.knock_by_token(token_hash, now_ms)
    if asked is not None and asked.member is not None:  # the old device may say no
        _groups(state).push(group, [member.id for member in group.present if member.id != asked.member])
    return Response(await _page(state, request, group, token_hash), cookies=_cookies(request, token))


@post("/api/groups/{code:str}/withdraw", responses=ERRORS, status_code=200)
async def withdraw(request: AppRequest, state: AppState, code: FromPath[str]) -> GroupPage:
    """Take back that one asked to be let in."""
    group = await _find(state, request, code)
    token_hash = hash_token(client_token(request))

    def decide(known: g.Group) -> g.Group:
        knocks = tuple(item for item in known.knocks if item.token_hash != token_hash)
        return known if knocks == known.knocks else replace(known, knocks=knocks)

    return await _page(state, request, await _groups(state).change(group.code, decide))


@post("/api/groups/{code:str}/do", responses=ERRORS, status_code=200)
async def command_group(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[CommandForm]
) -> GroupPage:
    """Give a command as a member of the group; return what its page shows afterwards, nothing of a closed group."""
    address = client_address(request)
    command = data.command
    state.rate_limits.check_work(address, RULES_COST if isinstance(command, g.KeepGame) else LOBBY_COST)
    group = await _find(state, request, code)
    token_hash = hash_token(client_token(request))
    _member(group, request)
    if isinstance(command, g.SetChat) and command.url:
        webhooks = state.registry.services.webhooks
        if webhooks is None:
            raise UnavailableError("this server tells no chat rooms; whoever runs it can allow that with --webhooks")
        webhooks.check(command.url, address)
    now_ms = state.registry.services.now_ms()
    ends = isinstance(command, g.EndSeason)
    ending, tally = group.season, await _groups(state).tally(group, address) if ends else None

    def decide(known: g.Group) -> g.Group:
        member = known.member_by_token(token_hash)
        if member is None:
            raise ForbiddenError(STRANGER)
        after = g.changed(known, member, command, now_ms)
        if tally is None:
            return after
        if known.season != ending or not tally.standings:
            raise IllegalActionError("a season ends once, and not before a member has a result in it")
        *before, ended, new = after.seasons
        return replace(after, seasons=(*before, with_winners(ended, tally.standings), new))

    group = await _groups(state).change(group.code, decide)
    if not group.present:
        await _groups(state).close(group.code)
        return GroupPage(None, None)
    if tally is not None:
        winners = [group.member(member_id) for member_id in group.seasons[-2].winners]
        names = [winner.name for winner in winners if winner is not None]
        if names:
            _groups(state).tell(group, "season", f"/g/{group.code}", ", ".join(names))
    return await _page(state, request, group)


@post("/api/groups/{code:str}/tables", responses=ERRORS)
async def open_group_table(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[GroupTableForm]
) -> Response[SeatResponse]:
    """Open a table of the group, by default with the game and the settings of the last time."""
    address = client_address(request)
    state.rate_limits.check_open_table(address)
    group = await _find(state, request, code)
    member = _member(group, request)
    form = data.form or _last_form(group, data.game)
    with state.costly_work.admitted(address, RULES_COST):
        if data.form is None:
            form = await state.costly_work.in_thread(_with_seats, form, len(group.present))
        form = replace(form, name=member.name, title=group.name, commitment=data.commitment, begin=False, listed=False)
        config = await state.costly_work.in_thread(read_table_form, form)
    token = token_of(request)
    live_table, player_id = await state.registry.open_table(
        config, form.name, hash_token(token), form.commitment, form.bots, address, program=is_program(request)
    )
    state.rate_limits.record_hit(address, live_table.code)
    await _groups(state).adopt(group, live_table)
    settings = _settings(await live_table.state())
    group = await _groups(state).change(group.code, lambda known: g.with_table(known, live_table.code, settings))
    _groups(state).tell(group, "opened", state.invites.path(live_table.code), member.name)
    _groups(state).push(group, (member.id,))
    return seat_response(request, token, SeatResponse(live_table.code, player_id))


def _last_form(group: g.Group, game_id: int | None) -> TableForm:
    """Return the form for a table as the last one, with a game of the group."""
    known = group.games and group.game(group.tonight if game_id is None else game_id)
    version = known.versions[-1] if known else g.GameVersion(0, 0, "classic")
    rules = {"name": "", "rules": version.rules, "changes": version.changes}
    try:
        return msgspec.convert(group.settings | rules, TableForm)
    except msgspec.ValidationError:  # settings of an older release
        return msgspec.convert(rules, TableForm)


def _with_seats(form: TableForm, people: int) -> TableForm:
    """Return the form with a seat for each of so many people beside the bots, as far as its rules allow that many."""
    least, most = possible_seats(ruleset_of(form.rules, form.changes))
    return replace(form, seats=max(least, min(most, max(form.seats or 0, people + len(form.bots)))))


@post("/api/groups/{code:str}/ticket", responses=ERRORS)
async def make_group_ticket(request: AppRequest, state: AppState, code: FromPath[str]) -> TicketResponse:
    """Return a private link with which another device of one's own belongs to the group, too. It works once."""
    group = await _find(state, request, code)
    member = _member(group, request)
    return await ticket_response(request, state, group.code, member.id, f"/g/{group.code}#device=")


@post("/api/groups/{code:str}/redeem", responses=ERRORS, status_code=200)
async def redeem_group_ticket(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[TicketForm]
) -> Response[GroupPage]:
    """Redeem a private link, so that this device belongs to the group as the same member."""
    group = await _find(state, request, code)
    services, token = state.registry.services, token_of(request)
    member_id = await services.store.redeem_ticket(hash_token(data.ticket), group.code, services.now_ms())
    if member_id is None:
        raise ForbiddenError("this link was used already or is too old; make a new one on the other device")
    token_hash = hash_token(token)
    group = await _groups(state).change(group.code, lambda known: g.with_device(known, member_id, token_hash))
    return Response(await _page(state, request, group, token_hash), cookies=_cookies(request, token))


@get("/api/groups/{code:str}/qr.svg", responses=ERRORS, media_type="image/svg+xml; charset=utf-8")
async def group_qr(request: AppRequest, state: AppState, code: FromPath[str]) -> bytes:
    """Return the link of a group as a QR code."""
    group = await _find(state, request, code)
    return await cached_qr(request, state, f"/g/{group.code}")


@get("/api/groups/{code:str}/export", responses=ERRORS)
async def export_group(request: AppRequest, state: AppState, code: FromPath[str]) -> Response[GroupExport]:
    """Return all that a group has as a file, for its founder."""
    state.rate_limits.check_work(client_address(request), RULES_COST)
    group = await _find(state, request, code)
    if _member(group, request).id != group.founder:
        raise ForbiddenError("only the founder may export the group")
    export = export_of(group, await _groups(state).results(group.code))
    return Response(export, headers={"content-disposition": f'attachment; filename="group-{group.code}.json"'})


@get("/api/groups/{code:str}/calendar.ics", responses=ERRORS, media_type="text/calendar; charset=utf-8")
async def group_calendar(request: AppRequest, state: AppState, code: FromPath[str], key: FromQuery[str] = "") -> bytes:
    """Return the next evenings of a group as a calendar file, for whoever has its address with the key."""
    state.rate_limits.check_work(client_address(request), CACHED_COST)
    group = await _find(state, request, code)
    if not hmac.compare_digest(group.calendar_key.encode(), key.encode(errors="replace")):
        raise ForbiddenError("this is not the address of the group's calendar; copy it again from the group's page")
    return calendar_file(group, absolute_url(request, state, f"/g/{group.code}"), state.registry.services.now_ms())


CALENDAR_NIGHTS, NIGHT_H = 26, 3


def calendar_file(group: g.Group, url: str, now_ms: int) -> bytes:
    """Return the next half year of a group's nights in the format iCalendar (RFC 5545). Each lasts three hours."""
    name = re.sub(r"([\\;,])", r"\\\1", group.name)
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//liarsdice//groups//EN", f"X-WR-CALNAME:{name}"]
    at_ms = now_ms
    for _ in range(CALENDAR_NIGHTS if group.date else 0):
        assert group.date is not None
        at_ms = group.date.next_ms(at_ms)
        begins = _utc(at_ms)
        lines += [
            *("BEGIN:VEVENT", f"UID:{group.code}-{begins}@liarsdice", f"DTSTAMP:{_utc(group.founded_at_ms)}"),
            *(f"DTSTART:{begins}", f"DTEND:{_utc(at_ms + NIGHT_H * 3_600_000)}", f"SUMMARY:{name}", f"URL:{url}"),
            "END:VEVENT",
        ]
        at_ms += 24 * 3_600_000
    return "".join(f"{folded}\r\n" for line in [*lines, "END:VCALENDAR"] for folded in _folded(line)).encode()


def _utc(at_ms: int) -> str:
    return dt.datetime.fromtimestamp(at_ms / 1000, dt.UTC).strftime("%Y%m%dT%H%M%SZ")


def _folded(line: str) -> Iterator[str]:
    """Yield the parts of a line of at most 75 bytes, the later ones with a space before them."""
    part = ""
    for character in line:
        if len((part + character).encode()) > MAX_LINE_BYTES:
            yield part
            part = " "
        part += character
    yield part


MAX_LINE_BYTES = 75
VOICE_DICE = 5
"""How many dice somebody who lost a device reads to those who vouch."""

GROUP_HANDLERS = (
    found_group,
    group_page,
    earlier_nights,
    knock,
    withdraw,
    command_group,
    open_group_table,
    make_group_ticket,
    redeem_group_ticket,
    group_qr,
    export_group,
    group_calendar,
)
