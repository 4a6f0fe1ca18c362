"""Saying why a bid is refused, and what would be allowed instead."""

from __future__ import annotations

from liarsdice.core.engine.legal import bids_exhausted, legal_bids, was_made
from liarsdice.core.engine.state import State
from liarsdice.core.rules.bids import UNCAPPED_QUANTITY, Bid, beats


def why_not(state: State, bid: Bid) -> str:
    """One line about a bid that is not legal for the seat on turn: what is wrong and what would be legal."""
    rules = state.ruleset
    if not 1 <= bid.face <= rules.dice.faces:
        return f"bid {bid} names face {bid.face}, but the dice have faces 1 to {rules.dice.faces}"
    if bid.face not in state.menu.faces:
        return f"bid {bid} is on face {bid.face}, which may not be bid here"
    if bid.quantity < 1:
        return f"bid {bid} is for fewer than one die (bid at least 1x{bid.face})"
    if bids_exhausted(state):
        return f"bid {bid} comes too late: this round has had its {len(state.bids)} bids (challenge instead)"
    top = UNCAPPED_QUANTITY if state.top is None else state.top
    if bid.quantity > top:
        return f"bid {bid} is more than may be bid (at most {top} of a face)"
    old = state.bid
    if old is None:
        return f"a round may not open with {bid} ({_needs(state, bid.face)})"
    if state.face_locked and bid.face != old.face and state.turn not in state.exempt:
        return f"bid {bid} changes the face, which is locked in this round ({_needs(state, old.face)})"
    if beats(rules, old, bid) and was_made(state, bid):
        return f"bid {bid} was already made in this round ({_needs(state, bid.face)})"
    return f"bid {bid} does not beat {old} ({_needs(state, bid.face)})"


def _needs(state: State, face: int) -> str:
    """What would be legal: the lowest bid where all that beats it is legal too, or else what there is of each face."""
    bids = legal_bids(state)
    if not bids:
        return "no bid is left: call it"
    for low in bids:
        if _is_foot_of(state, low, bids):
            return f"needs {low} or higher"
    faces = sorted({bid.face for bid in bids}, key=lambda other: (other != face, other))
    return f"needs {'; '.join(_of_face(state, other, bids) for other in faces)}"


def _is_foot_of(state: State, low: Bid, bids: tuple[Bid, ...]) -> bool:
    """Whether the legal bids are `low` and everything that beats it (of its own face, where the face is locked)."""
    locked = len({bid.face for bid in bids}) == 1
    higher = state.menu.over(low, max(bid.quantity for bid in bids))
    return {low, *(bid for bid in higher if not locked or bid.face == low.face)} == set(bids)


def _of_face(state: State, face: int, bids: tuple[Bid, ...]) -> str:
    quantities = [bid.quantity for bid in bids if bid.face == face]
    least, most = quantities[0], max(bid.quantity for bid in bids) if state.top is None else state.top
    if len(quantities) == 1 and least < most:
        return f"{least}x{face} and no more"
    missing = [f"{quantity}x{face}" for quantity in range(least, most + 1) if quantity not in quantities]
    more = f"{least}x{face} or more"
    return f"{more}, but not {', '.join(missing)}" if missing else more
