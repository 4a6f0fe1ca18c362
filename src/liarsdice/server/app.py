"""Assembles the ASGI application: handlers, start and stop, checks before each request, and responses to errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import structlog
from litestar import Litestar, Response
from litestar.exceptions import HTTPException
from litestar.types import ControllerRouterHandler

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.api import HANDLERS
from liarsdice.server.http.api_docs import COMPONENTS, DOCS_PATH, ApiConfig, ApiDocs, PlainDocs
from liarsdice.server.http.app_state import AppRequest, AppState, Invites
from liarsdice.server.http.auth import SAFE_METHODS, ProgramTokens, client_token, hash_token, needed_scope
from liarsdice.server.http.error_responses import error_response, framework_error
from liarsdice.server.http.groups import GROUP_HANDLERS, Groups
from liarsdice.server.http.outgoing import push_key, set_webhook
from liarsdice.server.http.program_api import PROGRAM_HANDLERS
from liarsdice.server.http.quick_match import QuickMatches, quick_match
from liarsdice.server.http.reviews import habits, review, review_offer, what_if
from liarsdice.server.http.rules_lab import lab_offer, simulate_rules
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.http.security_headers import add_security_headers, is_known_host, is_same_origin
from liarsdice.server.http.server_bans import ServerBans
from liarsdice.server.http.static_files import file_response, index, read_page, static_file, table_page
from liarsdice.server.http.websocket import table_socket
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.metrics import LoopStalls
from liarsdice.server.protocol.messages import ErrorCode, error_code
from liarsdice.server.services import Services
from liarsdice.version import __version__

LOG = structlog.get_logger()
MAX_BODY_BYTES = 64 * 1024
API_PREFIX = "/api/"


def make_app(services: Services, *, public_url: str = "") -> Litestar:
    """Return the ASGI application of a server. It opens the services when it starts and closes them when it stops.

    `public_url`: the only URL under which it serves, "" for any. Its state is an `AppState`, which also holds `reviews`
    (`MatchReviews`), `rules_lab` (`RulesLab`), `quick_matches` (`QuickMatches`), `groups` (`Groups`), `docs`
    (`ApiDocs`), and `page`.
    """
    registry = TableRegistry(services)
    groups = Groups(registry, services.rate_limits, public_url)
    handlers: list[ControllerRouterHandler] = [
        *HANDLERS,
        *PROGRAM_HANDLERS,
        quick_match,
        push_key,
        set_webhook,
        *GROUP_HANDLERS,
        habits,
        review,
        review_offer,
        lab_offer,
        simulate_rules,
        what_if,
        table_socket,
        index,
        table_page,
        static_file,
    ]
    return Litestar(
        handlers,
        lifespan=[_lifespan(services, registry, groups)],
        state=AppState(
            {
                "registry": registry,
                "rate_limits": services.rate_limits,
                "costly_work": services.costly_work,
                "invites": Invites(services.address_policy.key),
                "program_tokens": services.program_tokens,
                "public_url": public_url,
                "groups": groups,
                "quick_matches": QuickMatches(registry),
                "reviews": services.reviews,
                "rules_lab": services.rules_lab,
                "server_bans": services.server_bans,
                "signer": services.signer,
                "page": read_page(),
                "docs": ApiDocs(),
            }
        ),
        before_request=_check_request,
        before_send=[add_security_headers],
        exception_handlers={
            LiarsDiceError: _domain_error,
            HTTPException: _framework_error,
            RecursionError: _unreadable_body,
            UnicodeDecodeError: _unreadable_body,
            Exception: _internal_error,
        },
        openapi_config=ApiConfig(
            title="Liar's Dice",
            version=__version__,
            components=COMPONENTS,
            path=DOCS_PATH,
            render_plugins=[PlainDocs()],
            use_handler_docstrings=True,
        ),
        request_max_body_size=MAX_BODY_BYTES,
        logging_config=None,
    )


def _lifespan(
    services: Services, registry: TableRegistry, groups: Groups
) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        away_ms = await services.open()
        LOG.info("serving", version=__version__, node=services.event_bus.node_id, away_ms=away_ms)
        stalls = LoopStalls(services.metrics.loop_stall)
        background = asyncio.gather(
            registry.run(),
            groups.keep_reminding(),
            services.keep_bans_current(),
            services.keep_settings_compared(),
            stalls.run(),
        )
        try:
            yield
        finally:
            background.cancel()
            with suppress(asyncio.CancelledError):
                await background
            registry.stop()
            await services.close()
            LOG.info("stopped")

    return lifespan


async def _check_request(request: AppRequest) -> Response[bytes] | None:
    """Refuse requests for another host or an unknown page of the description, of banned people, and from other sites.

    Returns the response to a request for the description, which is rendered once, and None for others. Raises an HTTP
    error 421, `UnavailableError`, `MalformedError` or `ForbiddenError`.
    """
    if not is_known_host(request, request.app.state.public_url):
        raise HTTPException(status_code=421)
    path = request.url.path.rstrip("/")
    if path == DOCS_PATH or path.startswith(f"{DOCS_PATH}/"):
        return await _docs_response(request, path)
    if request.url.path.startswith(API_PREFIX):
        server_bans: ServerBans = request.app.state.server_bans
        server_bans.check(client_address(request), hash_token(client_token(request)))
        program_tokens: ProgramTokens = request.app.state.program_tokens
        program_tokens.check(request, needed_scope(request.method, request.url.path))
    if request.method in SAFE_METHODS:
        return None
    origin, host = request.headers.get("origin"), request.headers.get("host")
    fetch_site = request.headers.get("sec-fetch-site", "same-origin")
    if not is_same_origin(origin, host) or fetch_site not in ("same-origin", "none"):
        raise ForbiddenError("that came from another page; open the table itself")
    return None


async def _docs_response(request: AppRequest, path: str) -> Response[bytes]:
    docs: ApiDocs = request.app.state.docs
    file = await docs.file(request.app, path)
    if file is None:
        raise UnavailableError(f"the description of the API has no such page; it is at {DOCS_PATH}")
    return file_response(request, file)


def _domain_error(_: AppRequest, error: LiarsDiceError) -> Response[ErrorResponse]:
    return error_response(error_code(error), str(error))


def _framework_error(_: AppRequest, error: HTTPException) -> Response[ErrorResponse]:
    """Return the response to a request that the framework refuses, such as one with an unknown method."""
    return Response(framework_error(error), status_code=error.status_code, headers=error.headers)


def _unreadable_body(_: AppRequest, __: Exception) -> Response[ErrorResponse]:
    """Return the response to a body that cannot be decoded."""
    problem = ErrorResponse(ErrorCode.MALFORMED, "that cannot be read: it is no UTF-8, or nested too deeply")
    return Response(problem, status_code=400)


def _internal_error(_: AppRequest, error: Exception) -> Response[ErrorResponse]:
    """Log the class of an unexpected error and return a response that does not reveal it."""
    LOG.error("failed", error=type(error).__name__)
    return Response(
        ErrorResponse(ErrorCode.TRY_AGAIN, "something went wrong here; try again in a moment"),
        status_code=500,
    )
