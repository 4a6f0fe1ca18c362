"""The values of moves in rounds of two players that are solved: the last dice, and the files of `solve match`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from liarsdice.analysis.puzzles.valued_moves import PlayedMove
from liarsdice.bots.neural.belief import Belief
from liarsdice.core.bids.hands import enumerate_hands
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_start import round_start_of
from liarsdice.solve.strategy.action_values import action_values
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, same_round_rules
from liarsdice.solve.strategy.strategy_file import StrategySet
from liarsdice.values.endgames import endgame_strategy

MIN_BID_PROB = 0.01
"""Bids that the strategy makes less often than this are none of its own: it says little about what follows them."""


class SolvedPosition(msgspec.Struct, frozen=True):
    """A decision in a solved round: what to believe of the opponent's hand, and the solved probability of each move."""

    strategy: Strategy
    hand: Hand
    bids: tuple[Bid, ...]
    opponent: int
    belief: Belief
    policy: ActionProbs

    def values(self, moves: Sequence[PlayedMove]) -> list[float]:
        """Return the share of the match that each move wins, if both follow the strategy from there on."""
        probs = {hand: prob for hand, prob in zip(self.belief.hands, self.belief.probs, strict=True) if prob > 0}
        values = action_values(self.strategy, self.hand, self.bids, probs, moves)
        return [min(max((1 + values[move]) / 2, 0.0), 1.0) for move in moves]


def solved_position(shown: View, files: Sequence[StrategySet]) -> SolvedPosition | None:
    """Return the position of the player on turn in a round that the package or one of these files has solved.

    None if there is no strategy for it, or a bid was made that the strategy hardly ever makes.
    """
    if len(shown.others) != 1:
        return None
    strategy = _strategy(shown, files)
    if strategy is None:
        return None
    bids = tuple(bid for _, bid in shown.bids)
    hand = tuple(sorted(shown.hand))
    own = {hand: 1.0}
    hands, rolls = enumerate_hands(shown.ruleset.dice.faces, shown.others[0])
    theirs = dict(zip(hands, map(float, rolls), strict=True))
    for made, (bidder, bid) in enumerate(shown.bids):
        probs = own if bidder == shown.seat else theirs
        for held in probs:
            probs[held] *= _bid_prob(strategy, held, bids[:made], bid)
        if max(probs.values()) <= 0:
            return None
    total = sum(theirs.values())
    try:
        policy = strategy.action_probs(hand, bids)
    except UnavailableError:
        return None
    belief = Belief(hands, tuple(count / total for count in theirs.values()))
    opponent = next(seat for seat, held in enumerate(shown.dice) if held and seat != shown.seat)
    return SolvedPosition(strategy, hand, bids, opponent, belief, policy)


def _strategy(shown: View, files: Sequence[StrategySet]) -> Strategy | None:
    start = round_start_of(shown)
    for file in files:
        if file.match and same_round_rules(shown.ruleset, file.rules):
            with suppress(UnavailableError):  # the file has other rounds
                return file.strategy(start)
    return endgame_strategy(shown)


def _bid_prob(strategy: Strategy, hand: Hand, bids: Sequence[Bid], bid: Bid) -> float:
    """Return the probability of a bid after others; 0 if it is no bid of the strategy."""
    try:
        prob = strategy.action_probs(hand, bids).get(bid, 0.0)
    except UnavailableError:  # the hand would have called
        return 0.0
    return prob if prob >= MIN_BID_PROB else 0.0
