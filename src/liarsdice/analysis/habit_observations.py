"""What the decisions of a review show of a player's habits."""

from collections.abc import Iterator, Mapping
from functools import cache

from liarsdice.analysis.habits import BANDS, MANY_DICE, HabitKind, Observation
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.analysis.review.report import review_decisions
from liarsdice.analysis.review.results import DecisionReview
from liarsdice.bots.neural.champion import Champion, champion_network, own_networks
from liarsdice.bots.neural.playouts import Situation, hand_moves
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge, ClaimExact, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.values.judgement import DEALS

BLUFF_P_TRUE = 0.5
"""A bid that is true with a lower probability, by the bidder's own dice alone, is a bluff."""


def observe_match(
    record: Record, seat: int, match: int, *, deals: int = DEALS
) -> Iterator[tuple[DecisionReview, list[Observation]]]:
    """Yield the review of each decision of a seat in a finished match, and what it shows of habits.

    `match`: the number of the match among all. Raises as `review_decisions`.
    """
    reviews = review_decisions(record, deals=deals)
    for decision, review in zip(decisions_of(record.events), reviews, strict=True):
        if decision.seat == seat:
            yield review, list(observe_decision(decision, review, match))


def observe_decision(decision: Decision, review: DecisionReview, match: int) -> Iterator[Observation]:
    """Yield what a decision and its review show: nothing if it was forced or not assessed.

    `match`: the number of the match among all.
    """
    shown, made, best = decision.view, decision.move, review.best
    if not review.moves and shown.on_turn:  # forced, or not assessed
        return
    if shown.special_seat is not None:
        yield Observation(match, HabitKind.SPECIAL, 0, 1.0, 1.0, review.cost)
    if not shown.on_turn:
        yield Observation(match, HabitKind.SILENCE, 0, float(made is not None), 0.0, review.cost)
        return
    (moves,) = hand_moves(_champion(), [Situation(shown, [shown.hand])])
    probs = moves.all_probs(shown.hand)
    did = isinstance(made, Exact | ClaimExact)
    about_exact = did or isinstance(best, Exact | ClaimExact)
    if shown.may_call_exact or shown.may_claim_exact:
        cost = review.cost if about_exact else 0.0
        usual = probs.get(Exact(), 0.0) + probs.get(ClaimExact(), 0.0)
        yield Observation(match, HabitKind.EXACT, 0, float(did), usual, cost)
    if shown.bid is None:
        if isinstance(made, Bid):
            yield _opening(shown, made, probs, match, review.cost)
        return
    p_right = next((move.p_right for move in review.moves if isinstance(move.move, Challenge)), None)
    about_challenge = isinstance(made, Challenge) or isinstance(best, Challenge)
    if shown.may_challenge and p_right is not None:
        band = sum(1 - p_right >= limit for limit in BANDS)
        cost = review.cost if about_challenge and not about_exact else 0.0
        usual = _challenge_prob(probs)
        yield Observation(match, HabitKind.CHALLENGE, band, float(isinstance(made, Challenge)), usual, cost)
    if isinstance(made, Bid) and shown.hand:
        odds = BidOdds(shown)
        cost = 0.0 if about_challenge or about_exact else review.cost
        usual = _usual_bluffs(odds, probs)
        is_bluff = float(odds.p_bid(made) < BLUFF_P_TRUE)
        yield Observation(match, HabitKind.BLUFF, min(len(shown.hand), MANY_DICE), is_bluff, usual, cost)


def _opening(
    shown: View, made: Bid, probs: Mapping[PlayerAction | None, float], match: int, cost: float
) -> Observation:
    dice = sum(shown.dice)
    bids = {move: prob for move, prob in probs.items() if isinstance(move, Bid)}
    total = sum(bids.values())
    usual = sum(bid.quantity * prob for bid, prob in bids.items()) / total if total else made.quantity
    return Observation(match, HabitKind.OPENING, 0, made.quantity / dice, usual / dice, cost)


def _challenge_prob(probs: Mapping[PlayerAction | None, float]) -> float:
    """Return how often the champion challenges, for twice the stake or not."""
    return sum(prob for move, prob in probs.items() if isinstance(move, Challenge))


def _usual_bluffs(odds: BidOdds, probs: Mapping[PlayerAction | None, float]) -> float:
    """Return the share of bluffs among the bids that the champion makes; 0 if it would not bid."""
    bids = {move: prob for move, prob in probs.items() if isinstance(move, Bid)}
    total = sum(bids.values())
    return sum(prob for bid, prob in bids.items() if odds.p_bid(bid) < BLUFF_P_TRUE) / total if total else 0.0


@cache
def _champion() -> Champion:
    return Champion(champion_network(), own_networks=own_networks())
