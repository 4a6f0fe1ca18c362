"""Beliefs about the other hands, from their owners' bids: Bayes' rule with a network's play as the likelihood.

Hands are rolled independently, and each bid depends only on the bidder's hand and on public information. So the
posterior of each hand follows from its owner's own bids of the round. Where the network does not know the rules, the
bids on each face change the odds of its count instead (`count_beliefs`).
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from math import comb

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.bots.neural.champion import possible_actions
from liarsdice.bots.neural.features import BID_ACTIONS, BoolArray, FloatArray, NetworkInput, encode, observe, with_hands
from liarsdice.bots.neural.network import Network
from liarsdice.core.bids.odds import (
    CountSpec,
    Share,
    count_distribution,
    count_spec,
    hand_share,
    hands_by_rules,
    weights_by_count,
)
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.state import Phase, PublicState, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import bids_are_about_own_dice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, listed_hand, must_roll_again, tally, wilds_after_bid, wilds_at_start
from liarsdice.values.blueprints import PackagedBlueprints, blueprint_of_view, blueprint_probs
from liarsdice.values.endgames import endgame_policies
from liarsdice.values.features import slot_faces

OFF_POLICY_SHARE = 0.1
"""The share of everybody's bids that is modelled as uniform over legal actions, so that no bid proves anything."""
ENDGAME_OFF_POLICY_SHARE = 0.001
"""The same where the last dice are played as solved. A larger share would make moves look better than they are."""
MAX_HANDS = 500
"""The largest number of hands that are enumerated; of more hands, this many are sampled."""


class Belief(msgspec.Struct, frozen=True):
    """The probability distribution of a seat's hand: hands with sorted faces, and the probability of each."""

    hands: tuple[Hand, ...]
    probs: tuple[float, ...]

    def by_hand(self) -> dict[Hand, float]:
        """Return the probability of each hand."""
        return dict(zip(self.hands, self.probs, strict=True))


def beliefs(shown: View, network: Network, blueprints: PackagedBlueprints | None = None) -> dict[int, Belief]:
    """Return the belief about each other seat with dice, by seat, from its bids of this round.

    The likelihood of a bid is `1 - OFF_POLICY_SHARE` times the probability that the network (for the last dice the
    solved strategy, in rounds with one the blueprint) makes it, plus `OFF_POLICY_SHARE` spread evenly over the legal
    actions. Raises `UnavailableError` if the dice have too many faces for the network.
    """
    other_seats = {seat: count for seat, count in enumerate(shown.dice) if count and seat != shown.seat}
    priors = {seat: hand_prior(shown.ruleset, count) for seat, count in other_seats.items()}
    log_probs = {seat: np.log(probs) for seat, (_, probs) in priors.items()}
    for bidder, bid, bidder_view in views_before_bids(shown):
        if bidder in other_seats:
            log_probs[bidder] = log_probs[bidder] + _log_likelihood(bidder_view, bid, network, blueprints)
    posteriors = {}
    for seat, (hands, _) in priors.items():
        powers = np.exp(log_probs[seat] - log_probs[seat].max())
        posteriors[seat] = Belief(hands, tuple((powers / powers.sum()).tolist()))
    return posteriors


@lru_cache(1024)
def hand_shares(spec: CountSpec, hands: tuple[Hand, ...]) -> tuple[tuple[Share, ...], NDArray[np.int64]]:
    """Return what hands add to a count: all different shares, and the place among them of each hand's, int64 [hand].

    The array is shared and read-only.
    """
    shares: dict[Share, int] = {}
    places = np.array([shares.setdefault(hand_share(spec, hand), len(shares)) for hand in hands])
    places.flags.writeable = False
    return tuple(shares), places


@lru_cache(1024)
def hand_prior(rules: Ruleset, dice: int, faces: int | None = None) -> tuple[tuple[Hand, ...], FloatArray]:
    """Return the hands of this many dice and the probability of each before any bid, float32 [hand].

    `faces`: of the dice, None for those of the rules.
    Of more than `MAX_HANDS` hands it returns a random sample of that size with equal probabilities, always the same.
    Hands that are rolled again are left out.
    """
    hands, probs = _hands_rolled(rules, faces or rules.dice.faces, dice)
    is_kept = [not must_roll_again(rules, hand) for hand in hands]
    if all(is_kept):
        return hands, probs
    kept: FloatArray = probs[is_kept]
    return tuple(compress(hands, is_kept)), kept / kept.sum()


@lru_cache(1024)
def _hands_rolled(rules: Ruleset, faces: int, dice: int) -> tuple[tuple[Hand, ...], FloatArray]:
    if comb(faces + dice - 1, dice) > MAX_HANDS:
        generator = random.Random(f"{faces} {dice}")
        sample = tuple(
            listed_hand(rules, tuple(generator.choices(range(1, faces + 1), k=dice))) for _ in range(MAX_HANDS)
        )
        return sample, np.full(MAX_HANDS, 1 / MAX_HANDS, np.float32)
    hands, roll_counts = hands_by_rules(rules, faces, dice)
    return hands, np.array(roll_counts, np.float32) / faces**dice


def views_before_bids(shown: View) -> Iterator[tuple[int, Bid, View]]:
    """Yield each bid of the round: the bidder, the bid, and the bidder's view before it, with a dummy hand."""
    states = states_of_round(shown, tuple((1,) * count for count in shown.dice))
    for (seat, bid), state in zip(shown.bids, states, strict=False):
        yield seat, bid, view(state, seat)


def state_with_hands(shown: PublicState, hands: tuple[Hand, ...]) -> State:
    """Return the state that everybody sees so, with these hands by seat."""
    public = {name: getattr(shown, name) for name in PublicState.__struct_fields__}
    return State(**public, bid_space=bid_space(shown.ruleset), hands=hands)


def states_of_round(shown: View, hands: tuple[Hand, ...]) -> Iterator[State]:
    """Yield the state of the round before each of its bids, and the one after all of them, with these hands.

    Dice lost to a penalty during the round count as if they had been gone from its start.
    """
    wilds_count = wilds_at_start(shown.ruleset, special_round=shown.special_round)
    state = msgspec.structs.replace(
        state_with_hands(shown, hands), phase=Phase.BIDDING, bids=(), wilds_count=wilds_count
    )
    for seat, bid in shown.bids:
        state = msgspec.structs.replace(state, turn=seat)
        yield state
        state = evolve(state, BidMade(seat, bid))
    yield state


@lru_cache(256)
def _log_likelihood(bidder_view: View, bid: Bid, network: Network, blueprints: PackagedBlueprints | None) -> FloatArray:
    """Return the logarithm of the probability that a bidder makes a bid with each hand, float32 [hand].

    All decisions of a round share the bids before them. `bidder_view`: with a dummy hand of the bidder's dice. The
    array is shared and read-only.
    """
    hands, _ = hand_prior(bidder_view.ruleset, len(bidder_view.hand))
    (likelihood,) = bid_likelihoods(bidder_view, hands, (bid,), network, blueprints)
    logs: FloatArray = np.log(likelihood)
    logs.flags.writeable = False
    return logs


def bid_likelihoods(
    bidder_view: View,
    hands: tuple[Hand, ...],
    bids: tuple[Bid, ...],
    network: Network,
    blueprints: PackagedBlueprints | None = None,
) -> FloatArray:
    """Return the probability that the bidder of a view makes each bid with each hand, float32 [bid, hand].

    That is the share of the network (for the last dice of the solved strategy, in rounds with one of the blueprint) and
    that of uniform play together. Raises `UnavailableError` if the dice have too many faces for the network.
    """
    blueprint = None if blueprints is None else blueprint_of_view(blueprints, bidder_view)
    if blueprint is not None:
        planned = blueprint_probs(blueprint, [bidder_view], hands, bids)[0].astype(np.float32)
        mixed: FloatArray = (1 - OFF_POLICY_SHARE) * planned + OFF_POLICY_SHARE / len(bidder_view.moves)
        return mixed
    observation = with_hands(observe(bidder_view), bidder_view.ruleset, hands)
    inputs = encode(observation)
    actions = network.action_probs(inputs.features, possible_actions(inputs, bidder_view.ruleset))
    probs = actions[:, :BID_ACTIONS].reshape(inputs.quantities.shape)
    slots = {face: slot for slot, face in enumerate(slot_faces(bidder_view.ruleset))}
    policies = endgame_policies(bidder_view, hands)
    is_solved = any(policy is not None for policy in policies)
    off_policy = ENDGAME_OFF_POLICY_SHARE if is_solved else OFF_POLICY_SHARE
    rows = np.empty((len(bids), len(hands)), np.float32)
    for row, bid in enumerate(bids):
        if is_solved:
            likelihood = np.array([(policy or {}).get(bid, 0.0) for policy in policies], np.float32)
        else:
            likelihood = _network_likelihood(inputs, probs, bid, slots[bid.face])
        rows[row] = (1 - off_policy) * likelihood + off_policy / inputs.action_mask.sum(axis=1)
    return rows


def _network_likelihood(inputs: NetworkInput, probs: FloatArray, bid: Bid, slot: int) -> FloatArray:
    """Return the network's probability of a bid with the hand of each row, float32 [row].

    `probs`: float32 [row, slot, step], the network's probability of each bid action. `slot`: that of the bid's face.
    """
    is_bid: BoolArray = inputs.quantities[:, slot] == bid.quantity
    likelihood: FloatArray = (probs[:, slot] * is_bid).sum(axis=1)
    return likelihood


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


def count_beliefs(shown: View, seat_beliefs: Mapping[int, Belief] | None = None) -> tuple[CountBelief, ...]:
    """Return how many dice of each other seat count for the standing bid.

    `seat_beliefs`: about the hand of each seat that the viewer does not see whole; None if bids tell nothing. Hands
    that the seat sees are left out, and all but the bidder's where bids are about the bidder's own dice; so is every
    hand without a bid, and with one on a sum.
    """
    if shown.bid is None or shown.bid.is_sum:
        return ()
    rules, found = shown.ruleset, list[CountBelief]()
    spec = count_spec(rules, shown.bid.face, wilds_count=shown.wilds_in_challenge)
    if hand_share(spec, shown.hand)[0]:  # the own dice have a natural one
        spec = msgspec.structs.replace(spec, needs_natural=False)
    own_only = bids_are_about_own_dice(rules)
    for seat, held in enumerate(shown.dice):
        sees = bool(shown.seen and shown.seen[seat])
        if held and not sees and seat != shown.seat and (seat == shown.bidder or not own_only):
            hidden = (shown.hidden_count(seat),)
            rolls = count_distribution(spec, shown.shown_by(seat), hidden, (rules.dice.faces_at(seat),))
            prior = posterior = tuple(number / sum(rolls) for number in rolls)
            if seat_beliefs is not None:
                shares, places = hand_shares(spec, seat_beliefs[seat].hands)
                weights = np.bincount(places, seat_beliefs[seat].probs, len(shares)).tolist()
                posterior = weights_by_count(spec, dict(zip(shares, weights, strict=True)))
            found.append(CountBelief(seat, prior, posterior))
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
