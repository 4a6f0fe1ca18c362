"""The WebSocket of a table: a client says hello, then sends commands, each of which is answered, and receives updates.

Each connection has two tasks: one sends the queued messages, one receives and handles the client's, one at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import structlog
from litestar import WebSocket, websocket
from litestar.datastructures import State
from litestar.exceptions import WebSocketDisconnect, WebSocketException
from litestar.params import FromPath

from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.server.errors import NoSpectatorsError, RateLimitError
from liarsdice.server.http.auth import hash_token, token_from_cookies
from liarsdice.server.http.costly_work import RULES_COST
from liarsdice.server.http.networks import client_address
from liarsdice.server.http.rate_limits import RateLimits, TokenBucket
from liarsdice.server.http.security_headers import is_known_host, is_same_origin
from liarsdice.server.http.table_lookup import find_table
from liarsdice.server.live.connection import Connection
from liarsdice.server.live.live_table import NO_SPECTATORS, LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.metrics import Metrics
from liarsdice.server.protocol.decoding import UndecodedRequest, read_change, read_change_request, read_message
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.error_codes import ErrorCode, error_code
from liarsdice.server.protocol.messages import Done, Hello, Problem
from liarsdice.server.table.commands import Change

LOG = structlog.get_logger()
BURST, PER_S = 40, 10
"""How many messages a connection may send at once, and per second in the long run."""
CHANGE_COST = 20
"""A message with rules counts as this many: checking whether bids can go in a loop takes up to 0.3 seconds."""
HELLO_TIMEOUT_S = 20
CLOSED_FORBIDDEN, CLOSED_NO_TABLE, CLOSED_TOO_FAST, CLOSED_RESTARTING = 4403, 4404, 4429, 1012
DISCONNECTED = (WebSocketDisconnect, WebSocketException, OSError)  # sending on a lost connection raises the last

Socket = WebSocket[object, object, State]


@websocket("/ws/{code:str}")
async def table_socket(socket: Socket, code: FromPath[str], state: State) -> None:
    """Serve the connection of one client to one table until either side closes it."""
    try:
        await _serve_connection(socket, code, state)
    finally:
        # These functions refer to the socket. Without them, it is freed now and not by a full garbage collection.
        socket.receive = socket.send = _use_closed_socket


async def _use_closed_socket(*_: object) -> Any:  # noqa: ANN401  stands for `receive` and for `send`
    raise WebSocketDisconnect(detail="the connection is closed")


async def _serve_connection(socket: Socket, code: str, state: State) -> None:
    registry: TableRegistry = state.registry
    rate_limits: RateLimits = state.rate_limits
    same_origin = is_same_origin(socket.headers.get("origin"), socket.headers.get("host"))
    if not same_origin or not is_known_host(socket, state.public_url):
        await socket.close(CLOSED_FORBIDDEN, "foreign page or host")
        return
    await socket.accept()
    address = client_address(socket)
    with ExitStack() as held:
        try:
            held.enter_context(rate_limits.hold_connection(address))
            rate_limits.check_connect(address)
            live_table = await find_table(registry, rate_limits, address, code)
            connection = await _receive_hello(socket, live_table)
        except LiarsDiceError as error:
            await _send_problem_and_close(socket, error)
            return
        except (WebSocketDisconnect, TimeoutError):
            await _close(socket, CLOSED_FORBIDDEN)
            return
        check_work = partial(rate_limits.check_work, address, RULES_COST)
        await _exchange_messages(socket, registry, live_table, connection, check_work)


async def _exchange_messages(
    socket: Socket,
    registry: TableRegistry,
    live_table: LiveTable,
    connection: Connection,
    check_work: Callable[[], None],
) -> None:
    """Send updates and answer messages until either side closes the connection. `check_work`: `_receive_messages`."""
    metrics = registry.services.metrics
    metrics.connections.inc()
    sending = asyncio.create_task(connection.run(_make_deliver(socket, metrics)))
    receiving = asyncio.create_task(_receive_messages(socket, registry, live_table, connection, check_work))
    connection.on_overflow = partial(_drop_slow_client, metrics, sending)
    try:
        live_table.subscribe(connection)
        await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        live_table.unsubscribe(connection)
        metrics.connections.dec()
        for task in (sending, receiving):
            task.cancel()
        for ended in await asyncio.gather(sending, receiving, return_exceptions=True):
            if isinstance(ended, RateLimitError):
                await _send_problem_and_close(socket, ended)
            elif isinstance(ended, Exception) and not isinstance(ended, DISCONNECTED):
                LOG.warning("line_broke", error=type(ended).__name__)
        connection.on_overflow = lambda: None  # it refers to a task that refers to the connection
        await _close(socket, CLOSED_FORBIDDEN if connection.ended else CLOSED_RESTARTING)


def _drop_slow_client(metrics: Metrics, sending: asyncio.Task[None]) -> None:
    """End the connection of a client that reads too slowly."""
    metrics.dropped.inc()
    sending.cancel()


async def _receive_hello(socket: Socket, live_table: LiveTable) -> Connection:
    """Wait for the hello and return the connection.

    Raises `MalformedError` for another message, `NoSpectatorsError` if this client may not see the table, and
    `TimeoutError` after `HELLO_TIMEOUT_S`.
    """
    text = await asyncio.wait_for(socket.receive_data("text"), HELLO_TIMEOUT_S)
    hello = read_message(text)
    if not isinstance(hello, Hello) or hello.last_seq < 0:
        raise MalformedError('the first message is {"type":"hello","last_seq":SEQ}')
    table = await live_table.state()
    if hello.last_seq > table.seq:  # another process has sent this client more than this one knows
        await live_table.refresh()
        table = await live_table.state()
    connection = Connection(hash_token(token_from_cookies(socket.cookies, socket.url.scheme)), hello.last_seq)
    player = table.player_by_token(connection.token_hash)
    if not table.is_visible_to(player.id if player else None):
        raise NoSpectatorsError(NO_SPECTATORS)
    return connection


async def _receive_messages(
    socket: Socket,
    registry: TableRegistry,
    live_table: LiveTable,
    connection: Connection,
    check_work: Callable[[], None],
) -> None:
    """Handle and answer one message after another until the client disconnects.

    `check_work` pays for a message with rules from the budget of the address. Raises `RateLimitError`.
    """
    loop = asyncio.get_running_loop()
    bucket = TokenBucket(BURST, PER_S, loop.time())
    while True:
        try:
            text = await socket.receive_data("text")
        except WebSocketDisconnect:
            return
        is_change = read_change_request(text) is not None
        if is_change:
            check_work()
        if not bucket.consume(loop.time(), CHANGE_COST if is_change else 1):
            raise RateLimitError("too many messages; reconnect and send fewer")
        connection.send(ENCODER.encode(await handle_message(registry, live_table, connection.token_hash, text)))


async def handle_message(registry: TableRegistry, live_table: LiveTable, token_hash: str, text: str) -> Done | Problem:
    """Handle a message of the client with a token and return the answer. Errors become a `Problem`."""
    counter, request_id = registry.services.metrics.commands, None
    try:
        change_request = read_change_request(text)
        if change_request is not None:
            request_id = change_request.request_id
            return Done(request_id, await _handle_change(registry, live_table, token_hash, change_request))
        message = read_message(text)
        if isinstance(message, Hello):
            return Problem(ErrorCode.MALFORMED, "hello was already sent; send commands as do")
        request_id = message.request_id
        seq = await registry.submit(live_table, token_hash, request_id, message.command, message.turn_id)
    except LiarsDiceError as error:
        counter.labels("any", error_code(error).value).inc()
        return Problem(error_code(error), str(error), request_id)
    counter.labels(type(message.command).__name__, "done").inc()
    return Done(request_id, seq)


async def _handle_change(
    registry: TableRegistry, live_table: LiveTable, token_hash: str, request: UndecodedRequest
) -> int:
    """Handle a `Change`, which is decoded in a thread once its sender may change the table; return the log's seq."""
    seq = await registry.check_may_change(live_table, token_hash, request.request_id)
    if seq is None:
        change = await asyncio.to_thread(read_change, request.command)
        seq = await registry.submit(live_table, token_hash, request.request_id, change)
    registry.services.metrics.commands.labels(Change.__name__, "done").inc()
    return seq


def _make_deliver(socket: Socket, metrics: Metrics) -> Callable[[bytes], Awaitable[None]]:
    send = socket.send

    async def deliver(frame: bytes) -> None:
        await send({"type": "websocket.send", "text": frame.decode(), "bytes": None})
        metrics.frame_count += 1

    return deliver


async def _send_problem_and_close(socket: Socket, error: LiarsDiceError) -> None:
    """Send an error as a `Problem` and close the connection with the code that belongs to it."""
    code = error_code(error)
    close_code = {
        ErrorCode.NO_SUCH_TABLE: CLOSED_NO_TABLE,
        ErrorCode.UNREADABLE: CLOSED_NO_TABLE,
        ErrorCode.TOO_FAST: CLOSED_TOO_FAST,
        ErrorCode.TRY_AGAIN: CLOSED_RESTARTING,
    }.get(code, CLOSED_FORBIDDEN)
    try:
        await socket.send_data(ENCODER.encode(Problem(code, str(error))).decode(), "text")
    except (*DISCONNECTED, RuntimeError):
        return
    await _close(socket, close_code)


async def _close(socket: Socket, code: int) -> None:
    """Close the connection, unless the other side has done so already."""
    with contextlib.suppress(*DISCONNECTED, RuntimeError):
        await socket.close(code)
