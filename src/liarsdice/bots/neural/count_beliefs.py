"""Beliefs about how many dice of a hand count for a bid: what the others may hold, and what an own bid would tell them.

Both are about numbers of dice, the form in which players think of hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from liarsdice.bots.neural.belief import Belief, bid_likelihoods, hand_prior, hand_shares
from liarsdice.bots.neural.network import Network
from liarsdice.core.bids.odds import count_distribution, count_spec, hand_share
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import tally, wilds_after_bid
from liarsdice.values.blueprints import PackagedBlueprints


class CountBelief(msgspec.Struct, frozen=True):
    """How many dice of a seat count for the standing bid: the probability of each count from 0 up.

    `prior`: before any bid. `posterior`: after the bids of the seat.
    """

    seat: int
    prior: tuple[float, ...]
    posterior: tuple[float, ...]


class BidSignal(msgspec.Struct, frozen=True):
    """What a bid would tell the others: how many dice of the bidder count for it, as they would believe.

    `before`, `after`: the probability of each count from 0 up, from the bidder's earlier bids alone and with this one.
    """

    bid: Bid
    before: tuple[float, ...]
    after: tuple[float, ...]


def count_beliefs(shown: View, seat_beliefs: dict[int, Belief]) -> tuple[CountBelief, ...]:
    """Return how many dice of each other seat count for the standing bid; nothing without a bid."""
    if shown.bid is None:
        return ()
    rules = shown.ruleset
    spec = count_spec(rules, shown.bid.face, wilds_count=shown.wilds_count)
    own_natural, _, _ = hand_share(spec, shown.hand)
    found = []
    for seat, belief in seat_beliefs.items():
        shares, places = hand_shares(spec, belief.hands)
        counts = np.array([with_wilds if natural or own_natural else bare for natural, with_wilds, bare in shares])
        _, prior = hand_prior(rules, shown.dice[seat])
        found.append(CountBelief(seat, _by_count(counts[places], prior), _by_count(counts[places], belief.probs)))
    return tuple(found)


def fair_counts(shown: View) -> tuple[CountBelief, ...]:
    """Return what each other seat may have of the standing bid if bids tell nothing; nothing without a bid."""
    if shown.bid is None:
        return ()
    spec = count_spec(shown.ruleset, shown.bid.face, wilds_count=shown.wilds_count)
    found = []
    for seat, held in enumerate(shown.dice):
        if held and seat != shown.seat:
            rolls = count_distribution(spec, (), (held,))
            probs = tuple(number / sum(rolls) for number in rolls)
            found.append(CountBelief(seat, probs, probs))
    return tuple(found)


def bid_signals(
    shown: View, own_belief: Belief, bids: Sequence[Bid], network: Network, blueprints: PackagedBlueprints | None = None
) -> tuple[BidSignal, ...]:
    """Return what each of some legal bids of the viewing seat would tell the others.

    The seat would bid as the network does, or as the blueprint of the round if `blueprints` has one. `own_belief`: what
    the others believe of the seat's hand now. The signals follow from public information alone: they are the same
    whatever the seat holds. Raises `UnavailableError` if the dice have too many faces for the network.
    """
    if not bids:
        return ()
    likelihoods = bid_likelihoods(shown, own_belief.hands, tuple(bids), network, blueprints)
    signals = []
    for bid, likelihood in zip(bids, likelihoods.tolist(), strict=True):
        wilds = wilds_after_bid(shown.ruleset, bid.face, wilds_count=shown.wilds_count, opening=shown.bid is None)
        counts = [tally(shown.ruleset, (hand,), bid.face, wilds_count=wilds).counted[0] for hand in own_belief.hands]
        weights = [p * p_bid for p, p_bid in zip(own_belief.probs, likelihood, strict=True)]
        total = sum(weights)
        after = _by_count(counts, [weight / total for weight in weights])
        signals.append(BidSignal(bid, _by_count(counts, own_belief.probs), after))
    return tuple(signals)


def expected_count(probs: Iterable[float]) -> float:
    """Return the expected count of a distribution by count from 0 up.

    >>> expected_count((0.25, 0.5, 0.25))
    1.0
    """
    return sum(count * prob for count, prob in enumerate(probs))


def _by_count(counts: ArrayLike, probs: ArrayLike) -> tuple[float, ...]:
    """Return the sum of the probabilities of each count, from 0 to the largest one."""
    return tuple(np.bincount(counts, probs).tolist())
