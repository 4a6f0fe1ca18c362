"""The HTTP API: opening tables, sitting down, and what can be looked up."""

from __future__ import annotations

import io

import segno
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie, State
from litestar.enums import MediaType
from litestar.exceptions import NotFoundException
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import LONGEST_NAME, seated
from liarsdice.core.errors import MalformedError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import COOKIE_AGE_S, TICKET_AGE_S, cookie_name, holder_of, is_token, new_token, token_in
from liarsdice.server.http.public_info import listed, match_record
from liarsdice.server.http.rate_limits import address_of
from liarsdice.server.http.schemas import (
    PresetCard,
    ProblemSeen,
    RulesForm,
    RulesSeen,
    SeatForm,
    TableForm,
    TableListed,
    TableOpened,
    Ticket,
    TicketForm,
)
from liarsdice.server.live.live_table import Room, held_by
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.rules.rules_api import preset_cards, rules_seen, ruleset_of
from liarsdice.server.table.commands import Begin
from liarsdice.server.table.table_config import Options

Asked = Request[object, object, State]
MOST_LISTED = 50
LONGEST_START = 300
PROBLEMS = {
    400: "What was sent cannot be read, or cannot be.",
    403: "That is not for whoever asks.",
    404: "There is nothing by that name or code.",
    409: "The rules do not allow it now.",
    413: "More was sent than anything of ours needs.",
    429: "Too much was asked from this address; wait a minute.",
    503: "The database does not answer; try again.",
}
REFUSALS = {
    status: ResponseSpec(ProblemSeen, description=said, generate_examples=False) for status, said in PROBLEMS.items()
}
LISTED_FOR_MS = 12 * 3600 * 1000
USUAL_SEATS = 6


@get("/api/presets", responses=REFUSALS, sync_to_thread=False)
def presets(language: FromQuery[str] = "en") -> tuple[PresetCard, ...]:
    """The rule sheets and other presets, as cards."""
    return preset_cards(language)


@post("/api/rules", responses=REFUSALS, status_code=200, sync_to_thread=True)
def rules(data: JSONBody[RulesForm]) -> RulesSeen:
    """Any rules as a rulebook, with every rule choice and what it can be changed to."""
    return rules_seen(data)


@get("/api/lobby", responses=REFUSALS)
async def lobby(state: State) -> list[TableListed]:
    """The tables that anybody may find, those first where something happened last."""
    rooms: Rooms = state.rooms
    codes = await rooms.house.store.listed(MOST_LISTED, rooms.house.now_ms() - LISTED_FOR_MS)
    return [listed(await (await rooms.room(code)).table()) for code in codes]


@post("/api/tables", responses=REFUSALS)
async def open_table(request: Asked, state: State, data: JSONBody[TableForm]) -> Response[TableOpened]:
    """Open a table and sit down at it as its host. Where that cannot be, or not be begun, no table is opened."""
    rooms: Rooms = state.rooms
    rooms.house.limits.open_table(address_of(request))
    ruleset = ruleset_of(data.rules, data.changes)
    options = Options(
        title=data.title or f"{data.name}’s table"[:LONGEST_NAME].rstrip(),
        ruleset=ruleset,
        rules_name=data.rules if not data.changes else "",
        rules_base=data.rules if data.changes else "",
        seats=data.seats or min(USUAL_SEATS, ruleset.players.max or USUAL_SEATS),
        clock=data.clock,
        hints=data.hints,
        spectators=data.spectators,
        listed=data.listed,
        away=data.away,
    )
    for bot in data.bots:
        make_bot(bot)
    if data.begin:
        seated(ruleset, [str(place) for place in range(len(data.bots) + 1)])
    token = _token(request)
    room, player = await rooms.open(options, data.name, holder_of(token), data.seed, data.bots)
    if data.begin:
        await rooms.ask(room, holder_of(token), "begin", Begin())
    return _seated(request, token, TableOpened(room.code, player))


@get("/api/tables/{code:str}", responses=REFUSALS)
async def look_up(state: State, code: FromPath[str]) -> TableListed:
    """A table as somebody sees it who has its code."""
    return listed(await (await _room(state, code)).table())


@post("/api/tables/{code:str}/seats", responses=REFUSALS)
async def sit_down(
    request: Asked, state: State, code: FromPath[str], data: JSONBody[SeatForm]
) -> Response[TableOpened]:
    """Take a free seat."""
    rooms: Rooms = state.rooms
    room = await rooms.room(code)
    token = _token(request)
    player = await rooms.sit(room, data.name, holder_of(token), data.seed, data.id)
    return _seated(request, token, TableOpened(room.code, player))


@post("/api/tables/{code:str}/ticket", responses=REFUSALS)
async def make_ticket(request: Asked, state: State, code: FromPath[str]) -> Ticket:
    """A private link to one's own seat, for another device; it works once."""
    rooms: Rooms = state.rooms
    room = await rooms.room(code)
    player = held_by(await room.table(), holder_of(token_in(request.cookies, request.url.scheme)))
    if player is None:
        raise ForbiddenError("only those who sit at this table have a seat to take along")
    ticket = new_token()
    until_ms = rooms.house.now_ms() + TICKET_AGE_S * 1000
    await rooms.house.store.keep_ticket(holder_of(ticket), room.code, player.id, until_ms)
    path = f"/t/{room.code}#seat={ticket}"
    return Ticket(ticket, path, TICKET_AGE_S, *_drawn(_link(request, path)))


@post("/api/tables/{code:str}/redeem", responses=REFUSALS)
async def redeem(
    request: Asked, state: State, code: FromPath[str], data: JSONBody[TicketForm]
) -> Response[TableOpened]:
    """Use a private link: this device holds the seat, too."""
    rooms: Rooms = state.rooms
    room = await rooms.room(code)
    token = _token(request)
    player = await rooms.house.store.take_ticket(holder_of(data.ticket), room.code, rooms.house.now_ms())
    if player is None:
        raise ForbiddenError("this seat link was used already or is too old; make a new one on the other device")
    await rooms.share(room, player, holder_of(token))
    return _seated(request, token, TableOpened(room.code, player))


@get("/api/tables/{code:str}/qr.svg", responses=REFUSALS, media_type="image/svg+xml; charset=utf-8")
async def invite_picture(request: Asked, state: State, code: FromPath[str]) -> bytes:
    """The invite link as a QR code."""
    room = await _room(state, code)
    picture = io.BytesIO()
    _code_of(_link(request, f"/t/{room.code}")).save(
        picture, kind="svg", border=4, light="#fff", xmldecl=False, svgclass=None, lineclass=None
    )
    return picture.getvalue()


@get("/api/tables/{code:str}/matches/{number:int}", responses=REFUSALS, media_type=MediaType.TEXT)
async def record(state: State, code: FromPath[str], number: FromPath[int]) -> str:
    """The public record of a match that is over, with its dice and the seeds that they came from."""
    rooms: Rooms = state.rooms
    room = await rooms.room(code)
    kept = await rooms.house.store.load(room.code)
    text = match_record(kept.rows, number) if kept else None
    if text is None:
        raise ForbiddenError("there is no record of that match until it is over")
    return text


@get("/healthz", media_type=MediaType.TEXT, sync_to_thread=False)
def healthz() -> str:
    """Whether the process answers."""
    return "ok\n"


@get("/readyz", responses=REFUSALS, media_type=MediaType.TEXT)
async def readyz(state: State) -> str:
    """Whether tables can be read."""
    rooms: Rooms = state.rooms
    await rooms.house.store.listed(1, 0)
    return "ready\n"


@get("/metrics", media_type="text/plain; version=0.0.4", sync_to_thread=False)
def metrics(state: State) -> bytes:
    """Counters in the Prometheus text format."""
    rooms: Rooms = state.rooms
    return rooms.house.meters.text()


@get("/api/{rest:path}", include_in_schema=False, sync_to_thread=False)
def nothing(rest: FromPath[str]) -> None:
    """Whatever else may be asked of the API."""
    raise NotFoundException(f"the API has no {rest!r:.80}; what it has stands at /docs")


HANDLERS = (
    presets,
    rules,
    lobby,
    open_table,
    look_up,
    sit_down,
    make_ticket,
    redeem,
    invite_picture,
    record,
    healthz,
    readyz,
    metrics,
    nothing,
)


async def _room(state: State, code: str) -> Room:
    rooms: Rooms = state.rooms
    return await rooms.room(code)


def _link(request: Asked, path: str) -> str:
    """A path as an address that other devices know. Raises `MalformedError` where the one that was used is too long."""
    start = str(request.base_url).rstrip("/")
    if len(start) > LONGEST_START:
        raise MalformedError(f"the server's address has at most {LONGEST_START} characters")
    return start + path


def _code_of(link: str) -> segno.QRCode:
    return segno.make(link, error="m")


def _drawn(link: str) -> tuple[str, int]:
    """A link as a QR code: the dark squares as SVG path data, and how many squares wide it is with its margin."""
    squares = tuple(_code_of(link).matrix_iter(border=4))
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(squares) for x, dark in enumerate(row) if dark)
    return path, len(squares)


def _token(request: Asked) -> str:
    """The caller's token, or a new one."""
    known = token_in(request.cookies, request.url.scheme)
    return known if known is not None and is_token(known) else new_token()


def _seated(request: Asked, token: str, answer: TableOpened) -> Response[TableOpened]:
    cookie = Cookie(
        cookie_name(request.url.scheme),
        value=token,
        max_age=COOKIE_AGE_S,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return Response(answer, cookies=[cookie])
