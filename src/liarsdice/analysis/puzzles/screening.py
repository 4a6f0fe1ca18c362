"""The first look at a decision: whether the champion's value network sees one move that is clearly better."""

from __future__ import annotations

from collections.abc import Mapping

from liarsdice.analysis.puzzles.valued_moves import MIN_OFFERED, PlayedMove
from liarsdice.analysis.review.decisions import Decision
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.values.playouts import highest_quantity, knows_bids

SCREEN_LEAD = 0.06
"""The lead that the value network must see over the moves that are offered."""
CALL_LEAD = 0.04
"""The lead that it must see over calls, which are all offered."""
DECOY_LEAD = 0.09
"""Bids that are offered as mistakes are those next behind this lead."""
BEST_BIDS, DECOYS = 2, 3
"""How many bids are compared: those of the highest value, and others."""


def may_be_puzzle(decision: Decision) -> bool:
    """Return whether the player on turn had to choose between bids and calls that playouts know.

    The players' turns go round to the left, as readers of a puzzle expect.
    """
    shown = decision.view
    return (
        shown.on_turn
        and isinstance(decision.move, PlayedMove)
        and not shown.may_set_direction
        and shown.direction.step == 1
        and not shown.unlimited
        and len(shown.moves) >= MIN_OFFERED
        and knows_bids(decision.view, decision.round_dice, decision.move)
    )


def compared_moves(decision: Decision, values: Mapping[PlayerAction | None, float]) -> list[PlayedMove]:
    """Return the calls, the best bids by these values, and bids that are worse, if possible on different faces."""
    highest = highest_quantity(decision.view, decision.round_dice)
    calls = [move for move in values if isinstance(move, Challenge | Exact)]
    bids = [move for move in values if isinstance(move, Bid) and move.quantity <= highest]
    bids.sort(key=lambda bid: -values[bid])
    most = max(values.values())
    worse = [bid for bid in bids[BEST_BIDS:] if most - values[bid] > DECOY_LEAD]
    first_on_face = {bid.face: bid for bid in reversed(worse)}.values()
    decoys = sorted(worse, key=lambda bid: (bid not in first_on_face, -values[bid]))[:DECOYS]
    return [*calls, *bids[:BEST_BIDS], *decoys]


def looks_clear(moves: list[PlayedMove], values: Mapping[PlayerAction | None, float]) -> bool:
    """Return whether the best of these moves leads enough others, and every call, by these values."""
    most = max(values[move] for move in moves)
    leads = sum(most - values[move] > SCREEN_LEAD for move in moves)
    calls = [most - values[move] for move in moves if isinstance(move, Challenge | Exact)]
    return leads >= MIN_OFFERED - 1 and all(behind == 0 or behind > CALL_LEAD for behind in calls)
