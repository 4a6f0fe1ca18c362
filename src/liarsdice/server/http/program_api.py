"""The HTTP API for programs at a table: a view that waits for the table to move on, and commands.

What a program sees is made of the messages that a page receives over its WebSocket, byte for byte, and its commands are
handled as those that a page sends.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress

import msgspec
from litestar import Response, get, post
from litestar.enums import MediaType
from litestar.params import FromPath, FromQuery, JSONBody

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.overlay import Plain
from liarsdice.server.errors import TryAgainError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.app_state import AppRequest, AppState, find_table, mark_program
from liarsdice.server.http.auth import client_token, hash_token
from liarsdice.server.http.costly_work import ACT_COST, RULES_COST, VIEW_COST
from liarsdice.server.http.error_responses import ERRORS, error_response, responses_with
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.http.websocket import handle_message
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.protocol.decoding import CHANGE_TAG, UndecodedRequest
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import Done, Problem
from liarsdice.server.settings import TokenScope

MAX_WAIT_S = 30.0
LINGER_S = 5.0
"""For how long a player counts as connected after a view, so that one who asks again does not seem to come and go."""

MOVED_AWAY = "this server no longer serves the table; ask again"


class TableViewResponse(msgspec.Struct, frozen=True):
    """A table as the client may see it: the two messages that a page receives after its hello.

    `setup`: the message `setting`. `update`: the message `update`, whose `seq` is the `after` of the next request.
    """

    setup: Plain
    update: Plain


class ActForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command, as in the message `do`.

    `id`: chosen by the client, 1 to 40 characters; a repeated id is handled once. `command`: an object whose `type` is
    that of a command. `turn_id`: that of the match that a move answers; other commands ignore it.
    """

    request_id: str = msgspec.field(name="id")
    command: Plain
    turn_id: int = 0


class TablePoll:
    """A `Subscriber` for one request that waits until the table moves on. `over` is set then, or when the wait ends.

    `handed_over`: this process serves the table no longer. `left`: the client has closed the connection.
    """

    __slots__ = ("handed_over", "last_seq", "left", "looking", "over", "player", "token_hash")

    def __init__(self, token_hash: str, last_seq: int) -> None:
        self.token_hash = token_hash
        self.player: int | None = None
        self.last_seq = last_seq
        self.over = asyncio.Event()
        self.handed_over = self.left = False
        self.looking = True

    def send(self, frame: bytes) -> None:  # noqa: ARG002  the response is made when the wait is over
        """As `Subscriber.send`: the wait is over."""
        self.over.set()

    def send_presence(self, frame: bytes) -> None:
        """As `Subscriber.send_presence`; nobody waits for presence."""

    def end(self, frame: bytes) -> None:  # noqa: ARG002  the response says so
        """As `Subscriber.end`."""
        self.over.set()

    def hand_over(self) -> None:
        """As `Subscriber.hand_over`."""
        self.handed_over = True
        self.over.set()


@get("/api/tables/{code:str}/view", responses=responses_with(TableViewResponse))
async def table_view(
    request: AppRequest, state: AppState, code: FromPath[str], after: FromQuery[int] = 0, wait: FromQuery[float] = 0.0
) -> Response[bytes]:
    """Return a table as the client's seat sees it, with its news after the entry `after` of the log.

    Without news, the response waits for up to `wait` seconds, at most 30, until there is some.
    """
    if after < 0 or not 0 <= wait <= MAX_WAIT_S:
        raise MalformedError(f"after is the seq of a view, 0 for none; wait is 0 to {MAX_WAIT_S:.0f} seconds")
    payer = state.program_tokens.payer(request)
    state.rate_limits.check_work(payer, VIEW_COST)
    live_table = await find_table(state, request, code)
    await mark_program(state, live_table, request)
    token_hash = hash_token(client_token(request))
    table = await live_table.state_for(token_hash, after)
    if wait and table.seq == after:
        with state.rate_limits.hold_connection(payer):
            await _wait_for_news(request, state, live_table, token_hash, wait)
        table = await live_table.state_for(token_hash, after)
    frames = live_table.frames()
    body = b'{"setup":%b,"update":%b}' % (frames.setup, frames.update(table.id_by_token(token_hash), after))
    return Response(body, media_type=MediaType.JSON)


@post("/api/tables/{code:str}/act", responses=ERRORS, status_code=200)
async def act(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[ActForm]
) -> Response[Done] | Response[ErrorResponse]:
    """Handle a command of the client at a table, such as a move, once it is stored."""
    token_hash = hash_token(client_token(request))
    cost = RULES_COST if data.command.get("type") == CHANGE_TAG else ACT_COST
    state.rate_limits.check_work(state.program_tokens.payer(request), cost)
    live_table = await find_table(state, request, code)
    await mark_program(state, live_table, request)
    message = UndecodedRequest(data.request_id, msgspec.Raw(ENCODER.encode(data.command)), data.turn_id)
    text = ENCODER.encode(message).decode()
    handling = asyncio.ensure_future(handle_message(state.registry, live_table, token_hash, text))
    with state.program_tokens.watch(request, TokenScope.PLAY, handling.cancel):  # moves wait for the table's pace
        _ = await asyncio.wait((handling,))
    state.program_tokens.check(request, TokenScope.PLAY)
    answer = handling.result()
    if isinstance(answer, Problem):
        return error_response(answer.code, answer.text)
    return Response(answer)


PROGRAM_HANDLERS = (table_view, act)


async def _wait_for_news(
    request: AppRequest, state: AppState, live_table: LiveTable, token_hash: str, wait_s: float
) -> None:
    """Wait until a table moves on, for up to `wait_s` seconds, or until the client goes away.

    Raises `TryAgainError` if this process serves the table no longer, and `ServerBannedError` for a client who is
    banned meanwhile, and `ForbiddenError` for a program whose token ends meanwhile.
    """
    address = client_address(request)
    assert live_table.known_state is not None
    poll = TablePoll(token_hash, live_table.known_state.seq)
    with ExitStack() as held:
        held.enter_context(state.server_bans.watch(address, token_hash, poll.over.set))
        held.enter_context(state.program_tokens.watch(request, TokenScope.READ, poll.over.set))
        live_table.subscribe(poll)
        held.callback(_unsubscribe, live_table, poll)
        state.registry.on_stop.add(poll.hand_over)
        held.callback(state.registry.on_stop.discard, poll.hand_over)
        poll.over.clear()  # what `subscribe` sends is no news
        leaving = asyncio.ensure_future(_wait_for_disconnect(request, poll))
        held.callback(leaving.cancel)
        with suppress(TimeoutError):
            await asyncio.wait_for(poll.over.wait(), wait_s)
    if poll.handed_over:
        raise TryAgainError(MOVED_AWAY)
    state.server_bans.check(address, token_hash)
    state.program_tokens.check(request, TokenScope.READ)


async def _wait_for_disconnect(request: AppRequest, poll: TablePoll) -> None:
    """End the wait of a poll when its client closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    poll.left = True
    poll.over.set()


def _unsubscribe(live_table: LiveTable, poll: TablePoll) -> None:
    """Unsubscribe a poll that is over: at once if its client has gone or has no seat, else after `LINGER_S`."""
    if poll.left or poll.handed_over or poll.player is None:
        live_table.unsubscribe(poll)
    else:
        asyncio.get_running_loop().call_later(LINGER_S, live_table.unsubscribe, poll)
