"""The HTTP API: opens tables, gives seats, and returns what clients look up.

The docstrings of the handlers appear in the API's description at `/docs`. Errors become an `ErrorResponse` in `app`.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from functools import partial

import msgspec
from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.enums import MediaType
from litestar.params import FromPath, FromQuery, JSONBody

from liarsdice.bots.registry import bot_maker
from liarsdice.core.engine.engine import JOINED_EMOJI, MAX_NAME_LENGTH, require_seat_count
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.text.characters import characters
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.app_state import AppRequest, AppState, find_table, qr_path, qr_svg
from liarsdice.server.http.auth import (
    COOKIE_AGE_S,
    TICKET_AGE_S,
    client_token,
    cookie_name,
    hash_token,
    is_program,
    is_token,
    new_token,
)
from liarsdice.server.http.costly_work import CACHED_COST, LOBBY_COST, QR_COST, RULES_COST
from liarsdice.server.http.error_responses import ERRORS, responses_with
from liarsdice.server.http.match_api import match_summary, record, table_summary
from liarsdice.server.http.schemas import KeyResponse, SeatForm, TableForm, TicketForm, TicketResponse
from liarsdice.server.http.training import training
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.rules.rules_api import (
    OddsForm,
    OddsResponse,
    PresetCard,
    RulesForm,
    RulesResponse,
    SheetCard,
    encoded_odds,
    encoded_rules,
    find_games,
    preset_cards,
    ruleset_of,
)
from liarsdice.server.table.commands import Begin
from liarsdice.server.table.table_config import LISTED_CLOCK, MAX_PLAYERS, Clock, TableConfig
from liarsdice.server.table.table_state import TableState, player_on_turn
from liarsdice.wire import SeatResponse, TableSummary


@post("/api/odds", responses=responses_with(OddsResponse), status_code=200)
async def odds(request: AppRequest, state: AppState, data: JSONBody[OddsForm]) -> Response[bytes]:
    """Return charts of how likely bids are under rules, given one's own dice."""
    compute = partial(state.costly_work.in_process, client_address(request), encoded_odds, data)
    key = ("odds", msgspec.json.encode(data))
    body = await state.costly_work.cached(client_address(request), key, RULES_COST, compute)
    return Response(body, media_type=MediaType.JSON)


DEFAULT_SEATS = 6


def default_title(name: str) -> str:
    """Return the title of the table that a player opens without one, as long as it may be.

    >>> default_title("Ann")
    'Ann’s table'
    """
    parts = characters(f"{name}’s table"[: 8 * MAX_NAME_LENGTH])
    while len(JOINED_EMOJI.sub("-", "".join(parts))) > MAX_NAME_LENGTH:
        parts.pop()
    return "".join(parts).rstrip()


def read_table_form(form: TableForm) -> TableConfig:
    """Return the configuration of the table that a form asks for. It takes up to a quarter of a second.

    Raises `MalformedError`, `UnavailableError` or `RulesetError` if there can be no such table or no such bot, or if
    the match cannot begin as the form asks.
    """
    if len(form.bots) >= MAX_PLAYERS:
        raise MalformedError(f"{len(form.bots)} bots and you do not fit on {MAX_PLAYERS} seats")
    ruleset = ruleset_of(form.rules, form.changes)
    for bot in form.bots:
        bot_maker(bot)
    if form.begin:
        require_seat_count(ruleset, len(form.bots) + 1)  # raises if it cannot begin
    return TableConfig(
        title=form.title or default_title(form.name),
        ruleset=ruleset,
        rules_name=form.rules if not form.changes else "",
        rules_base=form.rules if form.changes else "",
        seats=min(DEFAULT_SEATS, ruleset.players.max or DEFAULT_SEATS) if form.seats is None else form.seats,
        clock=form.clock or (LISTED_CLOCK if form.listed else Clock()),
        hints=form.hints,
        training=form.training,
        open_cups=form.open_cups,
        spectators=form.spectators,
        listed=form.listed,
        approval=form.approval,
        away=form.away,
        leaver=form.leaver,
        pace=form.pace,
        best_of=form.best_of,
    )


MAX_LISTED = 50
MAX_SHOWN_PER_NETWORK = 3
"""How many tables the lobby shows that people of one network opened."""
MAX_BASE_URL_LENGTH = 300


@get("/api/presets", responses=ERRORS, sync_to_thread=False)
def presets(language: FromQuery[str] = "en") -> tuple[PresetCard, ...]:
    """Return the rule sheets and other presets as cards, the best known first."""
    return preset_cards(language)


@get("/api/games", responses=ERRORS)
async def games(search: FromQuery[str] = "", language: FromQuery[str] = "en") -> tuple[SheetCard, ...]:
    """Return the presets and rule sheets that have all words of a search in their name, country or rules."""
    return await asyncio.to_thread(find_games, search, language)


@post("/api/rules", responses=responses_with(RulesResponse), status_code=200)
async def rules(request: AppRequest, state: AppState, data: JSONBody[RulesForm]) -> Response[bytes]:
    """Return rules as a rulebook, with every field of the rules and the values that it can have."""
    address = client_address(request)
    compute = partial(state.costly_work.in_process, address, encoded_rules, data)
    body = await state.costly_work.cached(address, msgspec.json.encode(data), RULES_COST, compute)
    return Response(body, media_type=MediaType.JSON)


@get("/api/lobby", responses=ERRORS)
async def lobby(request: AppRequest, state: AppState) -> list[TableSummary]:
    """Return the listed tables, those with people from many networks first, and few that one network opened."""
    state.rate_limits.check_work(client_address(request), LOBBY_COST)
    tables = await state.registry.listed_tables()
    tables.sort(key=lambda pair: -_network_count(*pair))
    shown, by_network = [], Counter[str]()
    for _, table in tables:
        network = table.opener_network or table.code
        by_network[network] += 1
        if by_network[network] <= MAX_SHOWN_PER_NETWORK or not state.registry.services.seats_per_address:
            shown.append(table_summary(table, state.invites.path(table.code)))
    return shown[:MAX_LISTED]


def _network_count(live_table: LiveTable, table: TableState) -> int:
    """Return from how many networks the people are who have a page of a table open. Unknown ones count once."""
    connected = live_table.presence.connected()
    return len({player.address_hash for player in table.players if player.id in connected and not player.gone})


@post("/api/tables", responses=ERRORS)
async def open_table(request: AppRequest, state: AppState, data: JSONBody[TableForm]) -> Response[SeatResponse]:
    """Open a table and take its first seat as the host. If the match cannot begin as asked, no table is opened."""
    address = client_address(request)
    state.rate_limits.check_open_table(address)
    with state.costly_work.admitted(address, RULES_COST if data.changes else CACHED_COST):
        config = await state.costly_work.in_thread(read_table_form, data)
    token = token_of(request)
    token_hash = hash_token(token)
    live_table, player_id = await state.registry.open_table(
        config, data.name, token_hash, data.commitment, data.bots, address, program=is_program(request)
    )
    state.rate_limits.record_hit(address, live_table.code)
    if data.begin:
        await state.registry.submit(live_table, token_hash, "begin", Begin())
    return seat_response(request, token, SeatResponse(live_table.code, player_id))


@get("/api/tables/{code:str}", responses=ERRORS)
async def look_up(request: AppRequest, state: AppState, code: FromPath[str]) -> TableSummary:
    """Return a table by its code."""
    live_table = await find_table(state, request, code)
    table = await live_table.state()
    token_hash = hash_token(client_token(request))
    player = table.player_by_token(token_hash)
    return msgspec.structs.replace(
        table_summary(table, state.invites.path(live_table.code)),
        seated=player is not None,
        opener=token_hash in table.opener_tokens,
        on_turn=player is not None and player == player_on_turn(table),
        matches=table.finished_count,
    )


@post("/api/tables/{code:str}/seats", responses=ERRORS)
async def take_seat(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[SeatForm]
) -> Response[SeatResponse]:
    """Take a free seat at a table, or ask its host for one if the host decides who sits down."""
    live_table = await find_table(state, request, code)
    token = token_of(request)
    player_id = await state.registry.take_seat(
        live_table,
        data.name,
        hash_token(token),
        data.commitment,
        data.request_id,
        client_address(request),
        program=is_program(request),
    )
    return seat_response(request, token, SeatResponse(live_table.code, player_id))


@post("/api/tables/{code:str}/ticket", responses=ERRORS)
async def make_ticket(request: AppRequest, state: AppState, code: FromPath[str]) -> TicketResponse:
    """Return a private link to one's own seat for another device. It works once."""
    live_table = await find_table(state, request, code)
    token = client_token(request)
    player = (await live_table.state()).player_by_token(hash_token(token))
    if player is None:
        raise ForbiddenError("only players at this table have a seat for another device")
    return await ticket_response(request, state, live_table.code, player.id, f"/t/{live_table.code}#seat=")


@post("/api/tables/{code:str}/redeem", responses=ERRORS)
async def redeem_ticket(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[TicketForm]
) -> Response[SeatResponse]:
    """Redeem a private seat link, so that this device holds the seat, too."""
    services = state.registry.services
    live_table = await find_table(state, request, code)
    token = token_of(request)
    player_id = await services.store.redeem_ticket(hash_token(data.ticket), live_table.code, services.now_ms())
    if player_id is None:
        raise ForbiddenError("this seat link was used already or is too old; make a new one on the other device")
    await state.registry.add_device(live_table, player_id, hash_token(token), program=is_program(request))
    return seat_response(request, token, SeatResponse(live_table.code, player_id))


@get("/api/tables/{code:str}/qr.svg", responses=ERRORS, media_type="image/svg+xml; charset=utf-8")
async def invite_qr(request: AppRequest, state: AppState, code: FromPath[str]) -> bytes:
    """Return the invite link of a table as a QR code."""
    live_table = await find_table(state, request, code)
    return await cached_qr(request, state, state.invites.path(live_table.code))


async def cached_qr(request: AppRequest, state: AppState, path: str) -> bytes:
    """Return the address of a page of this server as a QR code."""
    url, address = absolute_url(request, state, path), client_address(request)
    compute = partial(state.costly_work.in_process, address, qr_svg, url)
    return await state.costly_work.cached(address, url, QR_COST, compute)


@get("/api/key", responses=ERRORS, sync_to_thread=False)
def key(state: AppState) -> KeyResponse:
    """Return the public keys that verify the signatures of this server's records."""
    return KeyResponse(state.signer.public_key, state.signer.public_keys[1:])


@get("/healthz", media_type=MediaType.TEXT, sync_to_thread=False)
def healthz(state: AppState) -> str:
    """Report that the process answers, with the id of this node."""
    return f"ok {state.registry.services.event_bus.node_id}\n"


@get("/readyz", responses=ERRORS, media_type=MediaType.TEXT)
async def readyz(state: AppState) -> str:
    """Report that the database can be written and read, with the id of this node."""
    await state.registry.services.check_database()
    return f"ready {state.registry.services.event_bus.node_id}\n"


@get("/metrics", media_type="text/plain; version=0.0.4", sync_to_thread=False)
def metrics(state: AppState) -> bytes:
    """Return the metrics in the Prometheus text format, at most a second old."""
    return state.registry.services.metrics.recent_text(time.monotonic())


@get("/api/{rest:path}", include_in_schema=False, sync_to_thread=False)
def unknown_path(rest: FromPath[str]) -> None:
    """Refuse every other path of the API."""
    raise UnavailableError(f"the API has no address {rest!r:.80}; /docs lists those that it has")


HANDLERS = (
    presets,
    games,
    rules,
    odds,
    lobby,
    open_table,
    look_up,
    take_seat,
    make_ticket,
    redeem_ticket,
    invite_qr,
    record,
    match_summary,
    training,
    key,
    healthz,
    readyz,
    metrics,
    unknown_path,
)


async def ticket_response(request: AppRequest, state: AppState, code: str, owner: int, prefix: str) -> TicketResponse:
    """Return a private link for another device of a player of a table or a member of a group, and save its ticket.

    `owner`: the id of the player or the member. `prefix`: the path up to the ticket. Raises `RateLimitError` for too
    many.
    """
    state.rate_limits.check_make_ticket(code, owner)
    ticket = new_token()
    path = prefix + ticket
    url = absolute_url(request, state, path)
    address = client_address(request)
    with state.costly_work.admitted(address, QR_COST):
        qr, qr_size = await state.costly_work.in_process(address, qr_path, url)
    until_ms = state.registry.services.now_ms() + TICKET_AGE_S * 1000
    await state.registry.services.store.save_ticket(hash_token(ticket), code, owner, until_ms)
    return TicketResponse(ticket, path, TICKET_AGE_S, qr, qr_size)


def absolute_url(request: AppRequest, state: AppState, path: str) -> str:
    """Return a path as a URL for other devices. Raises `MalformedError` if the URL of the server is too long."""
    base_url: str = state.public_url or str(request.base_url).rstrip("/")
    if len(base_url) > MAX_BASE_URL_LENGTH:
        raise MalformedError(f"the server's address has at most {MAX_BASE_URL_LENGTH} characters")
    return base_url + path


def token_of(request: AppRequest) -> str:
    """Return the client's token, or a new one if its browser sent none or one that the server did not make."""
    token = client_token(request)
    if is_token(token):
        assert token is not None
        return token
    return new_token()


def token_cookie(request: AppRequest, token: str) -> Cookie:
    """Return the cookie with which a browser sends its token."""
    return Cookie(
        cookie_name(request.url.scheme),
        value=token,
        max_age=COOKIE_AGE_S,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def seat_response(request: AppRequest, token: str, answer: SeatResponse) -> Response[SeatResponse]:
    """Return a response that sets the cookie with the token, unless the client sent it as a bearer token."""
    return Response(answer, cookies=[] if is_program(request) else [token_cookie(request, token)])
