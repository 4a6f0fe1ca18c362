"""Signs the invite links of tables, which work however many wrong codes were tried from an address."""

from __future__ import annotations

import hmac
import io

import segno

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


MARGIN = 4
"""The width of the white margin in squares, as the standard asks for."""


def qr_svg(url: str) -> bytes:
    """Return the QR code of a URL as an SVG file."""
    svg = io.BytesIO()
    _qr_code(url).save(svg, kind="svg", border=MARGIN, light="#fff", xmldecl=False, svgclass=None, lineclass=None)
    return svg.getvalue()


def qr_path(url: str) -> tuple[str, int]:
    """Return the QR code of a URL as SVG path data of its dark squares, and its width in squares, margin included."""
    squares = tuple(_qr_code(url).matrix_iter(border=MARGIN))
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(squares) for x, dark in enumerate(row) if dark)
    return path, len(squares)


def _qr_code(url: str) -> segno.QRCode:
    return segno.make(url, error="m")
