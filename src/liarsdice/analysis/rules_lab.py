"""The rules lab: what a rule does to the matches of equal players, measured by simulation.

The champion plays at all seats, or bots that go by exact odds where the dice have too many faces for it. Two rulesets
are compared on the same seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.intervals import Z_95
from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.champion import LATEST_MODEL, champion_network
from liarsdice.bots.neural.features import encode
from liarsdice.bots.neural.observation import is_supported, selected_rows
from liarsdice.bots.simple.inference import BID_CREDIT
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv

BATCH_SIZE = 250
"""How many matches are played side by side."""
ODDS_POLICY = ThresholdPolicy(0.4, BID_CREDIT)
DECISION_S, ROUND_S = 10.0, 20.0
"""How long people take for a decision, and for the reveal and the roll of a round, in seconds: an assumption."""

FloatArray = NDArray[np.float64]


class Measure(Choice):
    """What the lab measures.

    `OPENING`: how much likelier who opens the match wins than an even share. `ROUNDS`, `MINUTES`: the length of a
    match. `EXACT_RIGHT`: the share of exact calls that are right. `EXACT_CALLS`: exact calls in a match.
    """

    OPENING = "opening"
    ROUNDS = "rounds"
    MINUTES = "minutes"
    EXACT_CALLS = "exact_calls"
    EXACT_RIGHT = "exact_right"


class MatchSample(msgspec.Struct, frozen=True):
    """Simulated matches, each float64 [match].

    `opener_won`: the share of the match that its first opener won. `rounds`, `decisions`, `exact_calls`,
    `exact_right`: how many there were, the last one of right exact calls.
    """

    opener_won: FloatArray
    rounds: FloatArray
    decisions: FloatArray
    exact_calls: FloatArray
    exact_right: FloatArray


class Measurement(msgspec.Struct, frozen=True):
    """A measure with half of its 95% interval; None where nothing was measured, as of exact calls that nobody made."""

    value: float | None
    error: float | None


class Comparison(msgspec.Struct, frozen=True):
    """A measure under the old rules and the new ones. `changed`: whether the interval of the change lies beside 0."""

    measure: Measure
    old: Measurement
    new: Measurement
    changed: bool


def judge_name(rules: Ruleset) -> str:
    """Return the name of the bot that plays these rules in the lab."""
    return f"champion@{LATEST_MODEL}" if is_supported(rules) else "inference"


def simulate_matches(rules: Ruleset, seats: int, matches: int, seed: int) -> Iterator[MatchSample]:
    """Yield samples of at most `BATCH_SIZE` matches until there are enough; seat 0 opens each of them.

    Raises `MalformedError` and `UnavailableError` as `compile_rules` does.
    """
    compiled = compile_rules(rules, seats)
    for first in range(0, matches, BATCH_SIZE):
        count = min(BATCH_SIZE, matches - first)
        env = VectorEnv(compiled, count, seed=seed, first=first, starters=0)
        exact = _play_matches(env, np.random.default_rng((seed, first)))
        won = env.won.astype(np.float64)
        yield MatchSample(
            (won / won.sum(axis=1, keepdims=True))[:, 0],
            env.match_field(schema.ROUND).astype(np.float64),
            env.match_field(schema.ACTION_COUNT).astype(np.float64),
            *exact.T,
        )


def _play_matches(env: VectorEnv, rng: np.random.Generator) -> FloatArray:
    """Play the matches to their end; returns how many exact calls each had, and how many were right [match, 2]."""
    network = champion_network(LATEST_MODEL) if is_supported(env.rules.ruleset) else None
    selector = AgentSelector(env, (ODDS_POLICY if network is None else ExternalPolicy(),))
    exact = np.zeros((len(env), 2))
    if network is None:
        return _play_by_odds(env, exact)
    observer = BatchObserver(env)
    selector.advance()
    while (goes_on := ~env.over).any():
        rows = np.flatnonzero(goes_on)
        before = env.match_field(schema.ROUND).copy()
        observation = selected_rows(observer.observe(np.maximum(selector.seats, 0)), rows)
        inputs = encode(observation, knows_stairs=network.knows_stairs)
        probs = network.drop_unlikely(network.action_probs(inputs.features, inputs.action_mask))
        chosen = sample_actions(probs, rng.random(len(env))[rows])
        actions = np.full(len(env), schema.NO_ACTION, np.int32)
        actions[rows] = to_sim_actions(inputs, chosen, env, rows)
        selector.step(actions, goes_on)
        _count_exact_calls(env, goes_on & (env.over | (env.match_field(schema.ROUND) > before)), exact)
    return exact


def _play_by_odds(env: VectorEnv, exact: FloatArray) -> FloatArray:
    """Play the matches to their end, a round at a time, with bots that go by exact odds; returns `exact`."""
    last_round = 1
    while (goes_on := ~env.over).any():
        env.advance((ODDS_POLICY,), last_round=last_round)
        _count_exact_calls(env, goes_on, exact)
        last_round += 1
    return exact


def _count_exact_calls(env: VectorEnv, ended: NDArray[np.bool_], exact: FloatArray) -> None:
    """Count the exact calls that ended a round in these matches, bool [match]."""
    called = ended & (env.match_field(schema.CALL) == schema.EXACT)
    right = called & (env.match_field(schema.CALL_LOSER) == env.match_field(schema.CALL_BIDDER))
    exact += np.stack([called, right], axis=1)


def join_samples(samples: list[MatchSample]) -> MatchSample:
    """Return all matches of one or more samples."""
    fields = MatchSample.__struct_fields__
    return MatchSample(*(np.concatenate([getattr(sample, field) for sample in samples]) for field in fields))


def compare(old: MatchSample, new: MatchSample, seats: int) -> tuple[Comparison, ...]:
    """Return each measure under old and new rules, from the same number of matches on the same seeds, at least two."""
    return tuple(_comparison(measure, old, new, seats) for measure in Measure)


def measure_matches(sample: MatchSample, seats: int) -> dict[Measure, Measurement]:
    """Return each measure of at least two matches."""
    return {measure: _measured(*_ratio(measure, sample, seats)) for measure in Measure}


def _ratio(measure: Measure, sample: MatchSample, seats: int) -> tuple[FloatArray, FloatArray]:
    """Return a measure as a ratio of means: what is counted and what it is divided by, in each match."""
    ones = np.ones_like(sample.rounds)
    match measure:
        case Measure.OPENING:
            return sample.opener_won - 1 / seats, ones
        case Measure.ROUNDS:
            return sample.rounds, ones
        case Measure.MINUTES:
            return (DECISION_S * sample.decisions + ROUND_S * sample.rounds) / 60, ones
        case Measure.EXACT_CALLS:
            return sample.exact_calls, ones
        case Measure.EXACT_RIGHT:
            return sample.exact_right, sample.exact_calls


def _influences(counted: FloatArray, divisor: FloatArray) -> tuple[float, FloatArray]:
    """Return a ratio of means and how much each match moves it (the delta method), float64 [match]."""
    ratio = float(counted.mean() / divisor.mean())
    return ratio, (counted - ratio * divisor) / divisor.mean()


def _measured(counted: FloatArray, divisor: FloatArray) -> Measurement:
    if not divisor.any():
        return Measurement(None, None)
    ratio, influences = _influences(counted, divisor)
    return Measurement(ratio, Z_95 * float(influences.std(ddof=1)) / sqrt(len(influences)))


def _comparison(measure: Measure, old: MatchSample, new: MatchSample, seats: int) -> Comparison:
    old_ratio, new_ratio = _ratio(measure, old, seats), _ratio(measure, new, seats)
    changed = False
    if old_ratio[1].any() and new_ratio[1].any():
        (before, moved_before), (after, moved_after) = _influences(*old_ratio), _influences(*new_ratio)
        moved = moved_after - moved_before
        changed = abs(after - before) > Z_95 * float(moved.std(ddof=1)) / sqrt(len(moved))
    return Comparison(measure, _measured(*old_ratio), _measured(*new_ratio), changed)
