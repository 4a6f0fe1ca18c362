"""Adjusted results: what the dice and the drawn actions of known bots gave a seat is taken out of its result.

This is an estimate of the kind of AIVAT (Burch et al. 2018). Each term compares the value after an event of chance with
its mean over all that might have happened: a roll, or an action that a bot drew from probabilities that it names. The
terms have mean zero whatever the values are, so that the adjusted results have the same mean as the raw ones and vary
less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.luck import Z_95, StateValuer
from liarsdice.bots.house_policies import policy_of
from liarsdice.bots.policy import NamesActionProbs
from liarsdice.bots.protocol import Bot
from liarsdice.core.actions import MOVES, DealerAction, PlayerAction
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_actions

SAMPLED_DEALS = 200
"""How many deals are drawn for the expected value of a roll; their chance adds little to that of the match."""

FloatArray = NDArray[np.float64]


def policies_of(bots: Sequence[Bot]) -> dict[int, NamesActionProbs]:
    """Return the action probabilities of bots by seat, without those that do not name them."""
    policies: dict[int, NamesActionProbs] = {}
    for seat, bot in enumerate(bots):
        try:
            policies[seat] = policy_of(bot)
        except UnavailableError:
            continue
    return policies


def match_adjustment(events: Sequence[Event], policies: Mapping[int, NamesActionProbs], seed: int) -> FloatArray:
    """Return what chance gave each seat in a finished match, float64 [seat], as a share of the match.

    `policies`: the probabilities of the actions on turn, by seat; they count where nobody might call out of turn, whose
    calls would come before the action. `seed`: of the deals that are drawn.
    """
    valuer = StateValuer(seed, SAMPLED_DEALS)
    adjustment: FloatArray | None = None
    before: FloatArray | None = None
    for state, seat, action in recorded_actions(events):
        if before is None:
            before = valuer.value(state)[0]
            adjustment = np.zeros_like(before)
        assert adjustment is not None
        after = valuer.value(evolve_all(state, decide(state, seat, action)))[0]
        if isinstance(action, DealerAction):
            adjustment += after - before
        elif seat is not None and seat in policies and isinstance(action, MOVES) and not _others_may_call(state):
            probs = policies[seat].action_probs(view(state, seat))
            if probs.get(action, 0.0) < 1:
                adjustment += after - _mean_after(state, seat, probs, valuer) if action in probs else 0.0
        before = after
    assert adjustment is not None, "a match has events"
    return adjustment


def _others_may_call(state: State) -> bool:
    moves = legal(state)
    return bool({*moves.challengers, *moves.exact_callers} - {state.turn})


def _mean_after(state: State, seat: int, probs: Mapping[PlayerAction | None, float], valuer: StateValuer) -> FloatArray:
    """Return the mean share of each seat after an action with these probabilities, float64 [seat]."""
    mean = np.zeros(len(state.names))
    for action, prob in probs.items():
        if action is not None and prob > 0:
            mean += prob * valuer.value(evolve_all(state, decide(state, seat, action)))[0]
    return mean / sum(probs.values())


class AdjustedShare(msgspec.Struct, frozen=True):
    """A bot's win share after adjustment.

    `share_95`: its 95% interval. `variance_ratio`: how many times less the results of its seats vary than raw ones.
    """

    share: float
    share_95: tuple[float, float]
    variance_ratio: float


def adjusted_shares(
    seatings: Sequence[Sequence[int]],
    results: Sequence[Sequence[float]],
    adjustments: Sequence[Sequence[float]],
    deals: Sequence[int],
    bots: int,
) -> tuple[AdjustedShare | None, ...]:
    """Return the adjusted win share of each bot, None for a bot without a seat.

    By match: `seatings`, the bot of each seat; `results` and `adjustments`, by seat; `deals`, the number of its deal.
    Each result is reduced by its adjustment times a slope. The slope is that of the results of the same set of bots in
    the other half of the deals, so that no result has a part in its own slope.
    """
    adjusted = [np.zeros(len(result)) for result in results]
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, seating in enumerate(seatings):
        groups.setdefault(tuple(sorted(seating)), []).append(number)
    order = {deal: place for place, deal in enumerate(sorted(set(deals)))}
    for group in groups.values():
        halves = [[number for number in group if order[deals[number]] % 2 == half] for half in (0, 1)]
        for own, other in (halves, halves[::-1]):
            slope = _slope(other, seatings, results, adjustments)
            for number in own:
                adjusted[number] = np.array(results[number]) - slope * np.array(adjustments[number])
    return tuple(_adjusted_share(bot, seatings, results, adjusted, deals) for bot in range(bots))


def _slope(
    numbers: Sequence[int],
    seatings: Sequence[Sequence[int]],
    results: Sequence[Sequence[float]],
    adjustments: Sequence[Sequence[float]],
) -> float:
    """Return the slope of results on adjustments, each less the mean of its bot; 1 without matches."""
    by_bot: dict[int, list[tuple[float, float]]] = {}
    for number in numbers:
        for bot, result, adjustment in zip(seatings[number], results[number], adjustments[number], strict=True):
            by_bot.setdefault(bot, []).append((result, adjustment))
    columns = [np.array(pairs) - np.mean(pairs, axis=0) for pairs in by_bot.values()]
    if not columns:
        return 1.0
    centred = np.concatenate(columns)
    spread = float(centred[:, 1] @ centred[:, 1])
    return float(centred[:, 0] @ centred[:, 1]) / spread if spread else 1.0


def _adjusted_share(
    bot: int,
    seatings: Sequence[Sequence[int]],
    results: Sequence[Sequence[float]],
    adjusted: Sequence[FloatArray],
    deals: Sequence[int],
) -> AdjustedShare | None:
    raw: dict[int, list[float]] = {}
    reduced: dict[int, list[float]] = {}
    for number, seating in enumerate(seatings):
        for seat, seated in enumerate(seating):
            if seated == bot:
                raw.setdefault(deals[number], []).append(results[number][seat])
                reduced.setdefault(deals[number], []).append(float(adjusted[number][seat]))
    if not raw:
        return None
    share, error, variance = _cluster_mean(reduced)
    _, _, raw_variance = _cluster_mean(raw)
    ratio = raw_variance / variance if variance else 1.0
    return AdjustedShare(share, (share - Z_95 * error, share + Z_95 * error), ratio)


def _cluster_mean(values: Mapping[int, Sequence[float]]) -> tuple[float, float, float]:
    """Return the mean of values that came in deals, its standard error, and the variance of a deal's sum."""
    counts = np.array([len(one) for one in values.values()])
    sums = np.array([sum(one) for one in values.values()])
    mean = float(sums.sum() / counts.sum())
    deviations = sums - mean * counts
    variance = float(deviations @ deviations) / max(len(counts) - 1, 1)
    return mean, float(np.sqrt(variance * len(counts))) / float(counts.sum()), variance
