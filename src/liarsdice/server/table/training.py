"""Who may ask for estimates at a training table, and of which view: that of the asking seat alone."""

from __future__ import annotations

from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import IllegalActionError, UnavailableError
from liarsdice.core.rules.rule_costs import require_simulated
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.table.table_state import TableState

MAX_DICE_IN_TRAINING = 60
"""Ten players with six dice each. Beliefs about more dice would take seconds."""


def training_view(table: TableState, player_id: int | None) -> View:
    """Return the view whose estimates a player may ask for: that of the player's own seat, during the bidding.

    Raises `ForbiddenError` if the table is no training table or the client holds no seat in the match,
    `IllegalActionError` outside the bidding and for a player who is out, and `UnavailableError` if losses cost
    lives or with more than `MAX_DICE_IN_TRAINING` dice in play.
    """
    if not table.config.training:
        raise ForbiddenError("this is no training table: its host has not switched estimates on")
    match, seat = table.ongoing_match, table.seat_of(player_id)
    if seat is None:
        raise ForbiddenError("only players at this table may ask for estimates")
    if match is None or match.state.phase is not Phase.BIDDING:
        raise IllegalActionError("there are estimates while players bid")
    state = match.state
    if seat >= len(state.names) or not state.dice[seat]:
        raise IllegalActionError("there are estimates for players with dice")
    require_simulated(state.ruleset, "there are estimates")
    if sum(state.dice) > MAX_DICE_IN_TRAINING:
        raise UnavailableError(f"there are estimates for up to {MAX_DICE_IN_TRAINING} dice in play")
    return view(state, seat, legal(state))
