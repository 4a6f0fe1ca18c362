"""Draws URLs as QR codes."""

from __future__ import annotations

import io

import segno

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
