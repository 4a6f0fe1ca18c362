"""Evidence about how an opponent plays: Bayes' rule over a few kinds of players, from the rounds of a match.

A round counts once its hands are shown, since an action says most beside the hand that it was made with. Each bid of
the opponent, and its call if it made one, multiplies the weight of each kind by the probability that a player of this
kind does the same with that hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from liarsdice.bots.neural.belief import states_of_round
from liarsdice.bots.policy import NamesActionProbs
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.inference import BID_CREDIT
from liarsdice.bots.simple.misjudging import Misjudgement, Misjudging
from liarsdice.bots.simple.novice import Novice
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand

PLAIN_KINDS: tuple[Bot, ...] = (Threshold(0.4), Threshold(0.4, BID_CREDIT), Misjudging(Misjudgement.GUESSES), Novice())
"""Players who decide by the odds of their own dice, or by guesses of them, and never draw a move."""
STRANGE_SHARE = 0.1
"""The share of the actions of every kind that is taken as uniform, so that no action proves anything."""
PLAIN_PRIOR = 0.1
"""The probability, before any round, that an opponent is of a plain kind."""
MIN_WEIGHT = 1e-4
"""The least weight of a kind beside the likeliest one, so that a player who changes is noticed within some rounds."""


class SeenRound(NamedTuple):
    """What one of two players saw of a round: the view at its latest move, and the move."""

    shown: View
    move: PlayerAction


class OpponentEvidence:
    """What the rounds of a match of two players tell about one of them.

    `balanced`: the kinds of players who are not plain. The kinds of each group are equally probable at first.
    """

    def __init__(self, balanced: tuple[NamesActionProbs, ...]) -> None:
        self._balanced = balanced
        plain = np.full(len(PLAIN_KINDS), PLAIN_PRIOR / len(PLAIN_KINDS))
        self._weights = np.append(plain, np.full(len(balanced), (1 - PLAIN_PRIOR) / len(balanced)))
        self._is_empty = True

    @property
    def p_plain(self) -> float:
        """The probability that the opponent is of one of the plain kinds; 0 before any round was seen."""
        if self._is_empty:
            return 0.0
        return float(self._weights[: len(PLAIN_KINDS)].sum() / self._weights.sum())

    def add_round(self, seen: SeenRound, opponent: int, hands: tuple[Hand, ...]) -> None:
        """Take into account a round whose hands were shown. `opponent`: the seat that is judged."""
        for shown, bid in decisions_of(seen, opponent, hands):
            plain = [_likelihood({kind.act(shown): 1.0}, shown, bid) for kind in PLAIN_KINDS]
            balanced = [_likelihood(kind.action_probs(shown), shown, bid) for kind in self._balanced]
            self._weights *= [*plain, *balanced]
            self._weights /= self._weights.max()
        self._weights = np.maximum(self._weights, MIN_WEIGHT)
        self._is_empty = False


def decisions_of(seen: SeenRound, seat: int, hands: tuple[Hand, ...]) -> Iterator[tuple[View, Bid | None]]:
    """Yield the decisions of a seat in a round: its view with its hand, and its bid, or None for a call."""
    *before_bids, after_bids = states_of_round(seen.shown, hands)
    for (bidder, bid), state in zip(seen.shown.bids, before_bids, strict=True):
        if bidder == seat:
            yield view(state, seat), bid
    if isinstance(seen.move, Bid) and seen.shown.seat is not None:
        yield view(evolve(after_bids, BidMade(seen.shown.seat, seen.move)), seat), None


def _likelihood(probs: Mapping[PlayerAction | None, float], shown: View, bid: Bid | None) -> float:
    """Return the probability of a bid, or of any call (None), by the probabilities of a kind's actions."""
    moves = shown.moves if bid is None else (bid,)
    fitting = [move for move in moves if bid is not None or not isinstance(move, Bid)]
    p_fitting = sum(probs.get(move, 0.0) for move in fitting)
    return (1 - STRANGE_SHARE) * p_fitting + STRANGE_SHARE * len(fitting) / len(shown.moves)
