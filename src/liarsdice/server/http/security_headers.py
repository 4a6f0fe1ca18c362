"""The security headers of every HTTP response, and the check of where a request comes from."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from litestar.connection import ASGIConnection
from litestar.datastructures import MutableScopeHeaders
from litestar.types import Message, Scope

from liarsdice.server.http.address_limits import client_address, is_loopback

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; object-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
HSTS = "max-age=31536000"
NO_STORE = "no-store"
HEALTH_PATHS = ("/healthz", "/readyz", "/metrics")
DEFAULT_PORTS = {"http": 80, "https": 443}


async def add_security_headers(message: Message, scope: Scope) -> None:
    """Add the security headers to the start of a response.

    Over HTTPS `Strict-Transport-Security` is added, and a response without `Cache-Control` is marked as not cacheable.
    """
    if message["type"] != "http.response.start":
        return
    headers = MutableScopeHeaders.from_message(message)
    for name, value in HEADERS.items():
        headers[name] = value
    if scope["scheme"] == "https":
        headers["strict-transport-security"] = HSTS
    if "cache-control" not in headers:
        headers["cache-control"] = NO_STORE


def is_known_host(connection: ASGIConnection[Any, Any, Any, Any], public_url: str) -> bool:
    """Return whether a request names the host of the public URL ("": any host).

    Health checks from this machine (`HEALTH_PATHS`) may name any host: a supervisor or a proxy asks by the address.
    """
    if not public_url:
        return True
    public = urlsplit(public_url)
    host = connection.headers.get("host", "").lower()
    if host in {public.netloc, f"{public.netloc}:{DEFAULT_PORTS[public.scheme]}"}:
        return True
    return connection.url.path in HEALTH_PATHS and is_loopback(client_address(connection))


def is_same_origin(origin: str | None, host: str | None) -> bool:
    """Return whether a request comes from a page of this server, or from no page at all.

    >>> is_same_origin("https://dice.example", "dice.example"), is_same_origin("https://evil.example", "dice.example")
    (True, False)
    """
    if origin is None:
        return True
    try:
        origin_host = urlsplit(origin).netloc
    except ValueError:  # not an address
        return False
    return host is not None and origin_host.lower() == host.lower()
