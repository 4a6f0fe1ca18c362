"""Running a server in this process: its door on the network, and its address in words."""

from __future__ import annotations

import errno
import gc
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from litestar import Litestar

from liarsdice.core.errors import UnavailableError
from liarsdice.server.app import make_app
from liarsdice.server.http.rate_limits import MISSES_PER_MINUTE, Limits
from liarsdice.server.http.websocket import LONGEST_MESSAGE
from liarsdice.server.logging_setup import start_logs
from liarsdice.server.services import House
from liarsdice.server.settings import Settings
from liarsdice.server.storage.sqlite import SqliteStore

BACKLOG = 2048
STOP_WITHIN_S = 5
MORE_PORTS = 20
COLLECT_AFTER = (200, 2, 5_000)
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  what a host may ask for
SOMEWHERE = ("192.0.2.1", 9)


def serve(settings: Settings, *, any_port_near: bool, ready: Callable[[str], None]) -> None:
    """Serve until told to stop; `ready` is called with the address once people can come.

    `any_port_near`: take the next free port where the one asked for is taken. Raises `UnavailableError` where no door
    can be opened, or no database.
    """
    start_logs(settings.log_level)
    door = _door(settings, any_port_near=any_port_near)
    limits = Limits(
        tables_per_minute=settings.tables_per_minute,
        connections_per_minute=settings.connections_per_minute,
        misses_per_minute=MISSES_PER_MINUTE,
    )
    house = House(SqliteStore(settings.database), limits=limits, pace=settings.pace)
    server = _Server(config_of(make_app(house)), lambda: ready(address_of(door)))
    calm_collector()
    try:
        server.run(sockets=[door])
    except SystemExit:  # what uvicorn makes of a house that does not open, having logged no more than that
        raise house.refusal or UnavailableError("the server did not start") from None


def calm_collector() -> None:
    """Spare the garbage collector what is here for good, let it look at what is new often, and at all of it but seldom.

    While it looks nobody is answered: seconds for all that 20,000 pages hold, and a quarter of a second for what they
    renew between two looks as Python has them. What pages leave behind waits for the great look, some 200 MB at most.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def config_of(app: Litestar) -> uvicorn.Config:
    """How our application is served."""
    return uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=2 * LONGEST_MESSAGE,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOP_WITHIN_S,
    )


class _Server(uvicorn.Server):
    """Says when it is ready, and ends well when told to stop."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does it, and then tell."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn does it, but without raising the signal again at the end: to stop when told to is no failure."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def address_of(door: socket.socket) -> str:
    """What to type into a browser: where a door is open to other devices, the address that they can use, too.

    >>> with socket.create_server(("127.0.0.1", 0)) as door:
    ...     address_of(door).startswith("http://127.0.0.1:")
    True
    """
    host, port = door.getsockname()[:2]
    if host in EVERYWHERE:
        host = _own_address()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _own_address() -> str:
    """The machine's address in its network; asking the system which way it would send sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(SOMEWHERE)
        except OSError:
            return "127.0.0.1"
        return str(way.getsockname()[0])


def _door(settings: Settings, *, any_port_near: bool) -> socket.socket:
    tries = MORE_PORTS if any_port_near else 1
    for port in range(settings.port, settings.port + tries):
        try:
            family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
            return socket.create_server((settings.host, port), family=family, backlog=BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UnavailableError(f"cannot listen on {settings.host} port {port}: {error.strerror}") from error
    raise UnavailableError(f"port {settings.port} is taken; name another with --port (0 takes any free one)")
