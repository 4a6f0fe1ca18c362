"""The part of the HTTP API for training tables: estimates for the seat that asks.

They are computed in a worker process from the view of that seat alone, and paid from the budget of the address.
"""

from __future__ import annotations

from functools import partial

from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.enums import MediaType
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath

from liarsdice.server.http.auth import client_token, hash_token
from liarsdice.server.http.costly_work import TRAINING_COST, CostlyWork
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.networks import client_address
from liarsdice.server.http.table_lookup import find_table
from liarsdice.server.http.training_estimates import TrainingResponse, training_body
from liarsdice.server.table.training import training_view

AppRequest = Request[object, object, State]
TRAINING_RESPONSE = ResponseSpec(TrainingResponse, description="The estimates.", generate_examples=False)


@get("/api/tables/{code:str}/training", responses={**ERRORS, 200: TRAINING_RESPONSE})
async def training(request: AppRequest, state: State, code: FromPath[str]) -> Response[bytes]:
    """Return estimates of hands and moves for one's own seat, where the table allows it."""
    address = client_address(request)
    live_table = await find_table(state.registry, state.rate_limits, address, code)
    costly_work: CostlyWork = state.costly_work
    table = await live_table.state()
    player = table.player_by_token(hash_token(client_token(request)))
    shown = training_view(table, player.id if player else None)
    assert table.match is not None
    number, turn_id = table.match.number, table.match.turn_id
    compute = partial(costly_work.in_process, address, training_body, shown, number, turn_id)
    key = ("training", live_table.code, number, turn_id, shown.seat)
    body = await costly_work.cached(address, key, TRAINING_COST, compute)
    return Response(body, media_type=MediaType.JSON)
