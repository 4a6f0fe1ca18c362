"""Saying why a bid is refused, and what would be allowed instead."""

from __future__ import annotations

from liarsdice.core.bids import UNCAPPED_QUANTITY, Bid, beats
from liarsdice.core.legal import bids_exhausted, legal_bids, was_made
from liarsdice.core.state import State


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
    """What would be legal: the lowest bid of a ladder, or else the least quantity of each face."""
    bids = legal_bids(state)
    if not bids:
        return "no bid is left: call it"
    for low in bids:
        if all(low == high or beats(state.ruleset, low, high) for high in bids):
            return f"needs {low} or higher"
    least: dict[int, Bid] = {}
    for bid in bids:
        least.setdefault(bid.face, bid)
    ordered = sorted(least.values(), key=lambda bid: (bid.face != face, bid.face))
    return f"needs at least {' or '.join(map(str, ordered))}"
