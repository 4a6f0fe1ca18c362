"""The message for a refused bid: why it is not legal, and what would be."""

from __future__ import annotations

from liarsdice.core.engine.legal import bids_exhausted, legal_bids, was_made
from liarsdice.core.engine.state import State
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid, beats, may_be_pure, raise_relation
from liarsdice.core.rules.meaning import has_face_off, has_pure_bids


def explain_refusal(state: State, bid: Bid) -> str:
    """Return why a bid is not legal for the seat on turn, and which bids are legal, as one line."""
    rules = state.ruleset
    if state.face_off or (bid.is_sum and has_face_off(rules)):
        return _explain_sum(state, bid)
    if not 1 <= bid.face <= rules.dice.faces:
        sums = " (these rules have no bids on a sum)" if bid.is_sum else ""
        named = f"bid {bid.quantity}x{bid.face} names face {bid.face}"
        return f"{named}, but the dice have faces 1 to {rules.dice.faces}{sums}"
    if bid.face not in state.bid_space.faces:
        return f"bid {bid} is on face {bid.face}, which may not be bid here"
    if bid.quantity < 1:
        return f"bid {bid} is for fewer than one die (bid at least 1x{bid.face})"
    if bid.pure and not may_be_pure(rules, bid.face):
        reason = f"bids on face {bid.face} always are" if has_pure_bids(rules) else "these rules have no pure bids"
        return f"bid {bid} is marked as pure, but {reason} (leave the mark out: {bid.quantity}x{bid.face})"
    if bids_exhausted(state):
        return f"bid {bid} comes too late: this round has had its {len(state.bids)} bids (challenge instead)"
    highest = UNCAPPED_QUANTITY if state.max_quantity is None else state.max_quantity
    if bid.quantity > highest:
        return f"bid {bid} is more than may be bid (at most {highest} of a face)"
    old = state.bid
    if old is None:
        return f"a round may not open with {bid} ({_legal_instead(state, bid.face)})"
    if state.face_locked and bid.face != old.face and state.turn not in state.exempt:
        return f"bid {bid} changes the face, which is locked in this round ({_legal_instead(state, old.face)})"
    if beats(rules, old, bid) and was_made(state, bid):
        return f"bid {bid} was already made in this round ({_legal_instead(state, bid.face)})"
    return f"bid {bid} does not beat {old} ({_legal_instead(state, bid.face)})"


def _explain_sum(state: State, bid: Bid) -> str:
    """Return why a bid is not legal where one of the bid and the round is about a sum."""
    if not state.face_off:
        return f"bid {bid} is on a sum, but only two players with one die each bid so (bid 1x2)"
    bids = legal_bids(state)
    instead = f"needs {bids[0]} to {bids[-1]}" if bids else "no bid is left: call it"
    if not bid.is_sum:
        return f"bid {bid} is on a face, but in a face-off bids are sums of both dice ({instead})"
    return f"bid {bid} is no sum that may be bid now ({instead})"


def _legal_instead(state: State, face: int) -> str:
    """Describe the legal bids: "needs X or higher" if all that beats X is legal too, else quantities by face."""
    bids = legal_bids(state)
    if not bids:
        return "no bid is left: call it"
    lowest = _lowest_of(state, bids)
    if lowest:
        return f"needs {lowest} or higher"
    kinds = sorted({(bid.face, bid.pure) for bid in bids}, key=lambda kind: (kind[0] != face, kind))
    return f"needs {'; '.join(_quantities(state, *kind, bids) for kind in kinds)}"


def _lowest_of(state: State, bids: tuple[Bid, ...]) -> Bid | None:
    """Return the bid with which the legal bids are itself and all that beats it (on its own face, if it is locked)."""
    legal, highest = frozenset(bids), max(bid.quantity for bid in bids)
    is_locked = len({bid.face for bid in bids}) == 1
    is_beaten_by = raise_relation(state.ruleset)
    for lowest in bids:
        if not all(bid is lowest or is_beaten_by(lowest, bid) for bid in bids):  # mostly known at once
            continue
        higher = state.bid_space.higher_bids(lowest, highest)
        if is_locked:
            higher = tuple(bid for bid in higher if bid.face == lowest.face)
        if len(higher) + 1 == len(legal) and legal.issuperset(higher):
            return lowest
    return None


def _quantities(state: State, face: int, pure: bool, bids: tuple[Bid, ...]) -> str:  # noqa: FBT001  the kind of a bid
    quantities = [bid.quantity for bid in bids if (bid.face, bid.pure) == (face, pure)]
    lowest = quantities[0]
    highest = max(bid.quantity for bid in bids) if state.max_quantity is None else state.max_quantity
    if len(quantities) == 1 and lowest < highest:
        return f"{Bid(lowest, face, pure)} and no more"
    missing = [str(Bid(other, face, pure)) for other in range(lowest, highest + 1) if other not in quantities]
    or_more = f"{Bid(lowest, face, pure)} or more"
    return f"{or_more}, but not {', '.join(missing)}" if missing else or_more
