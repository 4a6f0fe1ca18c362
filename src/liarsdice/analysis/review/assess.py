"""What a decision cost: the value of the best move less that of the move made, from what the player could know.

Where the rest of the match is solved, values are exact. In rounds of two players with a blueprint, what follows is
exact if both play on by it. Elsewhere the other hands are drawn from the champion's beliefs (Bayes' rule with its
network as the likelihood), and the champion's network plays the round on after each move. The best move is found with
one part of the deals and its advantage measured with the others, so that the choice of the best of several estimates
does not make costs look larger than they are. Where the simulator or the network does not know the rules, the engine
plays rounds on (`assess_by_engine`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.review.decisions import Decision, PastMove
from liarsdice.analysis.review.reasons import total_probs
from liarsdice.analysis.review.results import Z_95, MoveValue, Source, is_judged_by_simulator
from liarsdice.bots.neural.belief import (
    ENDGAME_OFF_POLICY_SHARE,
    OFF_POLICY_SHARE,
    Belief,
    CountBelief,
    hand_prior,
    state_with_hands,
)
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.explain import Explanation, MoveEstimate, explain, network_values
from liarsdice.bots.neural.features import is_observable
from liarsdice.bots.neural.playouts import (
    Hands,
    Situation,
    hand_moves,
    play_on_by_engine,
    play_rounds_out,
    sample_hands,
)
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import BidAndShow, Challenge, Exact, PlayerAction
from liarsdice.core.engine.state import PublicState
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import bids_are_about_own_dice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, tally
from liarsdice.solve.strategy.action_values import Action
from liarsdice.values.blueprint_values import MoveOutcomes, SolvedValues, challenge_prob, exact_values
from liarsdice.values.blueprints import is_leaning
from liarsdice.values.endgames import endgame_policies, endgame_policy, endgame_values
from liarsdice.values.playouts import Playouts, highest_quantity, knows_bids
from liarsdice.values.round_ends import RoundEndValues

MIXED_PROB = 0.01
"""A move that a solved strategy makes with this probability or more costs nothing."""
CHANCE_DIGITS = 2
CHOOSING_SHARE = 1 / 3
"""The share of the deals with which the best move is found."""


class Assessment(msgspec.Struct, frozen=True):
    """What a decision cost.

    `cost`: the share of the match (0..1) that the move made gave away, 0 if its 95% interval holds 0. `error`: half the
    width of that interval. `best`: the best move, the move made if it costs nothing. `moves`: the moves that were
    compared, the most valuable first. `explanation`: what the champion makes of the view, None if it was not asked.
    `p_challenged`: how likely it was that a bid that was compared was challenged, as the champion plays. `p_loses`: how
    likely each seat was to lose dice in the round after each move, by seat, with two digits. `p_gains`: how likely the
    player was to gain some. All three are empty in solved rounds and where nothing was compared.
    """

    decision: Decision
    source: Source
    cost: float
    error: float
    best: PlayerAction | None
    moves: tuple[MoveValue, ...]
    explanation: Explanation | None = None
    p_challenged: dict[Bid, float] = {}
    p_loses: dict[PlayerAction | None, tuple[float, ...]] = {}
    p_gains: dict[PlayerAction | None, float] = {}


def played_assessment(
    values: RoundEndValues,
    decision: Decision,
    moves: Sequence[PlayerAction | None],
    playouts: Playouts,
    explanation: Explanation,
) -> Assessment:
    """Return the cost of a decision by playouts of all compared moves, the one that was made among them."""
    choosing = round(playouts.outcomes.shape[1] * CHOOSING_SHARE)
    first, rest = playouts.of_deals(slice(choosing)), playouts.of_deals(slice(choosing, None))
    seat, stakes = decision.seat, decision.view.stakes

    def difference(best: int, move: int) -> tuple[float, float]:
        """Return how much less a move is worth than the best one, and half of the 95% interval of that."""
        if best == move:
            return 0.0, 0.0
        less, standard_error = rest.difference(values, seat, best, move)
        return less, Z_95 * standard_error

    best, made = int(first.mean(values, seat).argmax()), moves.index(decision.move)
    cost, error = difference(best, made)
    if cost <= error:
        cost, best = 0.0, made
    errors = [difference(best, move)[1] for move in range(len(moves))]
    compared = dict(zip(moves, zip(rest.mean(values, seat).tolist(), errors, strict=True), strict=True))
    challenged = rest.challenged.mean(axis=1).tolist()
    loses = [rest.p_loses(*seat_stakes).round(CHANCE_DIGITS).tolist() for seat_stakes in enumerate(stakes)]
    gains = rest.p_gains(seat, stakes[seat]).round(CHANCE_DIGITS).tolist()
    return Assessment(
        decision=decision,
        source=Source.PLAYOUTS,
        cost=cost,
        error=error,
        best=moves[best],
        moves=move_values(compared, decision, explanation),
        explanation=explanation,
        p_challenged={move: p for move, p in zip(moves, challenged, strict=True) if isinstance(move, Bid)},
        p_loses=dict(zip(moves, zip(*loses, strict=True), strict=True)),
        p_gains=dict(zip(moves, gains, strict=True)),
    )


def solved_assessment(decision: Decision, values: Mapping[Action, float], explanation: Explanation) -> Assessment:
    """Return the cost by the exact values; what the solved strategy mixes costs nothing."""
    best = max(values, key=lambda move: values[move])
    made = decision.move
    assert isinstance(made, Bid | Challenge | Exact)
    policy = endgame_policy(decision.view) or {}
    cost = 0.0 if policy.get(made, 0.0) >= MIXED_PROB else max(values[best] - values[made], 0.0)
    found = move_values({move: (value, 0.0) for move, value in values.items()}, decision, explanation)
    return Assessment(decision, Source.SOLVED, cost, 0.0, best if cost else made, found, explanation)


def move_values(
    values: Mapping[PlayerAction | None, tuple[float, float]] | Mapping[Action, tuple[float, float]],
    decision: Decision,
    explanation: Explanation,
) -> tuple[MoveValue, ...]:
    """Return the moves with their values and errors, the most valuable first."""
    p_right = {estimate.move: estimate.p_right_given_bids for estimate in explanation.moves}
    for move in values:
        if p_right.get(move) is None:
            p_right[move] = _p_right(decision.view, explanation.beliefs, move)
    ordered = sorted(values.items(), key=lambda item: -item[1][0])
    return tuple(MoveValue(move, value, error, p_right.get(move)) for move, (value, error) in ordered)


def _p_right(shown: View, beliefs: Mapping[int, Belief], move: PlayerAction | None) -> float | None:
    """Return the probability that a bid is true or a call right; None for other moves."""
    match move:
        case Bid():
            return sum(total_probs(shown, beliefs, move)[move.quantity :])
        case Challenge() if shown.bid is not None:
            return sum(total_probs(shown, beliefs, shown.bid)[: shown.bid.quantity])
        case Exact() if shown.bid is not None:
            return sum(total_probs(shown, beliefs, shown.bid)[shown.bid.quantity : shown.bid.quantity + 1])
        case _:
            return None


@cache
def reference() -> Champion:
    """Return the champion whose play is the reference."""
    return make_champion(seed=0)


def prior_beliefs(shown: View) -> dict[int, Belief]:
    """Return what a player knows of each hand that it does not see whole, by seat, if bids tell nothing."""
    beliefs: dict[int, Belief] = {}
    for seat, held in enumerate(shown.dice):
        sees = bool(shown.seen and shown.seen[seat]) or (seat == shown.seat and not shown.is_blind)
        if held and not sees:
            beliefs[seat] = Belief(*_hidden_hands(shown, seat))
    return beliefs


def beliefs_given_moves(decision: Decision) -> dict[int, Belief]:
    """Return what a player may believe of each hand that it does not see whole, by seat, from all moves of the round.

    By Bayes' rule, with the play of the reference as the likelihood; `OFF_POLICY_SHARE` of all moves count as uniform,
    and `ENDGAME_OFF_POLICY_SHARE` where the last dice are solved.
    The moves of players who did not see their own dice tell nothing of them, and neither do those before a player's
    hidden dice were rolled again.
    """
    posteriors: dict[int, Belief] = {}
    for seat, prior in prior_beliefs(decision.view).items():
        logs = np.log(np.array(prior.probs))
        for past in _telling_moves(decision.history, seat):
            logs = logs + np.log(_likelihood(past, prior.hands))
        powers = np.exp(logs - logs.max())
        posteriors[seat] = Belief(prior.hands, tuple((powers / powers.sum()).tolist()))
    return posteriors


def count_beliefs(shown: View, beliefs: Mapping[int, Belief]) -> tuple[CountBelief, ...]:
    """Return how many dice of each other seat count for the standing bid; nothing without a bid, or with one on a sum.

    Where bids are about the bidder's own dice, only those of the bidder count.
    """
    if shown.bid is None or shown.bid.is_sum:
        return ()
    rules, priors = shown.ruleset, prior_beliefs(shown)
    own_only = bids_are_about_own_dice(rules)
    found: list[CountBelief] = []
    for seat, belief in beliefs.items():
        if seat == shown.seat or (own_only and seat != shown.bidder):
            continue
        held = [
            tally(rules, (hand,), shown.bid.face, wilds_count=shown.wilds_in_challenge).count for hand in belief.hands
        ]
        prior, posterior = (np.bincount(held, one.probs).tolist() for one in (priors[seat], belief))
        found.append(CountBelief(seat, tuple(prior), tuple(posterior)))
    return tuple(found)


def draw_hands(shown: View, beliefs: Mapping[int, Belief], deals: int, rng: np.random.Generator) -> list[Hands]:
    """Return hands of all seats, one for each deal: those that the player sees, and others as they are believed."""
    columns: list[list[Hand]] = []
    for seat in range(len(shown.dice)):
        belief = beliefs.get(seat)
        if belief is None:
            seen = shown.hand if seat == shown.seat else shown.seen[seat] if shown.seen else ()
            columns.append([seen] * deals)
        else:
            probs = np.array(belief.probs)
            drawn = rng.choice(len(probs), deals, p=probs / probs.sum()).tolist()
            columns.append([belief.hands[place] for place in drawn])
    return list(zip(*columns, strict=True))


def _hidden_hands(shown: PublicState, seat: int) -> tuple[tuple[Hand, ...], tuple[float, ...]]:
    """Return the hands that a seat may hold, its dice in the open first, and the probability of each before any bid."""
    hidden, probs = hand_prior(shown.ruleset, shown.hidden_count(seat), shown.ruleset.dice.faces_at(seat))
    in_the_open = shown.shown_by(seat)
    return tuple((*in_the_open, *hand) for hand in hidden), tuple(probs.tolist())


def _telling_moves(history: Sequence[PastMove], seat: int) -> list[PastMove]:
    """Return the moves that a seat made with the dice that it has now, seeing them."""
    own = [past for past in history if past.seat == seat and seat not in past.shown.blind]
    rolled = [place for place, past in enumerate(own) if isinstance(past.action, BidAndShow)]
    return own[rolled[-1] + 1 :] if rolled else own


@lru_cache(512)
def _likelihood(past: PastMove, hands: tuple[Hand, ...]) -> NDArray[np.float64]:
    """Return the probability of a move with each hand of the player who made it, float64 [hand]."""
    dummies = tuple((1,) * held for held in past.shown.dice)
    state = state_with_hands(past.shown, (*dummies[: past.seat], hands[0], *dummies[past.seat + 1 :]))
    actor_view = view(state, past.seat)
    (moves,) = hand_moves(reference(), [Situation(actor_view, hands)])
    planned = np.array([moves.prob(hand, past.action) for hand in hands])
    is_solved = any(policy is not None for policy in endgame_policies(actor_view, hands))
    off_policy = ENDGAME_OFF_POLICY_SHARE if is_solved else OFF_POLICY_SHARE
    likelihood: NDArray[np.float64] = (1 - off_policy) * planned + off_policy / max(len(actor_view.moves), 1)
    return likelihood


MAX_BIDS = 5
"""How many bids are compared, beside the move that was made and all moves that are no bids."""
MIN_P_RIGHT = 0.25
"""Calls out of turn that are right with a lower probability are not compared with silence."""


def needs_engine(decision: Decision) -> bool:
    """Return whether the simulator or the network does not know the rules, or a bid of the round."""
    return not (
        is_judged_by_simulator(decision.view.ruleset) and knows_bids(decision.view, decision.round_dice, decision.move)
    )


def assess_by_engine(decision: Decision, values: RoundEndValues, deals: int, seed: int) -> Assessment:
    """Return what a decision cost. `deals`: how many are played on."""
    shown, beliefs = decision.view, beliefs_given_moves(decision)
    explanation = Explanation(None, (), (), beliefs, count_beliefs(shown, beliefs))
    if shown.on_turn and list(beliefs) == [seat for seat, held in enumerate(shown.dice) if held and seat != shown.seat]:
        ((_, belief), *others) = beliefs.items()
        solved = None if others else endgame_values(shown, belief.by_hand())
        if solved is not None:
            return solved_assessment(decision, solved, explanation)
    if not shown.on_turn and decision.move is None and not _may_call(shown, explanation):
        return Assessment(decision, Source.BELIEFS, 0.0, 0.0, None, (), explanation)
    rng = np.random.default_rng((seed, decision.number))
    moves = candidate_moves(decision)
    hands = draw_hands(shown, beliefs, deals, rng)
    playouts = play_on_by_engine(shown, moves, hands, reference(), rng)
    return played_assessment(values, decision, moves, playouts, explanation)


def candidate_moves(decision: Decision) -> list[PlayerAction | None]:
    """Return the moves that are worth comparing: the one made, those that are no bids, and the most promising bids."""
    shown, made = decision.view, decision.move
    if not shown.on_turn:
        return list(dict.fromkeys([made, None, *shown.moves]))
    others = [move for move in shown.moves if not isinstance(move, Bid)]
    return list(dict.fromkeys([made, *others, *islice(_bids_by_promise(shown), MAX_BIDS)]))


def _bids_by_promise(shown: View) -> list[PlayerAction]:
    """Return bids with the most promising first: the champion's own, then those of the value network or the odds."""
    if not shown.may_bid:
        return []
    (moves,) = hand_moves(reference(), [Situation(shown, [shown.hand])])
    played = sorted(moves.all_probs(shown.hand).items(), key=lambda item: -item[1])
    first = [move for move, _ in played if move is not None and not isinstance(move, Challenge)]
    if is_observable(shown.ruleset) and not shown.is_blind and not shown.face_off:
        values = network_values(shown)
        rest = sorted((move for move in values if isinstance(move, Bid)), key=lambda move: -values[move])
    else:
        odds = BidOdds(shown)
        rest = sorted(shown.may_bid, key=lambda bid: -odds.p_bid(bid))
    return [*islice(first, 2), *rest]


def _may_call(shown: View, explanation: Explanation) -> bool:
    """Return whether a call out of turn is likely enough to be right to be compared with silence."""
    bid = shown.bid
    if bid is None:
        return False
    totals = total_probs(shown, explanation.beliefs, bid)
    p_false, p_exact = sum(totals[: bid.quantity]), sum(totals[bid.quantity : bid.quantity + 1])
    challenges = shown.may_challenge or shown.may_double
    return (challenges and p_false >= MIN_P_RIGHT) or (shown.may_call_exact and p_exact >= MIN_P_RIGHT)


MAX_MOVES = 5
"""How many moves are compared, those that the value network prefers, beside the move made and a challenge."""


class BlueprintError(NamedTuple):
    """The standard error of how much less a move wins than the best one by a blueprint, beside the solved round.

    `stake`: as a share of what is at stake in the round. `relative`: as a share of the difference itself. They add up
    as squares. Measured in rounds that are solved (`python -m benchmarks.blueprint_values`).
    """

    stake: float
    relative: float


BALANCED_ERROR, LEANING_ERROR = BlueprintError(0.015, 0.3), BlueprintError(0.025, 0.4)
"""The error of balanced blueprints, and of those that expect opponents who make mistakes."""


def blueprint_error(rules: Ruleset) -> BlueprintError:
    """Return the error of the blueprints of the package for rounds under these rules."""
    return LEANING_ERROR if is_leaning(rules) else BALANCED_ERROR


class Assessor:
    """Assesses the decisions of a match. `deals`: for each decision, at least 6; `seed`: of their random numbers."""

    def __init__(self, values: RoundEndValues, deals: int, seed: int = 0) -> None:
        self._values = values
        self._deals = deals
        self._seed = seed

    def assess(self, decision: Decision) -> Assessment:
        """Return what a decision cost."""
        shown = decision.view
        if shown.on_turn and len(shown.moves) == 1 and not shown.unlimited:
            return Assessment(decision, Source.FORCED, 0.0, 0.0, decision.move, ())
        if needs_engine(decision):
            return assess_by_engine(decision, self._values, self._deals, self._seed)
        explanation = explain(shown, signals=False)
        exact = exact_values(shown, [belief.by_hand() for belief in explanation.beliefs.values()])
        if isinstance(exact, SolvedValues):
            return solved_assessment(decision, exact.by_move, explanation)
        if exact is not None:
            return self._blueprint_assessment(decision, exact, explanation)
        if not shown.on_turn and decision.move is None:
            calls = [estimate for estimate in explanation.moves if estimate.move is not None]
            if all((call.p_right_given_bids or 0) < MIN_P_RIGHT for call in calls):
                return Assessment(decision, Source.BELIEFS, 0.0, 0.0, None, (), explanation)
        moves = compared_moves(decision, explanation.moves)
        rng = np.random.default_rng((self._seed, decision.number))
        hands = sample_hands(decision.view, explanation.beliefs, self._deals, rng)
        network = champion_network(shown.ruleset)
        playouts = play_rounds_out(decision.view, decision.round_dice, moves, hands, network, rng)
        return played_assessment(self._values, decision, moves, playouts, explanation)

    def _blueprint_assessment(self, decision: Decision, outcomes: MoveOutcomes, explanation: Explanation) -> Assessment:
        """Return the cost if both players follow a blueprint after the move, with an interval.

        It counts how uncertain the values of round ends are, and how far blueprints are from solutions.
        """
        shown, made = decision.view, decision.move
        ((rival, belief),) = explanation.beliefs.items()
        hand_probs = belief.by_hand()
        variances = self._values.variances(outcomes.ends)[:, outcomes.seat]
        stake = float(np.ptp(self._values.shares(outcomes.ends)[:, outcomes.seat]))
        of_stake, relative = blueprint_error(shown.ruleset)
        assert isinstance(made, Bid | Challenge | Exact)
        probs, values = outcomes.probs, outcomes.values(self._values)
        moves = [
            move for move in compared_moves(decision, explanation.moves) if isinstance(move, Bid | Challenge | Exact)
        ]

        def error_of(best: Action, move: Action) -> float:
            if best == move:
                return 0.0
            by_ends = (probs[best] - probs[move]) ** 2 @ variances
            by_blueprint = (of_stake * stake) ** 2 + (relative * (values[best] - values[move])) ** 2
            return Z_95 * float(np.sqrt(by_ends + by_blueprint))

        best = max(moves, key=values.__getitem__)
        cost, error = values[best] - values[made], error_of(best, made)
        if cost <= error:
            cost, best = 0.0, made
        found: dict[Action, tuple[float, float]] = {move: (values[move], error_of(best, move)) for move in moves}
        places = {decision.seat: outcomes.seat, rival: 1 - outcomes.seat}
        before = np.array([shown.dice[seat] for seat in sorted(places, key=places.__getitem__)])
        losses = [(probs[move] @ (outcomes.dice < before)).round(CHANCE_DIGITS).tolist() for move in moves]
        gains = [(probs[move] @ (outcomes.dice > before)).round(CHANCE_DIGITS).tolist() for move in moves]
        seats = range(len(shown.dice))
        return Assessment(
            decision=decision,
            source=Source.BLUEPRINT,
            cost=cost,
            error=error,
            best=best,
            moves=move_values(found, decision, explanation),
            explanation=explanation,
            p_challenged={
                bid: challenge_prob(outcomes.blueprint, shown, bid, hand_probs) for bid in moves if isinstance(bid, Bid)
            },
            p_loses={
                move: tuple(lost[places[seat]] if seat in places else 0.0 for seat in seats)
                for move, lost in zip(moves, losses, strict=True)
            },
            p_gains={move: gained[outcomes.seat] for move, gained in zip(moves, gains, strict=True)},
        )


def compared_moves(decision: Decision, estimates: Sequence[MoveEstimate]) -> list[PlayerAction | None]:
    """Return the moves that are worth comparing: the one made, a challenge, and those with the highest estimates."""
    highest = highest_quantity(decision.view, decision.round_dice)
    known = (one.move for one in estimates if not isinstance(one.move, Bid) or one.move.quantity <= highest)
    preferred = list(islice(known, MAX_MOVES))
    challenge = [Challenge()] if decision.view.may_challenge and decision.view.on_turn else []
    return list(dict.fromkeys([decision.move, *challenge, *preferred]))
