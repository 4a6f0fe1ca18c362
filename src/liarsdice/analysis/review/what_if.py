"""What another move would have been worth: both moves are played on by the champion, on the same dice."""

from __future__ import annotations

import msgspec
import numpy as np

from liarsdice.analysis.review.assess import beliefs_given_moves, draw_hands, needs_engine, reference
from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.results import EndCount, WhatIfBatch
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.playouts import play_on_by_engine, play_rounds_out, sample_hands
from liarsdice.core.actions import PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.playouts import highest_quantity
from liarsdice.values.round_ends import RoundEndValues

BATCH_DEALS = 50
"""How many deals are played out at a time."""
SEED = 20_261_123
"""Other random numbers than those that found the best move."""


def other_moves(decision: Decision) -> tuple[PlayerAction, ...]:
    """Return the legal moves at a decision that the simulator or the engine plays on, whichever knows the rules."""
    if needs_engine(decision):
        return decision.view.moves
    highest = highest_quantity(decision.view, decision.round_dice)
    return tuple(move for move in decision.view.moves if not isinstance(move, Bid) or move.quantity <= highest)


def what_if_batch(decision: Decision, other: PlayerAction | None, values: RoundEndValues, batch: int) -> WhatIfBatch:
    """Play `BATCH_DEALS` deals on after the move of a decision and after another legal one; `batch` counts from 0."""
    rng = np.random.default_rng((SEED, decision.number, batch))
    moves = (decision.move, other)
    if any(needs_engine(msgspec.structs.replace(decision, move=move)) for move in moves):
        engine_hands = draw_hands(decision.view, beliefs_given_moves(decision), BATCH_DEALS, rng)
        playouts = play_on_by_engine(decision.view, moves, engine_hands, reference(), rng)
    else:
        network = champion_network(decision.view.ruleset)
        hands = sample_hands(decision.view, beliefs(decision.view, network, packaged_blueprints()), BATCH_DEALS, rng)
        playouts = play_rounds_out(decision.view, decision.round_dice, moves, hands, network, rng)
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
