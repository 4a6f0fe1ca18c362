"""Web push (RFC 8030) with VAPID (RFC 8292): tells a push service to wake a browser.

A message has no body: what it is about stays between the server and the page. The endpoint is a URL that a stranger
gave, so requests go to the push services of browsers only, as `outgoing` sends them.
"""

from __future__ import annotations

import base64
import json
import time
from urllib.parse import urlsplit

import msgspec
import structlog
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from litestar import get
from litestar.datastructures import State

from liarsdice.core.errors import MalformedError
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.outgoing import Connect, OutgoingRequests, connect_publicly
from liarsdice.server.table.push_endpoints import endpoint_host

LOG = structlog.get_logger()
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
TTL_S = 24 * 3600
TOKEN_AGE_S = 12 * 3600
GONE = (404, 410)


class PushKeyResponse(msgspec.Struct, frozen=True):
    """The public VAPID key of the server in URL-safe base64, "" for a server that pushes nothing."""

    key: str


class WebPush:
    """Sends push messages, signed with the key that follows from a 32-byte `secret`.

    `contact`: a URL at which push services find who runs the server. `connect`: opens a connection to a host.
    """

    def __init__(self, secret: bytes, contact: str, connect: Connect | None = None) -> None:
        self._key = ec.derive_private_key(1 + int.from_bytes(secret) % (P256_ORDER - 1), ec.SECP256R1())
        self._contact = contact
        self._requests = OutgoingRequests("push", connect or connect_publicly)

    @property
    def public_key(self) -> str:
        """The public key in URL-safe base64, as browsers want it when they subscribe."""
        point = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        return _base64url(point)

    async def send(self, endpoint: str) -> bool:
        """Send a message without a body to an endpoint. Returns False if the endpoint is gone for good.

        A message that cannot be sent in time is dropped.
        """
        try:
            host, parts = endpoint_host(endpoint), urlsplit(endpoint)
        except MalformedError as error:
            LOG.warning("push_failed", error=type(error).__name__)
            return True
        headers = {
            "TTL": str(TTL_S),
            "Urgency": "normal",
            "Topic": "turn",
            "Authorization": f"vapid t={self._token(host)}, k={self.public_key}",
        }
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return await self._requests.post(host, target, headers) not in GONE

    def _token(self, host: str) -> str:
        """Return the signed token that tells a push service who sends (a JWT with ES256)."""
        claims = {"aud": f"https://{host}", "exp": int(time.time()) + TOKEN_AGE_S, "sub": self._contact}
        parts = [json.dumps(part, separators=(",", ":")).encode() for part in ({"typ": "JWT", "alg": "ES256"}, claims)]
        text = ".".join(map(_base64url, parts))
        r, s = decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_base64url(r.to_bytes(32) + s.to_bytes(32))}"


@get("/api/push-key", responses=ERRORS, sync_to_thread=False)
def push_key(state: State) -> PushKeyResponse:
    """Return the key with which a browser subscribes to push messages of this server."""
    web_push: WebPush | None = state.registry.services.web_push
    return PushKeyResponse("" if web_push is None else web_push.public_key)


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
