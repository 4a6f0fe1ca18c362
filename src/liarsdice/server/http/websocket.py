"""The WebSocket of a table: hello first, then wishes, each answered; whatever happens is told as it is committed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from functools import partial

import msgspec
import structlog
from litestar import WebSocket, websocket
from litestar.datastructures import State
from litestar.exceptions import WebSocketDisconnect, WebSocketException
from litestar.params import FromPath

from liarsdice.core.errors import LiarsDiceError, MalformedError, printable
from liarsdice.server.errors import NoSpectatorsError, NoTableError, TooFastError, code_of
from liarsdice.server.http.auth import holder_of, token_in
from liarsdice.server.http.rate_limits import address_of
from liarsdice.server.http.security_headers import same_origin
from liarsdice.server.live.connection import Allowance, Line
from liarsdice.server.live.live_table import NO_SPECTATORS, Room, held_by, may_look
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.metrics import Meters
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import Done, ErrorCode, Hello, Problem, ToTable

LOG = structlog.get_logger()
MESSAGE: msgspec.json.Decoder[ToTable] = msgspec.json.Decoder(ToTable)
LONGEST_MESSAGE = 16 * 1024
BURST, PER_S = 40, 10
RULES_COST = 20
"""A message with rules in it counts as so many: to see whether bids go in a loop takes up to seconds."""
HELLO_WITHIN_S = 20
CLOSED_FORBIDDEN, CLOSED_NO_TABLE, CLOSED_TOO_FAST, CLOSED_RESTARTING = 4403, 4404, 4429, 1012
HUNG_UP = (WebSocketDisconnect, WebSocketException, OSError)  # the last is what a send on a lost connection raises

Socket = WebSocket[object, object, State]


@websocket("/ws/{code:str}")
async def table_socket(socket: Socket, code: FromPath[str], state: State) -> None:
    """One page at one table."""
    rooms: Rooms = state.rooms
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.close(CLOSED_FORBIDDEN, "foreign page")
        return
    await socket.accept()
    limits, address = rooms.house.limits, address_of(socket)
    try:
        limits.connect(address)
        limits.look_up(address)
        room = await rooms.room(code)
        line = await _greeted(socket, room)
    except LiarsDiceError as error:
        if isinstance(error, NoTableError):
            limits.missed(address)
        await _refuse(socket, error)
        return
    except (WebSocketDisconnect, TimeoutError):
        await _close(socket, CLOSED_FORBIDDEN)
        return
    meters = rooms.house.meters
    meters.connections.inc()
    sending = asyncio.create_task(line.run(_deliver(socket, rooms)))
    listening = asyncio.create_task(_listen(socket, rooms, room, line))
    line.on_overflow = partial(_hang_up, meters, sending)
    try:
        room.welcome(line)
        await asyncio.wait((sending, listening), return_when=asyncio.FIRST_COMPLETED)
    finally:
        room.leave(line)
        meters.connections.dec()
        for task in (sending, listening):
            task.cancel()
        for ended in await asyncio.gather(sending, listening, return_exceptions=True):
            if isinstance(ended, TooFastError):
                await _refuse(socket, ended)
            elif isinstance(ended, Exception) and not isinstance(ended, HUNG_UP):
                LOG.warning("line_broke", error=type(ended).__name__)
        await _close(socket, CLOSED_FORBIDDEN if line.ended else CLOSED_RESTARTING)


def _hang_up(meters: Meters, sending: asyncio.Task[None]) -> None:
    """Wait no longer for a page that does not read."""
    meters.dropped.inc()
    sending.cancel()


async def _greeted(socket: Socket, room: Room) -> Line:
    """Wait for hello, and see who it is. Raises where this page may not look on."""
    text = await asyncio.wait_for(socket.receive_data("text"), HELLO_WITHIN_S)
    hello = read(text)
    if not isinstance(hello, Hello) or hello.have < 0:
        raise MalformedError('the first message is {"type":"hello","have":SEQ}')
    table = await room.table()
    if hello.have > table.seq:  # another process has told this page more than is known here
        await room.refresh()
        table = await room.table()
    line = Line(holder_of(token_in(socket.cookies, socket.url.scheme)), hello.have)
    held = held_by(table, line.holder)
    if not may_look(table, held.id if held else None):
        raise NoSpectatorsError(NO_SPECTATORS)
    return line


async def _listen(socket: Socket, rooms: Rooms, room: Room, line: Line) -> None:
    """Answer one message after another, until the page hangs up. Raises `TooFastError`."""
    loop = asyncio.get_running_loop()
    allowance = Allowance(BURST, PER_S, loop.time())
    while True:
        try:
            text = await socket.receive_data("text")
        except WebSocketDisconnect:
            return
        if not allowance.spend(loop.time(), RULES_COST if may_hold_rules(text) else 1):
            raise TooFastError("more messages came than anybody at a table sends; connect again and go slower")
        line.send(ENCODER.encode(await answered(rooms, room, line, text)))


async def answered(rooms: Rooms, room: Room, line: Line, text: str) -> Done | Problem:
    """What a page is answered that sends a message, once that is done or refused."""
    wishes, wish = rooms.house.meters.wishes, None
    try:
        message = await asyncio.to_thread(read, text) if may_hold_rules(text) else read(text)
        if isinstance(message, Hello):
            return Problem(ErrorCode.MALFORMED, "hello was said already; wishes come as do")
        wish = message.id
        seq = await rooms.ask(room, line.holder, message.id, message.what, message.mark)
    except LiarsDiceError as error:
        wishes.labels("any", code_of(error).value).inc()
        return Problem(code_of(error), str(error), wish)
    wishes.labels(type(message.what).__name__, "done").inc()
    return Done(message.id, seq)


def may_hold_rules(text: str) -> bool:
    """Whether a message may be a `Change`, however it is spelled; in what somebody says quotes are escaped.

    >>> may_hold_rules('{"what":{"type":"change"}}'), may_hold_rules('{"what":{"type":"say","text":"change"}}')
    (True, True)
    >>> may_hold_rules('{"what":{"type":"say","text":"no change"}}')
    False
    """
    return '"change"' in text or "\\u" in text


def read(text: str) -> ToTable:
    """A message from a page. Raises `MalformedError`, which names the misfit and never quotes at length."""
    if len(text) > LONGEST_MESSAGE:
        raise MalformedError(f"a message has at most {LONGEST_MESSAGE} characters")
    try:
        return MESSAGE.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise MalformedError(f"the message cannot be read: {printable(str(error))[:200]}") from error
    except LiarsDiceError as error:
        raise MalformedError(str(error)) from error


def _deliver(socket: Socket, rooms: Rooms) -> Callable[[bytes], Awaitable[None]]:
    meters, send = rooms.house.meters, socket.send

    async def deliver(frame: bytes) -> None:
        await send({"type": "websocket.send", "text": frame.decode(), "bytes": None})
        meters.frame_count += 1

    return deliver


async def _refuse(socket: Socket, error: LiarsDiceError) -> None:
    """Say why, and hang up."""
    code = code_of(error)
    closing = {
        ErrorCode.NO_SUCH_TABLE: CLOSED_NO_TABLE,
        ErrorCode.TOO_FAST: CLOSED_TOO_FAST,
        ErrorCode.TRY_AGAIN: CLOSED_RESTARTING,
    }.get(code, CLOSED_FORBIDDEN)
    try:
        await socket.send_data(ENCODER.encode(Problem(code, str(error))).decode(), "text")
    except (*HUNG_UP, RuntimeError):
        return
    await _close(socket, closing)


async def _close(socket: Socket, code: int) -> None:
    """Hang up; the other side may have done so already."""
    with contextlib.suppress(*HUNG_UP, RuntimeError):
        await socket.close(code)
