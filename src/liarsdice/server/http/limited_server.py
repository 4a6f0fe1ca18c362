"""A uvicorn server that accepts connections in short turns, and refuses those over the limits before they cost much."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import uvicorn

from liarsdice.server.http.connection_limits import limits_of
from liarsdice.server.http.http_protocol import refusal, status_of

BACKLOG = 4096
"""How many connections may wait to be accepted. A system that has no room for one lets its client try again in 1 s,
then in 3 and 7 s."""
ACCEPTED_AT_ONCE, ADMITTED_AT_ONCE = 128, 16
"""How many connections are accepted in each step of the event loop, and how many of them are not refused.

uvloop accepts one, so that a visitor would wait for as many steps as an attacker has connections in front; asyncio
accepts all, so that a step would take long.
"""


class LimitedServer(uvicorn.Server):
    """Runs the application of a `LimitedConfig`."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn, for the given sockets, which listen already."""
        self._connecting = set[asyncio.Task[object]]()
        await super().startup([])
        loop = asyncio.get_running_loop()
        for listener in sockets or []:
            listener.settimeout(0)
            try:
                loop.add_reader(listener, self._accept, listener)
                limits_of(self.config).counts_new_early = True
            except NotImplementedError:  # the event loop of Windows
                self.servers.append(await loop.create_server(self._protocol, sock=listener, backlog=BACKLOG))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn."""
        self.stop_accepting(sockets or [])
        await super().shutdown(sockets)

    def stop_accepting(self, sockets: list[socket.socket]) -> None:
        """Close the sockets that listen."""
        for server in self.servers:
            server.close()
        for listener in sockets:
            if listener.fileno() >= 0 and not self.servers:
                asyncio.get_running_loop().remove_reader(listener)
            listener.close()

    def _protocol(self) -> asyncio.Protocol:
        make_protocol = self.config.http_protocol_class
        return make_protocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)  # type: ignore[call-arg]

    def _accept(self, listener: socket.socket) -> None:
        """Accept some of the connections that wait; the others follow in the next step."""
        limits, admitted = limits_of(self.config), 0
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, address = listener.accept()
            except OSError:  # none waits, this one has gone already, or too many files are open now
                return
            connection.settimeout(0)
            if reason := limits.count_new(address[0]):
                limits.on_refused(reason)
                with connection, suppress(OSError):
                    connection.send(refusal(status_of(reason)))
            else:
                loop = asyncio.get_running_loop()
                connecting = loop.create_task(loop.connect_accepted_socket(self._protocol, connection))
                self._connecting.add(connecting)
                connecting.add_done_callback(self._connecting.discard)
                admitted += 1
                if admitted == ADMITTED_AT_ONCE:
                    return
