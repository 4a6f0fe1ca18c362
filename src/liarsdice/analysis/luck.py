"""Luck and play: how the dice and the players' moves changed the value of a match, with all dice known.

A value says which share of the match each seat wins if typical players play on. It changes at every roll and at every
move. Luck is the sum of the changes by chance, each less what was to be expected of it; the other changes are the
moves of the players. Start, luck and moves together are the result, for every match. Luck has mean zero whatever the
values are (Burch et al. 2018), because the same values give what was to be expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, prod

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import Action, ChooseStarter, Deal, DealerAction, Penalise, PlayerAction, RollForStart
from liarsdice.core.bids.hands import enumerate_hands
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve, evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import Event, RoundStarted, StarterFound
from liarsdice.core.records.record import recorded_actions, recorded_start
from liarsdice.core.rules.choices import Choice, StarterMethod
from liarsdice.state_value.situation import Situation, concatenate, situation_of_state
from liarsdice.state_value.value_network import ValueNetwork, value_network

SAMPLED_DEALS = 1000
"""How many deals are drawn where not all of them can be enumerated."""
MAX_ENUMERATED_DEALS = 2000
"""The most deals that are enumerated: two players with three dice and two, for example."""

Z_95 = 1.96

FloatArray = NDArray[np.float64]


class ChangeCause(Choice):
    """Why a value changed. `MOVE` and `PENALTY` are the players' doing, `STARTER` and `ROLL` are chance."""

    START = "start"
    STARTER = "starter"
    ROLL = "roll"
    MOVE = "move"
    PENALTY = "penalty"


class WinPoint(msgspec.Struct, frozen=True):
    """A point of the win line: the value after an event.

    `seat`: who made the `move`, None for chance. `shares`: by seat, the share of the match (0..1) that it wins.
    `expected`: by seat, the value before, which at a roll was to be expected of it. `errors`: by seat, half the width
    of the 95% interval of `expected`, 0 where it is exact.
    """

    cause: ChangeCause
    round_number: int
    seat: int | None
    move: PlayerAction | None
    shares: tuple[float, ...]
    expected: tuple[float, ...]
    errors: tuple[float, ...]


class MatchAccount(msgspec.Struct, frozen=True):
    """A match as the sum of its parts, as shares of the match.

    By seat: `start`, `luck`, `luck_error` (half the width of the 95% interval that sampling leaves) and `result`.
    `play`: by player and seat, what the player's moves gave the seat. For each seat, start, luck and all players' play
    are the result. `win_line`: the value after every event.
    """

    start: tuple[float, ...]
    luck: tuple[float, ...]
    luck_error: tuple[float, ...]
    play: tuple[tuple[float, ...], ...]
    result: tuple[float, ...]
    win_line: tuple[WinPoint, ...]


class StateValuer:
    """Values the states of a match; the same states in the same order and the same seed give the same values.

    `players`: the kind of the player of each seat, as its place in `PLAYER_KINDS`; without it all are typical players.
    """

    def __init__(
        self,
        seed: int = 0,
        deals: int = SAMPLED_DEALS,
        network: ValueNetwork | None = None,
        players: Sequence[int] | None = None,
    ) -> None:
        self._rng = np.random.default_rng(seed)
        self._deals = deals
        self._network = value_network() if network is None else network
        self._players = players

    def value(self, state: State) -> tuple[FloatArray, FloatArray]:
        """Return the share of each seat and its variance by sampling, both float64 [seat]."""
        exact = np.zeros(len(state.names))
        match state.phase:
            case Phase.OVER:
                won = np.bincount(state.winners, minlength=len(exact)).astype(np.float64)
                return won / won.sum(), exact
            case Phase.BIDDING | Phase.ROLL_AGAIN:
                return self._network.shares(self._situation(state), in_round=True)[0], exact
            case Phase.DEAL:
                return self._before_deal(state)
            case Phase.STARTER:
                rolling = state.rolling or tuple(range(len(exact)))
                if len(rolling) == len(exact) and self._players is None:
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
        for phase in (Phase.BIDDING, Phase.DEAL):
            places = [place for place, state in enumerate(states) if state.phase is phase]
            if places:
                situation = concatenate([self._situation(states[place]) for place in places])
                shares[places] = self._network.shares(situation, in_round=phase is Phase.BIDDING)
        for place, state in enumerate(states):
            if state.phase is Phase.OVER:
                shares[place] = self.value(state)[0]
        return shares

    def _situation(self, state: State) -> Situation:
        situation = situation_of_state(state)
        return situation if self._players is None else situation._replace(players=np.array([self._players]))

    def _before_deal(self, state: State) -> tuple[FloatArray, FloatArray]:
        """Return the mean share over all deals, or over sampled ones, and its variance."""
        started = RoundStarted(state.round_number + 1, state.starter, state.dice, state.direction, state.special_seat)
        dealt = msgspec.structs.replace(evolve(state, started), phase=Phase.BIDDING)
        situation = self._situation(dealt)
        faces = state.ruleset.dice.faces
        if prod(comb(held + faces - 1, held) for held in state.dice) <= MAX_ENUMERATED_DEALS:
            hands, probs = enumerate_deals(state.dice, faces)
            shares = self._network.shares(situation.with_hands(hands), in_round=True)
            return probs @ shares, np.zeros(len(state.dice))
        rolls = [self._rng.multinomial(held, np.full(faces, 1 / faces), self._deals) for held in state.dice]
        shares = self._network.shares(situation.with_hands(np.stack(rolls, axis=1)), in_round=True)
        return shares.mean(axis=0), shares.var(axis=0, ddof=1) / self._deals


def enumerate_deals(dice: Sequence[int], faces: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Return all deals, int64 [deal, seat, face], how many dice show each face, and their probabilities.

    >>> hands, probs = enumerate_deals((1, 1), 6)
    >>> len(hands), float(probs.sum().round(9))
    (36, 1.0)
    """
    deals, probs = np.zeros((1, 0, faces), np.int64), np.ones(1)
    for held in dice:
        hands, ways = enumerate_hands(faces, held)
        counts = np.array([[hand.count(face) for face in range(1, faces + 1)] for hand in hands], np.int64)
        tiled = np.tile(counts, (len(deals), 1))[:, np.newaxis]
        deals = np.concatenate([np.repeat(deals, len(counts), axis=0), tiled], axis=1)
        probs = np.repeat(probs, len(counts)) * np.tile(np.array(ways) / faces**held, len(probs))
    return deals, probs


def match_account(events: Sequence[Event], valuer: StateValuer | None = None) -> MatchAccount:
    """Return the parts of a finished match, from the events of a record that was read.

    Raises `UnfinishedError` if the match is not over.
    """
    points = list(win_points(events, StateValuer() if valuer is None else valuer))
    start, result = points[0].shares, points[-1].shares
    seats = len(start)
    luck, variance, play = np.zeros(seats), np.zeros(seats), np.zeros((seats, seats))
    for point in points[1:]:
        change = np.array(point.shares) - np.array(point.expected)
        if point.seat is None:
            luck += change
            variance += np.array(point.errors) ** 2
        else:
            play[point.seat] += change
    return MatchAccount(
        start, _numbers(luck), _numbers(np.sqrt(variance)), tuple(map(_numbers, play)), result, tuple(points)
    )


def win_points(events: Sequence[Event], valuer: StateValuer) -> Iterator[WinPoint]:
    """Yield the points of the win line: the start, and the value after each roll and each move.

    Raises `UnfinishedError` if the match is not over.
    """
    state = recorded_start(events)
    before, variance = valuer.value(state)
    yield _point(ChangeCause.START, state, None, None, before, before, variance)
    for before_state, seat, action in recorded_actions(events):
        state = evolve_all(before_state, decide(before_state, seat, action))
        after, after_variance = valuer.value(state)
        exact, actor = np.zeros_like(after), seat
        if isinstance(action, Penalise) and action.taken:
            mean = _mean_after_pick(before_state, seat, action, valuer)
            yield _point(ChangeCause.PENALTY, state, seat, action, mean, before, exact)
            before, actor = mean, None  # which dice are taken is chance
        move = None if actor is None or isinstance(action, DealerAction) else action
        error = variance if isinstance(action, Deal) else exact
        yield _point(_cause(action), state, actor, move, after, before, error)
        before, variance = after, after_variance
    if state.phase is not Phase.OVER:
        raise UnfinishedError("the match in this record is not over")


def _cause(action: Action) -> ChangeCause:
    match action:
        case Deal():
            return ChangeCause.ROLL
        case RollForStart() | ChooseStarter():
            return ChangeCause.STARTER
        case Penalise():
            return ChangeCause.PENALTY
        case _:
            return ChangeCause.MOVE


def _mean_after_pick(state: State, seat: int | None, action: Penalise, valuer: StateValuer) -> FloatArray:
    """Return the mean share of each seat, float64 [seat], over all dice that a penalty might take."""
    assert seat is not None
    picks = combinations(range(state.dice[seat]), len(action.taken))
    actions = [msgspec.structs.replace(action, taken=pick) for pick in picks]
    shares = [valuer.value(evolve_all(state, decide(state, seat, pick)))[0] for pick in actions]
    mean: FloatArray = np.mean(shares, axis=0)
    return mean


def _point(
    cause: ChangeCause,
    state: State,
    seat: int | None,
    move: PlayerAction | None,
    after: FloatArray,
    before: FloatArray,
    variance: FloatArray,
) -> WinPoint:
    errors = _numbers(Z_95 * np.sqrt(variance))
    return WinPoint(cause, state.round_number, seat, move, _numbers(after), _numbers(before), errors)


def _numbers(values: FloatArray) -> tuple[float, ...]:
    return tuple(values.tolist())
