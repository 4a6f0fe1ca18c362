"""Headers: which ones every answer over HTTP carries, and what those of a request tell of where it comes from."""

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
ONLY_HTTPS = "max-age=31536000"
NOT_KEPT = "no-store"


async def carry(message: Message, scope: Scope) -> None:
    """Complete the head of an answer; what does not say how long it may be kept is not to be kept."""
    if message["type"] != "http.response.start":
        return
    headers = MutableScopeHeaders.from_message(message)
    for name, value in HEADERS.items():
        headers[name] = value
    if scope["scheme"] == "https":
        headers["strict-transport-security"] = ONLY_HTTPS
    if "cache-control" not in headers:
        headers["cache-control"] = NOT_KEPT


def same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a request comes from a page of ours, or from no page at all.

    >>> same_origin("https://dice.example", "dice.example"), same_origin("https://evil.example", "dice.example")
    (True, False)
    """
    if origin is None:
        return True
    try:
        theirs = urlsplit(origin).netloc
    except ValueError:  # no address at all
        return False
    return host is not None and theirs.lower() == host.lower()
