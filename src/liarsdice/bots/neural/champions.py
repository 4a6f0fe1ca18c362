"""Champions with all that they play by: network, solved rounds, blueprints."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.belief import states_of_round
from liarsdice.bots.neural.champion import Champion, Temper, champion_network, own_networks
from liarsdice.bots.neural.features import is_observable
from liarsdice.bots.neural.network import Network, load_packaged_network
from liarsdice.bots.policy import NamesActionProbs, policy_of
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import Misjudgement, Misjudging, Novice, Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import several_may_call
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.values.blueprints import Blueprints, blueprints_of_file, packaged_blueprints
from liarsdice.values.endgames import ENDGAME_DICE

STRANGE_SHARE = 0.1
"""The share of the actions of every kind that is taken as uniform, so that no action proves anything."""
MIN_WEIGHT = 1e-4
"""The least weight of a kind beside the likeliest one, so that a player who changes is noticed within some rounds."""


class SeenRound(NamedTuple):
    """What a player saw of a round: the view at its latest move, and the move."""

    shown: View
    move: PlayerAction

    @property
    def bid(self) -> Bid | None:
        """The latest bid that the player knows."""
        return self.move if isinstance(self.move, Bid) else self.shown.bid


class Notes(NamedTuple):
    """What a bot has learned in a match, as plain data.

    `weights`: of each kind of player, by seat. `seen`: the round that goes on. `latest`: the latest view.
    """

    weights: Mapping[int, tuple[float, ...]] = {}
    seen: SeenRound | None = None
    latest: View | None = None


class MatchMemory:
    """What the rounds of a match tell about the other players: how likely each is of each kind.

    `kinds`: with the probability of each before any round. A view of another match makes it forget. `notes`: all that
    it has learned, with which another memory of the same kinds goes on.
    """

    def __init__(self, kinds: Sequence[tuple[float, NamesActionProbs]]) -> None:
        self._kinds = tuple(kind for _, kind in kinds)
        self._prior = np.array([prob for prob, _ in kinds])
        self.notes = Notes()

    def probs(self, seat: int) -> NDArray[np.float64]:
        """Return how likely a player is of each kind, float64 [kind]."""
        weights = np.array(self.notes.weights.get(seat, self._prior))
        probs: NDArray[np.float64] = weights / weights.sum()
        return probs

    def learn(self, view: View) -> None:
        """Learn from the round that was noted, if it has ended and its hands were shown."""
        known, seen, latest = self.notes
        if latest is not None and _begins_another_match(view, latest):
            known, seen = {}, None
        self.notes = Notes(known, seen, msgspec.structs.replace(view, may_bid=()))
        if seen is None or view.round_number == seen.shown.round_number:
            return
        self.notes = self.notes._replace(seen=None)
        revealed = view.revealed
        is_next = view.round_number == seen.shown.round_number + 1
        if is_next and revealed and tuple(map(len, revealed.hands)) == seen.shown.dice:
            was_called = revealed.bid == seen.bid and not several_may_call(view.ruleset)
            self._add_round(seen, revealed.hands, was_called=was_called)

    def note(self, view: View, move: PlayerAction | None) -> None:
        """Note a move on turn, from which `learn` learns when the round has ended."""
        if move is not None and view.on_turn:
            self.notes = self.notes._replace(seen=SeenRound(msgspec.structs.replace(view, may_bid=()), move))

    def _add_round(self, seen: SeenRound, hands: tuple[Hand, ...], *, was_called: bool) -> None:
        weights = {seat: np.array(known) for seat, known in self.notes.weights.items()}
        for shown, bid in decisions_of(seen, hands, was_called=was_called):
            if len(shown.moves) == 1:
                continue
            assert shown.seat is not None
            likelihoods = [_likelihood(kind.action_probs(shown), shown, bid) for kind in self._kinds]
            product = weights.get(shown.seat, self._prior) * likelihoods
            weights[shown.seat] = product / product.max()
        kept = {seat: tuple(np.maximum(found, MIN_WEIGHT).tolist()) for seat, found in weights.items()}
        self.notes = self.notes._replace(weights=kept)


class Learner:
    """A bot that learns by a memory of the match (`protocol.Learns`)."""

    _match: MatchMemory

    @property
    def notes(self) -> Notes:
        """What it has learned in the match (`protocol.Learns`)."""
        return self._match.notes

    @notes.setter
    def notes(self, notes: Notes) -> None:
        self._match.notes = notes


def _begins_another_match(view: View, latest: View) -> bool:
    """Return whether a view cannot follow another one in the same match."""
    return (
        (view.ruleset, view.names, view.seat) != (latest.ruleset, latest.names, latest.seat)
        or view.round_number < latest.round_number
        or (view.round_number == latest.round_number and view.bids[: len(latest.bids)] != latest.bids)
    )


def decisions_of(seen: SeenRound, hands: tuple[Hand, ...], *, was_called: bool) -> Iterator[tuple[View, Bid | None]]:
    """Yield the decisions of the others in a round: the view with their hand, and the bid, or None for a call.

    `was_called`: whether the next player called the latest bid that was seen.
    """
    own = seen.shown.seat
    *before_bids, after_bids = states_of_round(seen.shown, hands)
    for (bidder, bid), state in zip(seen.shown.bids, before_bids, strict=True):
        if bidder != own:
            yield view(state, bidder), bid
    if was_called and isinstance(seen.move, Bid) and own is not None:
        called = evolve(after_bids, BidMade(own, seen.move))
        yield view(called, called.turn), None


def _likelihood(probs: Mapping[PlayerAction | None, float], shown: View, bid: Bid | None) -> float:
    """Return the probability of a bid, or of any call (None), by the probabilities of a kind's actions."""
    moves = shown.moves if bid is None else (bid,)
    fitting = [move for move in moves if bid is not None or not isinstance(move, Bid)]
    p_fitting = sum(probs.get(move, 0.0) for move in fitting)
    return (1 - STRANGE_SHARE) * p_fitting + STRANGE_SHARE * len(fitting) / len(shown.moves)


PLAIN_KINDS: tuple[Bot, ...] = (Threshold(0.4), Threshold(0.4, BID_CREDIT), Misjudging(Misjudgement.GUESSES), Novice())
"""Players who decide by the odds of their own dice, or by guesses of them, and never draw a move."""
PLAIN_PRIOR = 0.1
"""The probability, before any round, that an opponent is of a plain kind."""
MAX_LEAN = 0.7
"""The largest share of the decisions in rounds with a blueprint that the network makes."""
LEANING_MIN_PROB_RATIO = 0.5
"""Where the network decides, moves below this fraction of the likeliest one are not made."""


class AdaptiveChampion(Learner, Champion):
    """Plays as the champion with these blueprints, and leans towards `network` against plain opponents.

    It learns from the views of its turns, and forgets everything when a new match begins. The same seed and the same
    views in the same order give the same moves.
    """

    def __init__(
        self,
        network: Network,
        seed: int | str | None = None,
        *,
        blueprints: Blueprints,
        own_networks: Mapping[Ruleset, Network] | None = None,
    ) -> None:
        super().__init__(network, seed, blueprints=blueprints, own_networks=own_networks)
        self._leaning = Champion(network.with_min_prob_ratio(LEANING_MIN_PROB_RATIO))
        plain = [(PLAIN_PRIOR / len(PLAIN_KINDS), policy_of(kind)) for kind in PLAIN_KINDS]
        balanced = Champion(network, blueprints=blueprints), Champion(network)
        self._match = MatchMemory([*plain, *(((1 - PLAIN_PRIOR) / len(balanced), kind) for kind in balanced)])

    @property
    def lean(self) -> float:
        """The share of the decisions in rounds with a blueprint that the network makes now, at most `MAX_LEAN`.

        It is 0 before any round of two players was seen.
        """
        return sum(MAX_LEAN * float(self._match.probs(seat)[: len(PLAIN_KINDS)].sum()) for seat in self.notes.weights)

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move, after taking into account what the view tells of the round before."""
        self._match.learn(view)
        move = super().act(view)
        if self._knows_round(view):
            self._match.note(view, move)
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

    def _knows_round(self, view: View) -> bool:
        """Return whether the round is one of two players that the champion plays by a blueprint or as solved.

        There is none under rules that the network does not know.
        """
        return (
            view.on_turn
            and is_observable(view.ruleset)
            and (self.plays_solved(view) or self.blueprint(view) is not None)
        )


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
