"""Best responses by exhaustive search over pure strategies, for rounds small enough for that."""

from collections.abc import Iterator
from itertools import product

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy

Bids = tuple[Bid, ...]
Choice = Bid | Challenge | Exact
PureStrategy = dict[tuple[Hand, Bids], Choice]


def best_pure_value(strategy: Strategy, seat: int) -> float:
    """The most that any pure strategy of a seat wins against the other seat's play."""
    game = strategy.tree.game
    total = 0.0
    for hand, weight in zip(game.hands[seat], game.hand_probs[seat].tolist(), strict=True):
        total += weight * max(
            _value_of_hand(strategy, seat, hand, dict(pure_strategy))
            for pure_strategy in _pure_strategies(strategy, seat, hand, (), 0)
        )
    return total


def _options(strategy: Strategy, number: int) -> list[tuple[Choice, int]]:
    situation = strategy.tree.game.situations[number]
    calls: list[tuple[Choice, int]] = [(Exact() if call.exact else Challenge(), -1) for call in situation.calls]
    return [*calls, *situation.raises]


def _pure_strategies(strategy: Strategy, seat: int, hand: Hand, bids: Bids, number: int) -> Iterator[PureStrategy]:
    """Yield every pure strategy of a hand from here on."""
    options = _options(strategy, number)
    if strategy.tree.game.situations[number].mover == seat:
        for choice, child in options:
            if isinstance(choice, Bid):
                for rest in _pure_strategies(strategy, seat, hand, (*bids, choice), child):
                    yield {(hand, bids): choice, **rest}
            else:
                yield {(hand, bids): choice}
        return
    after = [
        list(_pure_strategies(strategy, seat, hand, (*bids, choice), child))
        for choice, child in options
        if isinstance(choice, Bid)
    ]
    for parts in product(*after):
        yield {known: choice for part in parts for known, choice in part.items()}


def _value_of_hand(strategy: Strategy, seat: int, hand: Hand, pure_strategy: PureStrategy) -> float:
    """What a pure strategy wins with a hand, on average over the other seat's hands and play."""
    game = strategy.tree.game
    other = 1 - seat
    total = 0.0
    for other_hand, weight in zip(game.hands[other], game.hand_probs[other].tolist(), strict=True):
        hands = (hand, other_hand) if seat == 0 else (other_hand, hand)
        total += weight * _value_below(strategy, seat, hands, pure_strategy, (), 0)
    return total


def _value_below(
    strategy: Strategy, seat: int, hands: tuple[Hand, Hand], pure_strategy: PureStrategy, bids: Bids, number: int
) -> float:
    game = strategy.tree.game
    mover = game.situations[number].mover
    probs: ActionProbs = (
        {pure_strategy[hands[seat], bids]: 1.0} if mover == seat else strategy.action_probs(hands[mover], bids)
    )
    total = 0.0
    for choice, chance in probs.items():
        if isinstance(choice, Bid):
            child = dict(game.situations[number].raises)[choice]
            total += chance * _value_below(strategy, seat, hands, pure_strategy, (*bids, choice), child)
        else:
            total += chance * _call_value(strategy, seat, hands, number, exact=isinstance(choice, Exact))
    return total


def _call_value(strategy: Strategy, seat: int, hands: tuple[Hand, Hand], number: int, *, exact: bool) -> float:
    game = strategy.tree.game
    situation = game.situations[number]
    mover = situation.mover
    call = next(option for option in situation.calls if option.exact == exact)
    buckets = [situation.hand_buckets[player][game.hands[player].index(hands[player])] for player in (mover, 1 - mover)]
    value = float(strategy.tree.outcome_values[call.outcomes[buckets[0], buckets[1]]])
    return value if seat == 0 else -value
