"""What every answer over HTTP carries, whichever part of the server gives it."""

from __future__ import annotations

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
