"""What a player of a round of two sees after some bids, as bots and networks are asked for their play there."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.core.engine.engine import evolve
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bids import Bid


def view_after(before_bids: State, bids: Sequence[Bid], seat: int) -> View:
    """Return the view of a seat after some bids, with a hand that means nothing."""
    state = before_bids
    for bid in bids:
        state = evolve(state, BidMade(state.turn, bid))
    return view(msgspec.structs.replace(state, hands=tuple((1,) * count for count in state.dice)), seat)
