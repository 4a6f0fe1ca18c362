"""What a decision cost: the value of the best move less that of the move made, from what the player could know.

The judge of `bots.neural.judge` tells the values. Where the simulator or the network does not know the rules, the
engine plays rounds on (`assess_by_engine`).
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.review.decisions import Decision, PastMove
from liarsdice.analysis.review.results import MoveValue, is_judged_by_simulator
from liarsdice.bots.neural.belief import (
    ENDGAME_OFF_POLICY_SHARE,
    OFF_POLICY_SHARE,
    Belief,
    CountBelief,
    count_beliefs,
    hand_prior,
    state_with_hands,
)
from liarsdice.bots.neural.belief import beliefs as seat_beliefs
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.judge import MAX_BIDS, judge, position_rng
from liarsdice.bots.neural.playouts import Situation, hand_moves, play_on_by_engine, sample_hands
from liarsdice.bots.neural.reasons import chances, p_right
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import BidAndShow, Challenge, PlayerAction
from liarsdice.core.engine.state import PublicState
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import rolls_after_showing
from liarsdice.core.rules.tally import Hand
from liarsdice.values.blueprint_values import solved_judgement
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.endgames import endgame_policies, endgame_policy
from liarsdice.values.judgement import NOTHING_COMPARED, Judgement, Source
from liarsdice.values.playouts import knows_bids
from liarsdice.values.round_ends import RoundEndValues

MIXED_PROB = 0.01
"""A move that a solved strategy makes with this probability or more costs nothing."""


class Assessment(msgspec.Struct, frozen=True):
    """What a decision cost.

    `cost`: the share of the match (0..1) that the move made gave away, 0 if its 95% interval holds 0. `error`: half the
    width of that interval. `best`: the best move, the move made if it costs nothing. `moves`: the moves that were
    compared, the most valuable first. `beliefs`: about the hands that the player does not see, by seat, and
    `count_beliefs` the same about the dice that count for the standing bid; both are empty for a forced move.
    """

    decision: Decision
    judgement: Judgement
    cost: float
    error: float
    best: PlayerAction | None
    moves: tuple[MoveValue, ...]
    beliefs: dict[int, Belief]
    count_beliefs: tuple[CountBelief, ...]


def assessment_of(
    decision: Decision, judgement: Judgement, beliefs: dict[int, Belief], counts: tuple[CountBelief, ...]
) -> Assessment:
    """Return the cost of a decision by a judgement of its moves; what a solved strategy mixes costs nothing."""
    moves, made = judgement.moves, decision.move
    if not moves:
        return Assessment(decision, judgement, 0.0, 0.0, made, (), beliefs, counts)
    place, best = moves.index(made), judgement.best
    cost, error = judgement.behind(place, best)
    solved = endgame_policy(decision.view) if judgement.source is Source.SOLVED else None
    is_mixed = any(move == made and prob >= MIXED_PROB for move, prob in (solved or {}).items())
    if cost <= error or is_mixed:
        cost, best = 0.0, place
    by_value = np.argsort(-judgement.values, kind="stable").tolist()
    if judgement.source is Source.BLUEPRINT:  # it tells the values of all bids
        listed = {place, best, *by_value[:MAX_BIDS], *(at for at in by_value if not isinstance(moves[at], Bid))}
        by_value = [at for at in by_value if at in listed]
    values = [
        MoveValue(
            move=moves[at],
            value=float(judgement.values[at]),
            error=float(judgement.margins[best, at]),
            p_right=p_right(decision.view, beliefs, moves[at]),
        )
        for at in by_value
    ]
    return Assessment(decision, judgement, cost, error, moves[best], tuple(values), beliefs, counts)


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


def _hidden_hands(shown: PublicState, seat: int) -> tuple[tuple[Hand, ...], tuple[float, ...]]:
    """Return the hands that a seat may hold, its dice in the open first, and the probability of each before any bid."""
    hidden, probs = hand_prior(shown.ruleset, shown.hidden_count(seat), shown.ruleset.dice.faces_at(seat))
    in_the_open = shown.shown_by(seat)
    return tuple((*in_the_open, *hand) for hand in hidden), tuple(probs.tolist())


def _telling_moves(history: Sequence[PastMove], seat: int) -> list[PastMove]:
    """Return the moves that a seat made with the dice that it has now, seeing them."""
    own = [past for past in history if past.seat == seat and seat not in past.shown.blind]
    rolled = [place for place, past in enumerate(own) if rolls_again(past)]
    return own[rolled[-1] + 1 :] if rolled else own


def rolls_again(past: PastMove) -> bool:
    """Return whether a player rolled dice again with a move."""
    return isinstance(past.action, BidAndShow) and rolls_after_showing(past.shown.ruleset)


@lru_cache(512)
def _likelihood(past: PastMove, hands: tuple[Hand, ...]) -> NDArray[np.float64]:
    """Return the probability of a move with each hand of the player who made it, float64 [hand]."""
    dummies = tuple((1,) * held for held in past.shown.dice)
    state = state_with_hands(past.shown, (*dummies[: past.seat], hands[0], *dummies[past.seat + 1 :]))
    actor_view = view(state, past.seat)
    (moves,) = hand_moves(reference(), [Situation(actor_view, hands)])
    made = past.action.bid if isinstance(past.action, BidAndShow) and not rolls_again(past) else past.action
    planned = np.array([moves.prob(hand, made) for hand in hands])
    is_solved = any(policy is not None for policy in endgame_policies(actor_view, hands))
    off_policy = ENDGAME_OFF_POLICY_SHARE if is_solved else OFF_POLICY_SHARE
    likelihood: NDArray[np.float64] = (1 - off_policy) * planned + off_policy / max(len(actor_view.moves), 1)
    return likelihood


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
    judgement = NOTHING_COMPARED
    if shown.on_turn or decision.move is not None or _may_call(shown, beliefs):
        judgement = _judge_by_engine(shown, beliefs, candidate_moves(decision), values, deals=deals, seed=seed)
    return assessment_of(decision, judgement, beliefs, count_beliefs(shown, beliefs))


def _judge_by_engine(
    shown: View,
    beliefs: Mapping[int, Belief],
    moves: Sequence[PlayerAction | None],
    values: RoundEndValues,
    *,
    deals: int,
    seed: int,
) -> Judgement:
    """Return what moves of a player are worth: of all legal ones in a solved round, else of these, by playouts."""
    solved, seat = None, shown.seat
    assert seat is not None
    if shown.on_turn and list(beliefs) == [other for other, held in enumerate(shown.dice) if held and other != seat]:
        solved = solved_judgement(shown, [belief.by_hand() for belief in beliefs.values()])
    if solved is not None:
        return solved
    rng = position_rng(shown, seed)
    hands = sample_hands(shown, beliefs, deals, rng)
    return play_on_by_engine(shown, moves, hands, reference(), rng).judgement(moves, values, seat, shown.stakes)


def candidate_moves(decision: Decision) -> list[PlayerAction | None]:
    """Return the moves that are worth comparing: the one made, those that are no bids, and the most promising bids."""
    shown, made = decision.view, decision.move
    if not shown.on_turn:
        return list(dict.fromkeys([made, None, *shown.moves]))
    others = [move for move in shown.moves if not isinstance(move, Bid)]
    return list(dict.fromkeys([made, *others, *islice(_bids_by_promise(shown), MAX_BIDS)]))


def _bids_by_promise(shown: View) -> list[PlayerAction]:
    """Return bids with the most promising first: the two likeliest of the champion, then the likeliest to be true."""
    if not shown.may_bid:
        return []
    (moves,) = hand_moves(reference(), [Situation(shown, [shown.hand])])
    played = sorted(moves.all_probs(shown.hand).items(), key=lambda item: -item[1])
    first = [move for move, _ in played if move is not None and not isinstance(move, Challenge)]
    odds = BidOdds(shown)
    return [*islice(first, 2), *sorted(shown.may_bid, key=lambda bid: -odds.p_bid(bid))]


def _may_call(shown: View, beliefs: Mapping[int, Belief]) -> bool:
    """Return whether a call out of turn is likely enough to be right to be compared with silence."""
    bid = shown.bid
    if bid is None:
        return False
    p_true, p_exact = chances(shown, beliefs, bid)
    challenges = shown.may_challenge or shown.may_double
    return (challenges and 1 - p_true >= MIN_P_RIGHT) or (shown.may_call_exact and p_exact >= MIN_P_RIGHT)


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
            return assessment_of(decision, NOTHING_COMPARED._replace(source=Source.FORCED), {}, ())
        if needs_engine(decision):
            return assess_by_engine(decision, self._values, self._deals, self._seed)
        beliefs = seat_beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
        judgement = NOTHING_COMPARED
        if shown.on_turn or decision.move is not None or _may_call(shown, beliefs):
            judgement = self._judge(decision, beliefs, [decision.move])
        return assessment_of(decision, judgement, beliefs, count_beliefs(shown, beliefs))

    def compare(self, decision: Decision, other: PlayerAction | None) -> Assessment:
        """Return the assessment beside another legal move alone; `assess` tells the same of both."""
        shown, moves = decision.view, list(dict.fromkeys([decision.move, other]))
        if any(needs_engine(msgspec.structs.replace(decision, move=move)) for move in moves):
            beliefs = beliefs_given_moves(decision)
            judgement = _judge_by_engine(shown, beliefs, moves, self._values, deals=self._deals, seed=self._seed)
        else:
            beliefs = seat_beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
            judgement = self._judge(decision, beliefs, moves, only_asked=True)
        return assessment_of(decision, judgement, beliefs, count_beliefs(shown, beliefs))

    def _judge(
        self,
        decision: Decision,
        beliefs: Mapping[int, Belief],
        asked: Sequence[PlayerAction | None],
        *,
        only_asked: bool = False,
    ) -> Judgement:
        return judge(
            decision.view,
            decision.round_dice,
            beliefs,
            asked=asked,
            only_asked=only_asked,
            deals=self._deals,
            seed=self._seed,
            values=self._values,
        )
