"""The reveal that follows a call: all hands, the count of the standing bid, and the hand whose pass was called."""

from __future__ import annotations

from msgspec import UNSET

from liarsdice.core.engine.state import State
from liarsdice.core.events import Challenged, ExactCalled, PassChallenged, Revealed
from liarsdice.core.rules.meaning import pass_hand_of
from liarsdice.core.rules.tally import hands_that_count, tally

Call = Challenged | ExactCalled
"""A call of a bid."""

AnyCall = Call | PassChallenged
"""A call of a bid or of a pass."""


def reveal_of(state: State, call: AnyCall) -> Revealed:
    """Return the reveal of a call; that of a pass tells of the standing bid, too, but does not depend on it."""
    rules, (bidder, bid) = state.ruleset, state.bids[-1]
    wilds_count = state.wilds_in_challenge if isinstance(call, Challenged) else state.wilds_count
    result = tally(rules, hands_that_count(rules, state.hands, bidder), bid.face, wilds_count=wilds_count)
    return Revealed(
        bid=bid,
        hands=state.hands,
        marked=result.marked,
        counted=result.counted,
        count=result.count,
        bid_true=result.count >= bid.quantity,
        wilds_counted=wilds_count and bid.face != rules.dice.special_face,
        pass_hand=pass_hand_of(rules, state.hands[call.passer]) if isinstance(call, PassChallenged) else UNSET,
    )


def called_seat(call: AnyCall) -> int:
    """Return the player whose bid or pass was called."""
    return call.passer if isinstance(call, PassChallenged) else call.bidder
