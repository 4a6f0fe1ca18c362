"""Champions with all that they play by: network, solved rounds, blueprints."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.belief import states_of_round
from liarsdice.bots.neural.champion import Champion, Temper, champion_network, own_networks
from liarsdice.bots.neural.features import is_observable
from liarsdice.bots.neural.network import Network, load_packaged_network
from liarsdice.bots.policy import NamesActionProbs
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import Misjudgement, Misjudging, Novice, Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.values.blueprints import Blueprints, blueprints_of_file, packaged_blueprints
from liarsdice.values.endgames import ENDGAME_DICE

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


def make_champion(seed: int | str | None = None, temper: Temper | None = None) -> Champion:
    """Return the champion with all that it plays by."""
    blueprints = None if temper else packaged_blueprints()
    return Champion(champion_network(), seed, temper, blueprints=blueprints, own_networks=own_networks())


def adaptive_champion(seed: int | str | None = None) -> AdaptiveChampion:
    """Return the adaptive champion."""
    return AdaptiveChampion(champion_network(), seed, blueprints=packaged_blueprints(), own_networks=own_networks())


def blueprint_champion(path: Path, seed: int | str | None = None) -> Champion:
    """Return a champion that plays the blueprints in a file, and none of the package.

    Raises what `read_blueprints` raises.
    """
    return Champion(champion_network(), seed, blueprints=blueprints_of_file(path), own_networks=own_networks())


class Baseline(NamedTuple):
    """An earlier champion: the file of its network, and what it plays by beside it (see `Champion`)."""

    file: str
    endgame_dice: int = ENDGAME_DICE
    heeds_own_dice: bool = True


BASELINES: Mapping[str, Baseline] = {
    "champion@5": Baseline("baseline-5", endgame_dice=2, heeds_own_dice=False),
    "champion@7": Baseline("champion"),  # the champion of today plays by the same network where it has no better one
}
"""By name."""


def baseline_network(name: str) -> Network:
    """Return the network of a baseline, read once per process."""
    return load_packaged_network(BASELINES[name].file)


def make_baseline(name: str, seed: int | str | None = None) -> Champion:
    """Return a baseline as a bot."""
    _, endgame_dice, heeds_own_dice = BASELINES[name]
    return Champion(baseline_network(name), seed, endgame_dice=endgame_dice, heeds_own_dice=heeds_own_dice)
