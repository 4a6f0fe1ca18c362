"""One of several nodes for `benchmarks.buses`. Prints one line of JSON when it is ready and serves until terminated."""

import argparse
import logging
import socket
from contextlib import suppress

from benchmarks.server_process import LoudServer
from benchmarks.server_tables import pin_to_core
from liarsdice.server.app import make_app
from liarsdice.server.bus.event_bus import LocalEventBus
from liarsdice.server.http.connections import BACKLOG
from liarsdice.server.run import configure_logging, make_bus, make_store, tune_garbage_collector, uvicorn_config
from liarsdice.server.services import Services
from liarsdice.server.settings import PostgresUrl


def main() -> None:
    """Serve as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("bus", help="none or notify")
    parser.add_argument("--core", type=int, default=None)
    arguments = parser.parse_args()
    pin_to_core(arguments.core)
    configure_logging(logging.WARNING)
    tune_garbage_collector()
    database = PostgresUrl(arguments.database)
    event_bus = LocalEventBus() if arguments.bus == "none" else make_bus(database)
    services = Services(make_store(database), event_bus=event_bus, pace=0)
    listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    with suppress(KeyboardInterrupt):
        LoudServer(uvicorn_config(make_app(services))).run(sockets=[listener])


if __name__ == "__main__":
    main()
