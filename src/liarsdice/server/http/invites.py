"""Signs the invite links of tables, which work however many wrong codes were tried from an address."""

from __future__ import annotations

import hmac
import secrets

KEY_BYTES = 32
INVITE_LENGTH = 16


class Invites:
    """The invite links of one server process. Those of an earlier process are as good as a typed code."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(KEY_BYTES)

    def path(self, code: str) -> str:
        """Return the path of the invite link of a table."""
        return f"/t/{code}?invite={self._sign(code)}"

    def is_valid(self, code: str, invite: str) -> bool:
        """Return whether an invite belongs to a table, in constant time.

        >>> invites = Invites()
        >>> invites.is_valid("ABCD", invites.path("ABCD")[-INVITE_LENGTH:]), invites.is_valid("ABCD", "")
        (True, False)
        """
        return hmac.compare_digest(self._sign(code).encode(), invite.encode(errors="replace"))

    def _sign(self, code: str) -> str:
        return hmac.digest(self._key, code.encode(errors="replace"), "sha256").hex()[:INVITE_LENGTH]
