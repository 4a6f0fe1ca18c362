"""What a review finds: the values of moves, the cost of decisions, and the comparison with another move.

Programs that only read or pass on reviews need no more than this module, which loads no compiled code.
"""

from collections.abc import Sequence
from math import exp, hypot

import msgspec

from liarsdice.bots.neural.belief import CountBelief
from liarsdice.bots.neural.features import is_observable
from liarsdice.core.actions import Move, PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.narration import DecisionReason
from liarsdice.values.judgement import Source

ENGINE_SHARE, LEAST_DEALS = 1 / 4, 12
"""The share of the usual deals that the engine plays on, which is slower than the simulator, and the fewest deals."""
ACCURACY_RATE = 0.3
"""How fast accuracy falls: by 26% for each hundredth of a match given away in a decision."""


UNASSESSED = frozenset({Source.FORCED, Source.BELIEFS})
"""Sources of decisions without compared moves. They cost nothing, and don't count when costs are compared."""


class MoveValue(msgspec.Struct, frozen=True):
    """A move and the share of the match (0..1) that the player wins with it; None is silence out of turn.

    `error`: half of the 95% interval of how much less that is than with the best move. `p_right`: the probability that
    a bid is true or a call right, going by the bids; None for other moves.
    """

    move: PlayerAction | None
    value: float
    error: float
    p_right: float | None


class DecisionReview(msgspec.Struct, frozen=True):
    """What a decision cost; see `Assessment`.

    `bid`: the standing bid, None before the first. `bidder`: who made it. `hand`: the own dice. `move`: None for a
    standing bid that was not called out of turn. `counts`: how many dice of each other seat count for the standing bid,
    as believed, and `totals` the same of all dice on the table, the own ones known: the probability of each number from
    0 up. `reason`: why the best move is worth more than that at the place `compared` of `moves`, which is the one made
    if it cost something, or as much; None if it was not assessed. `other_bids` (quantity and face) and
    `other_moves` (pure bids among them): the legal moves that were not compared and can be played on.
    """

    number: int
    round_number: int
    seat: int
    hand: Hand
    bid: Bid | None
    bidder: int | None
    on_turn: bool
    move: PlayerAction | None
    source: Source
    cost: float
    error: float
    best: PlayerAction | None
    moves: tuple[MoveValue, ...]
    counts: tuple[CountBelief, ...] = ()
    totals: tuple[float, ...] = ()
    reason: DecisionReason | None = None
    compared: int | None = None
    other_bids: tuple[tuple[int, int], ...] = ()
    other_moves: tuple[Move, ...] = ()


class PlayerReview(msgspec.Struct, frozen=True):
    """What a player gave away in all.

    `decisions`: how many the player made in which moves were compared, so that decisions without a choice do not count;
    `costly` of them cost something. `cost`: the sum of their costs as a share of the match, with `error` as half of its
    95% interval. `accuracy`: 0 to 100, see `accuracy`.
    """

    seat: int
    name: str
    decisions: int
    costly: int
    cost: float
    error: float
    accuracy: float


def played_deals(rules: Ruleset, deals: int) -> int:
    """Return how many deals of a decision are played on under these rules where `deals` are usual."""
    return deals if is_judged_by_simulator(rules) else max(round(deals * ENGINE_SHARE), LEAST_DEALS)


def is_judged_by_simulator(rules: Ruleset) -> bool:
    """Return whether the simulator and the networks know the rules; else the engine plays rounds on."""
    return is_learned(rules) and is_observable(rules)


def accuracy(cost: float, decisions: int) -> float:
    """Return 100 exp(-0.3 c), where c is the mean cost of a decision in hundredths of a match; 100 without decisions.

    >>> accuracy(0.0, 10), round(accuracy(0.1, 10), 1)
    (100.0, 74.1)
    """
    return 100 * exp(-ACCURACY_RATE * 100 * cost / decisions) if decisions else 100.0


def player_reviews(names: Sequence[str], decisions: Sequence[DecisionReview]) -> tuple[PlayerReview, ...]:
    """Return what each player gave away in all, by seat, from the reviews of all decisions of a match."""
    return tuple(_player_review(seat, name, decisions) for seat, name in enumerate(names))


def _player_review(seat: int, name: str, decisions: Sequence[DecisionReview]) -> PlayerReview:
    own = [decision for decision in decisions if decision.seat == seat and decision.source not in UNASSESSED]
    costly = [decision for decision in own if decision.cost > 0]
    cost = sum(decision.cost for decision in costly)
    error = hypot(*(decision.error for decision in costly))
    return PlayerReview(seat, name, len(own), len(costly), cost, error, accuracy(cost, len(own)))


class Comparison(msgspec.Struct, frozen=True):
    """The shares of the match (0..1) that a player wins with two moves, and how much better the `other` one is.

    `error`: half of the 95% interval of the difference. `source`: what all of it rests on. `deals`: how many were
    played on; 0 where nothing was drawn. `reason`: why one is better, None if that is not certain.
    """

    source: Source
    deals: int
    made: float
    other: float
    difference: float
    error: float
    reason: DecisionReason | None = None
