"""What a state of a match is worth to each seat, with all dice known: before and after each roll and each move."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np
from msgspec.structs import replace

from liarsdice.analysis.deals import FloatArray, IntArray, deal_count, enumerate_deals, sample_deals, starter_chances
from liarsdice.analysis.fitted_values import FittedValues, fitted_values, won_shares
from liarsdice.core.actions import Deal, Penalise, RollAgain
from liarsdice.core.bids.odds import enumerate_hands
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve, evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.meaning import dice_differ_by_seat
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.values.features import Situation, concatenate, situation_of_state
from liarsdice.values.value_network import ValueNetwork, value_network

SAMPLED_DEALS = 1000
"""How many deals are drawn where not all of them can be enumerated."""
MAX_ENUMERATED_DEALS = 2000
"""The most deals that are enumerated: two players with three dice and two, for example."""


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
    """Return the values of typical players: those of the network, or fitted ones under rules that it doesn't know."""
    return NetworkValues() if is_learned(rules) else fitted_values(rules, seats)


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
                return self._before_roll(state)
            case Phase.DEAL:
                return self._before_deal(state)
            case Phase.STARTER:
                return self._before_start(state)

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

    def _before_start(self, state: State) -> tuple[FloatArray, FloatArray]:
        """Return the mean share over all seats that may open the match, and its variance."""
        seats, differ = len(state.names), dice_differ_by_seat(state.ruleset)
        rolling = state.rolling or tuple(range(seats))
        if len(rolling) == seats and not (differ or self._values.knows_players):
            return np.full(seats, 1 / seats), np.zeros(seats)
        opened = [evolve(state, StarterFound(seat, StarterMethod.HIGH_ROLL)) for seat in rolling]
        shares, variances = map(np.stack, zip(*map(self._before_deal, opened), strict=True))
        chances = np.full(len(rolling), 1 / len(rolling))
        if differ and state.ruleset.first_starter.method is StarterMethod.HIGH_ROLL:
            chances = starter_chances(state.ruleset, rolling, self._deals, self._rng)
        return chances @ shares, chances**2 @ variances

    def before_pick(self, state: State, seat: int, action: Penalise) -> tuple[FloatArray, FloatArray]:
        """Return the mean share over all dice that a penalty might take, or over sampled ones, and its variance.

        Both are float64 [seat].
        """
        dice, count = state.dice[seat], len(action.taken)
        if comb(dice, count) <= MAX_ENUMERATED_DEALS:
            picks, sampled = list(combinations(range(dice), count)), 0
        else:
            shuffled = self._rng.permuted(np.tile(np.arange(dice), (self._deals, 1)), axis=1)
            picks, sampled = list(map(tuple, np.sort(shuffled[:, :count], axis=1).tolist())), self._deals
        actions = [replace(action, taken=pick) for pick in picks]
        shares = np.stack([self.value(evolve_all(state, decide(state, seat, one)))[0] for one in actions])
        variance = shares.var(axis=0, ddof=1) / sampled if sampled else np.zeros(len(state.names))
        return shares.mean(axis=0), variance

    def _before_roll(self, state: State) -> tuple[FloatArray, FloatArray]:
        """Return the mean share over all rolls of a player who rolls again, or over sampled ones, and its variance."""
        assert state.roller is not None
        faces, dice = state.ruleset.dice.faces_at(state.roller), state.hidden_count(state.roller)
        if comb(dice + faces - 1, dice) <= MAX_ENUMERATED_DEALS:
            hands, ways = enumerate_hands(faces, dice)
            return np.array(ways) / faces**dice @ self._after_rolls(state, hands), np.zeros(len(state.names))
        shares = self._after_rolls(state, self._rng.integers(1, faces + 1, (self._deals, dice)).tolist())
        return shares.mean(axis=0), shares.var(axis=0, ddof=1) / self._deals

    def _after_rolls(self, state: State, rolls: Iterable[Sequence[int]]) -> FloatArray:
        """Return the shares after each of some rolls of a bidder who showed dice, float64 [roll, seat]."""
        return self._values.in_round([evolve_all(state, decide(state, None, RollAgain(tuple(roll)))) for roll in rolls])

    def _before_deal(self, state: State) -> tuple[FloatArray, FloatArray]:
        """Return the mean share over all deals, or over sampled ones, and its variance."""
        rules, dice = state.ruleset, state.dice
        dealt = evolve_all(state, decide(state, None, Deal(tuple((1,) * held for held in dice))))
        if deal_count(rules, dice) <= MAX_ENUMERATED_DEALS:
            counts, probs = enumerate_deals(rules, dice)
            return probs @ self._values.after_deals(dealt, counts), np.zeros(len(dice))
        shares = self._values.after_deals(dealt, sample_deals(rules, dice, self._deals, self._rng))
        return shares.mean(axis=0), shares.var(axis=0, ddof=1) / self._deals
