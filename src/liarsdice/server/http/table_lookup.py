"""Finds the table of a code for a client, and limits how many codes one address can try."""

from __future__ import annotations

from liarsdice.server.errors import TableNotFoundError
from liarsdice.server.http.rate_limits import RateLimits
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
