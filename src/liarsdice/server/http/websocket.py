"""The WebSocket of a table: a client says hello, then sends commands, each of which is answered, and receives updates.

Each connection has two tasks: one sends the queued messages, one receives and handles the client's, one at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial

import msgspec
import structlog
from litestar import WebSocket, websocket
from litestar.datastructures import State
from litestar.exceptions import WebSocketDisconnect, WebSocketException
from litestar.params import FromPath

from liarsdice.core.errors import LiarsDiceError, MalformedError, printable
from liarsdice.server.errors import NoSpectatorsError, RateLimitError, TableNotFoundError
from liarsdice.server.http.auth import hash_token, token_from_cookies
from liarsdice.server.http.rate_limits import RateLimits, TokenBucket, client_address
from liarsdice.server.http.security_headers import is_same_origin
from liarsdice.server.live.connection import Connection
from liarsdice.server.live.live_table import NO_SPECTATORS, LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.metrics import Metrics
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.error_codes import ErrorCode, error_code
from liarsdice.server.protocol.messages import Done, Hello, Problem, ToTable

LOG = structlog.get_logger()
MESSAGE_DECODER: msgspec.json.Decoder[ToTable] = msgspec.json.Decoder(ToTable)
MAX_MESSAGE_LENGTH = 16 * 1024
"""Characters of one message."""
BURST, PER_S = 40, 10
"""How many messages a connection may send at once, and per second in the long run."""
RULES_COST = 20
"""A message with rules counts as this many: checking whether bids can go in a loop takes up to seconds."""
HELLO_TIMEOUT_S = 20
CLOSED_FORBIDDEN, CLOSED_NO_TABLE, CLOSED_TOO_FAST, CLOSED_RESTARTING = 4403, 4404, 4429, 1012
DISCONNECTED = (WebSocketDisconnect, WebSocketException, OSError)  # sending on a lost connection raises the last

Socket = WebSocket[object, object, State]


@websocket("/ws/{code:str}")
async def table_socket(socket: Socket, code: FromPath[str], state: State) -> None:
    """Serve the connection of one client to one table until either side closes it."""
    registry: TableRegistry = state.registry
    rate_limits: RateLimits = state.rate_limits
    if not is_same_origin(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.close(CLOSED_FORBIDDEN, "foreign page")
        return
    await socket.accept()
    address = client_address(socket)
    with ExitStack() as held:
        try:
            held.enter_context(rate_limits.hold_connection(address))
            rate_limits.check_connect(address)
            rate_limits.check_look_up(address)
            live_table = await registry.get(code)
            connection = await _receive_hello(socket, live_table)
        except LiarsDiceError as error:
            if isinstance(error, TableNotFoundError):
                rate_limits.record_miss(address)
            await _send_problem_and_close(socket, error)
            return
        except (WebSocketDisconnect, TimeoutError):
            await _close(socket, CLOSED_FORBIDDEN)
            return
        await _exchange_messages(socket, registry, live_table, connection)


async def _exchange_messages(
    socket: Socket, registry: TableRegistry, live_table: LiveTable, connection: Connection
) -> None:
    """Send updates and answer messages until either side closes the connection."""
    metrics = registry.services.metrics
    metrics.connections.inc()
    sending = asyncio.create_task(connection.run(_make_deliver(socket, metrics)))
    receiving = asyncio.create_task(_receive_messages(socket, registry, live_table, connection))
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
        raise MalformedError('the first message is {"type":"hello","have":SEQ}')
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
    socket: Socket, registry: TableRegistry, live_table: LiveTable, connection: Connection
) -> None:
    """Handle and answer one message after another until the client disconnects. Raises `RateLimitError`."""
    loop = asyncio.get_running_loop()
    bucket = TokenBucket(BURST, PER_S, loop.time())
    while True:
        try:
            text = await socket.receive_data("text")
        except WebSocketDisconnect:
            return
        if not bucket.consume(loop.time(), RULES_COST if may_contain_rules(text) else 1):
            raise RateLimitError("too many messages; reconnect and send fewer")
        connection.send(ENCODER.encode(await handle_message(registry, live_table, connection.token_hash, text)))


async def handle_message(registry: TableRegistry, live_table: LiveTable, token_hash: str, text: str) -> Done | Problem:
    """Handle a message of the client with a token and return the answer. Errors become a `Problem`."""
    counter, request_id = registry.services.metrics.commands, None
    try:
        message = await asyncio.to_thread(read_message, text) if may_contain_rules(text) else read_message(text)
        if isinstance(message, Hello):
            return Problem(ErrorCode.MALFORMED, "hello was already sent; send commands as do")
        request_id = message.request_id
        seq = await registry.submit(live_table, token_hash, request_id, message.command, message.turn_id)
    except LiarsDiceError as error:
        counter.labels("any", error_code(error).value).inc()
        return Problem(error_code(error), str(error), request_id)
    counter.labels(type(message.command).__name__, "done").inc()
    return Done(request_id, seq)


def may_contain_rules(text: str) -> bool:
    """Return whether a message may be a `Change` command, in whatever way its JSON is written.

    >>> may_contain_rules('{"what":{"type":"change"}}'), may_contain_rules('{"what":{"type":"say","text":"change"}}')
    (True, True)
    >>> may_contain_rules('{"what":{"type":"say","text":"no change"}}')
    False
    """
    return '"change"' in text or "\\u" in text


def read_message(text: str) -> ToTable:
    """Return a client's message. Raises `MalformedError`, which names the fault and quotes little of the message."""
    if len(text) > MAX_MESSAGE_LENGTH:
        raise MalformedError(f"a message has at most {MAX_MESSAGE_LENGTH} characters")
    try:
        return MESSAGE_DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise MalformedError(f"the message cannot be read: {printable(str(error))[:200]}") from error
    except LiarsDiceError as error:
        raise MalformedError(str(error)) from error


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
