"""The server put together: its parts, what every answer carries, and what becomes of errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import structlog
from litestar import Litestar, Request, Response
from litestar.datastructures import State
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi import OpenAPIConfig
from litestar.types import ControllerRouterHandler

from liarsdice import __version__
from liarsdice.core.errors import LiarsDiceError, printable
from liarsdice.server.errors import ForbiddenError, NoTableError, code_of
from liarsdice.server.http.api import HANDLERS
from liarsdice.server.http.apidocs import PlainDocs
from liarsdice.server.http.rate_limits import address_of
from liarsdice.server.http.schemas import ProblemSeen
from liarsdice.server.http.security_headers import carry, same_origin
from liarsdice.server.http.static_files import front, page, read_page
from liarsdice.server.http.websocket import table_socket
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.protocol.messages import ErrorCode
from liarsdice.server.services import House

LOG = structlog.get_logger()
LONGEST_BODY = 64 * 1024
TABLES = "/api/tables/"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
STATUS = {
    ErrorCode.MALFORMED: 400,
    ErrorCode.ILLEGAL: 409,
    ErrorCode.STALE: 409,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NO_SPECTATORS: 403,
    ErrorCode.UNAVAILABLE: 404,
    ErrorCode.NO_SUCH_TABLE: 404,
    ErrorCode.TOO_FAST: 429,
    ErrorCode.TRY_AGAIN: 503,
}
Asked = Request[object, object, State]


def make_app(house: House) -> Litestar:
    """The ASGI application of a server whose parts are in `house`."""
    rooms = Rooms(house)
    handlers: list[ControllerRouterHandler] = [*HANDLERS, table_socket, front, page]
    return Litestar(
        handlers,
        lifespan=[_serving(house, rooms)],
        state=State({"rooms": rooms, "page": read_page()}),
        before_request=_check,
        before_send=[carry],
        exception_handlers={
            LiarsDiceError: _refused,
            HTTPException: _not_understood,
            RecursionError: _not_read,
            UnicodeDecodeError: _not_read,
            Exception: _failed,
        },
        openapi_config=OpenAPIConfig(
            title="Liar's Dice",
            version=__version__,
            path="/docs",
            render_plugins=[PlainDocs()],
            use_handler_docstrings=True,
        ),
        request_max_body_size=LONGEST_BODY,
        logging_config=None,
    )


def _serving(house: House, rooms: Rooms) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def serving(_: Litestar) -> AsyncIterator[None]:
        away_ms = await house.open()
        LOG.info("serving", version=__version__, away_ms=away_ms)
        going = asyncio.create_task(rooms.keep_going())
        try:
            yield
        finally:
            going.cancel()
            with suppress(asyncio.CancelledError):
                await going
            rooms.stop()
            await house.close()
            LOG.info("stopped")

    return serving


def _check(request: Asked) -> None:
    """Nobody tries codes without end, and nothing is changed for a page of somebody else's."""
    if request.url.path.startswith(TABLES):
        request.app.state.rooms.house.limits.look_up(address_of(request))
    if request.method in SAFE_METHODS:
        return
    origin, host = request.headers.get("origin"), request.headers.get("host")
    if not same_origin(origin, host) or request.headers.get("sec-fetch-site", "same-origin") not in (
        "same-origin",
        "none",
    ):
        raise ForbiddenError("that came from another page; open the table itself")


def _refused(request: Asked, error: LiarsDiceError) -> Response[ProblemSeen]:
    if isinstance(error, NoTableError):
        request.app.state.rooms.house.limits.missed(address_of(request))
    code = code_of(error)
    return Response(ProblemSeen(code, str(error)), status_code=STATUS[code])


def _not_understood(_: Asked, error: HTTPException) -> Response[ProblemSeen]:
    """What the framework refuses before anything of ours is asked."""
    text = printable(str(error.detail))[:300]
    if isinstance(error, ValidationException) and error.extra:
        text = printable(str(error.extra))[:300]
    code = ErrorCode.UNAVAILABLE if error.status_code == 404 else ErrorCode.MALFORMED
    return Response(ProblemSeen(code, text), status_code=error.status_code)


def _not_read(_: Asked, __: Exception) -> Response[ProblemSeen]:
    """A body that no decoder gets through."""
    problem = ProblemSeen(ErrorCode.MALFORMED, "that cannot be read: it is no UTF-8, or nested too deeply")
    return Response(problem, status_code=400)


def _failed(_: Asked, error: Exception) -> Response[ProblemSeen]:
    LOG.error("failed", error=type(error).__name__)
    return Response(
        ProblemSeen(ErrorCode.TRY_AGAIN, "something went wrong here; try again in a moment"),
        status_code=500,
    )
