"""The part of the HTTP API with which a program sets the webhook of its seat."""

from __future__ import annotations

import msgspec
from litestar import Request, post
from litestar.datastructures import State
from litestar.params import FromPath, JSONBody

from liarsdice.core.errors import UnavailableError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import client_token, hash_token
from liarsdice.server.http.costly_work import RULES_COST
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.networks import client_address
from liarsdice.server.http.program_tokens import ProgramTokens
from liarsdice.server.http.rate_limits import RateLimits
from liarsdice.server.http.table_lookup import find_table
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.turn_webhooks import change_webhook
from liarsdice.server.table.table_state import Player, TableState

NO_WEBHOOKS = (
    "this server sends no webhooks; wait for your turn with GET /api/tables/{code}/view?after=SEQ&wait=SECONDS"
)


class WebhookForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to be told of one's turns and of the end of matches at a URL, "" for nowhere."""

    url: str


class WebhookResponse(msgspec.Struct, frozen=True):
    """The webhook of one's seat. `secret`: what signs its requests, "" without a webhook."""

    url: str
    secret: str


@post("/api/tables/{code:str}/webhook", responses=ERRORS, status_code=200)
async def set_webhook(
    request: Request[object, object, State], state: State, code: FromPath[str], data: JSONBody[WebhookForm]
) -> WebhookResponse:
    """Have the turns of one's own seat, and the ends of its matches, sent to a URL, or no more."""
    registry: TableRegistry = state.registry
    rate_limits: RateLimits = state.rate_limits
    token_hash = hash_token(client_token(request))
    live_table = await find_table(registry, rate_limits, client_address(request), code)
    player = _holder(await live_table.state(), token_hash)
    program_tokens: ProgramTokens = state.program_tokens
    rate_limits.check_work(program_tokens.payer(request), RULES_COST)
    webhooks = registry.services.webhooks
    if webhooks is None:
        raise UnavailableError(NO_WEBHOOKS)
    if data.url:
        webhooks.check(data.url, client_address(request))
    if data.url != player.webhook:
        live_table.seat_limits.count_entries(player.id, None)
    await live_table.append(change_webhook(data.url, lambda table: _holder(table, token_hash)))
    secret = webhooks.secret(live_table.code, player.id, data.url) if data.url else ""
    return WebhookResponse(data.url, secret)


def _holder(table: TableState, token_hash: str) -> Player:
    """Return the player whose seat a token holds. Raises `ForbiddenError` if there is none."""
    player = table.player_by_token(token_hash)
    if player is None or player.gone:
        raise ForbiddenError("only a player at this table has a seat with turns to be told of")
    return player
