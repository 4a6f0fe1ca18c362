"""The security headers of every HTTP response, and the check of where a request comes from."""

from __future__ import annotations

from urllib.parse import urlsplit

from litestar.datastructures import MutableScopeHeaders
from litestar.types import Message, Scope

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
HSTS = "max-age=31536000"
NO_STORE = "no-store"


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
