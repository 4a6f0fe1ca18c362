"""A champion that leans within a match towards what wins more from an opponent of the kind that it has seen.

Balanced play gains little from plain mistakes. The network, without its less likely moves, gains more from them, but
can be exploited. The adaptive champion plays blueprints as the champion does, and lets the network make a share of
these decisions that grows with the evidence that the opponent decides by odds alone (`OpponentEvidence`). The share is
bounded, whatever the opponent does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import is_observable
from liarsdice.bots.neural.opponent_evidence import OpponentEvidence, SeenRound
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.values.blueprints import Blueprints

MAX_LEAN = 0.7
"""The largest share of the decisions in rounds with a blueprint that the network makes."""
LEANING_MIN_PROB_RATIO = 0.5
"""Where the network decides, moves below this fraction of the likeliest one are not made."""


class Evidence(Protocol):
    """What is known of the opponent of a match."""

    @property
    def p_plain(self) -> float:
        """The probability (0..1) that it decides by odds alone."""

    def add_round(self, seen: SeenRound, opponent: int, hands: tuple[Hand, ...]) -> None:
        """Take into account a round whose hands were shown."""


class AdaptiveChampion(Champion):
    """Plays as the champion with these blueprints, and leans towards `network` against plain opponents.

    It learns from the views of its turns, and forgets everything when a new match begins. The same seed and the same
    views in the same order give the same moves. `evidence`: used in place of the evidence of the match, and never
    forgotten.
    """

    def __init__(
        self,
        network: Network,
        seed: int | str | None = None,
        *,
        blueprints: Blueprints,
        own_networks: Mapping[Ruleset, Network] | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        super().__init__(network, seed, blueprints=blueprints, own_networks=own_networks)
        self._leaning = Champion(network.with_min_prob_ratio(LEANING_MIN_PROB_RATIO))
        self._kinds = Champion(network, blueprints=blueprints), Champion(network)
        self._given = evidence
        self._evidence: Evidence
        self._seen: SeenRound | None
        self._forget()

    @property
    def lean(self) -> float:
        """The share of the decisions in rounds with a blueprint that the network makes now, at most `MAX_LEAN`."""
        return MAX_LEAN * self._evidence.p_plain

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move, after taking into account what the view tells of the round before."""
        self._learn(view)
        move = super().act(view)
        if move is not None and self._knows_round(view):
            self._seen = SeenRound(view, move)
        return move

    def action_probs(self, view: View) -> dict[PlayerAction | None, float]:
        """Return the probability of each move, given what was seen of the match; None is silence out of turn."""
        probs = super().action_probs(view)
        if not (view.on_turn and self.blueprint(view) is not None):
            return probs
        leaning = self._leaning.action_probs(view)
        return {
            move: (1 - self.lean) * probs.get(move, 0.0) + self.lean * leaning.get(move, 0.0)
            for move in dict.fromkeys([*probs, *leaning])
        }

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return the probability of each action with each hand, float64 [view, action, hand] (`bots.policy`)."""
        probs = super().probs_by_hand(views, hands, actions)
        if not (views[0].on_turn and self.blueprint(views[0]) is not None):
            return probs
        mixed: NDArray[np.float64] = (1 - self.lean) * probs
        mixed += self.lean * self._leaning.probs_by_hand(views, hands, actions)
        return mixed

    def _forget(self) -> None:
        self._evidence = self._given or OpponentEvidence(self._kinds)
        self._seen = None

    def _knows_round(self, view: View) -> bool:
        """Return whether the round is one of two players that the champion plays by a blueprint or as solved.

        There is none under rules that the network does not know.
        """
        return (
            view.on_turn
            and is_observable(view.ruleset)
            and (self.plays_solved(view) or self.blueprint(view) is not None)
        )

    def _learn(self, view: View) -> None:
        """Learn from the round before, if its hands were shown; a view of another match makes the bot forget."""
        if self._seen is None:
            return
        shown, move = self._seen
        if (view.ruleset, view.names, view.seat) != (shown.ruleset, shown.names, shown.seat):
            self._forget()
        elif view.round_number == shown.round_number:
            if view.bids[: len(shown.bids)] != shown.bids:
                self._forget()
        elif view.round_number < shown.round_number:
            self._forget()
        else:
            last_bid = move if isinstance(move, Bid) else shown.bid
            if view.round_number == shown.round_number + 1 and view.revealed and view.revealed.bid == last_bid:
                (opponent,) = (seat for seat, held in enumerate(shown.dice) if held and seat != shown.seat)
                self._evidence.add_round(self._seen, opponent, view.revealed.hands)
            self._seen = None
