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

import structlog
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect, WebSocketException
from litestar.params import FromPath

from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.server.errors import NewerEntryError, RateLimitError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.app_state import AppState, find_table, mark_program
from liarsdice.server.http.auth import ENDED, client_token, hash_token
from liarsdice.server.http.connections import CHANNEL, WebSocketProtocol
from liarsdice.server.http.costly_work import RULES_COST
from liarsdice.server.http.security_headers import is_known_host, is_same_origin
from liarsdice.server.http.server_bans import BANNED
from liarsdice.server.live.live_table import MESSAGE_BURST, MESSAGES_PER_S, LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.metrics import Metrics
from liarsdice.server.protocol.decoding import (
    UndecodedRequest,
    read_change,
    read_change_request,
    read_look,
    read_message,
)
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import Done, ErrorCode, Hello, Problem, error_code
from liarsdice.server.settings import TokenScope
from liarsdice.server.table.commands import Change
from liarsdice.server.token_bucket import TokenBucket

MAX_QUEUED_FRAMES = 64


class Connection:
    """A `Subscriber` whose messages go over a socket.

    `write` sends messages, or returns False if the client reads too slowly; messages then wait for `flush`. Only the
    latest message about presence waits, behind all others, so that a slow client may miss some of these but is never
    dropped for them. `on_overflow` is called once, instead of queueing a message beyond `MAX_QUEUED_FRAMES`; nothing is
    queued from then on. `ended`: the last message is queued. `on_ended` is called once it is sent.
    """

    __slots__ = (
        "_frames",
        "_held",
        "_overflowed",
        "_presence",
        "_write",
        "ended",
        "last_seq",
        "looking",
        "on_ended",
        "on_overflow",
        "player",
        "token_hash",
    )

    def __init__(self, token_hash: str, last_seq: int, write: Callable[..., bool], *, looking: bool = True) -> None:
        self.token_hash = token_hash
        self.player: int | None = None
        self.last_seq = last_seq
        self.looking = looking
        self.ended = False
        self.on_overflow: Callable[[], object] = _do_nothing
        self.on_ended: Callable[[], object] = _do_nothing
        self._write = write
        self._held: list[bytes] | None = None
        self._frames: list[bytes] = []
        self._presence: bytes | None = None
        self._overflowed = False

    def send(self, frame: bytes) -> None:
        """As `Subscriber.send`."""
        if self._held is not None:
            if len(self._held) < MAX_QUEUED_FRAMES:
                self._held.append(frame)
                return
            self.release()
        if self._overflowed or (not self._frames and self._write(frame)):
            return
        if len(self._frames) == MAX_QUEUED_FRAMES:
            self._overflowed = True
            self.on_overflow()
        else:
            self._frames.append(frame)

    def hold(self) -> None:
        """Keep messages until `release`, so that the update that a command causes is written with the answer."""
        self._held = []

    def release(self) -> None:
        """Send what `hold` has kept."""
        held, self._held = self._held, None
        if held and (self._frames or not self._write(*held)):
            for frame in held:
                self.send(frame)

    def send_presence(self, frame: bytes) -> None:
        """As `Subscriber.send_presence`."""
        if not self.ended and (self._frames or not self._write(frame)):
            self._presence = frame

    def end(self, frame: bytes) -> None:
        """As `Subscriber.end`."""
        self.release()
        self.send(frame)
        self._presence = None
        self.ended = True
        if not self._frames:
            self.on_ended()

    def hand_over(self) -> None:
        """As `Subscriber.hand_over`."""
        self.on_ended()

    def flush(self) -> None:
        """Send what waits, as far as the client reads it."""
        while self._frames:
            if not self._write(self._frames[0]):
                return
            del self._frames[0]
        if self._presence is not None and self._write(self._presence):
            self._presence = None
        if self.ended:
            self.on_ended()


def _do_nothing() -> None:
    pass


LOG = structlog.get_logger()
CHANGE_COST = 20
"""A message with rules counts as this many: checking whether bids can go in a loop takes up to 0.3 seconds."""
CHARACTERS_PER_UNIT = 400
"""How many characters of messages cost an address one unit of work: the log may have to keep them."""


class TableSession:
    """What one client and a table exchange after the hello; the `MessageReceiver` of the connection.

    Messages are handled and answered one after another. `over` has a result once the session is over: the error to
    tell the client, if any. `check_work` pays a cost from the budget of the address, or raises `RateLimitError`.
    All connections of a seat have one budget of messages; a spectator has one for each connection.
    """

    __slots__ = (
        "_bucket",
        "_check_work",
        "_handling",
        "_left",
        "_waiting",
        "channel",
        "connection",
        "live_table",
        "over",
        "registry",
    )

    def __init__(
        self,
        registry: TableRegistry,
        live_table: LiveTable,
        connection: Connection,
        channel: WebSocketProtocol,
        check_work: Callable[[float], None],
    ) -> None:
        loop = asyncio.get_running_loop()
        self.registry, self.live_table, self.connection, self.channel = registry, live_table, connection, channel
        self.over: asyncio.Future[RateLimitError | None] = loop.create_future()
        self._check_work = check_work
        self._bucket = TokenBucket(MESSAGE_BURST, MESSAGES_PER_S, loop.time())
        self._handling = False
        self._left = False
        self._waiting: list[str] = []

    def on_message(self, text: str) -> None:
        """As `MessageReceiver.on_message`: the message waits while an earlier one is handled."""
        if self._handling:
            self._waiting.append(text)
            self.channel.pause()
        else:
            self._handling = True
            _ = self.registry.services.start_task(self._handle(text))

    def on_writable(self) -> None:
        """As `MessageReceiver.on_writable`."""
        self.connection.flush()

    def on_disconnect(self) -> None:
        """As `MessageReceiver.on_disconnect`: what the client said before is still done, such as leaving the table."""
        self._left = True
        self.end()

    def end(self, error: RateLimitError | None = None) -> None:
        """End the session, if it is not over yet."""
        if not self.over.done():
            self.over.set_result(error)

    async def _handle(self, text: str) -> None:
        """Handle and answer a message and those that come meanwhile."""
        try:
            while self._left or not self.over.done():
                self._pay_for(text)
                self.connection.hold()
                if (look := read_look(text)) is not None:
                    self.live_table.look(self.connection, looking=look.looking)
                else:
                    answer = await handle_message(self.registry, self.live_table, self.connection.token_hash, text)
                    self.connection.send(ENCODER.encode(answer))
                self.connection.release()
                if not self._waiting:
                    break
                text = self._waiting.pop(0)
        except RateLimitError as error:
            self.end(error.with_traceback(None))  # which refers to this session
        except NewerEntryError:
            self.end()  # the client sends the message again, to a node that can read the table
        except Exception as error:  # noqa: BLE001  the client connects again
            LOG.warning("line_broke", error=type(error).__name__)
            self.end()
        self._handling = False
        self.channel.resume()

    def _pay_for(self, text: str) -> None:
        """Take a message from the budgets of the address and of the seat. Raises `RateLimitError`."""
        is_change = read_change_request(text) is not None
        self._check_work(RULES_COST if is_change else len(text) / CHARACTERS_PER_UNIT)
        cost = CHANGE_COST if is_change else 1
        if self.connection.player is not None:
            self.live_table.seat_limits.count_message(self.connection.player, cost)
        elif not self._bucket.consume(asyncio.get_running_loop().time(), cost):
            raise RateLimitError("too many messages; reconnect and send fewer")


async def handle_message(registry: TableRegistry, live_table: LiveTable, token_hash: str, text: str) -> Done | Problem:
    """Handle a message of the client with a token and return the answer. Errors become a `Problem`.

    Raises `NewerEntryError` if only nodes of a newer release can handle it.
    """
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
    except NewerEntryError:
        raise
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


HELLO_TIMEOUT_S = 20
CLOSED_FORBIDDEN, CLOSED_NO_TABLE, CLOSED_TOO_FAST, CLOSED_RESTARTING = 4403, 4404, 4429, 1012
DISCONNECTED = (WebSocketDisconnect, WebSocketException, OSError)  # sending on a lost connection raises the last

Socket = WebSocket[object, object, AppState]


@websocket("/ws/{code:str}")
async def table_socket(socket: Socket, code: FromPath[str], state: AppState) -> None:
    """Serve the connection of one client to one table until either side closes it."""
    try:
        await _serve_connection(socket, code, state)
    finally:
        # These functions refer to the socket. Without them, it is freed now and not by a full garbage collection.
        socket.receive = socket.send = _use_closed_socket


async def _use_closed_socket(*_: object) -> Any:  # noqa: ANN401  stands for `receive` and for `send`
    raise WebSocketDisconnect(detail="the connection is closed")


async def _serve_connection(socket: Socket, code: str, state: AppState) -> None:
    channel: WebSocketProtocol | None = socket.scope["extensions"].pop(CHANNEL, None)  # type: ignore[union-attr, assignment]
    if channel is None:  # the connection is lost already
        return
    same_origin = is_same_origin(socket.headers.get("origin"), socket.headers.get("host"))
    if not same_origin or not is_known_host(socket, state.public_url):
        await socket.close(CLOSED_FORBIDDEN, "foreign page or host")
        return
    await socket.accept()
    if state.registry.database_silence.lasts:
        await _close(socket, CLOSED_RESTARTING)
        return
    address = client_address(socket)
    with ExitStack() as held:
        try:
            held.enter_context(state.rate_limits.hold_connection(address))
            state.rate_limits.check_connect(address)
            live_table = await find_table(state, socket, code)
            connection = await _receive_hello(socket, live_table, _count_sent(channel, state.registry.services.metrics))
            token_hash, end_banned = connection.token_hash, partial(_end_banned, connection)
            held.enter_context(state.server_bans.watch(address, token_hash, end_banned))
            held.enter_context(state.program_tokens.watch(socket, TokenScope.PLAY, partial(_end_program, connection)))
            if token_hash:
                await mark_program(state, live_table, socket)
        except LiarsDiceError as error:
            await _send_problem_and_close(socket, error)
            return
        except (WebSocketDisconnect, TimeoutError):
            await _close(socket, CLOSED_FORBIDDEN)
            return
        check_work = partial(state.rate_limits.check_work, address)
        session = TableSession(state.registry, live_table, connection, channel, check_work)
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


def _count_sent(channel: WebSocketProtocol, metrics: Metrics) -> Callable[..., bool]:
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
    token_hash = hash_token(None if hello.spectate else client_token(socket))
    _ = await live_table.state_for(token_hash, hello.last_seq)
    return Connection(token_hash, hello.last_seq, write, looking=hello.looking)


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
