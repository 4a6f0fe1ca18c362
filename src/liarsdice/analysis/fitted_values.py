"""Values of states under any rules, with all dice known, fitted to matches that simple bots play by these rules."""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.deals import face_counts, most_faces
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import Threshold
from liarsdice.core.engine.legal import legal_bids
from liarsdice.core.engine.state import Phase, State, next_seat
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.meaning import has_lives, lives_are_limited, sheds
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import hands_that_count, tally
from liarsdice.play.match_runner import play_match
from liarsdice.values.round_ends import RoundEnd, RoundEndValues, winners_share

FloatArray = NDArray[np.float64]

STAKES, DIFFERENCE, OPENS, NEXT = range(4)
"""The features of what a seat has left, and of the order of play."""
BETWEEN_FEATURES = 4
HANDS = slice(4, 8)
"""The features of the dice before any bid, see `hand_features`."""
BIDDER, ON_TURN = 8, 13
"""The first features of the bidder and of the seat on turn: one for each margin of the standing bid."""
ROOM = 18
"""Whether the seat on turn can make a true bid."""
FEATURES = 19
HAND_SCALE = 5.0
"""The factor of `HANDS`, whose differences between seats are small."""
MAX_MARGIN = 2
"""By how many dice a bid is true or false at most, in the features."""


def features_between(
    rules: Ruleset, stakes: Sequence[int], starter: int, direction: Direction, round_number: int
) -> FloatArray:
    """Return the features of each seat between rounds, float64 [seat, `BETWEEN_FEATURES`].

    `stakes`: the dice or lives that each seat has left, which are worth the less the more they are where players shed.
    `round_number`: of the round before.
    """
    features = np.zeros((len(stakes), BETWEEN_FEATURES))
    weights = loss_weights(rules, stakes, round_number)
    left = np.array(stakes, np.float64)
    is_in = left > 0
    if not has_lives(rules) or lives_are_limited(rules):
        sign = -1 if sheds(rules) else 1
        features[is_in, STAKES] = sign * np.log(left[is_in])
        features[is_in, DIFFERENCE] = sign * (left[is_in] - left[is_in].mean()) / rules.starting_stakes
    else:
        features[:, DIFFERENCE] = (left - left.mean()) * weights
    features[starter, OPENS] = weights[starter]
    after = next_seat(tuple(stakes), starter, direction)
    features[after, NEXT] = weights[after]
    return features


def features_in_round(state: State) -> FloatArray:
    """Return the features of each seat during the bidding, all dice known, float64 [seat, `FEATURES`]."""
    rules = state.ruleset
    features = np.zeros((len(state.names), FEATURES))
    features[:, :BETWEEN_FEATURES] = features_between(
        rules, state.stakes, state.turn, state.direction, state.round_number - 1
    )
    weights = loss_weights(rules, state.stakes, state.round_number - 1)
    if state.bid is None:
        counts = face_counts(state.hands, most_faces(rules, len(state.hands)))
        features[:, HANDS] = hand_features(state, counts[np.newaxis])[0]
        return features
    assert state.bidder is not None
    if state.doubled_by is not None:
        weights = 2 * weights
    margin = _margin(state, state.bid, state.bidder, wilds=state.wilds_in_challenge)
    place = min(max(margin, -MAX_MARGIN), MAX_MARGIN) + MAX_MARGIN
    features[state.bidder, BIDDER + place] = weights[state.bidder]
    features[state.turn, ON_TURN + place] = weights[state.turn]
    features[state.turn, ROOM] = weights[state.turn] * _has_room(state)
    return features


def hand_features(state: State, counts: NDArray[np.int64]) -> FloatArray:
    """Return the features of the dice of each seat before any bid, float64 [deal, seat, 4], times `HAND_SCALE`.

    They are the share of its own dice that count for its best face, for the opener once more, and the share of all dice
    that do, for the opener once more. `counts`: int64 [deal, seat, face], how many dice show each.
    """
    rules = state.ruleset
    counting = counts.astype(np.float64)
    if state.wilds_count:
        special = rules.dice.special_face - 1
        counting += np.where(np.arange(counts.shape[2]) == special, 0, counts[:, :, special, np.newaxis])
    best = counting.argmax(axis=2)
    own = counting.max(axis=2) / np.maximum(counts.sum(axis=2), 1)
    table = np.take_along_axis(counting.sum(axis=1), best, axis=1) / max(sum(state.dice), 1)
    opens = np.arange(counts.shape[1]) == state.turn
    features = np.stack([own, own * opens, table, table * opens], axis=2)
    return HAND_SCALE * features * loss_weights(rules, state.stakes, state.round_number - 1)[:, np.newaxis]


def loss_weights(rules: Ruleset, stakes: Sequence[int], round_number: int) -> FloatArray:
    """Return how much a loss in this round matters to each seat, float64 [seat]."""
    if not has_lives(rules) or lives_are_limited(rules):
        return 1 / np.maximum(np.array(stakes, np.float64), 1)
    most = rules.guards.max_rounds or round_number + 1
    return np.full(len(stakes), 1 / np.sqrt(max(most - round_number, 1)))


def _margin(state: State, bid: Bid, bidder: int, *, wilds: bool) -> int:
    """Return by how many a bid is true (0 or more) or false (less than 0)."""
    hands = hands_that_count(state.ruleset, state.hands, bidder)
    return tally(state.ruleset, hands, bid.face, wilds_count=wilds).count - bid.quantity


def _has_room(state: State) -> bool:
    """Return whether the seat on turn can make a true bid."""
    lowest: dict[tuple[int, bool], Bid] = {}
    for bid in legal_bids(state):
        lowest.setdefault((bid.face, bid.pure), bid)
    return any(_margin(state, bid, state.turn, wilds=state.wilds_if_bid(bid)) >= 0 for bid in lowest.values())


RIDGE = 20.0
"""How strongly weights are drawn to the typical ones: the factor of the squares of the differences in the fit."""
MAX_STEPS, TOLERANCE = 50, 1e-9

BoolArray = NDArray[np.bool_]


def softmax_shares(features: FloatArray, weights: FloatArray, is_in: BoolArray) -> FloatArray:
    """Return the share of the match that each seat wins, float64 [row, seat].

    `features`: float64 [row, seat, feature]. `weights`: float64 [feature]. `is_in`: bool [row, seat], which seats are
    not out.
    """
    scores = np.where(is_in, features @ weights, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def fit_weights(features: FloatArray, won: FloatArray, is_in: BoolArray, typical: FloatArray) -> FloatArray:
    """Return the weights whose softmax comes nearest to the shares that were won, float64 [feature].

    `won`: float64 [row, seat]. `typical`: float64 [feature], weights to which those of few matches are drawn. For the
    others see `softmax_shares`. It is a multinomial logistic regression with `RIDGE`, by Newton's method with halved
    steps.
    """
    weights = typical.copy()
    loss = _loss(features, won, is_in, weights, typical)
    for _ in range(MAX_STEPS):
        probs = softmax_shares(features, weights, is_in)
        gradient = np.einsum("rs,rsf->f", probs - won, features) + RIDGE * (weights - typical)
        means = np.einsum("rs,rsf->rf", probs, features)
        squares = np.einsum("rs,rsf,rsg->fg", probs, features, features, optimize=True)
        step = np.linalg.solve(squares - means.T @ means + RIDGE * np.eye(len(weights)), gradient)
        rate = 1.0
        while (new := _loss(features, won, is_in, weights - rate * step, typical)) > loss and rate > TOLERANCE:
            rate /= 2
        weights = weights - rate * step
        if loss - new < TOLERANCE * abs(loss):
            break
        loss = new
    return weights


def _loss(features: FloatArray, won: FloatArray, is_in: BoolArray, weights: FloatArray, typical: FloatArray) -> float:
    probs = softmax_shares(features, weights, is_in)
    return float(-(won * np.log(np.where(is_in, probs, 1))).sum() + RIDGE / 2 * ((weights - typical) ** 2).sum())


class SampledRows:
    """States of sampled matches as the rows of a fit. `typical`: float64 [feature], see `fit_weights`."""

    def __init__(self, typical: FloatArray) -> None:
        self._typical = typical
        self._features: list[FloatArray] = []
        self._is_in: list[BoolArray] = []
        self._results: list[FloatArray] = []
        self._later: list[int] = []

    def __len__(self) -> int:
        return len(self._features)

    def add(self, features: FloatArray, is_in: BoolArray, result: FloatArray, later: int | None) -> None:
        """Add a state.

        `features`: float64 [seat, feature]. `is_in`: bool [seat]. `result`: float64 [seat], the share of the match that
        each seat won. `later`: the row (of the states between rounds) at the end of its round; None at that of a match.
        """
        self._features.append(features)
        self._is_in.append(is_in)
        self._results.append(result)
        self._later.append(-1 if later is None else later)

    def shares(self, weights: FloatArray) -> FloatArray:
        """Return the shares by these weights, float64 [row, seat]."""
        return softmax_shares(np.stack(self._features), weights, np.stack(self._is_in))

    def fit(self, shares_between: FloatArray | None) -> FloatArray:
        """Return the weights that come nearest to the results, float64 [feature].

        With `shares_between`, float64 [row, seat], they come nearest to those shares at the ends of the rounds.
        """
        won, later = np.stack(self._results), np.array(self._later)
        if shares_between is not None:
            won = np.where((later >= 0)[:, np.newaxis], shares_between[later], won)
        return fit_weights(np.stack(self._features), won, np.stack(self._is_in), self._typical)


THRESHOLDS, CREDITS = (0.3, 0.4, 0.5), (0.0, BID_CREDIT)
"""Each player is a bot that doubts from one of these thresholds on, and makes more or less of others' bids."""
MIN_MATCHES, MAX_MATCHES, MIN_STATES = 80, 400, 8_000
MAX_STATES = 40_000
"""From so many states on there are no more matches: one of six players with ten dice and 100 lives has 17,000.

Matches by presets have up to 400 at six seats, and too few to reach it; those of `cacho` at ten seats have about 930.
"""
SEED = 20_261_128


class SampledMatch(msgspec.Struct, frozen=True):
    """A match: its events, its states before each action, and the share that each seat won, float64 [seat]."""

    events: tuple[Event, ...]
    states: tuple[State, ...]
    shares: FloatArray


def sampled_matches(rules: Ruleset, seats: int) -> Iterator[SampledMatch]:
    """Yield matches, always the same ones for the same rules and seats: enough for `MIN_STATES` states.

    There are at least `MIN_MATCHES`, unless they have `MAX_STATES` states.
    """
    states = 0
    for number in range(MAX_MATCHES):
        if states >= MAX_STATES or (number >= MIN_MATCHES and states >= MIN_STATES):
            return
        match = play_sampled_match(rules, seats, f"{SEED}/{number}")
        states += len(match.states)
        yield match


def play_sampled_match(rules: Ruleset, seats: int, seed: str) -> SampledMatch:
    """Return a match between simple bots that the seed draws."""
    generator = random.Random(seed)
    bots = [Threshold(generator.choice(THRESHOLDS), generator.choice(CREDITS)) for _ in range(seats)]
    match = play_match(rules, bots, seed=seed).match
    before = tuple(state for state, _, _ in recorded_actions(match.events))
    return SampledMatch(tuple(match.events), before, won_shares(match.state))


def won_shares(state: State) -> FloatArray:
    """Return the share of a match that is over that each seat won, float64 [seat]."""
    return winners_share(tuple(seat in state.winners for seat in range(len(state.names))))


TYPICAL_BETWEEN = (1.76, 1.41, -0.04, -0.11)
TYPICAL_IN_ROUND = (
    *(1.98, 1.58, -0.43, -0.02),
    *(0.07, 0.12, 0.0, -0.04),
    *(-1.14, -0.88, 0.23, 0.17, 0.19),
    *(0.48, 0.28, -0.55, -0.44, -0.49),
    0.92,
)
"""The means of the weights under nine rulesets at two to four seats, each fitted without being drawn to any others."""
FITTED_ERROR = 0.045
"""The standard error of a fitted value of a round end, as a share of the match.

It is the root mean square difference from matches of perudo that `inference` played on at two seats, where it is larger
than at four.
"""
PASSES = 5
"""How often values between rounds are fitted to those one round later."""


class FittedValues:
    """The share of a match that each seat wins, under one ruleset at one number of seats.

    `between`, `in_round`: float64 [feature], the weights between rounds and during the bidding.
    """

    def __init__(self, rules: Ruleset, between: FloatArray, in_round: FloatArray) -> None:
        self._rules = rules
        self._between = between
        self._in_round = in_round

    def after_round(self, stakes: Sequence[int], starter: int, direction: Direction, round_number: int) -> FloatArray:
        """Return the share of each seat after a round, float64 [seat]; see `features_between`."""
        features = features_between(self._rules, stakes, starter, direction, round_number)
        return softmax_shares(features[np.newaxis], self._between, _is_in(stakes)[np.newaxis]).reshape(-1)

    @property
    def knows_players(self) -> bool:
        """Whether the values go by who plays: never."""
        return False

    def between(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states before a deal, float64 [state, seat]."""
        features = [_between_features(state) for state in states]
        return softmax_shares(np.stack(features), self._between, _all_in(states))

    def in_round(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states of the bidding, float64 [state, seat]."""
        return softmax_shares(np.stack([*map(features_in_round, states)]), self._in_round, _all_in(states))

    def after_deals(self, state: State, counts: NDArray[np.int64]) -> FloatArray:
        """Return the shares after each of some deals of a round, float64 [deal, seat].

        `state`: of the bidding, before any bid. `counts`: int64 [deal, seat, face], how many dice show each face.
        """
        features = np.repeat(features_in_round(state)[np.newaxis], len(counts), axis=0)
        features[:, :, HANDS] = hand_features(state, counts)
        return softmax_shares(features, self._in_round, np.tile(_may_win(state), (len(counts), 1)))


@lru_cache(8)
def fitted_values(rules: Ruleset, seats: int) -> FittedValues:
    """Return the values under these rules at this number of seats; they are fitted once per process, in seconds.

    Values between rounds are fitted to the results of matches, then repeatedly to the values one round later, which
    vary less. Those during the bidding are fitted to the values at the end of the round.
    """
    between, in_round = SampledRows(np.array(TYPICAL_BETWEEN)), SampledRows(np.array(TYPICAL_IN_ROUND))
    for match in sampled_matches(rules, seats):
        starts = [state for state in match.states if state.phase is Phase.DEAL]
        first = len(between)
        for number, state in enumerate(starts):
            between.add(_between_features(state), _may_win(state), match.shares, _later(first, number, len(starts)))
        number = -1
        for state in match.states:
            number += state.phase is Phase.DEAL
            if state.phase is Phase.BIDDING:
                later = _later(first, number, len(starts))
                in_round.add(features_in_round(state), _may_win(state), match.shares, later)
    weights = between.fit(None)
    for _ in range(PASSES):
        weights = between.fit(between.shares(weights))
    return FittedValues(rules, weights, in_round.fit(between.shares(weights)))


def _later(first: int, number: int, rounds: int) -> int | None:
    """Return the row of the round after one, None after the last. `first`: that of the first round of the match."""
    return first + number + 1 if number + 1 < rounds else None


def _between_features(state: State) -> FloatArray:
    return features_between(state.ruleset, state.stakes, state.starter, state.direction, state.round_number)


def _all_in(states: Sequence[State]) -> NDArray[np.bool_]:
    """Return which seats may still win, bool [state, seat]."""
    return np.stack([_may_win(state) for state in states])


def _may_win(state: State) -> NDArray[np.bool_]:
    """Return which seats may still win, bool [seat]: those that are in, or that are safe first where players shed."""
    first = state.first_safe
    return np.array([seat in first for seat in range(len(state.dice))]) if first else _is_in(state.stakes)


def _is_in(stakes: Sequence[int]) -> NDArray[np.bool_]:
    """Return which seats are not out, bool [seat]."""
    return np.array(stakes) > 0


def fitted_round_end_values(rules: Ruleset, seats: int) -> RoundEndValues:
    """Return the fitted values of round ends, whose dice are what losses cost: dice or lives."""
    values = fitted_values(rules, seats)

    def shares(ends: Sequence[RoundEnd]) -> FloatArray:
        return np.stack([values.after_round(end.dice, end.starter, _direction(end), end.round_number) for end in ends])

    return RoundEndValues(shares, FITTED_ERROR)


def _direction(end: RoundEnd) -> Direction:
    return next(one for one in Direction if one.step == end.step)
