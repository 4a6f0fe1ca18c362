"""Limits on connections: how many are open and new, and how long one may keep the server waiting.

The protocols in `http_protocol.py` and `websocket_protocol.py` register every connection here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from liarsdice.server.http.address_limits import AddressCounter, RateLimit

SWEEP_EVERY_S = 2.0
FILES_RESERVED = 64
"""File descriptors that connections never use: for the database, the listener, and connections being refused."""
HEAD_TIMEOUT_S, BODY_TIMEOUT_S, WRITE_TIMEOUT_S = 10.0, 20.0, 30.0
"""How long a request's head and body may take, and how long a client may read nothing of what is sent to it."""
WRITE_PROGRESS_BYTES = 4096
"""How much a client must read in `WRITE_TIMEOUT_S`, unless less is waiting for it."""
NEW_AT_ONCE = 0.25
"""Which part of the new connections of a minute an address may make at once."""
FULL, ADDRESS, RATE, TIMEOUT, TOO_LARGE, FRAMES = "full", "address", "rate", "timeout", "too_large", "frames"
"""The reasons for refusing or closing a connection, as the metrics name them."""


class OpenConnection:
    """A connection that was admitted.

    `expire` is called once `deadline_s` has passed; None: the client keeps nobody waiting. `counted_address`: the
    address under which it is counted, None for a trusted proxy.
    """

    __slots__ = ("counted_address", "deadline_s", "expire", "progress_s", "transport", "unsent_bytes")

    def __init__(self, transport: asyncio.Transport, counted_address: str | None) -> None:
        self.transport = transport
        self.counted_address = counted_address
        self.deadline_s: float | None = None
        self.expire: Callable[[], None] = transport.abort
        self.unsent_bytes = 0
        self.progress_s = 0.0


class ConnectionLimits:
    """The open connections of a server and their limits. Use it on the event loop only.

    `max_connections` and `per_address` limit how many are open, in all and for each address other than those of which
    `is_trusted_proxy` is true, and `new_per_minute` how many such an address opens in a minute, `NEW_AT_ONCE` of them
    at once; 0: any number. `on_refused` is called with the reason for every connection that is refused or closed
    because of a limit. `counts_new_early`: `count_new` is called before `admit`, which else does so itself. `now_s`
    returns seconds of any clock that never goes back.
    """

    def __init__(
        self,
        *,
        max_connections: int = 0,
        per_address: int = 0,
        new_per_minute: int = 0,
        head_timeout_s: float = HEAD_TIMEOUT_S,
        body_timeout_s: float = BODY_TIMEOUT_S,
        on_refused: Callable[[str], object] = lambda _: None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.head_timeout_s, self.body_timeout_s = head_timeout_s, body_timeout_s
        self.is_trusted_proxy: Callable[[str], bool] = lambda _: False
        self.on_refused = on_refused
        self.counts_new_early = False
        self.now_s = now_s
        self._max_connections = max_connections
        self._addresses = AddressCounter(per_address)
        self._new = RateLimit(new_per_minute, burst_share=NEW_AT_ONCE, now_s=now_s)
        self._open: dict[asyncio.Transport, OpenConnection] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, transport: asyncio.Transport, address: str) -> OpenConnection | str:
        """Register a new connection and return it, or return why it is one too many: `FULL`, `ADDRESS` or `RATE`."""
        reason = None if self.counts_new_early else self.count_new(address)
        counted_address = None if self.is_trusted_proxy(address) else address
        if reason is None and self._is_full():
            reason = FULL
        elif reason is None and counted_address is not None and not self._addresses.add(counted_address):
            reason = ADDRESS
        if reason is not None:
            self.on_refused(reason)
            return reason
        connection = self._open[transport] = OpenConnection(transport, counted_address)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SWEEP_EVERY_S, self._sweep_again)
        return connection

    def count_new(self, address: str) -> str | None:
        """Count a new connection of an address, or return why it is one too many."""
        if self._is_full():
            return FULL
        if self.is_trusted_proxy(address):
            return None
        if not self._addresses.allows(address):
            return ADDRESS
        return None if self._new.consume(address) else RATE

    def _is_full(self) -> bool:
        return 0 < self._max_connections <= len(self._open)

    def release(self, transport: asyncio.Transport) -> None:
        """Forget a connection that was lost."""
        connection = self._open.pop(transport, None)
        if connection is not None and connection.counted_address is not None:
            self._addresses.remove(connection.counted_address)

    def sweep(self) -> None:
        """Expire the connections whose deadline has passed, and close those whose client has stopped reading.

        A connection of the second kind would stay open for ever, because closing it waits until everything is sent.
        """
        now_s = self.now_s()
        for connection in tuple(self._open.values()):
            if connection.deadline_s is not None and now_s >= connection.deadline_s:
                connection.deadline_s = None
                connection.expire()
            elif unsent_bytes := connection.transport.get_write_buffer_size():
                self._check_progress(connection, unsent_bytes, now_s)
            else:
                connection.unsent_bytes = 0

    def _check_progress(self, connection: OpenConnection, unsent_bytes: int, now_s: float) -> None:
        if connection.unsent_bytes == 0 or unsent_bytes <= connection.unsent_bytes - WRITE_PROGRESS_BYTES:
            connection.unsent_bytes, connection.progress_s = unsent_bytes, now_s
        elif now_s - connection.progress_s >= WRITE_TIMEOUT_S:
            self.on_refused(TIMEOUT)
            connection.transport.abort()

    def _sweep_again(self) -> None:
        self._timer = None
        self.sweep()
        if self._open:
            self._timer = asyncio.get_running_loop().call_later(SWEEP_EVERY_S, self._sweep_again)


class LimitedConfig(uvicorn.Config):
    """A configuration of uvicorn with the limits that our protocols enforce."""

    limits: ConnectionLimits

    def load(self) -> None:
        """As in uvicorn; the limits then trust the proxies that uvicorn trusts."""
        super().load()
        if isinstance(self.loaded_app, ProxyHeadersMiddleware):
            self.limits.is_trusted_proxy = self.loaded_app.trusted_hosts.__contains__


def limits_of(config: uvicorn.Config) -> ConnectionLimits:
    """Return the limits of a `LimitedConfig`, as which uvicorn passes its configuration to the protocols."""
    assert isinstance(config, LimitedConfig)
    return config.limits


def connection_capacity(max_connections: int, max_files: int | None) -> int:
    """Return how many connections to admit: `max_connections` (0: any number), as far as open files are allowed.

    `max_files`: how many files the process may open, None for any number.

    >>> connection_capacity(0, 1024), connection_capacity(5000, 1024), connection_capacity(100, 1024)
    (960, 960, 100)
    >>> connection_capacity(0, None), connection_capacity(5000, None), connection_capacity(0, 20)
    (0, 5000, 10)
    """
    if max_files is None:
        return max_connections
    available = max(max_files - FILES_RESERVED, max_files // 2)
    return min(max_connections or available, available)
