"""Signs the invite links of tables, which work however many wrong codes were tried from an address."""

from __future__ import annotations

import hmac

INVITE_LENGTH = 16
PURPOSE = b"invite links"


class Invites:
    """The invite links of a server. All servers that have the same secret `key` accept each other's links."""

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, PURPOSE, "sha256")

    def path(self, code: str) -> str:
        """Return the path of the invite link of a table."""
        return f"/t/{code}?invite={self._sign(code)}"

    def is_valid(self, code: str, invite: str) -> bool:
        """Return whether an invite belongs to a table, in constant time.

        >>> invites = Invites(b"key")
        >>> invites.is_valid("ABCD", invites.path("ABCD")[-INVITE_LENGTH:]), invites.is_valid("ABCD", "")
        (True, False)
        """
        return hmac.compare_digest(self._sign(code).encode(), invite.encode(errors="replace"))

    def _sign(self, code: str) -> str:
        return hmac.digest(self._key, code.encode(errors="replace"), "sha256").hex()[:INVITE_LENGTH]
