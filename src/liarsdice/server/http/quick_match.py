"""Quick matches: gives a seat with people who wait for others by the same rules, or opens a table to wait at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from litestar import Response, post
from litestar.params import JSONBody
from msgspec.structs import replace

from liarsdice.core.errors import IllegalActionError
from liarsdice.server.errors import ForbiddenError, NameTakenError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.api import read_table_form, seat_response, token_of
from liarsdice.server.http.app_state import AppRequest, AppState
from liarsdice.server.http.auth import hash_token, is_program
from liarsdice.server.http.costly_work import CACHED_COST, LOBBY_COST
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.schemas import QuickMatchForm, TableForm
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.table.commands import request_key
from liarsdice.server.table.seating import present_players
from liarsdice.server.table.table_config import TableConfig
from liarsdice.wire import SeatResponse, Stage

AWAY_MS = 10_000
"""A table whose host has had no page open for this long is passed over: it may be given up."""

CANNOT_SIT = (ForbiddenError, IllegalActionError, NameTakenError)


class QuickMatches:
    """Gives seats one after another, so that two people who come at once do not wait at two tables."""

    def __init__(self, registry: TableRegistry) -> None:
        self._registry = registry
        self._lock = asyncio.Lock()

    async def take_seat(
        self, form: QuickMatchForm, config: TableConfig, token_hash: str, address: str, *, program: bool = False
    ) -> tuple[LiveTable, int]:
        """Return a table with the rules of `config`, and the id of the player who now has a seat there.

        Tables where the person may not sit down are passed over. Raises as `TableRegistry.take_seat` and `open_table`.
        """
        async with self._lock:
            async for live_table in self._waiting_tables(config.rules_name):
                with suppress(*CANNOT_SIT):
                    player_id = await self._registry.take_seat(
                        live_table,
                        form.name,
                        token_hash,
                        form.commitment,
                        form.request_id,
                        address,
                        program=program,
                    )
                    if player_id is not None:
                        return live_table, player_id
            return await self._registry.open_table(
                config, form.name, token_hash, form.commitment, (), address, program=program
            )

    async def _waiting_tables(self, rules_name: str) -> AsyncIterator[LiveTable]:
        """Yield the tables of quick matches by these rules with a free seat and a connected host."""
        for live_table, table in await self._registry.listed_tables():
            config = table.config
            waits = table.stage is Stage.GATHERING and config.quick and config.rules_name == rules_name
            free = len(present_players(table)) < config.seats
            if waits and free and table.host and not live_table.presence.is_away(table.host, AWAY_MS):
                yield live_table


@post("/api/quick-match", responses=ERRORS)
async def quick_match(request: AppRequest, state: AppState, data: JSONBody[QuickMatchForm]) -> Response[SeatResponse]:
    """Take a seat with people who wait for a quick match by these rules, or open a table for one."""
    quick_matches: QuickMatches = state.quick_matches
    address = client_address(request)
    state.rate_limits.check_work(address, LOBBY_COST)
    state.rate_limits.check_open_table(address)
    table_form = TableForm(name=data.name, rules=data.rules, title=data.title, seats=data.seats, listed=True)
    with state.costly_work.admitted(address, CACHED_COST):
        config = replace(await state.costly_work.in_thread(read_table_form, table_form), quick=True)
    token = token_of(request)
    request_key(hash_token(token), data.request_id)  # checked although nobody may wait
    live_table, player_id = await quick_matches.take_seat(
        data, config, hash_token(token), address, program=is_program(request)
    )
    state.rate_limits.record_hit(address, live_table.code)
    return seat_response(request, token, SeatResponse(live_table.code, player_id))
