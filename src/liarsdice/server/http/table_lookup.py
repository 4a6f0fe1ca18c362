"""Finds the table of a code for a client, limits how many codes an address can try, and marks seats of programs."""

from __future__ import annotations

from typing import Any

from litestar.connection import ASGIConnection

from liarsdice.server.errors import TableNotFoundError
from liarsdice.server.http.auth import client_token, hash_token, is_program
from liarsdice.server.http.limits import RateLimits
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry


async def find_table(registry: TableRegistry, rate_limits: RateLimits, address: str, code: str) -> LiveTable:
    """Return the table with a code. An address that has tried too many codes finds only those that it found before.

    The answer to such an address depends on what it was told earlier and not on whether the table exists, so that it
    learns nothing by going on. Raises `RateLimitError`, and what `TableRegistry.get` raises.
    """
    rate_limits.check_look_up(address, code)
    try:
        live_table = await registry.get(code)
    except TableNotFoundError:
        rate_limits.record_miss(address)
        raise
    rate_limits.record_hit(address, live_table.code)
    return live_table


async def mark_program(
    registry: TableRegistry, live_table: LiveTable, connection: ASGIConnection[Any, Any, Any, Any]
) -> None:
    """Mark the seat of a client as that of a program if it is one and the seat was taken by a browser.

    Such a program sends the token of the browser as a bearer token. Raises as `TableRegistry.add_device`.
    """
    if not is_program(connection):
        return
    token_hash = hash_token(client_token(connection))
    player = (await live_table.state()).player_by_token(token_hash)
    if player is not None and not player.program:
        await registry.add_device(live_table, player.id, token_hash, program=True)
