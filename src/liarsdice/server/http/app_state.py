"""What the handlers share, and how they find the table of a client: by its code, or by a signed invite link.

An address tries only so many codes.
"""

from __future__ import annotations

import hmac
import io
from typing import Any

import segno
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State

from liarsdice.play.verify_record import RecordSigner
from liarsdice.server.errors import TableNotFoundError
from liarsdice.server.http.address_limits import RateLimits, client_address
from liarsdice.server.http.auth import ProgramTokens, client_token, hash_token, is_program
from liarsdice.server.http.costly_work import CostlyWork
from liarsdice.server.http.server_bans import ServerBans
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry

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


class AppState(State):
    """What all handlers share; `make_app` fills it, also with what the handlers of one module need."""

    registry: TableRegistry
    rate_limits: RateLimits
    costly_work: CostlyWork
    invites: Invites
    program_tokens: ProgramTokens
    public_url: str
    server_bans: ServerBans
    signer: RecordSigner


AppConnection = ASGIConnection[Any, Any, Any, AppState]
AppRequest = Request[object, object, AppState]


async def find_table(state: AppState, connection: AppConnection, code: str) -> LiveTable:
    """Return the table with a code. An address that has tried too many codes finds only those that it found before.

    The answer to such an address depends on what it was told earlier and not on whether the table exists, so that it
    learns nothing by going on. Raises `RateLimitError`, and what `TableRegistry.get` raises.
    """
    address = client_address(connection)
    state.rate_limits.check_look_up(address, code)
    try:
        live_table = await state.registry.get(code)
    except TableNotFoundError:
        state.rate_limits.record_miss(address)
        raise
    state.rate_limits.record_hit(address, live_table.code)
    return live_table


async def mark_program(state: AppState, live_table: LiveTable, connection: AppConnection) -> None:
    """Mark the seat of a client as that of a program if it is one and the seat was taken by a browser.

    Such a program sends the token of the browser as a bearer token. Raises as `TableRegistry.add_device`.
    """
    if not is_program(connection):
        return
    token_hash = hash_token(client_token(connection))
    player = (await live_table.state()).player_by_token(token_hash)
    if player is not None and not player.program:
        await state.registry.add_device(live_table, player.id, token_hash, program=True)


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
