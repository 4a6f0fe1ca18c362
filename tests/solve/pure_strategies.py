"""The best response found by trying every pure strategy, on rounds so small that this can be done."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy

Said = tuple[Bid, ...]
Choice = Bid | Challenge | Exact
Pure = dict[tuple[Hand, Said], Choice]


def value(strategy: Strategy, seat: int) -> float:
    """The most that any pure strategy of a seat wins against the other seat's play."""
    game = strategy.tree.game
    total = 0.0
    for hand, weight in zip(game.hands[seat], game.hand_probs[seat].tolist(), strict=True):
        total += weight * max(_wins(strategy, seat, hand, dict(pure)) for pure in _pure(strategy, seat, hand, (), 0))
    return total


def _options(strategy: Strategy, number: int) -> list[tuple[Choice, int]]:
    situation = strategy.tree.game.situations[number]
    calls: list[tuple[Choice, int]] = [(Exact() if call.exact else Challenge(), -1) for call in situation.calls]
    return [*calls, *situation.raises]


def _pure(strategy: Strategy, seat: int, hand: Hand, said: Said, number: int) -> Iterator[Pure]:
    """Every way to answer everything that can happen from here on, holding this hand."""
    options = _options(strategy, number)
    if strategy.tree.game.situations[number].mover == seat:
        for choice, then in options:
            if isinstance(choice, Bid):
                for rest in _pure(strategy, seat, hand, (*said, choice), then):
                    yield {(hand, said): choice, **rest}
            else:
                yield {(hand, said): choice}
        return
    after = [
        list(_pure(strategy, seat, hand, (*said, choice), then)) for choice, then in options if isinstance(choice, Bid)
    ]
    for parts in product(*after):
        yield {known: choice for part in parts for known, choice in part.items()}


def _wins(strategy: Strategy, seat: int, hand: Hand, pure: Pure) -> float:
    """What a pure strategy wins with a hand, on average over the other seat's hands and play."""
    game = strategy.tree.game
    other = 1 - seat
    total = 0.0
    for theirs, weight in zip(game.hands[other], game.hand_probs[other].tolist(), strict=True):
        hands = (hand, theirs) if seat == 0 else (theirs, hand)
        total += weight * _below(strategy, seat, hands, pure, (), 0)
    return total


def _below(strategy: Strategy, seat: int, hands: tuple[Hand, Hand], pure: Pure, said: Said, number: int) -> float:
    game = strategy.tree.game
    mover = game.situations[number].mover
    play: ActionProbs = {pure[hands[seat], said]: 1.0} if mover == seat else strategy.action_probs(hands[mover], said)
    total = 0.0
    for choice, chance in play.items():
        if isinstance(choice, Bid):
            then = dict(game.situations[number].raises)[choice]
            total += chance * _below(strategy, seat, hands, pure, (*said, choice), then)
        else:
            total += chance * _called(strategy, seat, hands, number, exact=isinstance(choice, Exact))
    return total


def _called(strategy: Strategy, seat: int, hands: tuple[Hand, Hand], number: int, *, exact: bool) -> float:
    game = strategy.tree.game
    situation = game.situations[number]
    mover = situation.mover
    call = next(option for option in situation.calls if option.exact == exact)
    classes = [situation.hand_buckets[one][game.hands[one].index(hands[one])] for one in (mover, 1 - mover)]
    worth = float(strategy.tree.outcome_values[call.outcomes[classes[0], classes[1]]])
    return worth if seat == 0 else -worth
