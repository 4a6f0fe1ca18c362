"""Adjusted results: what the dice and the drawn actions of known bots gave a seat is taken out of its result.

This is an estimate of the kind of AIVAT (Burch et al. 2018). Each term compares the value after an event of chance with
its mean over all that might have happened: a roll, or an action that a bot drew from probabilities that it names. The
terms have mean zero whatever the values are, so that the adjusted results have the same mean as the raw ones and vary
less.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.state_valuer import NetworkValues, StateValuer
from liarsdice.bots.policy import NamesActionProbs, policy_of
from liarsdice.bots.protocol import Bot, MatchLifecycle
from liarsdice.core.actions import MOVES, Challenge, Deal, DealerAction, Exact, PlayerAction
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.settle import first_caller
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_actions, recorded_start
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee
from liarsdice.values.judgement import Z_95
from liarsdice.values.value_network import KNOWN_PLAYERS, TYPICAL_PLAYERS, value_network

SAMPLED_DEALS = 200
"""How many deals are drawn for the expected value of a roll; their chance adds little to that of the match."""

MIN_LIKELY_PROB = 0.01
"""Moves that are drawn less often are valued as one: this keeps the mean at zero and saves most of the time."""

PRIOR_MATCHES = 10
"""How many matches the assumption is worth that chance explains nothing of the results of a set of bots."""

PLAYOUT_PRIOR_MATCHES = 5
"""How many matches the assumption is worth that the values after rounds are exact, where bots played them again."""

FloatArray = NDArray[np.float64]
SeatMove = tuple[int, PlayerAction]


def policies_of(bots: Sequence[Bot]) -> dict[int, NamesActionProbs]:
    """Return the action probabilities of bots by seat, without those that do not name them."""
    policies: dict[int, NamesActionProbs] = {}
    for seat, bot in enumerate(bots):
        try:
            policies[seat] = policy_of(bot)
        except UnavailableError:
            continue
    return policies


def match_adjustment(
    events: Sequence[Event],
    policies: Mapping[int, NamesActionProbs],
    seed: int,
    players: Sequence[int] | None = None,
) -> FloatArray:
    """Return what chance gave each seat in a finished match, float64 [seat], as a share of the match.

    `policies`: the probabilities of the moves, by seat; a move counts where those of all seats that might act are
    known. `seed`: of the deals that are drawn. `players`: the kinds of the players, as in `NetworkValues`.
    """
    name = TYPICAL_PLAYERS if players is None else KNOWN_PLAYERS
    valuer = StateValuer(seed, SAMPLED_DEALS, NetworkValues(value_network(name), players))
    rolls: list[FloatArray] = []
    drawn: list[_DrawnMove] = []
    for state, seat, action in recorded_actions(events):
        if isinstance(action, DealerAction):
            after = evolve_all(state, decide(state, seat, action))
            rolls.append(valuer.value(after)[0] - valuer.value(state)[0])
        elif seat is not None and isinstance(action, MOVES):
            move = _drawn_move(state, (seat, action), move_probs(state, policies))
            drawn += [] if move is None else [move]
    seats = len(state.names)
    total: FloatArray = np.sum([np.zeros(seats), *rolls], axis=0)
    if drawn:
        values = valuer.quick_values([after for move in drawn for after in move.states])
        parts = np.split(values, np.cumsum([len(move.states) for move in drawn])[:-1])
        total += sum(move.surprise(part) for move, part in zip(drawn, parts, strict=True))
    return total


class _DrawnMove(msgspec.Struct, frozen=True):
    """A move that was drawn: the states after each likely move, their probabilities, and which one came.

    The first state stands for all unlikely moves: it is the one before the move.
    """

    states: list[State]
    probs: list[float]
    made: int

    def surprise(self, values: FloatArray) -> FloatArray:
        """Return the value that came, less what was to be expected, float64 [seat]; `values`: [state, seat]."""
        difference: FloatArray = values[self.made] - np.array(self.probs) @ values
        return difference


def _drawn_move(state: State, made: SeatMove, probs: Mapping[SeatMove, float]) -> _DrawnMove | None:
    """Return a move with what else might have been drawn; None if nothing else is known to be possible."""
    likely = {move: prob for move, prob in probs.items() if prob >= MIN_LIKELY_PROB}
    if not likely or (len(likely) == 1 and made in likely):
        return None
    states = [state, *(evolve_all(state, decide(state, seat, action)) for seat, action in likely)]
    rest = 1 - sum(likely.values())
    number = [*likely].index(made) + 1 if made in likely else 0
    return _DrawnMove(states, [rest, *likely.values()], number)


def move_probs(state: State, policies: Mapping[int, NamesActionProbs]) -> dict[SeatMove, float]:
    """Return the probability of each move that the referee might have taken; empty if some are not known.

    A call of the player on turn stands before calls out of turn, and those before a bid.
    """
    if state.turn not in policies or legal(state).unlimited:
        return {}
    callers = _callers_in_order(state)
    if not set(callers) <= policies.keys():
        return {}
    try:
        own = policies[state.turn].action_probs(view(state, state.turn))
        calls_by_seat = {seat: policies[seat].action_probs(view(state, seat)) for seat in callers}
    except UnavailableError:  # the network does not know these dice
        return {}
    calls = {move: prob for move, prob in own.items() if isinstance(move, Challenge | Exact)}
    probs: dict[SeatMove, float] = {(state.turn, move): prob for move, prob in calls.items()}
    nobody = 1 - sum(calls.values())
    for seat, by_move in calls_by_seat.items():
        probs |= {(seat, move): nobody * prob for move, prob in by_move.items() if move is not None}
        nobody *= by_move.get(None, 0.0)
    bids = {move: prob for move, prob in own.items() if move is not None and move not in calls}
    total = sum(bids.values())
    return probs | {(state.turn, move): nobody * prob / total for move, prob in bids.items() if total > 0}


def _callers_in_order(state: State) -> list[int]:
    """Return the seats that may call out of turn, those first whose calls stand before others."""
    moves = legal(state)
    callers, ordered = {*moves.challengers, *moves.exact_callers} - {state.turn}, []
    while callers:
        ordered.append(first_caller(state, tuple(callers)))
        callers.remove(ordered[-1])
    return ordered


class AdjustedShare(msgspec.Struct, frozen=True):
    """A bot's win share after adjustment.

    `share_95`: its 95% interval. `variance_ratio`: how many times less the results of its seats vary than raw ones.
    """

    share: float
    share_95: tuple[float, float]
    variance_ratio: float


class AdjustableMatch(NamedTuple):
    """A finished match: the number of its deal, and by seat the bots, their results and what adjusts these.

    `playouts`: the copies of each round from which the adjustment comes, 0 if it comes from the values of positions.
    """

    deal: int
    seating: Sequence[int]
    results: Sequence[float]
    adjustment: Sequence[float]
    playouts: int = 0


def adjusted_shares(matches: Sequence[AdjustableMatch], bots: int) -> tuple[AdjustedShare | None, ...]:
    """Return the adjusted win share of each bot, None for a bot without a seat."""
    adjusted = adjusted_results(matches)
    return tuple(_adjusted_share(bot, matches, adjusted) for bot in range(bots))


def adjusted_results(matches: Sequence[AdjustableMatch]) -> list[FloatArray]:
    """Return the result of each match by seat after adjustment, each float64 [seat].

    Each result is reduced by its adjustment times a slope. The slope is that of the results of the same set of bots in
    the other half of the deals, so that no result has a part in its own slope. The slope of few matches is mostly
    chance, and would make results vary more than raw ones do, so that it is mixed with a prior one: 0, or n / (n + 1)
    with n playouts. That is the best slope if the values after rounds are exact, as the mean of n copies varies, too.
    """
    order = {deal: place for place, deal in enumerate(sorted({match.deal for match in matches}))}
    groups: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    halves: tuple[list[int], list[int]] = ([], [])
    for number, match in enumerate(matches):
        half = order[match.deal] % 2
        halves[half].append(number)
        groups.setdefault((match.playouts, *sorted(match.seating)), ([], []))[half].append(number)
    sizes = [float(np.square(match.adjustment).sum()) for match in matches]
    adjusted = [np.array(match.results, np.float64) for match in matches]
    for (count, *_), group in groups.items():
        for half, own in enumerate(group):
            others = group[1 - half]
            alike = [sizes[number] for number in (others if count else halves[1 - half])]
            prior_matches = PLAYOUT_PRIOR_MATCHES if count else PRIOR_MATCHES
            prior = _SlopePrior(count / (count + 1), prior_matches * (float(np.mean(alike)) if alike else 0.0))
            slope = _slope([matches[number] for number in others], prior)
            for number in own:
                adjusted[number] -= slope * np.array(matches[number].adjustment)
    return adjusted


class _SlopePrior(NamedTuple):
    """A slope that is assumed, and the sum of the squared adjustments of as many matches as that is worth."""

    slope: float
    weight: float


def _slope(matches: Sequence[AdjustableMatch], prior: _SlopePrior) -> float:
    """Return the slope of results on adjustments, each less the mean of its bot, mixed with a prior slope."""
    by_bot: dict[int, list[tuple[float, float]]] = {}
    for match in matches:
        for bot, result, adjustment in zip(match.seating, match.results, match.adjustment, strict=True):
            by_bot.setdefault(bot, []).append((result, adjustment))
    columns = [np.array(pairs) - np.mean(pairs, axis=0) for pairs in by_bot.values()]
    if not columns:
        return prior.slope
    centred = np.concatenate(columns)
    spread = float(centred[:, 1] @ centred[:, 1])
    product = float(centred[:, 0] @ centred[:, 1])
    return (product + prior.weight * prior.slope) / (spread + prior.weight) if spread else prior.slope


def _adjusted_share(
    bot: int, matches: Sequence[AdjustableMatch], adjusted: Sequence[FloatArray]
) -> AdjustedShare | None:
    raw: dict[int, list[float]] = {}
    reduced: dict[int, list[float]] = {}
    for match, results in zip(matches, adjusted, strict=True):
        for seat, seated in enumerate(match.seating):
            if seated == bot:
                raw.setdefault(match.deal, []).append(match.results[seat])
                reduced.setdefault(match.deal, []).append(float(results[seat]))
    if not raw:
        return None
    share, error, variance = cluster_mean(reduced)
    _, _, raw_variance = cluster_mean(raw)
    ratio = raw_variance / variance if variance else 1.0
    return AdjustedShare(share, (share - Z_95 * error, share + Z_95 * error), ratio)


def cluster_mean(values: Mapping[int, Sequence[float]]) -> tuple[float, float, float]:
    """Return the mean of values that came in deals, its standard error, and the variance of a deal's sum.

    `values`: by the number of the deal, at least one value each. The deals are independent, values of one deal are not.
    """
    counts = np.array([len(one) for one in values.values()])
    sums = np.array([sum(one) for one in values.values()])
    mean = float(sums.sum() / counts.sum())
    deviations = sums - mean * counts
    variance = float(deviations @ deviations) / max(len(counts) - 1, 1)
    return mean, float(np.sqrt(variance * len(counts))) / float(counts.sum()), variance


def can_play_again(bots: Sequence[Bot]) -> bool:
    """Return whether all bots play a round by what they see of it alone, so that copies of it can be compared with it.

    >>> from liarsdice.bots.registry import make_bot
    >>> can_play_again([make_bot("threshold"), make_bot("regular", 1)])
    True
    """
    return len(policies_of(bots)) == len(bots) and not any(isinstance(bot, MatchLifecycle) for bot in bots)


def playout_adjustment(
    events: Sequence[Event],
    bots: Sequence[Bot],
    dealer: Dealer,
    playouts: int,
    players: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """Return what chance gave each seat in a finished match, float64 [seat], as a share of the match.

    `bots`: by seat, bots that play as those of the match did, see `can_play_again`. They and `dealer` take their random
    numbers from seeds of their own. `playouts`: copies of each round, at least 1. `players`: the kinds of the players,
    as in `NetworkValues`. Raises `UnavailableError` under rules that the values don't know.
    """
    starts, after = _rounds(events)
    copies = [_play_round(start, bots, dealer) for start in starts for _ in range(playouts)]
    valuer = StateValuer(values=NetworkValues(value_network(KNOWN_PLAYERS), players))
    values = valuer.quick_values([*after, *copies])
    expected = values[len(after) :].reshape(len(after), playouts, -1).mean(axis=1)
    total: NDArray[np.float64] = (values[: len(after)] - expected).sum(axis=0)
    return total


def _rounds(events: Sequence[Event]) -> tuple[list[State], list[State]]:
    """Return the states before each round of a finished match, and those after it.

    Before the first round it may not be known yet who starts.
    """
    state = recorded_start(events)
    starts = [state]
    for before, seat, action in recorded_actions(events):
        if isinstance(action, Deal) and before.round_number > 0:
            starts.append(before)
        state = evolve_all(before, decide(before, seat, action))
    return starts, [*starts[1:], state]


def _play_round(start: State, bots: Sequence[Bot], dealer: Dealer) -> State:
    """Return the state after a round that begins in a state, before the deal of the next round or at the end."""
    match = Match.from_state(start, dealer)
    referee = Referee(match, dict(enumerate(bots)))
    while not (match.state.phase is Phase.DEAL and match.state.round_number > start.round_number):
        if referee.step() is None:
            break
    return match.state
