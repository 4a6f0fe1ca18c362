"""What each action of a solved round is worth to a hand, if what the other may hold is known by chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_game import Situation
from liarsdice.solve.strategy.strategy import Strategy

Action = Bid | Challenge | Exact
HARDLY = 0.01
"""What is less likely than this on the way is left out; there are far more such ways than others."""


def worths(strategy: Strategy, hand: Hand, bids: Sequence[Bid], believed: Mapping[Hand, float]) -> dict[Action, float]:
    """What every legal action is worth to who is on turn with that hand, if both play by the strategy from there on.

    `believed`: how likely each hand of the other is, sum 1. Worths are those of the tree's outcomes: of a match -1
    (lost) to 1 (won). Where nobody comes who plays by the strategy, the better call is taken to be made.
    """
    situations = strategy.tree.round.situations
    number = 0
    for bid in bids:
        number = dict(situations[number].raises)[bid]
    situation = situations[number]
    calls: list[Action] = [Exact() if call.exact else Challenge() for call in situation.calls]
    return {
        action: sum(
            chance * _of_action(strategy, number, bids, action, hand, other) for other, chance in believed.items()
        )
        for action in (*calls, *(bid for bid, _ in situation.raises))
    }


def _of_action(strategy: Strategy, number: int, bids: Sequence[Bid], action: Action, mine: Hand, theirs: Hand) -> float:
    situation = strategy.tree.round.situations[number]
    if isinstance(action, Bid):
        return -_on_turn(strategy, dict(situation.raises)[action], (*bids, action), theirs, mine)
    return _of_calls(strategy, situation, mine, theirs)[isinstance(action, Exact)]


def _on_turn(strategy: Strategy, number: int, bids: Sequence[Bid], mine: Hand, theirs: Hand) -> float:
    """What the rest of a round is worth to who is on turn."""
    try:
        play = strategy.play(mine, bids)
    except UnavailableError:
        return max(_of_calls(strategy, strategy.tree.round.situations[number], mine, theirs).values())
    likely = {action: chance for action, chance in play.items() if chance >= HARDLY}
    worth = sum(chance * _of_action(strategy, number, bids, action, mine, theirs) for action, chance in likely.items())
    return worth / sum(likely.values())


def _of_calls(strategy: Strategy, situation: Situation, mine: Hand, theirs: Hand) -> dict[bool, float]:
    """What each call is worth to its caller, by whether it is the exact call."""
    tree, mover = strategy.tree, situation.mover
    places = [
        situation.classes[seat][tree.round.hands[seat].index(hand)]
        for seat, hand in ((mover, mine), (1 - mover, theirs))
    ]
    payoffs = tree.payoffs(situation, tree.worth)
    return {
        call.exact: float(payoff[places[0], places[1]]) for call, payoff in zip(situation.calls, payoffs, strict=True)
    }
