"""`liarsdice serve`: runs the server, prints its address and opens the page in a browser."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Mapping

from liarsdice.server.run import serve
from liarsdice.server.settings import PREFIX, Settings, read_settings

DISPLAY_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY")


def run(flags: Mapping[str, object], environment: Mapping[str, str], *, open_page: bool) -> None:
    """Run the server until Ctrl-C.

    `flags` are the options by setting, None for those not given. Without a port in `flags` or in `environment`, the
    server takes a free one near the default.
    """
    settings = read_settings(flags, environment)
    port_is_given = flags.get("port") is not None or f"{PREFIX}PORT" in environment

    def announce(address: str) -> None:
        for line in welcome_lines(address, settings):
            print(line, flush=True)
        if open_page and not (has_display(environment) and webbrowser.open(address)):
            print("No browser could be opened here. Open that address yourself.", flush=True)

    serve(settings, any_port_near=not port_is_given, ready=announce)


def welcome_lines(address: str, settings: Settings) -> tuple[str, ...]:
    """Return what is printed when the server is ready: its address, and how to let other devices in."""
    lines = [f"The server runs at {address} (Ctrl-C stops it; tables are saved in {settings.database})."]
    if settings.host in ("127.0.0.1", "localhost", "::1") and not settings.public_url:
        lines.append("Only this machine can reach it. To let other devices on your network in, use --host 0.0.0.0.")
    return tuple(lines)


def has_display(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a browser with a window can be opened; one in the terminal would cover the server's output.

    >>> has_display({}, "linux"), has_display({"DISPLAY": ":0"}, "linux"), has_display({}, "darwin")
    (False, True, True)
    """
    return platform in ("darwin", "win32") or any(environment.get(name) for name in DISPLAY_VARIABLES)
