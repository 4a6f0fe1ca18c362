"""Why a decision was worth what it was: what its player could know of the bids in question."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from liarsdice.bots.neural.belief import Belief, CountBelief, expected_count, hand_shares
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import BidAndShow, Challenge, ClaimExact, Exact, PlayerAction
from liarsdice.core.bids.odds import Share, convolve, count_spec, weights_by_count
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.meaning import bids_are_about_own_dice, sheds
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, places_that_may_count
from liarsdice.core.text.narration import BidReading, BidReason, DecisionReason, ReasonRole, RivalLosses
from liarsdice.values.judgement import Judgement

MIN_SHIFT = 0.25
"""The bids of a seat tell something if they shift the number of its dice that count by this much on average."""
CERTAIN, SMALLEST = 1e-9, 1e-4
"""How far a certain probability may be from 0 or 1, and how near to them others are told."""
MIN_DOUBT = 1e-6
"""The least distance from 0 and 1 of a probability that the own dice do not decide."""
LIKE, RARE, EVEN = 0.01, 0.1, 0.5
"""Probabilities that differ by no more are alike, a bid that is doubted no more often is doubted rarely, and who doubts
a bid that is true more often mostly loses.
"""
USUAL = 0.5
"""A seat usually has a number of dice that count if that is at least so probable."""
ABSURD_BELOW = 0.1
"""A call is absurd if it is right with less than this probability, going by the bids."""


class BestReason(NamedTuple):
    """Why a best move is worth more than the one at the place `other` of a judgement, or as much: `tied`."""

    other: int
    tied: bool
    reason: DecisionReason


def reason_for_best(
    shown: View,
    best: int,
    others: Sequence[int],
    beliefs: dict[int, Belief],
    counts: tuple[CountBelief, ...],
    judgement: Judgement,
) -> BestReason:
    """Return why a best move is worth more than one of the `others`, or as much.

    That is the first of them that is certainly worth less and that a player may think of making, or else the first.
    `best`, `others`: places in the judgement, those of others by value, the highest first. `beliefs`, `counts`: as for
    `reason_for`.
    """
    leads = {place: judgement.behind(place, best) for place in others}
    behind = [place for place, (lead, margin) in leads.items() if lead > margin]

    def is_absurd(move: PlayerAction | None) -> bool:
        return isinstance(move, Challenge | Exact) and (p_right(shown, beliefs, move) or 0.0) < ABSURD_BELOW

    other = next((place for place in behind if not is_absurd(judgement.moves[place])), others[0])
    if other not in behind:  # nothing that follows from the moves tells them apart
        judgement = judgement._replace(p_loses={}, p_gains={})
    reason = reason_for(shown, judgement.moves[other], judgement.moves[best], beliefs, counts, judgement)
    return BestReason(other, other not in behind, reason)


def reason_for(
    shown: View,
    made: PlayerAction | None,
    best: PlayerAction | None,
    beliefs: dict[int, Belief],
    counts: tuple[CountBelief, ...],
    judgement: Judgement,
) -> DecisionReason:
    """Return why one move of a player is worth more than another one that was `made`, or as much.

    `beliefs`: about the other hands, by seat. `counts`: the same for the standing bid. `judgement`: of the moves.
    """
    p_loses, p_gains = judgement.p_loses, judgement.p_gains
    assert shown.seat is not None
    calls = [move for move in (made, best) if isinstance(move, Challenge | Exact | ClaimExact)]
    made_bid, best_bid = bid_of(made), bid_of(best)
    asked: list[tuple[ReasonRole, Bid]] = []
    if shown.bid is not None and (calls or made is None or not (made_bid or best_bid)):
        asked.append((ReasonRole.STANDING, shown.bid))
    if made_bid is not None:
        asked.append((ReasonRole.MADE, made_bid))
    if best_bid is not None and best_bid != made_bid:
        asked.append((ReasonRole.BEST, best_bid))
    played_on = best != made and {made, best} <= p_loses.keys() and not sheds(shown.ruleset)  # losses are no harm then
    share = rounded_prob if judgement.source.is_exact else _undrawn
    losses = list(zip(*(map(share, p_loses[move]) for move in (made, best)), strict=True)) if played_on else []
    doubts = {bid: share(prob) for bid, prob in judgement.p_challenged.items()}
    bids = tuple(_bid_reason(shown, role, bid, beliefs, counts, doubts) for role, bid in asked[:2])
    if len(bids) == 2 and not doubts_matter(*bids):
        bids = tuple(replace(bid, p_challenged=None) for bid in bids)
    return DecisionReason(
        seat=shown.seat,
        bids=bids,
        less_room=made_bid is not None and best_bid is not None and _ranks_above(shown.ruleset, best_bid, made_bid),
        challenge=any(isinstance(call, Challenge) for call in calls),
        exact=any(isinstance(call, Exact | ClaimExact) for call in calls),
        p_loses=losses[shown.seat] if losses else None,
        p_gains=(share(p_gains[made]), share(p_gains[best])) if losses else None,
        rival=_rival(shown.seat, losses),
    )


def doubts_matter(made: BidReason, best: BidReason) -> bool:
    """Return whether how often the bids are doubted speaks for the best one, or excuses that it is less often true."""
    if made.p_challenged is None or best.p_challenged is None:
        return True
    more = best.p_challenged - made.p_challenged
    if best.p_stands < made.p_stands - LIKE:
        return more <= LIKE or best.p_challenged <= RARE
    return (more < -LIKE and made.p_stands <= EVEN) or (more > LIKE and best.p_stands >= EVEN)


def _ranks_above(rules: Ruleset, high: Bid, low: Bid) -> bool:
    """Return whether one bid beats another one and is not beaten by it, as bids of different faces may be."""
    return beats(rules, low, high) and not beats(rules, high, low)


def bid_of(move: PlayerAction | None) -> Bid | None:
    """Return the bid of a move, also of one that shows dice with it; None for other moves."""
    if isinstance(move, BidAndShow):
        return move.bid
    return move if isinstance(move, Bid) else None


def _rival(seat: int, losses: Sequence[tuple[float, float]]) -> RivalLosses | None:
    """Return the other seat that the best move makes most likelier to lose dice; None if it does so for no seat.

    `losses`: by seat, how likely it loses dice after the move that was made and after the best one.
    """
    rises = [(round(best - made, 4), other) for other, (made, best) in enumerate(losses) if other != seat]
    rise, rival = max(rises, default=(0.0, seat))
    return RivalLosses(rival, losses[rival]) if rise > 0 else None


def total_probs(shown: View, beliefs: Mapping[int, Belief], bid: Bid) -> tuple[float, ...]:
    """Return the probability of each number of dice that count for a bid, from 0 up; of each sum for a bid on one.

    `beliefs`: about the hands that the player does not see whole, by seat.
    """
    own_only, bidder = bids_are_about_own_dice(shown.ruleset), shown.bidder if bid == shown.bid else shown.seat
    hands: list[tuple[tuple[Hand, ...], Sequence[float]]] = []
    for seat, held in enumerate(shown.dice):
        if held and (seat == bidder or not own_only):
            belief = beliefs.get(seat)
            if belief is None:
                hands.append(((shown.hand if seat == shown.seat else shown.seen[seat],), (1.0,)))
            else:
                hands.append((belief.hands, belief.probs))
    totals = _sum_probs(hands) if bid.is_sum else _count_probs(shown, hands, bid)
    whole = sum(totals)  # beliefs have the rounding errors of single precision
    return tuple(prob / whole for prob in totals)


def chances(shown: View, beliefs: Mapping[int, Belief], bid: Bid) -> tuple[float, float]:
    """Return the probability that a bid is true, and that it is exactly right, as `total_probs` tells it.

    A standing bid that is claimed to be exact is true if it is exactly right.

    They are 0 or 1 only if the dice that the player sees decide it, as no bid proves anything.
    """
    odds, totals = BidOdds(shown), total_probs(shown, beliefs, bid)
    by_dice = (odds.p_standing, odds.p_exact) if bid == shown.bid else (odds.p_bid(bid), 0.5)
    p_true, p_exact = sum(totals[bid.quantity :]), sum(totals[bid.quantity : bid.quantity + 1])
    right = _undecided(by_dice[1], p_exact)
    return right if shown.claimed and bid == shown.bid else _undecided(by_dice[0], p_true), right


def _undecided(p_by_dice: float, prob: float) -> float:
    return p_by_dice if p_by_dice in (0.0, 1.0) else min(max(prob, MIN_DOUBT), 1 - MIN_DOUBT)


def p_right(shown: View, beliefs: Mapping[int, Belief], move: PlayerAction | None) -> float | None:
    """Return the probability that a bid is true or a call right, as `chances`; None for other moves."""
    match move:
        case Bid():
            return chances(shown, beliefs, move)[0]
        case Challenge() if shown.bid is not None:
            return 1 - chances(shown, beliefs, shown.bid)[0]
        case Exact() | ClaimExact() if shown.bid is not None:
            return chances(shown, beliefs, shown.bid)[1]
        case _:
            return None


def _count_probs(shown: View, hands: Sequence[tuple[tuple[Hand, ...], Sequence[float]]], bid: Bid) -> Sequence[float]:
    spec = count_spec(shown.ruleset, bid.face, wilds_count=_wilds(shown, bid))
    total: dict[Share, float] = {}
    for held, probs in hands:
        shares, places = hand_shares(spec, held)
        weights = dict(zip(shares, np.bincount(places, probs, len(shares)).tolist(), strict=True))
        total = convolve(total, weights) if total else weights
    return weights_by_count(spec, total)


def _sum_probs(hands: Sequence[tuple[tuple[Hand, ...], Sequence[float]]]) -> Sequence[float]:
    total = np.ones(1)
    for held, probs in hands:
        total = np.convolve(total, np.bincount([sum(hand) for hand in held], probs))
    sums: list[float] = total.tolist()
    return sums


def rounded_prob(prob: float) -> float:
    """Return a probability with four digits: 0 and 1 only if it is certain, apart from the error of sums.

    >>> rounded_prob(0.99999), rounded_prob(1 - 1e-12), rounded_prob(0.25)
    (0.9999, 1.0, 0.25)
    """
    if not CERTAIN < prob < 1 - CERTAIN:
        return float(prob > CERTAIN)
    return min(max(round(prob, 4), SMALLEST), 1 - SMALLEST)


def _undrawn(prob: float) -> float:
    """Return a share of deals as a probability: what none of them had, or all, is not certain."""
    return min(max(prob, SMALLEST), 1 - SMALLEST)


def _wilds(shown: View, bid: Bid) -> bool:
    """Return whether the special face is wild if a bid stands and is challenged."""
    return shown.wilds_in_challenge if bid == shown.bid else shown.wilds_if_bid(bid)


def _bid_reason(
    shown: View,
    role: ReasonRole,
    bid: Bid,
    beliefs: dict[int, Belief],
    counts: tuple[CountBelief, ...],
    p_challenged: Mapping[Bid, float],
) -> BidReason:
    p_stands, p_exact = chances(shown, beliefs, bid)
    held = places_that_may_count(shown.ruleset, shown.hand, bid.face, wilds_count=_wilds(shown, bid))
    return BidReason(
        role=role,
        bid=bid,
        held=len(held),
        p_stands=rounded_prob(p_stands),
        p_exact=rounded_prob(p_exact),
        reading=_reading(shown, bid, counts),
        p_challenged=None if role is ReasonRole.STANDING else p_challenged.get(bid),
    )


def _reading(shown: View, bid: Bid, counts: tuple[CountBelief, ...]) -> BidReading | None:
    """Return the seat whose bids tell most of a bid on the face of the standing one; None if all tell little."""
    if shown.bid is None or bid.face != shown.bid.face or _wilds(shown, bid) != shown.wilds_in_challenge:
        return None
    readings: list[tuple[float, BidReading]] = []
    for count in counts:
        faces = [earlier.face for seat, earlier in shown.bids if seat == count.seat]
        shift = abs(expected_count(count.posterior) - expected_count(count.prior))
        usual = max(range(len(count.posterior)), key=lambda number: count.posterior[number])
        if faces and shift >= MIN_SHIFT and count.posterior[usual] >= USUAL:
            opened = shown.bids[0] == (count.seat, shown.bids[0][1]) and faces[0] == bid.face
            face = bid.face if bid.face in faces else faces[-1]
            readings.append((shift, BidReading(count.seat, face, opened, usual)))
    return max(readings, key=lambda item: item[0])[1] if readings else None
