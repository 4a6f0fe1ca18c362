"""`liarsdice serve`: a table in the browser, for everybody who can reach this machine."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Mapping

from liarsdice.server.run import serve
from liarsdice.server.settings import PREFIX, Settings, read_settings

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def run(flags: Mapping[str, object], environment: Mapping[str, str], *, open_page: bool) -> None:
    """Serve until Ctrl-C, and say where."""
    settings = read_settings(flags, environment)
    named = flags.get("port") is not None or f"{PREFIX}PORT" in environment

    def ready(address: str) -> None:
        for line in welcome(address, settings):
            print(line, flush=True)
        if open_page and not (has_screen(environment) and webbrowser.open(address)):
            print("No browser could be opened here. Open that address yourself.", flush=True)

    serve(settings, any_port_near=not named, ready=ready)


def welcome(address: str, settings: Settings) -> tuple[str, ...]:
    """What is said once people can come."""
    lines = [f"The server runs at {address} (Ctrl-C stops it; tables are saved in {settings.database})."]
    if settings.host in ("127.0.0.1", "localhost", "::1"):
        lines.append("Only this machine can reach it. To let other devices on your network in, use --host 0.0.0.0.")
    return tuple(lines)


def has_screen(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a browser with a window can be opened; one in the terminal would be in the way.

    >>> has_screen({}, "linux"), has_screen({"DISPLAY": ":0"}, "linux"), has_screen({}, "darwin")
    (False, True, True)
    """
    return platform in ("darwin", "win32") or any(environment.get(name) for name in SCREENS)
