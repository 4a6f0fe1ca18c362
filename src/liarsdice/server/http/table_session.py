"""What a client and a table exchange over a WebSocket after the hello: each message is handled and answered in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from liarsdice.core.errors import LiarsDiceError
from liarsdice.server.errors import NewerEntryError, RateLimitError
from liarsdice.server.http.costly_work import RULES_COST
from liarsdice.server.http.websocket_protocol import MessageChannel
from liarsdice.server.live.connection import Connection
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.seat_limits import MESSAGE_BURST, MESSAGES_PER_S
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.decoding import UndecodedRequest, read_change, read_change_request, read_message
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.error_codes import ErrorCode, error_code
from liarsdice.server.protocol.messages import Done, Hello, Problem
from liarsdice.server.table.commands import Change
from liarsdice.server.token_bucket import TokenBucket

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
        channel: MessageChannel,
        check_work: Callable[[float], None],
    ) -> None:
        loop = asyncio.get_running_loop()
        self.registry, self.live_table, self.connection, self.channel = registry, live_table, connection, channel
        self.over: asyncio.Future[RateLimitError | None] = loop.create_future()
        self._check_work = check_work
        self._bucket = TokenBucket(MESSAGE_BURST, MESSAGES_PER_S, loop.time())
        self._handling = False
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
        """As `MessageReceiver.on_disconnect`."""
        self.end()

    def end(self, error: RateLimitError | None = None) -> None:
        """End the session, if it is not over yet."""
        if not self.over.done():
            self.over.set_result(error)

    async def _handle(self, text: str) -> None:
        """Handle and answer a message and those that come meanwhile."""
        try:
            while not self.over.done():
                self._pay_for(text)
                self.connection.hold()
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
