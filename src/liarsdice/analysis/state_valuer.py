"""What a state of a match is worth to each seat, with all dice known: before and after each roll and each move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.deals import deal_count, enumerate_deals, sample_deals
from liarsdice.analysis.fitted_values.fitted import FittedValues, fitted_values
from liarsdice.analysis.fitted_values.sampled_matches import won_shares
from liarsdice.core.actions import Deal, RollAgain
from liarsdice.core.bids.hands import enumerate_hands
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve, evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.simulation_limits import is_simulated
from liarsdice.state_value.situation import Situation, concatenate, situation_of_state
from liarsdice.state_value.value_network import ValueNetwork, value_network

SAMPLED_DEALS = 1000
"""How many deals are drawn where not all of them can be enumerated."""
MAX_ENUMERATED_DEALS = 2000
"""The most deals that are enumerated: two players with three dice and two, for example."""

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class StateValues(Protocol):
    """The share of the match that each seat wins if typical players play on."""

    @property
    def knows_players(self) -> bool:
        """Whether the values go by who plays, so that seats differ from the start."""
        ...

    def in_round(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states of the bidding, float64 [state, seat]."""
        ...

    def between(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states before a deal, float64 [state, seat]."""
        ...

    def after_deals(self, state: State, counts: IntArray) -> FloatArray:
        """Return the shares after each of some deals of a round, float64 [deal, seat].

        `state`: of the bidding, before any bid. `counts`: int64 [deal, seat, face], how many dice show each face.
        """
        ...


class NetworkValues:
    """The values of a network, under rules that are simulated.

    `players`: the kind of the player of each seat, as its place in `PLAYER_KINDS`; without it all are typical players.
    """

    def __init__(self, network: ValueNetwork | None = None, players: Sequence[int] | None = None) -> None:
        self._network = value_network() if network is None else network
        self._players = players

    @property
    def knows_players(self) -> bool:
        """Whether the values go by who plays."""
        return self._players is not None

    def in_round(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states of the bidding, float64 [state, seat]."""
        return self._network.shares(concatenate([self._situation(state) for state in states]), in_round=True)

    def between(self, states: Sequence[State]) -> FloatArray:
        """Return the shares in states before a deal, float64 [state, seat]."""
        return self._network.shares(concatenate([self._situation(state) for state in states]), in_round=False)

    def after_deals(self, state: State, counts: IntArray) -> FloatArray:
        """Return the shares after each of some deals of a round, float64 [deal, seat]."""
        return self._network.shares(self._situation(state).with_hands(counts), in_round=True)

    def _situation(self, state: State) -> Situation:
        situation = situation_of_state(state)
        return situation if self._players is None else situation._replace(players=np.array([self._players]))


def typical_values(rules: Ruleset, seats: int) -> NetworkValues | FittedValues:
    """Return the values of typical players: those of the network, or fitted ones under rules that are not simulated."""
    return NetworkValues() if is_simulated(rules) else fitted_values(rules, seats)


class StateValuer:
    """Values the states of a match; the same states in the same order and the same seed give the same values."""

    def __init__(self, seed: int = 0, deals: int = SAMPLED_DEALS, values: StateValues | None = None) -> None:
        self._rng = np.random.default_rng(seed)
        self._deals = deals
        self._values: StateValues = NetworkValues() if values is None else values

    def value(self, state: State) -> tuple[FloatArray, FloatArray]:
        """Return the share of each seat and its variance by sampling, both float64 [seat]."""
        exact = np.zeros(len(state.names))
        match state.phase:
            case Phase.OVER:
                return won_shares(state), exact
            case Phase.BIDDING:
                return self._values.in_round([state])[0], exact
            case Phase.ROLL_AGAIN:
                return self._before_roll(state), exact
            case Phase.DEAL:
                return self._before_deal(state)
            case Phase.STARTER:
                rolling = state.rolling or tuple(range(len(exact)))
                if len(rolling) == len(exact) and not self._values.knows_players:
                    return np.full(len(exact), 1 / len(exact)), exact
                found = [evolve(state, StarterFound(seat, StarterMethod.HIGH_ROLL)) for seat in rolling]
                values = [self._before_deal(one) for one in found]
                shares, variances = (np.stack(arrays) for arrays in zip(*values, strict=True))
                return shares.mean(axis=0), variances.mean(axis=0) / len(values)

    def quick_values(self, states: Sequence[State]) -> FloatArray:
        """Return the shares of many states, float64 [state, seat], where those between rounds are not rolled out.

        Unlike `value`, it does not say what is to be expected of the next roll, so that both may differ a little.
        """
        shares = np.zeros((len(states), len(states[0].names)))
        for phase, values in ((Phase.BIDDING, self._values.in_round), (Phase.DEAL, self._values.between)):
            places = [place for place, state in enumerate(states) if state.phase is phase]
            if places:
                shares[places] = values([states[place] for place in places])
        for place, state in enumerate(states):
            if state.phase is Phase.OVER:
                shares[place] = self.value(state)[0]
        return shares

    def _before_roll(self, state: State) -> FloatArray:
        """Return the mean share, float64 [seat], over all rolls of a bidder who showed dice."""
        assert state.bidder is not None
        faces, dice = state.ruleset.dice.faces_at(state.bidder), state.hidden_count(state.bidder)
        hands, ways = enumerate_hands(faces, dice)
        rolled = [evolve_all(state, decide(state, None, RollAgain(hand))) for hand in hands]
        mean: FloatArray = np.array(ways) / faces**dice @ self._values.in_round(rolled)
        return mean

    def _before_deal(self, state: State) -> tuple[FloatArray, FloatArray]:
        """Return the mean share over all deals, or over sampled ones, and its variance."""
        rules, dice = state.ruleset, state.dice
        dealt = evolve_all(state, decide(state, None, Deal(tuple((1,) * held for held in dice))))
        if deal_count(rules, dice) <= MAX_ENUMERATED_DEALS:
            counts, probs = enumerate_deals(rules, dice)
            return probs @ self._values.after_deals(dealt, counts), np.zeros(len(dice))
        shares = self._values.after_deals(dealt, sample_deals(rules, dice, self._deals, self._rng))
        return shares.mean(axis=0), shares.var(axis=0, ddof=1) / self._deals
