"""The WebSocket of a table: a client says hello, then sends commands, each of which is answered, and receives updates.

After the hello, messages pass directly between the WebSocket's protocol and a `TableSession`; the task of the
connection waits for its end.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from litestar import WebSocket, websocket
from litestar.datastructures import State
from litestar.exceptions import WebSocketDisconnect, WebSocketException
from litestar.params import FromPath

from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.server.errors import NoSpectatorsError, RateLimitError
from liarsdice.server.http.auth import client_token, hash_token
from liarsdice.server.http.networks import client_address
from liarsdice.server.http.program_tokens import ENDED, ProgramTokens
from liarsdice.server.http.rate_limits import RateLimits
from liarsdice.server.http.security_headers import is_known_host, is_same_origin
from liarsdice.server.http.server_bans import BANNED, ServerBans
from liarsdice.server.http.table_lookup import find_table, mark_program
from liarsdice.server.http.table_session import TableSession
from liarsdice.server.http.websocket_protocol import CHANNEL, MessageChannel
from liarsdice.server.live.connection import Connection
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.presence import NO_SPECTATORS
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.metrics import Metrics
from liarsdice.server.program_admission import TokenScope
from liarsdice.server.protocol.decoding import read_message
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.error_codes import ErrorCode, error_code
from liarsdice.server.protocol.messages import Hello, Problem

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
    channel: MessageChannel | None = socket.scope["extensions"].pop(CHANNEL, None)  # type: ignore[union-attr, assignment]
    if channel is None:  # the connection is lost already
        return
    server_bans: ServerBans = state.server_bans
    program_tokens: ProgramTokens = state.program_tokens
    same_origin = is_same_origin(socket.headers.get("origin"), socket.headers.get("host"))
    if not same_origin or not is_known_host(socket, state.public_url):
        await socket.close(CLOSED_FORBIDDEN, "foreign page or host")
        return
    await socket.accept()
    if registry.database_silence.lasts:
        await _close(socket, CLOSED_RESTARTING)
        return
    address = client_address(socket)
    with ExitStack() as held:
        try:
            held.enter_context(rate_limits.hold_connection(address))
            rate_limits.check_connect(address)
            live_table = await find_table(registry, rate_limits, address, code)
            connection = await _receive_hello(socket, live_table, _count_sent(channel, registry.services.metrics))
            held.enter_context(server_bans.watch(address, connection.token_hash, partial(_end_banned, connection)))
            held.enter_context(program_tokens.watch(socket, TokenScope.PLAY, partial(_end_program, connection)))
            if connection.token_hash:
                await mark_program(registry, live_table, socket)
        except LiarsDiceError as error:
            await _send_problem_and_close(socket, error)
            return
        except (WebSocketDisconnect, TimeoutError):
            await _close(socket, CLOSED_FORBIDDEN)
            return
        check_work = partial(rate_limits.check_work, address)
        session = TableSession(registry, live_table, connection, channel, check_work)
        await _exchange_messages(socket, session)


def _end_banned(connection: Connection) -> None:
    """End the connection of a person who was banned while it was open."""
    connection.end(ENCODER.encode(Problem(ErrorCode.SERVER_BANNED, BANNED)))


def _end_program(connection: Connection) -> None:
    """End the connection of a program whose token expired or was revoked while it was open."""
    connection.end(ENCODER.encode(Problem(ErrorCode.FORBIDDEN, ENDED)))


async def _exchange_messages(socket: Socket, session: TableSession) -> None:
    """Send updates and answer messages until either side closes the connection."""
    metrics, connection = session.registry.services.metrics, session.connection
    connection.on_overflow = partial(_drop_slow_client, metrics, session)
    connection.on_ended = session.end
    metrics.connections.inc()
    error: RateLimitError | None = None
    try:
        session.live_table.subscribe(connection)
        session.channel.attach(session)
        error = await session.over
    finally:
        session.live_table.unsubscribe(connection)
        metrics.connections.dec()
        connection.on_overflow = connection.on_ended = lambda: None  # they refer to the session
        if error is not None:
            await _send_problem_and_close(socket, error)
        else:
            await _close(socket, CLOSED_FORBIDDEN if connection.ended else CLOSED_RESTARTING)


def _drop_slow_client(metrics: Metrics, session: TableSession) -> None:
    """End the connection of a client that reads too slowly."""
    metrics.dropped.inc()
    session.end()


def _count_sent(channel: MessageChannel, metrics: Metrics) -> Callable[..., bool]:
    """Return a function that writes to a channel and counts the messages that were sent."""
    write_messages = channel.write

    def write(*messages: bytes) -> bool:
        is_sent = write_messages(*messages)
        metrics.frame_count += len(messages) * is_sent
        return is_sent

    return write


async def _receive_hello(socket: Socket, live_table: LiveTable, write: Callable[..., bool]) -> Connection:
    """Wait for the hello and return the connection, which sends messages through `write`.

    Raises `MalformedError` for another message, `NoSpectatorsError` if this client may not see the table, and
    `TimeoutError` after `HELLO_TIMEOUT_S`.
    """
    async with asyncio.timeout(HELLO_TIMEOUT_S):  # a task of `wait_for` and its error would refer to each other
        text = await socket.receive_data("text")
    hello = read_message(text)
    if not isinstance(hello, Hello) or hello.last_seq < 0:
        raise MalformedError('the first message is {"type":"hello","last_seq":SEQ}')
    table = await live_table.state()
    if hello.last_seq > table.seq:  # another process has sent this client more than this one knows
        await live_table.refresh()
        table = await live_table.state()
    token = None if hello.spectate else client_token(socket)
    token_hash = hash_token(token)
    connection = Connection(token_hash, hello.last_seq, write)
    if not table.is_visible_to(table.id_by_token(connection.token_hash)):
        raise NoSpectatorsError(NO_SPECTATORS)
    return connection


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
