"""What another move would have been worth: both moves are played on by the champion, on the same dice."""

from __future__ import annotations

import msgspec
import numpy as np

from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.playouts import highest_quantity, is_playable, play_rounds_out
from liarsdice.analysis.review.results import EndCount, WhatIfBatch
from liarsdice.bots.blueprints import packaged_blueprints
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import LATEST_MODEL, champion_network
from liarsdice.bots.neural.playouts import sample_hands
from liarsdice.bots.round_end import EndValues
from liarsdice.core.actions import PlayerAction
from liarsdice.core.rules.bids import Bid

BATCH_DEALS = 50
"""How many deals are played out at a time."""
SEED = 20_261_123
"""Other random numbers than those that found the best move."""


def is_comparable(decision: Decision, other: PlayerAction | None) -> bool:
    """Return whether a move was legal at a decision, and playouts know it and all bids of the round."""
    shown = decision.view
    is_legal = other in shown.moves if other is not None else not shown.on_turn
    return is_legal and is_playable(msgspec.structs.replace(decision, move=other)) and is_playable(decision)


def playable_moves(decision: Decision) -> tuple[PlayerAction, ...]:
    """Return the legal moves at a decision that playouts know; none if they don't know all bids of the round."""
    if not is_playable(decision):
        return ()
    highest = highest_quantity(decision)
    return tuple(move for move in decision.view.moves if not isinstance(move, Bid) or move.quantity <= highest)


def what_if_batch(decision: Decision, other: PlayerAction | None, values: EndValues, batch: int) -> WhatIfBatch:
    """Play `BATCH_DEALS` deals on after the move of a decision and after another legal one; `batch` counts from 0.

    Raises `UnavailableError` if the dice have too many faces for the network.
    """
    rng = np.random.default_rng((SEED, decision.number, batch))
    network = champion_network(LATEST_MODEL)
    hands = sample_hands(decision.view, beliefs(decision.view, network, packaged_blueprints()), BATCH_DEALS, rng)
    playouts = play_rounds_out(decision, (decision.move, other), hands, network, rng)
    shares = values.shares(playouts.ends)[:, decision.seat]
    variances = values.variances(playouts.ends)[:, decision.seat].tolist()
    by_deal = shares[playouts.outcomes]
    counts = [np.bincount(outcomes, minlength=len(shares)).tolist() for outcomes in playouts.outcomes]
    ends = tuple(
        EndCount(repr(end), counts[0][number], counts[1][number], variances[number])
        for number, end in enumerate(playouts.ends)
    )
    squares = float(((by_deal[1] - by_deal[0]) ** 2).sum())
    return WhatIfBatch(BATCH_DEALS, float(by_deal[0].sum()), float(by_deal[1].sum()), squares, ends)
