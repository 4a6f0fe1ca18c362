"""The HTTP API of finished matches: their records, and their awards and dice by round.

The docstrings of the handlers appear in the API's description at `/docs`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.enums import MediaType
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath

from liarsdice.core.errors import UnavailableError
from liarsdice.play.record_signature import RecordSigner
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.costly_work import RECORD_COST, CostlyWork
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.networks import client_address
from liarsdice.server.http.public_info import (
    encode_rows,
    has_record,
    match_record_of_json,
    match_summary_of_json,
)
from liarsdice.server.http.schemas import MatchSummary
from liarsdice.server.http.table_lookup import find_table
from liarsdice.server.live.table_registry import TableRegistry

Result = TypeVar("Result")
NO_RECORD = "there is no record of that match until it is over"
MAX_ENTRIES = 50_000
"""The most entries of one match from which its record is computed, whatever else happened at the table."""

NOT_HERE = "this match is too long to make its record here; whoever runs the server can export it"
SUMMARY_RESPONSE = ResponseSpec(MatchSummary, description="The summary.", generate_examples=False)


@get("/api/tables/{code:str}/matches/{number:int}", responses=ERRORS, media_type=MediaType.TEXT)
async def record(
    request: Request[object, object, State], state: State, code: FromPath[str], number: FromPath[int]
) -> str:
    """Return the signed public record of a finished match, with its dice and the seeds that they came from."""
    signer: RecordSigner = state.signer

    async def compute(code: str, rows: list[bytes]) -> bytes:
        costly_work: CostlyWork = state.costly_work
        address = client_address(request)
        unsigned = _required(await costly_work.in_process(address, match_record_of_json, code, rows, number))
        return unsigned.signed(signer).encode()

    return (await _of_match(request, code, number, "record", compute)).decode()


@get("/api/tables/{code:str}/matches/{number:int}/summary", responses={**ERRORS, 200: SUMMARY_RESPONSE})
async def match_summary(
    request: Request[object, object, State], state: State, code: FromPath[str], number: FromPath[int]
) -> Response[bytes]:
    """Return the awards of a finished match, and the dice that its players held in each round."""

    async def compute(code: str, rows: list[bytes]) -> bytes:
        costly_work: CostlyWork = state.costly_work
        address = client_address(request)
        summary = await costly_work.in_process(address, match_summary_of_json, code, rows, number)
        return msgspec.json.encode(_required(summary))

    return Response(await _of_match(request, code, number, "summary", compute), media_type=MediaType.JSON)


async def _of_match(
    request: Request[object, object, State],
    code: str,
    number: int,
    name: str,
    function: Callable[[str, list[bytes]], Awaitable[bytes]],
) -> bytes:
    """Return what is computed from the entries of a finished match at a table, cached under `name`.

    Raises `ForbiddenError` while the match is not over, `UnavailableError` if it has more than `MAX_ENTRIES`, and as
    `find_table` and `CostlyWork.cached`.
    """
    state, address = request.app.state, client_address(request)
    registry: TableRegistry = state.registry
    costly_work: CostlyWork = state.costly_work
    live_table = await find_table(registry, state.rate_limits, address, code)
    if not has_record(await live_table.state(), number):
        raise ForbiddenError(NO_RECORD)

    async def compute() -> bytes:
        async with costly_work.log_slots:
            rows = await registry.services.store.load_match(live_table.code, number, MAX_ENTRIES + 1)
            if len(rows) > MAX_ENTRIES:
                raise UnavailableError(NOT_HERE)
            return await function(live_table.code, await asyncio.to_thread(encode_rows, rows))

    return await costly_work.cached(address, (live_table.code, number, name), RECORD_COST, compute)


def _required(result: Result | None) -> Result:
    """Return a result about a match. Raises `ForbiddenError` if it is None, as the match is not over."""
    if result is None:
        raise ForbiddenError(NO_RECORD)
    return result
