"""What each action of a solved round is worth to a hand, given beliefs about the opponent's hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_game import Situation
from liarsdice.solve.strategy.strategy import Strategy

Action = Bid | Challenge | Exact
MIN_ACTION_PROB = 0.01
"""Less likely actions further down are left out; there are far more bid sequences with them than without."""


def action_values(
    strategy: Strategy,
    hand: Hand,
    bids: Sequence[Bid],
    opponent_probs: Mapping[Hand, float],
    actions: Collection[Action] | None = None,
) -> dict[Action, float]:
    """Return what every legal action is worth to the player on turn, if both follow the strategy from there on.

    `opponent_probs`: how likely each hand of the opponent is, sum 1. `actions`: only these, if given. Values are those
    of the tree's outcomes: in a match from -1 (lost) to 1 (won). At nodes that the strategy does not cover, the better
    call is assumed.
    """
    situations = strategy.tree.game.situations
    index = 0
    for bid in bids:
        index = dict(situations[index].raises)[bid]
    situation = situations[index]
    calls: list[Action] = [Exact() if call.exact else Challenge() for call in situation.calls]
    return {
        action: sum(
            p * _action_value(strategy, index, bids, action, hand, other) for other, p in opponent_probs.items()
        )
        for action in (*calls, *(bid for bid, _ in situation.raises))
        if actions is None or action in actions
    }


def _action_value(
    strategy: Strategy, index: int, bids: Sequence[Bid], action: Action, mover_hand: Hand, bidder_hand: Hand
) -> float:
    """Return what an action is worth to the mover in a situation, for one pair of hands."""
    situation = strategy.tree.game.situations[index]
    if isinstance(action, Bid):
        return -_node_value(strategy, dict(situation.raises)[action], (*bids, action), bidder_hand, mover_hand)
    return _call_values(strategy, situation, mover_hand, bidder_hand)[isinstance(action, Exact)]


def _node_value(strategy: Strategy, index: int, bids: Sequence[Bid], mover_hand: Hand, bidder_hand: Hand) -> float:
    """Return what the rest of a round is worth to the mover, for one pair of hands."""
    try:
        probs = strategy.action_probs(mover_hand, bids)
    except UnavailableError:
        situation = strategy.tree.game.situations[index]
        return max(_call_values(strategy, situation, mover_hand, bidder_hand).values())
    likely = {action: p for action, p in probs.items() if p >= MIN_ACTION_PROB}
    total = sum(
        p * _action_value(strategy, index, bids, action, mover_hand, bidder_hand) for action, p in likely.items()
    )
    return total / sum(likely.values())


def _call_values(strategy: Strategy, situation: Situation, mover_hand: Hand, bidder_hand: Hand) -> dict[bool, float]:
    """Return what each call is worth to its caller, by whether it is the exact call."""
    tree, mover = strategy.tree, situation.mover
    mover_bucket, bidder_bucket = (
        situation.hand_buckets[seat][tree.game.hands[seat].index(hand)]
        for seat, hand in ((mover, mover_hand), (1 - mover, bidder_hand))
    )
    payoffs = tree.payoffs(situation, tree.outcome_values)
    return {
        call.exact: float(payoff[mover_bucket, bidder_bucket])
        for call, payoff in zip(situation.calls, payoffs, strict=True)
    }
