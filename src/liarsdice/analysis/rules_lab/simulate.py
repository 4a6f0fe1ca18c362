"""Simulated matches of equal players, with the luck of every roll, and the figures of the rules lab from them.

The champion plays at all seats, or bots that go by exact odds where the dice have too many faces for it.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.rules_lab.measures import (
    DECISION_S,
    ROUND_S,
    LabFigures,
    Measure,
    MeasureComparison,
    Measurement,
)
from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.bots.neural.features import encode, is_supported, selected_rows
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.features import PLAYER_KINDS, PlayerKind
from liarsdice.values.judgement import Z_95
from liarsdice.values.playouts import situation_of_env
from liarsdice.values.value_network import KNOWN_PLAYERS, value_network

BATCH_SIZE = 250
"""How many matches are played side by side."""
ODDS_POLICY = ThresholdPolicy(0.4, BID_CREDIT)
LUCK_DEALS = 8
"""From how many deals the expected value of a roll is estimated; `estimate` takes account of their chance."""

FloatArray = NDArray[np.float64]


class MatchSample(msgspec.Struct, frozen=True):
    """Simulated matches; seat 0 opened each of them.

    `results`, `luck`: float64 [match, seat], the share of the match that each seat won, and the sum of what its rolls
    were worth beside what was to be expected of them. `rounds`, `decisions`, `exact_calls`, `exact_right`: float64
    [match], how many there were, the last one of right exact calls.
    """

    results: FloatArray
    luck: FloatArray
    rounds: FloatArray
    decisions: FloatArray
    exact_calls: FloatArray
    exact_right: FloatArray


def judge_name(rules: Ruleset) -> str:
    """Return the name of the bot that plays these rules in the lab; of a champion only its network plays."""
    return CHAMPION_NAME if _network_plays(rules) else "inference"


def _network_plays(rules: Ruleset) -> bool:
    return is_supported(rules) and is_learned(rules)


def simulate_matches(rules: Ruleset, seats: int, matches: int, seed: int) -> Iterator[MatchSample]:
    """Yield samples of at most `BATCH_SIZE` matches until there are enough. Raises as `simulate_batch`."""
    for first in range(0, matches, BATCH_SIZE):
        yield simulate_batch(rules, seats, range(first, min(first + BATCH_SIZE, matches)), seed)


def simulate_batch(rules: Ruleset, seats: int, matches: range, seed: int) -> MatchSample:
    """Return the sample of the matches with these numbers, which are played side by side.

    Raises `MalformedError` and `UnavailableError` as `compile_rules` does.
    """
    env = VectorEnv(compile_rules(rules, seats), len(matches), seed=seed, first=matches.start, starters=0)
    exact, luck = _play_matches(env, np.random.default_rng((seed, matches.start)))
    won = env.won.astype(np.float64)
    return MatchSample(
        won / won.sum(axis=1, keepdims=True),
        luck,
        env.match_field(schema.ROUND).astype(np.float64),
        env.match_field(schema.ACTION_COUNT).astype(np.float64),
        *exact.T,
    )


def join_samples(samples: Sequence[MatchSample]) -> MatchSample:
    """Return all matches of one or more samples."""
    fields = MatchSample.__struct_fields__
    return MatchSample(*(np.concatenate([getattr(sample, field) for sample in samples]) for field in fields))


def pack_samples(samples: Sequence[MatchSample]) -> bytes:
    """Return samples as bytes of MessagePack, which hold numbers alone."""
    fields = MatchSample.__struct_fields__
    return msgspec.msgpack.encode([[getattr(sample, field).tolist() for field in fields] for sample in samples])


def unpack_samples(packed: bytes) -> list[MatchSample]:
    """Return the samples that `pack_samples` has packed."""
    columns: list[list[list[float]]] = msgspec.msgpack.decode(packed)
    return [MatchSample(*(np.array(values, np.float64) for values in sample)) for sample in columns]


class _LuckMeter:
    """Adds up what the rolls of each match were worth beside what was to be expected, `luck` float64 [match, seat].

    The values know who plays, as those of `arena --adjusted`; what was to be expected is the mean over `LUCK_DEALS`
    other rolls. Under rules that the values don't know, nothing is added up.
    """

    def __init__(self, env: VectorEnv, rng: np.random.Generator) -> None:
        self._env, self._rng = env, rng
        self._is_learned = is_learned(env.rules.ruleset)
        self._network = value_network(KNOWN_PLAYERS)
        judge = PlayerKind.CHAMPION if _network_plays(env.rules.ruleset) else PlayerKind.INFERENCE
        self._kind = PLAYER_KINDS.index(judge)
        self._rounds = np.zeros(len(env), np.int32)
        self.luck = np.zeros(env.dice.shape)

    def add_rolls(self) -> None:
        """Count the rolls of the rounds that have begun since the last call."""
        if not self._is_learned:
            return
        env = self._env
        rounds = env.match_field(schema.ROUND)
        rows = np.flatnonzero(~env.over & (rounds > self._rounds))
        if not rows.size:
            return
        self._rounds = rounds.copy()
        situation = situation_of_env(env).rows(rows)
        situation = situation._replace(players=np.full(situation.dice.shape, self._kind))
        faces = situation.hands.shape[2]
        rolled = self._network.shares(situation, in_round=True)
        for _ in range(LUCK_DEALS):
            hands = self._rng.multinomial(situation.dice, np.full(faces, 1 / faces))
            others = self._network.shares(situation._replace(hands=hands), in_round=True)
            self.luck[rows] += (rolled - others) / LUCK_DEALS


def _play_matches(env: VectorEnv, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Play the matches to their end; returns how many exact calls there were, and how many right ones, and the luck.

    The first is [match, 2], the other [match, seat].
    """
    exact, meter = np.zeros((len(env), 2)), _LuckMeter(env, rng)
    if _network_plays(env.rules.ruleset):
        _play_by_network(env, rng, exact, meter)
    else:
        _play_by_odds(env, exact, meter)
    return exact, meter.luck


def _play_by_network(env: VectorEnv, rng: np.random.Generator, exact: FloatArray, meter: _LuckMeter) -> None:
    network, observer = champion_network(env.rules.ruleset), BatchObserver(env)
    selector = AgentSelector(env, (ExternalPolicy(),))
    selector.advance()
    while (goes_on := ~env.over).any():
        meter.add_rolls()
        rows = np.flatnonzero(goes_on)
        before = env.match_field(schema.ROUND).copy()
        observation = selected_rows(observer.observe(np.maximum(selector.seats, 0)), rows)
        inputs = encode(observation)
        probs = network.drop_unlikely(network.action_probs(inputs.features, inputs.action_mask))
        chosen = sample_actions(probs, rng.random(len(env))[rows])
        actions = np.full(len(env), schema.NO_ACTION, np.int32)
        actions[rows] = to_sim_actions(inputs, chosen, env, rows)
        selector.step(actions, goes_on)
        _count_exact_calls(env, goes_on & (env.over | (env.match_field(schema.ROUND) > before)), exact)


def _play_by_odds(env: VectorEnv, exact: FloatArray, meter: _LuckMeter) -> None:
    """Play the matches to their end, a round at a time."""
    last_round = 1
    while (goes_on := ~env.over).any():
        meter.add_rolls()
        env.advance((ODDS_POLICY,), last_round=last_round)
        _count_exact_calls(env, goes_on, exact)
        env.deal()
        last_round += 1


def _count_exact_calls(env: VectorEnv, ended: NDArray[np.bool_], exact: FloatArray) -> None:
    """Count the exact calls that ended a round in these matches, bool [match]."""
    called = ended & (env.match_field(schema.CALL) == schema.EXACT)
    right = called & (env.match_field(schema.CALL_LOSER) == env.match_field(schema.CALL_BIDDER))
    exact += np.stack([called, right], axis=1)


def lab_figures(rules: Ruleset, old: MatchSample, new: MatchSample | None = None) -> LabFigures:
    """Return the figures of at least two matches, and beside them those of as many under new rules on the same seeds.

    `rules`: the new ones, or else the old ones.
    """
    count, seats = old.results.shape
    return LabFigures(judge_name(rules), seats, count, tuple(_compared(measure, old, new) for measure in Measure))


def _compared(measure: Measure, old: MatchSample, new: MatchSample | None) -> MeasureComparison:
    before = _estimate(measure, old)
    if new is None:
        return MeasureComparison(measure, _measurement(before))
    after = _estimate(measure, new)
    changed = False
    if before is not None and after is not None:
        changed = abs(after[0] - before[0]) > _half_width(after[1] - before[1])
    return MeasureComparison(measure, _measurement(before), _measurement(after), changed)


def _measurement(estimate: tuple[float, FloatArray] | None) -> Measurement:
    if estimate is None:
        return Measurement(None, None)
    return Measurement(estimate[0], _half_width(estimate[1]))


def _half_width(influences: FloatArray) -> float:
    """Return half of the 95% interval of an estimate from how much each match moves it, float64 [match]."""
    return Z_95 * float(influences.std(ddof=1)) / sqrt(len(influences))


def _estimate(measure: Measure, sample: MatchSample) -> tuple[float, FloatArray] | None:
    """Return a measure and how much each match moves it, float64 [match] (the delta method); None for no measure."""
    ones = np.ones_like(sample.rounds)
    match measure:
        case Measure.OPENING:
            return _ratio(sample.results[:, 0] - 1 / sample.results.shape[1], ones)
        case Measure.ROUNDS:
            return _ratio(sample.rounds, ones)
        case Measure.MINUTES:
            return _ratio((DECISION_S * sample.decisions + ROUND_S * sample.rounds) / 60, ones)
        case Measure.LUCK:
            return _luck_share(sample)
        case Measure.EXACT_CALLS:
            return _ratio(sample.exact_calls, ones)
        case Measure.EXACT_RIGHT:
            return _ratio(sample.exact_right, sample.exact_calls)


def _ratio(counted: FloatArray, divisor: FloatArray) -> tuple[float, FloatArray] | None:
    """Return the ratio of two means over the matches, and the influences of the matches."""
    if not divisor.any():
        return None
    ratio = float(counted.mean() / divisor.mean())
    return ratio, (counted - ratio * divisor) / divisor.mean()


def _luck_share(sample: MatchSample) -> tuple[float, FloatArray] | None:
    """Return the squared correlation of results and luck, over all seats, each less its mean over the matches.

    Luck goes by a mean over a few deals. Their chance adds to its variance a known part, which is taken out.
    """
    results = sample.results - sample.results.mean(axis=0)
    luck = sample.luck - sample.luck.mean(axis=0)
    both, luck_square, square = (product.mean(axis=1) for product in (results * luck, luck**2, results**2))
    if not (luck_square.any() and square.any() and both.mean()):
        return None
    share = (LUCK_DEALS + 1) / LUCK_DEALS * float(both.mean() ** 2 / (luck_square.mean() * square.mean()))
    influences = 2 * both / both.mean() - luck_square / luck_square.mean() - square / square.mean()
    return share, share * influences
