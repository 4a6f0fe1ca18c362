"""Why the champion plays as it does: the odds of the standing bid, beliefs about the others, the value of each move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import msgspec
import numpy as np

from liarsdice.bots.neural.belief import (
    Belief,
    BidSignal,
    CountBelief,
    beliefs,
    believed_counts,
    bid_signals,
    count_beliefs,
    expected_count,
    fair_counts,
)
from liarsdice.bots.neural.champion import champion_network, decode_action
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.features import encode, observe
from liarsdice.bots.neural.network import Network, load_packaged_network
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import AnswerDouble, Challenge, Exact, PlayerAction
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import LossMode
from liarsdice.core.rules.rule_costs import require_simulated
from liarsdice.core.rules.tally import wilds_after_bid
from liarsdice.core.text.narration import bid_name, face_name
from liarsdice.values.blueprint_values import exact_values
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.round_ends import learned_values

MIN_DOUBT = 1e-9
"""The least distance from 0 and 1 of a probability that bids do not decide: no bid proves anything."""


class StandingBidOdds(msgspec.Struct, frozen=True):
    """The probabilities (0..1) that the standing bid is true and that it is exactly right.

    The first two follow from the own dice alone, the `..._given_bids` also from what was bid.
    """

    p_true: float
    p_exact: float
    p_true_given_bids: float
    p_exact_given_bids: float


class ExpectedCount(msgspec.Struct, frozen=True):
    """How many dice of a seat are expected to count for the standing bid, before (`prior`) and after its bids."""

    seat: int
    prior: float
    posterior: float


class MoveEstimate(msgspec.Struct, frozen=True):
    """A move that the champion considers: the probability that it makes it, and its value.

    `move`: None is silence out of turn. `value`: the share of the match (0..1) that the champion expects to win with
    it. `p_right`, `p_right_given_bids`: the probability that a bid is true or a call right, from the own dice alone and
    also from what was bid; None for other moves. Of each face it considers four consecutive quantities, and all where
    the rest of the match is solved or the round is played and valued by a blueprint.
    """

    move: PlayerAction | None
    prob: float
    value: float
    p_right: float | None
    p_right_given_bids: float | None


class Explanation(msgspec.Struct, frozen=True):
    """What the champion makes of a view.

    `standing_bid`: None without a bid. `expected_counts`: one for each other seat that has bid in this round. `moves`:
    the most valuable first; empty for a seat that may do nothing. `beliefs`: about the hands of the other seats, by
    seat. `count_beliefs`: the same about the dice that count for the standing bid; empty without one. `signals`: what
    each bid of `moves` would tell the others.
    """

    standing_bid: StandingBidOdds | None
    expected_counts: tuple[ExpectedCount, ...]
    moves: tuple[MoveEstimate, ...]
    beliefs: dict[int, Belief]
    count_beliefs: tuple[CountBelief, ...] = ()
    signals: tuple[BidSignal, ...] = ()


def value_network() -> Network:
    """Return the network that estimates the value of each action, read once per process."""
    return load_packaged_network("action-values")


def explain(shown: View, *, signals: bool = True) -> Explanation:
    """Return what the champion makes of a view during the bidding.

    `signals`: whether to compute what bids would tell the others. Raises
    `MalformedError` for a spectator, a seat without dice and outside the bidding, and `UnavailableError` if the dice
    have too many faces for the network or if the rules are not simulated.
    """
    require_simulated(shown.ruleset, "moves are estimated")
    if shown.seat is None or not shown.hand or shown.phase is not Phase.BIDDING:
        raise MalformedError("explain needs the view of a player with dice during the bidding")
    network = champion_network(shown.ruleset)
    blueprints = packaged_blueprints()
    seat_beliefs = beliefs(msgspec.structs.replace(shown, seat=None), network, blueprints)  # what anybody may believe
    own_belief = seat_beliefs.pop(shown.seat)
    standing = _standing_bid_odds(shown, seat_beliefs)
    counts = count_beliefs(shown, seat_beliefs)
    moves = _move_estimates(shown, seat_beliefs, standing) if shown.moves else ()
    bids = [estimate.move for estimate in moves if isinstance(estimate.move, Bid)]
    return Explanation(
        standing_bid=standing,
        expected_counts=_expected_counts(shown, counts),
        moves=moves,
        beliefs=seat_beliefs,
        count_beliefs=counts,
        signals=bid_signals(shown, own_belief, bids, network, blueprints) if signals else (),
    )


def explain_by_odds(shown: View) -> Explanation:
    """Return what the odds alone tell of a view: for dice with too many faces for the champion.

    The others' dice are fair, whatever was bid, and no move is estimated. Raises `MalformedError` for a seat without
    dice.
    """
    if not shown.hand:
        raise MalformedError("explain_by_odds needs the view of a player with dice")
    odds = BidOdds(shown)
    if shown.bid is None:
        return Explanation(None, (), (), {})
    standing = StandingBidOdds(odds.p_standing, odds.p_exact, odds.p_standing, odds.p_exact)
    return Explanation(standing, (), (), {}, fair_counts(shown))


def _standing_bid_odds(shown: View, seat_beliefs: dict[int, Belief]) -> StandingBidOdds | None:
    bid = shown.bid
    if bid is None:
        return None
    odds = BidOdds(shown)
    p_counts = believed_counts(shown, seat_beliefs, bid.face, wilds_count=shown.wilds_count)
    p_true = _p_given_bids(odds.p_standing, sum(p_counts[bid.quantity :]))
    p_exact = _p_given_bids(odds.p_exact, sum(p_counts[bid.quantity : bid.quantity + 1]))
    return StandingBidOdds(odds.p_standing, odds.p_exact, p_true, p_exact)


def _p_given_bids(p_by_dice: float, p_given_bids: float) -> float:
    """Return a probability given the bids: 0 or 1 exactly if it is so by the dice, despite rounding and sampling."""
    return p_by_dice if p_by_dice in (0.0, 1.0) else min(max(p_given_bids, MIN_DOUBT), 1 - MIN_DOUBT)


def _expected_counts(shown: View, counts: tuple[CountBelief, ...]) -> tuple[ExpectedCount, ...]:
    """Return how many dice of each seat that has bid are expected to count for the standing bid."""
    by_seat = {belief.seat: belief for belief in counts}
    bidders = dict.fromkeys(bidder for bidder, _ in shown.bids if bidder in by_seat)
    return tuple(
        ExpectedCount(seat, expected_count(by_seat[seat].prior), expected_count(by_seat[seat].posterior))
        for seat in bidders
    )


def _move_estimates(
    shown: View,
    seat_beliefs: dict[int, Belief],
    standing: StandingBidOdds | None,
) -> tuple[MoveEstimate, ...]:
    probs = make_champion().action_probs(shown)
    counts = _count_distributions(shown, seat_beliefs)
    estimates = []
    for move, value in (_exact_values(shown, seat_beliefs) or network_values(shown)).items():
        p_right, p_right_given_bids = _p_right(shown, counts, standing, move)
        bounded = bound_by_stakes(shown, move, value, p_right_given_bids)
        estimates.append(MoveEstimate(move, probs.get(move, 0.0), bounded, p_right, p_right_given_bids))
    return tuple(sorted(estimates, key=lambda estimate: -estimate.value))


def _exact_values(
    shown: View, seat_beliefs: dict[int, Belief]
) -> Mapping[Bid | Challenge | Exact | AnswerDouble, float] | None:
    """Return the value of each move against the believed hands in a solved round or one with a blueprint, else None."""
    exact = exact_values(shown, [belief.by_hand() for belief in seat_beliefs.values()])
    return None if exact is None else exact.values(learned_values(shown.ruleset, len(shown.dice)))


def network_values(shown: View) -> dict[PlayerAction | None, float]:
    """Return the value network's estimate of each action that the champion considers.

    Raises `UnavailableError` if the dice have too many faces for the network.
    """
    inputs = encode(observe(shown))
    values = value_network().outputs(inputs.features)[0].clip(0, 1)
    legal_actions = np.flatnonzero(inputs.action_mask[0]).tolist()
    return {decode_action(shown, inputs, action): float(values[action]) for action in legal_actions}


def p_right_given_bids(shown: View, seat_beliefs: dict[int, Belief], move: PlayerAction | None) -> float:
    """Return the probability that a bid is true or a call right, from the own dice and the bids; 0 for other moves."""
    standing = None if isinstance(move, Bid) else _standing_bid_odds(shown, seat_beliefs)
    return _p_right(shown, _count_distributions(shown, seat_beliefs), standing, move)[1] or 0.0


def _count_distributions(shown: View, seat_beliefs: dict[int, Belief]) -> Callable[[int, bool], tuple[float, ...]]:
    """Return a function that gives the probability of each count, as `_p_right` takes it, and remembers its results."""

    @cache
    def counts(face: int, wilds: bool) -> tuple[float, ...]:  # noqa: FBT001  it is passed by position
        return believed_counts(shown, seat_beliefs, face, wilds_count=wilds)

    return counts


def bound_by_stakes(shown: View, move: PlayerAction | None, value: float, p_right: float | None) -> float:
    """Return a move's value, bounded where a call decides the match for the caller or the bidder.

    A caller who stakes all that it has left wins at most with the probability that it is right. With two players, a
    challenge that stakes all that the bidder has left wins at least with that probability. `p_right`: the probability
    that the call is right; None for moves that are no calls.
    """
    if p_right is None or isinstance(move, Bid) or shown.seat is None or shown.bidder is None:
        return value
    loss, exact = shown.ruleset.loss, shown.ruleset.exact_call
    stake = loss.fixed if loss.mode is LossMode.FIXED else min(loss.exact, 1)
    stake *= 1 if shown.on_turn else loss.out_of_turn_factor
    if isinstance(move, Exact):
        stake = 0 if exact is None else exact.failure_loss
    elif len(shown.others) == 1 and shown.stakes[shown.bidder] <= stake:
        value = max(value, p_right)
    return min(value, p_right) if shown.stakes[shown.seat] <= stake else value


def _p_right(
    shown: View,
    counts: Callable[[int, bool], tuple[float, ...]],
    standing: StandingBidOdds | None,
    move: PlayerAction | None,
) -> tuple[float | None, float | None]:
    """Return the probability that a bid is true or a call right: from the own dice alone, and also from the bids.

    `counts`: the probability of each count of a face, by the count from 0 up, from the face and whether wilds count.
    """
    if isinstance(move, Bid):
        wilds = wilds_after_bid(shown.ruleset, move.face, wilds_count=shown.wilds_count, opening=shown.bid is None)
        p_counts = counts(move.face, wilds)
        p_by_dice = BidOdds(shown).p_bid(move)
        return p_by_dice, _p_given_bids(p_by_dice, sum(p_counts[move.quantity :]))
    if isinstance(move, Challenge) and standing:
        return 1 - standing.p_true, 1 - standing.p_true_given_bids
    if isinstance(move, Exact) and standing:
        return standing.p_exact, standing.p_exact_given_bids
    return None, None


BETTER_BY = 0.02
"""A move whose value exceeds that of the champion's own moves by this share of the match is named."""
MAX_OWN_MOVES = 3
"""The most moves of the champion that are named."""
MIN_PROB = 0.05
"""The least probability of a move of the champion that is named."""
MIN_COUNT_SHIFT = 0.15
"""A seat is named if its bids shift the expected count of the standing face by at least this many dice."""


def explanation_sentences(shown: View, explanation: Explanation) -> tuple[str, ...]:
    """Return the sentences for the player whose view was explained."""
    sentences = []
    if shown.bid is not None and explanation.standing_bid is not None:
        sentences.append(_standing_sentence(shown, shown.bid, explanation.standing_bid))
        sentences += [
            _count_sentence(shown, count, shown.bid)
            for count in explanation.expected_counts
            if abs(count.posterior - count.prior) >= MIN_COUNT_SHIFT
        ]
    probable = [estimate for estimate in explanation.moves if estimate.prob >= MIN_PROB]
    own_moves = sorted(probable, key=lambda estimate: -estimate.prob)[:MAX_OWN_MOVES]
    if own_moves:
        choices = " or ".join(f"{_as_verb(shown, own.move)} ({own.prob:.0%})" for own in own_moves)
        sentences.append(f"The champion would {choices}.")
        sentences.append(_value_sentence(shown, own_moves, explanation.moves))
    return tuple(sentences)


def _standing_sentence(shown: View, bid: Bid, odds: StandingBidOdds) -> str:
    return (
        f"A bid of {bid_name(shown.ruleset, bid)} is true {odds.p_true:.0%} of the time, judging by your own dice. With"
        f" the bids taken into account, it is true {odds.p_true_given_bids:.0%} and exactly right"
        f" {odds.p_exact_given_bids:.0%} of the time."
    )


def _count_sentence(shown: View, count: ExpectedCount, bid: Bid) -> str:
    more = "more" if count.posterior > count.prior else "fewer"
    return (
        f"{shown.names[count.seat]} bids like someone with {more} {face_name(shown.ruleset, bid.face)} than"
        f" average: about {count.posterior:.1f}, not {count.prior:.1f}."
    )


def _value_sentence(shown: View, own_moves: list[MoveEstimate], moves: tuple[MoveEstimate, ...]) -> str:
    """Name the values of the champion's own moves, of a challenge, and of a move that is clearly better."""
    best, own_value = moves[0], max(own.value for own in own_moves)
    named = [estimate for estimate in moves if estimate in own_moves or isinstance(estimate.move, Challenge)]
    if best.value - own_value >= BETTER_BY and best not in named:
        named.insert(0, best)
    values = ", ".join(f"{_as_noun(shown, estimate.move)} {estimate.value:.0%}" for estimate in named)
    return f"Estimated chance to win the match: {values}."


def _as_noun(shown: View, move: PlayerAction | None) -> str:
    if isinstance(move, Bid):
        return bid_name(shown.ruleset, move)
    if isinstance(move, Challenge):
        return "the challenge"
    if move is None:
        return "letting the bid stand"
    return "the exact call" if isinstance(move, Exact) else "changing the direction"


def _as_verb(shown: View, move: PlayerAction | None) -> str:
    if isinstance(move, Bid):
        return f"bid {bid_name(shown.ruleset, move)}"
    if isinstance(move, Challenge):
        return "challenge"
    if move is None:
        return "let the bid stand"
    return "call exact" if isinstance(move, Exact) else "change the direction"
