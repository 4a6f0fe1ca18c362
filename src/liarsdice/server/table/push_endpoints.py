"""The push endpoints of a player: URLs of push services, through which a browser without an open page is reached.

An endpoint is a URL that a stranger gives, and that the server later sends requests to. So it must belong to one of the
push services of the browsers.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from liarsdice.core.errors import MalformedError
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_state import Player

MAX_ENDPOINT_LENGTH = 500
MAX_ENDPOINTS = 3
"""How many browsers of a player are kept, the latest ones."""

PUSH_HOSTS = (
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "web.push.apple.com",
    ".push.apple.com",
    ".notify.windows.com",
)
"""The push services of Chromium, Firefox, Safari and Edge. A name that begins with a dot stands for all names below."""

NO_ENDPOINT = "a push endpoint is an https URL of the push service of a browser"


def endpoint_host(endpoint: str) -> str:
    """Return the host of a push endpoint. Raises `MalformedError` unless it is a URL of a known push service."""
    # `urlsplit` brings a host that is not ASCII into its compatibility form, which takes long for a long one.
    if len(endpoint) > MAX_ENDPOINT_LENGTH or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        raise MalformedError(NO_ENDPOINT)
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise MalformedError(NO_ENDPOINT) from None
    known = any(host == name or (name.startswith(".") and host.endswith(name)) for name in PUSH_HOSTS)
    if parts.scheme != "https" or parts.username is not None or port not in {None, 443} or not known:
        raise MalformedError(NO_ENDPOINT)
    return host


def change_endpoint(player: Player, endpoint: str, *, wanted: bool) -> list[e.LogEntry]:
    """Return the entry after which a player's turns are pushed to an endpoint, or no more; none if nothing changes.

    Raises `MalformedError` for an endpoint of no known push service.
    """
    endpoint_host(endpoint)
    others = tuple(known for known in player.push_endpoints if known != endpoint)
    endpoints = (*others, endpoint)[-MAX_ENDPOINTS:] if wanted else others
    if set(endpoints) == set(player.push_endpoints):
        return []
    return [e.PushChanged(player.id, endpoints)]
