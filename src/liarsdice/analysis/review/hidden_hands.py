"""What a player may believe of the dice that it does not see, under any rules, and hands that are drawn accordingly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.review.decisions import Decision, PastMove
from liarsdice.bots.neural.belief import (
    ENDGAME_OFF_POLICY_SHARE,
    OFF_POLICY_SHARE,
    Belief,
    hand_prior,
    state_with_hands,
)
from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.count_beliefs import CountBelief
from liarsdice.bots.neural.engine_playouts import Hands
from liarsdice.bots.neural.hand_moves import Situation, hand_moves
from liarsdice.core.actions import BidAndShow
from liarsdice.core.engine.state import PublicState
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.meaning import bids_are_about_own_dice
from liarsdice.core.rules.tally import Hand, tally
from liarsdice.values.endgames import endgame_policies


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
