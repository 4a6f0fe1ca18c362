"""Runs a server in this process: binds its socket, tunes the garbage collector, and starts uvicorn."""

from __future__ import annotations

import errno
import gc
import logging
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import structlog
import uvicorn
from litestar import Litestar

from liarsdice.core.errors import UnavailableError
from liarsdice.play.player_names import skeleton
from liarsdice.play.verify_record import RecordSigner
from liarsdice.server.app import make_app
from liarsdice.server.bus.event_bus import EventBus
from liarsdice.server.http.address_limits import MISSES_PER_MINUTE, TICKETS_PER_MINUTE, RateLimits
from liarsdice.server.http.connections import (
    BACKLOG,
    ConnectionLimits,
    HttpProtocol,
    LimitedConfig,
    LimitedServer,
    WebSocketProtocol,
    connection_capacity,
)
from liarsdice.server.http.outgoing import Webhooks, WebPush
from liarsdice.server.http.request_limits import RequestLimits
from liarsdice.server.live.table_registry import close_gradually
from liarsdice.server.live.table_services import AddressPolicy
from liarsdice.server.protocol.decoding import MAX_MESSAGE_LENGTH
from liarsdice.server.services import Services
from liarsdice.server.settings import (
    PostgresUrl,
    Settings,
    WebhookMode,
    require_postgresql,
    shared_settings_digest,
)
from liarsdice.server.storage.db_schema import require_own_file
from liarsdice.server.storage.signing_keys import key_path, keys_digest, read_or_create_secret, read_signing_keys
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import Store

ADD_TIME = structlog.processors.TimeStamper(fmt="iso", utc=True)


def configure_logging(level: int, stream: TextIO | None = None) -> None:
    """Write all logs of this level (as `logging.INFO`) or above to a stream, by default standard error.

    Of uvicorn and litestar only errors are logged: a warning for each malformed request would fill a disk.
    """
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            ADD_TIME,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_JsonFormatter())
    for name in ("uvicorn", "uvicorn.error", "litestar"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(level, logging.ERROR))


class _JsonFormatter(logging.Formatter):
    """Formats the records of other libraries as JSON: the name of the logger and the class of an error."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without message and traceback, which could contain what a client sent."""
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        line = {"event": "library", "logger": record.name, "level": record.levelname.lower(), "error": error}
        ADD_TIME(None, "", line)
        return str(structlog.processors.JSONRenderer()(None, "", line))


if sys.platform != "win32":
    import resource

STOP_TIMEOUT_S = 5
PING_S = 10.0
"""The seconds between two pings of a connection, and the longest wait for a pong, without which it ends."""
PORT_TRIES = 20
DAY_MS = 24 * 3600 * 1000
ANY_CONNECTIONS = 4
"""How many connections of any kind an address may make for each one to a table: a page makes up to seven to load."""
OLDEST_GENERATION = 2
GC_THRESHOLDS = (200, 2, 100)
"""Of these 100 collections of the middle generation, each leaves up to 600 objects to the oldest one."""
ANY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104  values that a user can give as host
REMOTE_ADDRESS = ("192.0.2.1", 9)
"""An address outside every local network (reserved for documentation, RFC 5737)."""


def serve(settings: Settings, *, any_port_near: bool, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is called with the address once the server accepts connections.

    `any_port_near`: if the port is taken, try the next ones. Raises `UnavailableError` if no port can be bound, or the
    database or the signing key cannot be used.
    """
    if isinstance(settings.database, Path):
        require_own_file(settings.database)  # before there are keys beside it
    configure_logging(logging.getLevelNamesMapping()[settings.log_level.name])
    listener = _listen(settings, any_port_near=any_port_near)
    address_key = read_or_create_secret(key_path(settings.key_base), "the key of the addresses")
    signing_key, retired_keys = read_signing_keys(settings.key_file)  # nodes compare the oldest: rotation keeps it
    rate_limits = RateLimits(
        tables_per_minute=settings.tables_per_minute,
        connections_per_minute=settings.connections_per_minute,
        misses_per_minute=MISSES_PER_MINUTE,
        connections_per_address=settings.connections_per_address,
        work_per_minute=settings.work_per_minute,
        requests_per_minute=settings.requests_per_minute,
        tickets_per_minute=TICKETS_PER_MINUTE,
        key=address_key,
    )
    keys = keys_digest(address_key, [signing_key, *retired_keys][-1])
    services = Services(
        make_store(settings.database, keys, shared_settings_digest(settings)),
        event_bus=make_bus(settings.database),
        signer=RecordSigner(signing_key, retired_keys),
        rate_limits=rate_limits,
        pace=settings.pace,
        keep_ms=settings.keep_days * DAY_MS or None,
        reviews_at_once=settings.reviews_at_once,
    )
    services.address_policy = AddressPolicy(address_key, settings.seats_per_address)
    services.program_tokens.admission = settings.programs
    services.key_base = settings.key_base
    if settings.push_keys is not None:
        secret = read_or_create_secret(settings.push_keys, "the key of web push")
        services.web_push = WebPush(secret, settings.public_url)
    if settings.webhooks is not WebhookMode.OFF:
        services.webhooks = Webhooks(address_key, settings.webhooks)
    limits = ConnectionLimits(
        max_connections=connection_capacity(settings.max_connections, max_open_files()),
        per_address=settings.connections_per_address,
        new_per_minute=ANY_CONNECTIONS * settings.connections_per_minute,
        on_refused=lambda reason: services.metrics.refused.labels(reason).inc(),
    )
    app = make_app(services, public_url=settings.public_url)
    server = _Server(
        uvicorn_config(app, limits),
        ready=lambda: ready(settings.public_url or server_address(listener)),
        stopping=app.state.registry.stop,
    )
    skeleton("")  # reads the table of look-alikes now, and not while a server answers
    tune_garbage_collector()
    try:
        server.run(sockets=[listener])
    except SystemExit:  # uvicorn exits if the services cannot be opened
        raise services.open_error or UnavailableError("the server did not start") from None


def make_store(database: Path | PostgresUrl, keys: str = "", shared_settings: str = "") -> Store:
    """Return the store of a database, which is not open yet. Raises `UnavailableError` if its driver is missing.

    `keys`: their digest (`keys_digest`); nodes with other keys cannot use the database at the same time.
    `shared_settings`: their digest (`shared_settings_digest`).
    """
    if isinstance(database, Path):
        return SqliteStore(database)
    require_postgresql()
    from liarsdice.server.storage.postgres import PostgresStore  # noqa: PLC0415  its driver is optional

    return PostgresStore(database, keys_digest=keys, settings_digest=shared_settings)


def make_bus(database: Path | PostgresUrl) -> EventBus:
    """Return the bus between the nodes that use a database: notifications of PostgreSQL, none for a file."""
    if isinstance(database, Path):
        return EventBus()
    from liarsdice.server.bus.postgres_bus import RemoteEventBus, postgres_bus  # noqa: PLC0415  its driver is optional

    return RemoteEventBus(postgres_bus(database), str(database))


def tune_garbage_collector() -> None:
    """Freeze start-up objects, and whatever survives a collection of the oldest generation.

    The server answers nobody during a collection, and a full one of a server with 20,000 connections takes seconds. So
    none looks again at what an earlier one has found in use: each looks at about 60,000 objects at most, which takes
    10 to 60 ms. Frozen objects are freed as soon as nothing refers to them, but not as parts of
    cycles of references; so closed connections, unloaded tables and failed calls leave none.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # a quarter of what the last collection found in use must come before the next
    gc.set_threshold(*GC_THRESHOLDS)
    gc.callbacks.append(_freeze_survivors)


def _freeze_survivors(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == OLDEST_GENERATION:
        gc.freeze()


def uvicorn_config(app: Litestar, limits: ConnectionLimits | None = None) -> uvicorn.Config:
    """Return the configuration under which uvicorn runs the application, with limits on connections.

    By default, `limits` admit any number of connections.
    """
    config = LimitedConfig(
        RequestLimits(app, app.state.rate_limits),
        http=HttpProtocol,
        ws=WebSocketProtocol,
        ws_ping_interval=PING_S,
        ws_ping_timeout=PING_S,
        ws_per_message_deflate=False,
        ws_max_size=2 * MAX_MESSAGE_LENGTH,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOP_TIMEOUT_S,
    )
    config.limits = ConnectionLimits() if limits is None else limits
    return config


def max_open_files() -> int | None:
    """Return how many files this process may have open, None for any number."""
    if sys.platform == "win32":
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


class _Server(LimitedServer):
    """A server that calls `ready` once it accepts connections and exits normally on a signal.

    `stopping` is called before it closes its connections, which it does a few at a time.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self._stopping = ready, stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn, then call `ready`."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn, but pages reconnect one after another: to other nodes, if there are any."""
        self.stop_accepting(sockets or [])
        self._stopping()
        closings = [connection.shutdown for connection in self.server_state.connections]
        await close_gradually(closings, lambda: self.force_exit)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As in uvicorn, but without raising the signal again at the end: stopping on a signal is no failure."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def server_address(listener: socket.socket) -> str:
    """Return the URL of the server; if it listens on all interfaces, one that other devices can use.

    >>> with socket.create_server(("127.0.0.1", 0)) as listener:
    ...     server_address(listener).startswith("http://127.0.0.1:")
    True
    """
    host, port = listener.getsockname()[:2]
    if host in ANY_ADDRESS:
        host = _network_address()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _network_address() -> str:
    """Return the machine's address in its network, 127.0.0.1 without one. Connecting a UDP socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(REMOTE_ADDRESS)
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def _listen(settings: Settings, *, any_port_near: bool) -> socket.socket:
    """Return a listening socket. Raises `UnavailableError` if none can be bound."""
    tries = PORT_TRIES if any_port_near else 1
    for port in range(settings.port, settings.port + tries):
        try:
            family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
            return socket.create_server((settings.host, port), family=family, backlog=BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UnavailableError(f"cannot listen on {settings.host} port {port}: {error.strerror}") from error
    raise UnavailableError(f"port {settings.port} is taken; name another with --port (0 takes any free one)")
