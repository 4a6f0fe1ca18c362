"""The part of the HTTP API for the page about strategy: charts of the odds of bids under any rules.

They are computed in a worker process, and paid from the budget of the address like rulebooks.
"""

from __future__ import annotations

from functools import partial

import msgspec
from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.enums import MediaType
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from liarsdice.server.http.costly_work import RULES_COST, CostlyWork
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.networks import client_address
from liarsdice.server.rules.odds_chart import OddsForm, OddsResponse, encoded_odds

ODDS_RESPONSE = ResponseSpec(OddsResponse, description="The charts.", generate_examples=False)


@post("/api/odds", responses={**ERRORS, 200: ODDS_RESPONSE}, status_code=200)
async def odds(request: Request[object, object, State], state: State, data: JSONBody[OddsForm]) -> Response[bytes]:
    """Return charts of how likely bids are under rules, given one's own dice."""
    costly_work: CostlyWork = state.costly_work
    compute = partial(costly_work.in_process, client_address(request), encoded_odds, data)
    key = ("odds", msgspec.json.encode(data))
    body = await costly_work.cached(client_address(request), key, RULES_COST, compute)
    return Response(body, media_type=MediaType.JSON)
