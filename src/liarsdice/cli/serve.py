"""`liarsdice serve`: a table in the browser, for everybody who can reach this machine."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping

from liarsdice.server.serve import serve
from liarsdice.server.settings import PREFIX, read_settings


def run(flags: Mapping[str, object], environment: Mapping[str, str], *, open_page: bool) -> None:
    """Serve until Ctrl-C, and say where."""
    settings = read_settings(flags, environment)
    named = flags.get("port") is not None or f"{PREFIX}PORT" in environment

    def ready(address: str) -> None:
        _say(f"The table is at {address} (Ctrl-C ends it; tables are kept in {settings.database}).")
        if open_page and not webbrowser.open(address):
            _say("No browser could be opened here: open that address yourself.")

    serve(settings, any_port_near=not named, ready=ready)


def _say(line: str) -> None:
    print(line, flush=True)
