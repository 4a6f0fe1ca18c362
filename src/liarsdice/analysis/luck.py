"""Luck and play: how the dice and the players' moves changed the value of a match, with all dice known.

A value says which share of the match each seat wins if typical players play on. It changes at every roll and at every
move. Luck is the sum of the changes by chance, each less what was to be expected of it; the other changes are the
moves of the players. Start, luck and moves together are the result, for every match. Luck has mean zero whatever the
values are (Burch et al. 2018), because the same values give what was to be expected.
"""

from collections.abc import Iterator, Sequence
from math import ceil, sqrt
from statistics import fmean, stdev

import msgspec
import numpy as np

from liarsdice.analysis.deals import FloatArray
from liarsdice.analysis.state_valuer import StateValuer, typical_values
from liarsdice.core.actions import (
    Action,
    ChooseStarter,
    Deal,
    DealerAction,
    Penalise,
    PlayerAction,
    RollAgain,
    RollForStart,
    Withdraw,
)
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_actions, recorded_start
from liarsdice.core.rules.choices import Choice
from liarsdice.values.judgement import Z_95


class ChangeCause(Choice):
    """Why a value changed. `MOVE`, `PENALTY` and `LEAVER` are the players' doing, `STARTER` and `ROLL` are chance."""

    START = "start"
    STARTER = "starter"
    ROLL = "roll"
    MOVE = "move"
    PENALTY = "penalty"
    LEAVER = "leaver"


class WinPoint(msgspec.Struct, frozen=True):
    """A point of the win line: the value after an event.

    `seat`: who made the `move` or left, None for chance. `shares`: by seat, the share of the match (0..1) that it wins.
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


def match_account(events: Sequence[Event], valuer: StateValuer | None = None) -> MatchAccount:
    """Return the parts of a finished match, from the events of a record that was read.

    `valuer`: None for the values of typical players (`typical_values`). Raises `UnfinishedError` if the match is not
    over.
    """
    if valuer is None:
        start_state = recorded_start(events)
        valuer = StateValuer(values=typical_values(start_state.ruleset, len(start_state.names)))
    points = list(win_points(events, valuer))
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
        exact, actor = np.zeros_like(after), action.seat if isinstance(action, Withdraw) else seat
        if isinstance(action, Penalise) and action.taken and seat is not None:
            mean, variance = valuer.before_pick(before_state, seat, action)
            yield _point(ChangeCause.PENALTY, state, seat, action, mean, before, exact)
            before, actor = mean, None  # which dice are taken is chance
        move = None if actor is None or isinstance(action, DealerAction) else action
        error = variance if actor is None and not isinstance(action, RollForStart | ChooseStarter) else exact
        yield _point(_cause(action), state, actor, move, after, before, error)
        before, variance = after, after_variance
    if state.phase is not Phase.OVER:
        raise UnfinishedError("the match in this record is not over")


def _cause(action: Action) -> ChangeCause:
    match action:
        case Deal() | RollAgain():
            return ChangeCause.ROLL
        case RollForStart() | ChooseStarter():
            return ChangeCause.STARTER
        case Penalise():
            return ChangeCause.PENALTY
        case Withdraw():
            return ChangeCause.LEAVER
        case _:
            return ChangeCause.MOVE


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


MIN_MATCHES = 30
"""With fewer matches nothing is said: the interval would rest on a guess of how much results vary."""
MAX_MORE_MATCHES = 100_000
"""A gain that would take more matches than this is too near 0 for a number of matches."""
RATIOS = {2: 1.07, 3: 1.09, 4: 1.08, 6: 1.08}
"""By how much results of perudo vary less without luck, by number of seats (`python -m benchmarks.state_values`)."""
TOLD_GAIN, TELLING_FACTOR = 0.05, Z_95 + 0.84
"""A gain of so many standard errors is beyond its 95% interval with a probability of 80%."""


def matches_to_tell(seats: int) -> int:
    """Return about how many matches it takes, in tens, to see that a player wins 0.05 of them beyond an even share.

    It is so many that the 95% interval of the gain leaves out 0 with a probability of 80%. The result of one match, won
    with probability p = 1 / `seats`, has the variance p (1 - p), which luck reduces by the measured ratio.

    >>> matches_to_tell(2), matches_to_tell(4)
    (730, 540)
    """
    p = 1 / seats
    ratio = RATIOS[max(known for known in RATIOS if known <= seats)]
    return 10 * round(TELLING_FACTOR**2 * p * (1 - p) / (10 * TOLD_GAIN**2 * ratio))


class Skill(msgspec.Struct, frozen=True):
    """How much more than an even share a player won a match, without luck.

    `matches`: how many there were. `gain`: share of a match (-1..1), above 0 if the player won more. `error`: half the
    width of its 95% interval. Both are None below `MIN_MATCHES`. `more_matches`: about how many more it takes until the
    interval does not hold 0, if the gain stays what it is, or until there are `MIN_MATCHES`; 0 if it is settled, and
    None if it would take more than `MAX_MORE_MATCHES`.
    """

    matches: int
    gain: float | None
    error: float | None
    more_matches: int | None

    @property
    def is_settled(self) -> bool:
        """Whether the interval does not hold 0."""
        return self.gain is not None and self.more_matches == 0


def gain_without_luck(account: MatchAccount, seat: int) -> float:
    """Return how much more than an even share of a match a seat won, less its luck, as a share of the match."""
    return account.result[seat] - account.luck[seat] - 1 / len(account.result)


def estimate_skill(gains: Sequence[float]) -> Skill:
    """Return the skill of a player from the `gain_without_luck` of each match. It is relative to whom the player met.

    >>> estimate_skill([0.25, -0.05] * 200).more_matches
    0
    >>> estimate_skill([0.25] * 10)
    Skill(matches=10, gain=None, error=None, more_matches=20)
    """
    matches = len(gains)
    if matches < MIN_MATCHES:
        return Skill(matches, None, None, MIN_MATCHES - matches)
    gain, error = fmean(gains), Z_95 * stdev(gains) / sqrt(matches)
    if abs(gain) > error:
        return Skill(matches, gain, error, 0)
    is_countable = abs(gain) * sqrt(1 + MAX_MORE_MATCHES / matches) >= error
    more = max(1, ceil(matches * (error / gain) ** 2) - matches) if is_countable and gain else None
    return Skill(matches, gain, error, more)
