"""The HTTP API: opens tables, gives seats, and returns what clients look up.

The docstrings of the handlers appear in the API's description at `/docs`. Errors become an `ErrorResponse` in `app`.
"""

from __future__ import annotations

import io
from contextlib import suppress

import segno
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie, State
from litestar.enums import MediaType
from litestar.exceptions import NotFoundException
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import MAX_NAME_LENGTH, match_started
from liarsdice.core.errors import MalformedError
from liarsdice.server.errors import ForbiddenError, TableNotFoundError, UnreadableTableError
from liarsdice.server.http.auth import (
    COOKIE_AGE_S,
    TICKET_AGE_S,
    cookie_name,
    hash_token,
    is_token,
    new_token,
    token_from_cookies,
)
from liarsdice.server.http.public_info import match_record, table_summary
from liarsdice.server.http.rate_limits import RateLimits, client_address
from liarsdice.server.http.schemas import (
    ErrorResponse,
    SeatForm,
    SeatResponse,
    TableForm,
    TableSummary,
    TicketForm,
    TicketResponse,
)
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.rules.rules_api import preset_cards, rules_response, ruleset_of
from liarsdice.server.rules.schemas import PresetCard, RulesForm, RulesResponse
from liarsdice.server.table.commands import Begin
from liarsdice.server.table.table_config import TableConfig

AppRequest = Request[object, object, State]
MAX_LISTED = 50
MAX_BASE_URL_LENGTH = 300
ERROR_DESCRIPTIONS = {
    400: "What was sent cannot be read, or cannot be.",
    403: "That is not for whoever asks.",
    404: "There is nothing by that name or code.",
    409: "The rules do not allow it now.",
    413: "More was sent than anything of ours needs.",
    429: "Too much was asked from this address; wait a minute.",
    500: "The table is stored, but cannot be read.",
    503: "The database does not answer; try again.",
}
ERRORS = {
    status: ResponseSpec(ErrorResponse, description=text, generate_examples=False)
    for status, text in ERROR_DESCRIPTIONS.items()
}
LISTED_FOR_MS = 12 * 3600 * 1000
DEFAULT_SEATS = 6


@get("/api/presets", responses=ERRORS, sync_to_thread=False)
def presets(language: FromQuery[str] = "en") -> tuple[PresetCard, ...]:
    """Return the rule sheets and other presets as cards, the best known first."""
    return preset_cards(language)


@post("/api/rules", responses=ERRORS, status_code=200, sync_to_thread=True)
def rules(data: JSONBody[RulesForm]) -> RulesResponse:
    """Return rules as a rulebook, with every field of the rules and the values that it can have."""
    return rules_response(data)


@get("/api/lobby", responses=ERRORS)
async def lobby(state: State) -> list[TableSummary]:
    """Return the tables that are listed in the lobby, the latest change first."""
    registry: TableRegistry = state.registry
    services = registry.services
    limit = MAX_LISTED + len(registry.unreadable_codes)
    codes = await services.store.listed_codes(limit, services.now_ms() - LISTED_FOR_MS)
    summaries = []
    for code in codes:
        with suppress(TableNotFoundError, UnreadableTableError):
            summaries.append(table_summary(await (await registry.get(code)).state()))
    return summaries[:MAX_LISTED]


@post("/api/tables", responses=ERRORS)
async def open_table(request: AppRequest, state: State, data: JSONBody[TableForm]) -> Response[SeatResponse]:
    """Open a table and take its first seat as the host. If the match cannot begin as asked, no table is opened."""
    registry: TableRegistry = state.registry
    rate_limits: RateLimits = state.rate_limits
    rate_limits.check_open_table(client_address(request))
    ruleset = ruleset_of(data.rules, data.changes)
    config = TableConfig(
        title=data.title or f"{data.name}’s table"[:MAX_NAME_LENGTH].rstrip(),
        ruleset=ruleset,
        rules_name=data.rules if not data.changes else "",
        rules_base=data.rules if data.changes else "",
        seats=data.seats or min(DEFAULT_SEATS, ruleset.players.max or DEFAULT_SEATS),
        clock=data.clock,
        hints=data.hints,
        spectators=data.spectators,
        listed=data.listed,
        away=data.away,
    )
    for bot in data.bots:
        make_bot(bot)
    if data.begin:
        match_started(ruleset, [str(place) for place in range(len(data.bots) + 1)])  # raises if it cannot begin
    token = _token_of(request)
    token_hash = hash_token(token)
    live_table, player_id = await registry.open_table(config, data.name, token_hash, data.seed, data.bots)
    if data.begin:
        await registry.submit(live_table, token_hash, "begin", Begin())
    return _seat_response(request, token, SeatResponse(live_table.code, player_id))


@get("/api/tables/{code:str}", responses=ERRORS)
async def look_up(state: State, code: FromPath[str]) -> TableSummary:
    """Return a table by its code."""
    registry: TableRegistry = state.registry
    return table_summary(await (await registry.get(code)).state())


@post("/api/tables/{code:str}/seats", responses=ERRORS)
async def take_seat(
    request: AppRequest, state: State, code: FromPath[str], data: JSONBody[SeatForm]
) -> Response[SeatResponse]:
    """Take a free seat at a table."""
    registry: TableRegistry = state.registry
    live_table = await registry.get(code)
    token = _token_of(request)
    player_id = await registry.take_seat(live_table, data.name, hash_token(token), data.seed, data.request_id)
    return _seat_response(request, token, SeatResponse(live_table.code, player_id))


@post("/api/tables/{code:str}/ticket", responses=ERRORS)
async def make_ticket(request: AppRequest, state: State, code: FromPath[str]) -> TicketResponse:
    """Return a private link to one's own seat for another device. It works once."""
    registry: TableRegistry = state.registry
    live_table = await registry.get(code)
    token = token_from_cookies(request.cookies, request.url.scheme)
    player = (await live_table.state()).player_by_token(hash_token(token))
    if player is None:
        raise ForbiddenError("only players at this table have a seat for another device")
    ticket = new_token()
    until_ms = registry.services.now_ms() + TICKET_AGE_S * 1000
    await registry.services.store.save_ticket(hash_token(ticket), live_table.code, player.id, until_ms)
    path = f"/t/{live_table.code}#seat={ticket}"
    return TicketResponse(ticket, path, TICKET_AGE_S, *_qr_path(_absolute_url(request, path)))


@post("/api/tables/{code:str}/redeem", responses=ERRORS)
async def redeem_ticket(
    request: AppRequest, state: State, code: FromPath[str], data: JSONBody[TicketForm]
) -> Response[SeatResponse]:
    """Redeem a private seat link, so that this device holds the seat, too."""
    registry: TableRegistry = state.registry
    services = registry.services
    live_table = await registry.get(code)
    token = _token_of(request)
    player_id = await services.store.redeem_ticket(hash_token(data.ticket), live_table.code, services.now_ms())
    if player_id is None:
        raise ForbiddenError("this seat link was used already or is too old; make a new one on the other device")
    await registry.add_device(live_table, player_id, hash_token(token))
    return _seat_response(request, token, SeatResponse(live_table.code, player_id))


@get("/api/tables/{code:str}/qr.svg", responses=ERRORS, media_type="image/svg+xml; charset=utf-8")
async def invite_qr(request: AppRequest, state: State, code: FromPath[str]) -> bytes:
    """Return the invite link of a table as a QR code."""
    registry: TableRegistry = state.registry
    live_table = await registry.get(code)
    svg = io.BytesIO()
    _qr_code(_absolute_url(request, f"/t/{live_table.code}")).save(
        svg, kind="svg", border=4, light="#fff", xmldecl=False, svgclass=None, lineclass=None
    )
    return svg.getvalue()


@get("/api/tables/{code:str}/matches/{number:int}", responses=ERRORS, media_type=MediaType.TEXT)
async def record(state: State, code: FromPath[str], number: FromPath[int]) -> str:
    """Return the public record of a finished match, with its dice and the seeds that they came from."""
    registry: TableRegistry = state.registry
    live_table = await registry.get(code)
    stored = await registry.services.store.load(live_table.code)
    text = match_record(stored.rows, number) if stored else None
    if text is None:
        raise ForbiddenError("there is no record of that match until it is over")
    return text


@get("/healthz", media_type=MediaType.TEXT, sync_to_thread=False)
def healthz() -> str:
    """Report that the process answers."""
    return "ok\n"


@get("/readyz", responses=ERRORS, media_type=MediaType.TEXT)
async def readyz(state: State) -> str:
    """Report that the database can be written and read."""
    registry: TableRegistry = state.registry
    await registry.services.check_database()
    return "ready\n"


@get("/metrics", media_type="text/plain; version=0.0.4", sync_to_thread=False)
def metrics(state: State) -> bytes:
    """Return the metrics in the Prometheus text format."""
    registry: TableRegistry = state.registry
    return registry.services.metrics.text()


@get("/api/{rest:path}", include_in_schema=False, sync_to_thread=False)
def unknown_path(rest: FromPath[str]) -> None:
    """Refuse every other path of the API."""
    raise NotFoundException(f"the API has no {rest!r:.80}; what it has stands at /docs")


HANDLERS = (
    presets,
    rules,
    lobby,
    open_table,
    look_up,
    take_seat,
    make_ticket,
    redeem_ticket,
    invite_qr,
    record,
    healthz,
    readyz,
    metrics,
    unknown_path,
)


def _absolute_url(request: AppRequest, path: str) -> str:
    """Return a path as a URL for other devices. Raises `MalformedError` if the URL of the server is too long."""
    base_url = str(request.base_url).rstrip("/")
    if len(base_url) > MAX_BASE_URL_LENGTH:
        raise MalformedError(f"the server's address has at most {MAX_BASE_URL_LENGTH} characters")
    return base_url + path


def _qr_code(url: str) -> segno.QRCode:
    return segno.make(url, error="m")


def _qr_path(url: str) -> tuple[str, int]:
    """Return a QR code as SVG path data of its dark squares, and its width in squares, margin included."""
    squares = tuple(_qr_code(url).matrix_iter(border=4))
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(squares) for x, dark in enumerate(row) if dark)
    return path, len(squares)


def _token_of(request: AppRequest) -> str:
    """Return the client's token, or a new one if it sent none or one that the server did not make."""
    token = token_from_cookies(request.cookies, request.url.scheme)
    return token if token is not None and is_token(token) else new_token()


def _seat_response(request: AppRequest, token: str, answer: SeatResponse) -> Response[SeatResponse]:
    """Return a response that sets the cookie with the token."""
    cookie = Cookie(
        cookie_name(request.url.scheme),
        value=token,
        max_age=COOKIE_AGE_S,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return Response(answer, cookies=[cookie])
