"""Samples matches of many kinds of players, and trains the network of state values with them.

It learns first between rounds, by results, then within rounds.

Within a round the targets are the values of how the round ended, which chance spreads less than the results of matches.
The network learns to value states both for known and for unknown kinds of players.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from liarsdice.bots.difficulty import SHARP_CHAMPION_SHARE
from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import encode, selected_rows
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import OPTIMISM, P_OUT_OF_TURN
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy, make_policy_arrays
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.features import (
    PLAYER_KINDS,
    UNKNOWN_KIND,
    FloatArray,
    PlayerKind,
    Situation,
    concatenate,
    feature_count,
    p_at_least,
    seat_features,
)
from liarsdice.values.playouts import situation_of_env
from liarsdice.values.value_network import ValueNetwork
from liarsdice_lab.train.config import all_rulesets
from liarsdice_lab.train.rollout import start_dice

Int32Array = NDArray[np.int32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
GREEDY_T = 0.4
REGULAR_NOVICE_SHARE = 0.5
"""The share of decisions in which a regular plays as the novice, else as `threshold`: nearly as the bot's mistakes."""

THRESHOLD_POLICIES = {
    PlayerKind.THRESHOLD: ThresholdPolicy(0.4),
    PlayerKind.DOUBTER: ThresholdPolicy(0.55),
    PlayerKind.BELIEVER: ThresholdPolicy(0.25),
    PlayerKind.INFERENCE: ThresholdPolicy(0.4, BID_CREDIT),
}


class Population:
    """Acts for all seats of an environment. `selector` must have external policies at all seats.

    `kinds`: the kind of each player as its place in `PLAYER_KINDS`, int64 [match, seat], or [seat] for all matches.
    """

    def __init__(self, env: VectorEnv, selector: AgentSelector, kinds: IntArray, rng: np.random.Generator) -> None:
        self._env = env
        self._selector = selector
        self._kinds = np.broadcast_to(kinds, env.dice.shape)
        self._rng = rng
        self._network = champion_network(env.rules.ruleset)
        self._observer = BatchObserver(env)

    def actions(self) -> Int32Array:
        """Return the action id of the selected seat of each match, int32 [match]; -1 for silence and after the end."""
        env, selector = self._env, self._selector
        seats = selector.seats
        acts = seats >= 0
        kinds = self._drawn_kinds(np.maximum(seats, 0))
        legal = env.action_mask(seats)
        actions = np.full(len(env), schema.NO_ACTION, np.int32)
        for player, choose in (
            (PlayerKind.CHAMPION, self._champion_actions),
            (PlayerKind.NOVICE, self._novice_actions),
            (PlayerKind.RANDOM, self._random_actions),
            (PlayerKind.GREEDY, self._greedy_actions),
        ):
            rows = np.flatnonzero(acts & (kinds == PLAYER_KINDS.index(player)))
            if len(rows):
                actions[rows] = choose(rows, seats, legal)
        for player, policy in THRESHOLD_POLICIES.items():
            is_kind = acts & (kinds == PLAYER_KINDS.index(player))
            for seat in np.unique(seats[is_kind]).tolist():
                rows = np.flatnonzero(is_kind & (seats == seat))
                actions[rows] = self._kernel_actions(seat, policy)[rows]
        return actions

    def _drawn_kinds(self, seats: IntArray | Int32Array) -> IntArray:
        """Return the kind of each match's selected player, after regulars and sharp players drew how they decide."""
        kinds = self._kinds[np.arange(len(seats)), seats]
        as_weak = self._rng.random((2, len(kinds)))
        sharp, regular = PLAYER_KINDS.index(PlayerKind.SHARP), PLAYER_KINDS.index(PlayerKind.REGULAR)
        champion, inference, novice, threshold = map(
            PLAYER_KINDS.index,
            (PlayerKind.CHAMPION, PlayerKind.INFERENCE, PlayerKind.NOVICE, PlayerKind.THRESHOLD),
        )
        kinds = np.where(kinds == sharp, np.where(as_weak[0] < SHARP_CHAMPION_SHARE, champion, inference), kinds)
        return np.where(kinds == regular, np.where(as_weak[1] < REGULAR_NOVICE_SHARE, novice, threshold), kinds)

    def _kernel_actions(self, seat: int, policy: ThresholdPolicy) -> Int32Array:
        """Return what one seat does by a policy of the kernels, int32 [match], -1 where it is silent."""
        policies = [ExternalPolicy() if other != seat else policy for other in range(self._env.rules.seat_count)]
        deciders, actions = self._env.choose_actions(tuple(policies))
        return np.where(deciders == seat, actions, schema.NO_ACTION).astype(np.int32)

    def _champion_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        del legal
        observation = selected_rows(self._observer.observe(np.maximum(seats, 0)), rows)
        inputs = encode(observation)
        probs = self._network.drop_unlikely(self._network.action_probs(inputs.features, inputs.action_mask))
        return to_sim_actions(inputs, sample_actions(probs, self._rng.random(len(rows))), self._env, rows)

    def _random_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        del seats
        drawn = np.where(legal[rows], self._rng.random((len(rows), legal.shape[1])), -1).argmax(axis=1)
        silent = self._selector.out_of_turn[rows] & (self._rng.random(len(rows)) >= P_OUT_OF_TURN)
        return np.where(silent, schema.NO_ACTION, drawn).astype(np.int32)

    def _novice_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        env, places = self._env, self._env.rules.arrays.faces
        lowest, may_bid = _lowest_bids(legal[rows], len(places))
        own = env.hands[rows, seats[rows]][:, places]
        dice = env.dice[rows]
        others = dice.sum(axis=1) - dice[np.arange(len(rows)), seats[rows]]
        estimates = own + (others / env.rules.ruleset.dice.faces)[:, np.newaxis]
        standing = env.match_field(schema.STANDING_BID)[rows]
        quantity, place = standing // len(places) + 1, np.maximum(standing, 0) % len(places)
        doubts = (standing >= 0) & (quantity > estimates[np.arange(len(rows)), place])
        plausible = may_bid & (lowest <= estimates + OPTIMISM)
        no_bid = ~may_bid.any(axis=1)
        calls = no_bid | (legal[rows, schema.CHALLENGE] & (doubts | ~plausible.any(axis=1)))
        candidates = np.where(plausible.any(axis=1)[:, np.newaxis], plausible, may_bid)
        best = np.where(candidates, own * 1000.0 - lowest, -np.inf).argmax(axis=1)
        bids = schema.FIRST_BID + (lowest[np.arange(len(rows)), best] - 1) * len(places) + best
        actions = np.where(calls, schema.CHALLENGE, bids)
        return np.where(self._selector.out_of_turn[rows], schema.NO_ACTION, actions).astype(np.int32)

    def _greedy_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        env, places = self._env, self._env.rules.arrays.faces
        rules = env.rules.ruleset
        special = np.flatnonzero(places == rules.dice.special_face - 1)
        hands, dice = env.hands[rows, seats[rows]], env.dice[rows]
        wilds = env.match_field(schema.WILDS_COUNT)[rows] == 1
        helps = wilds[:, np.newaxis] & ~np.isin(np.arange(len(places)), special)
        own = hands[:, places] + hands[:, rules.dice.special_face - 1, np.newaxis] * helps
        others = (dice.sum(axis=1) - dice[np.arange(len(rows)), seats[rows]])[:, np.newaxis, np.newaxis]
        bids = legal[rows, schema.FIRST_BID :].reshape(len(rows), -1, len(places))
        quantities = np.arange(1, bids.shape[1] + 1)[np.newaxis, :, np.newaxis]
        needed = (quantities - own[:, np.newaxis]).astype(np.float64)
        faces = rules.dice.faces
        p_bids = np.where(bids, p_at_least(faces, helps[:, np.newaxis], others, needed), -1).reshape(len(rows), -1)
        standing = env.match_field(schema.STANDING_BID)[rows]
        place = np.maximum(standing, 0) % len(places)
        own_needed = (standing // len(places) + 1 - own[np.arange(len(rows)), place]).astype(np.float64)
        p_standing = p_at_least(faces, helps[np.arange(len(rows)), place], others[:, 0, 0], own_needed)
        best = p_bids.max(axis=1)
        calls = legal[rows, schema.CHALLENGE] & (1 - p_standing >= best)
        good = p_bids >= GREEDY_T
        highest = p_bids.shape[1] - 1 - good[:, ::-1].argmax(axis=1)
        bid = np.where(good.any(axis=1), highest, p_bids.argmax(axis=1))
        actions = np.where(calls | (best < 0), schema.CHALLENGE, schema.FIRST_BID + bid)
        return np.where(self._selector.out_of_turn[rows], schema.NO_ACTION, actions).astype(np.int32)


def _lowest_bids(legal: BoolArray, places: int) -> tuple[IntArray, BoolArray]:
    """Return the lowest legal quantity of each place, int64 [row, place], and whether there is one."""
    bids = legal[:, schema.FIRST_BID :].reshape(len(legal), -1, places)
    return bids.argmax(axis=1) + 1, np.asarray(bids.any(axis=1))


SAMPLE_RATE = 0.12
"""The share of the decisions on turn that become samples within rounds."""
RANDOM_START_SHARE = 0.4
"""The share of matches that start with random numbers of dice."""
RULES = (*all_rulesets(), *("perudo",) * 5, *("basic", "classic", "mustache", "chart", "official") * 3)
"""The rules of the tables; each is drawn as often as it stands here."""
SEAT_COUNTS = (2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 7)
PLAYER_WEIGHTS = {
    PlayerKind.CHAMPION: 3,
    PlayerKind.SHARP: 2,
    PlayerKind.REGULAR: 2,
    PlayerKind.RANDOM: 0.5,
    PlayerKind.GREEDY: 0.7,
}
"""How often players are drawn; the others have weight 1."""
ONE_KIND_SHARE = 0.25
"""The share of matches whose players are all of one kind."""
CHAMPION_RULES = ("perudo", "chart", "mustache", "perudo", "basic", "classic+aces+palifico+calza", "red-dead", "bluff")
CHAMPION_SEAT_COUNTS = (2, 2, 3, 4)
"""The rules and seats of the tables with champions only that are played beside those of the population."""
CHAMPION_RANDOM_START_SHARE = 0.8
FIRST_CHAMPION_TABLE = 10_000
STORED_FIELDS = Situation._fields[1:-1]
"""The arrays of a situation in files; its rules and players are those of the table."""
MAX_STEPS = 4000
"""Decisions of a match after which a table ends; matches that go on are left out."""


class StateTable(msgspec.Struct, frozen=True):
    """A table of the population: its rules by name, and the numbers of seats and of matches side by side.

    `champions`: whether champions only play there, whom training always knows; else each match draws its own players.
    """

    rules: str
    seats: int
    matches: int
    seed: int
    champions: bool = False

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the table."""
        return preset(self.rules).ruleset


class StateSamples(NamedTuple):
    """Situations of a table, with the number of the match of each: `between_match` and `in_round_match`, int64 [row].

    `between`: every situation between rounds. `in_round`: a sample of those after a roll or a bid. `result`: float64
    [match, seat], the share that each seat won; NaN for matches that were left out. `kinds`: int64 [match, seat], the
    kind of each player as its place in `PLAYER_KINDS`.
    """

    between: Situation
    between_match: NDArray[np.int64]
    in_round: Situation
    in_round_match: NDArray[np.int64]
    result: NDArray[np.float64]
    kinds: NDArray[np.int64]


def draw_table(seed: int, number: int, matches: int) -> StateTable:
    """Return table `number` of a seed: rules and seats by chance."""
    rng = np.random.default_rng((seed, number))
    while True:
        rules = RULES[rng.integers(len(RULES))]
        ruleset = preset(rules).ruleset
        seats = int(rng.choice(SEAT_COUNTS))
        seats = max(min(seats, ruleset.players.max or seats), ruleset.players.min)
        try:
            make_policy_arrays(compile_rules(ruleset, seats), (ThresholdPolicy(),))
        except UnavailableError:
            continue
        return StateTable(rules, seats, matches, int(rng.integers(2**62)))


def draw_champion_table(seed: int, number: int, matches: int) -> StateTable:
    """Return table `number` of champions under the rules of the puzzles: seats by chance."""
    rng = np.random.default_rng((seed, FIRST_CHAMPION_TABLE + number))
    seats = int(CHAMPION_SEAT_COUNTS[rng.integers(len(CHAMPION_SEAT_COUNTS))])
    rules = CHAMPION_RULES[number % len(CHAMPION_RULES)]
    return StateTable(rules, seats, matches, int(rng.integers(2**62)), champions=True)


def draw_kinds(table: StateTable, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the kind of each player by match, int64 [match, seat], as its place in `PLAYER_KINDS`."""
    shape = (table.matches, table.seats)
    if table.champions:
        return np.full(shape, PLAYER_KINDS.index(PlayerKind.CHAMPION))
    weights = np.array([PLAYER_WEIGHTS.get(player, 1.0) for player in PLAYER_KINDS])
    drawn = rng.choice(len(PLAYER_KINDS), shape, p=weights / weights.sum())
    of_one_kind = rng.random((table.matches, 1)) < ONE_KIND_SHARE
    return np.where(of_one_kind, drawn[:, :1], drawn)


def play_table(
    table: StateTable, *, sample_rate: float = SAMPLE_RATE, random_start_share: float = RANDOM_START_SHARE
) -> StateSamples:
    """Play the matches of a table to their end, and return the samples.

    `sample_rate`, `random_start_share`: 0..1, as `SAMPLE_RATE` and `RANDOM_START_SHARE`.
    """
    rng = np.random.default_rng(table.seed)
    kinds = draw_kinds(table, rng)
    env = VectorEnv(compile_rules(table.ruleset, table.seats), table.matches, seed=table.seed, deals=False)
    every = np.ones(len(env), np.bool_)
    env.reset(every, dice=start_dice(env, rng, random_start_share))
    selector = AgentSelector(env, (ExternalPolicy(),))
    population = Population(env, selector, kinds, rng)
    selector.advance()
    between: list[Situation] = []
    in_round: list[Situation] = []
    between_match: list[NDArray[np.int64]] = []
    in_round_match: list[NDArray[np.int64]] = []
    for _ in range(MAX_STEPS):
        on_turn = ~env.over & ~selector.out_of_turn
        if env.over.all():
            break
        rows = np.flatnonzero(on_turn & (env.match_field(schema.ROUND_ACTION_COUNT) == 0))
        situation = situation_of_env(env)
        between.append(situation.rows(rows))
        between_match.append(rows)
        rows = np.flatnonzero(on_turn & (rng.random(len(env)) < sample_rate))
        in_round.append(situation.rows(rows))
        in_round_match.append(rows)
        selector.step(population.actions(), ~env.over)
    won = env.won.astype(np.float64)
    result = np.where(env.over[:, np.newaxis], won / np.maximum(won.sum(axis=1, keepdims=True), 1), np.nan)
    return StateSamples(
        concatenate(between),
        np.concatenate(between_match),
        concatenate(in_round),
        np.concatenate(in_round_match),
        result,
        kinds,
    )


def save_samples(path: Path, table: StateTable, samples: StateSamples) -> None:
    """Write the samples of a table to an `.npz` file, with numbers of 16 bits."""
    arrays = {
        f"{part}_{name}": values.astype(np.bool_ if values.dtype == np.bool_ else np.int16)
        for part, situation in (("between", samples.between), ("in_round", samples.in_round))
        for name, values in zip(STORED_FIELDS, situation[1:-1], strict=True)
    }
    arrays |= {"between_match": samples.between_match, "in_round_match": samples.in_round_match}
    arrays |= {"kinds": samples.kinds.astype(np.int8)}
    partial = path.with_suffix(".part.npz")
    np.savez(partial, allow_pickle=False, result=samples.result, table=np.array(msgspec.json.encode(table)), **arrays)
    partial.replace(path)


def load_samples(path: Path) -> tuple[StateTable, StateSamples]:
    """Read a file that `save_samples` wrote."""
    with np.load(path, allow_pickle=False) as arrays:
        table = msgspec.json.decode(arrays["table"].item(), type=StateTable)
        parts = []
        for part in ("between", "in_round"):
            stored = [arrays[f"{part}_{name}"] for name in STORED_FIELDS]
            values = [array if array.dtype == np.bool_ else array.astype(np.int64) for array in stored]
            values.append(np.full(values[0].shape, UNKNOWN_KIND, np.int64))
            parts.append(Situation(table.ruleset, *values))
        kinds = arrays["kinds"].astype(np.int64)
        matches = arrays["between_match"], arrays["in_round_match"]
        samples = StateSamples(parts[0], matches[0], parts[1], matches[1], arrays["result"], kinds)
    return table, samples


NETWORK_FILE = "value.npz"
BETWEEN_WIDTHS, IN_ROUND_WIDTHS = (128, 64), (256, 64)
"""Units in the inner layers of the two networks."""
LEARNING_RATE, LATER_LEARNING_RATE, MIN_LEARNING_RATE = 2e-3, 1e-3, 2e-5
MINIBATCH_SIZE = 1024
MAIN_RULES = ("perudo", "basic", "classic", "mustache", "chart", "official")
BETWEEN_ROWS = 8000
IN_ROUND_ROWS, MAIN_RULES_IN_ROUND_ROWS, CHAMPIONS_IN_ROUND_ROWS = 3000, 8000, 1000
"""The most situations of a table that are learned from, more of them under `MAIN_RULES`."""
IN_ROUND_WEIGHT_DECAY = 0.02
"""Dice say little about who will win, so that a network without it would learn chance by heart."""
BETWEEN_PASSES = 2
"""How often the values between rounds are learned, from the second time on by the values of the time before."""
LAMBDA = 0.5
HIDDEN_SHARES = {1.0: 0.5, 0.0: 0.4, 0.5: 0.1}
"""Which share of the players' kinds is hidden in a match, each with its probability."""
MAX_ROUNDS = 100_000
"""More rounds than any match has."""

Layers = list[tuple[FloatArray, FloatArray]]
Progress = Callable[[str], None]


class Batch(NamedTuple):
    """Situations of tables with the same number of seats.

    `features`: float16 [row, seat, feature]. `alive`: bool [row, seat]. `targets`: float32 [row, seat], shares.
    """

    features: NDArray[np.float16]
    alive: NDArray[np.bool_]
    targets: FloatArray


def play_tables(
    folder: Path, seed: int, tables: int, matches: int, progress: Progress, *, champion_tables: int = 0
) -> list[Path]:
    """Play the tables whose samples the folder lacks, and return the files of all.

    `champion_tables`: how many more are played, with champions only.
    """
    paths = []
    for number in range(champion_tables + tables):
        champions, place = number < champion_tables, number - champion_tables * (number >= champion_tables)
        path = folder / f"{'champions' if champions else 'table'}-{place:04}.npz"
        paths.append(path)
        if not path.exists():
            table = (draw_champion_table if champions else draw_table)(seed, place, matches)
            share = CHAMPION_RANDOM_START_SHARE if champions else RANDOM_START_SHARE
            save_samples(path, table, play_table(table, random_start_share=share))
            progress(f"{number + 1}/{champion_tables + tables} tables")
    return paths


def train_state_values(
    paths: Sequence[Path], seed: int, epochs: int, progress: Progress, *, typical: bool = False
) -> ValueNetwork:
    """Return a network that was trained with the samples in files; the same seed gives the same network.

    `typical`: it only learns the values of typical players, whose kinds are never shown.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = ValueNetwork([], [])
    hidden_shares = {1.0: 1.0} if typical else HIDDEN_SHARES
    for passed in range(1 if typical else BETWEEN_PASSES):
        batches = [_between_batch(*load_samples(path), network, hidden_shares, rng) for path in paths]
        rate = LEARNING_RATE if passed == 0 else LATER_LEARNING_RATE
        sizes = (feature_count(in_round=False), *BETWEEN_WIDTHS, 1)
        network.between = _train(_by_seats(batches), sizes, epochs, rng, progress, start=network.between, rate=rate)
    batches = [_in_round_batch(*load_samples(path), network, hidden_shares, rng) for path in paths]
    sizes = (feature_count(in_round=True), *IN_ROUND_WIDTHS, 1)
    network.in_round = _train(_by_seats(batches), sizes, epochs, rng, progress, weight_decay=IN_ROUND_WEIGHT_DECAY)
    return network


def _between_batch(
    table: StateTable,
    samples: StateSamples,
    network: ValueNetwork,
    hidden_shares: Mapping[float, float],
    rng: np.random.Generator,
) -> Batch:
    """Return the situations between rounds.

    Where all players are known, what a round leads to tells all of what is to come, and a trained network knows its
    value better than one result does. So the targets there are lambda-returns of these values.
    """
    targets = samples.result[samples.between_match]
    players = shown_players(table, samples, hidden_shares, rng)[samples.between_match]
    situations = samples.between._replace(players=players)
    if network.between:
        returns = lambda_returns(samples, network.shares(situations, in_round=False))
        targets = np.where((players != UNKNOWN_KIND).all(axis=1)[:, np.newaxis], returns, targets)
    known = _some_rows(targets, BETWEEN_ROWS, rng)
    situation = situations.rows(known)
    features = seat_features(situation, in_round=False).astype(np.float16)
    return Batch(features, situation.dice > 0, targets[known].astype(np.float32))


def lambda_returns(samples: StateSamples, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lambda-return of each situation between rounds, float64 [row, seat].

    `values`: the estimated shares of the same situations. The return mixes the value of the next situation of the match
    (with weight 1 - `LAMBDA`) with that situation's own return; the last one's is the result.
    """
    keys = samples.between_match * MAX_ROUNDS + samples.between.round_number
    order = np.argsort(keys)
    places = np.minimum(np.searchsorted(keys[order], keys + 1), len(keys) - 1)
    following = np.where(keys[order][places] == keys + 1, order[places], -1)
    returns: NDArray[np.float64] = samples.result[samples.between_match]
    for number in np.unique(samples.between.round_number)[::-1].tolist():
        rows = np.flatnonzero((samples.between.round_number == number) & (following >= 0))
        after = following[rows]
        returns[rows] = (1 - LAMBDA) * values[after] + LAMBDA * returns[after]
    return returns


def _in_round_batch(
    table: StateTable,
    samples: StateSamples,
    network: ValueNetwork,
    hidden_shares: Mapping[float, float],
    rng: np.random.Generator,
) -> Batch:
    """Return the samples within rounds, and all situations after a roll."""
    players = shown_players(table, samples, hidden_shares, rng)
    situations, matches = (
        concatenate([samples.in_round, samples.between]),
        np.concatenate([samples.in_round_match, samples.between_match]),
    )
    values = network.shares(samples.between._replace(players=players[samples.between_match]), in_round=False)
    keys = samples.between_match * MAX_ROUNDS + samples.between.round_number
    order = np.argsort(keys)
    wanted = matches * MAX_ROUNDS + situations.round_number + 1
    places = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = keys[order][places] == wanted
    targets = np.where(found[:, np.newaxis], values[order][places], samples.result[matches])
    count = MAIN_RULES_IN_ROUND_ROWS if table.rules in MAIN_RULES else IN_ROUND_ROWS
    known = _some_rows(targets, CHAMPIONS_IN_ROUND_ROWS if table.champions else count, rng)
    situation = situations._replace(players=players[matches]).rows(known)
    features = seat_features(situation, in_round=True).astype(np.float16)
    return Batch(features, situation.dice > 0, targets[known].astype(np.float32))


def shown_players(
    table: StateTable, samples: StateSamples, hidden_shares: Mapping[float, float], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the kinds of the players of each match, int64 [match, seat], some of them hidden."""
    if table.champions:
        return samples.kinds
    shares = rng.choice(list(hidden_shares), len(samples.result), p=list(hidden_shares.values()))
    hidden = rng.random(samples.result.shape) < shares[:, np.newaxis]
    return np.where(hidden, UNKNOWN_KIND, samples.kinds)


def _some_rows(targets: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows that are learned from, int64: at most `count` of those with known targets."""
    known = np.flatnonzero(np.isfinite(targets).all(axis=1))
    return rng.permutation(known)[:count]


def _by_seats(batches: Sequence[Batch]) -> list[Batch]:
    """Return one batch for each number of seats."""
    counts = sorted({batch.alive.shape[1] for batch in batches})
    groups = [[batch for batch in batches if batch.alive.shape[1] == count] for count in counts]
    return [Batch(*(np.concatenate(arrays) for arrays in zip(*group, strict=True))) for group in groups]


def _train(
    batches: Sequence[Batch],
    sizes: Sequence[int],
    epochs: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    start: Sequence[tuple[FloatArray, FloatArray]] = (),
    rate: float = LEARNING_RATE,
    weight_decay: float = 0.0,
) -> Layers:
    """Return the layers of a network that learned the targets by cross-entropy, from `start` if it is given.

    `sizes`: the number of features, and of units in each layer.
    """
    linear = [nn.Linear(before, after) for before, after in pairwise(sizes)]
    with torch.no_grad():
        for layer, (weight, bias) in zip(linear, start, strict=False):
            layer.weight.copy_(torch.from_numpy(weight.T))
            layer.bias.copy_(torch.from_numpy(bias))
    modules = [module for layer in linear[:-1] for module in (layer, nn.ReLU())]
    model = nn.Sequential(*modules, linear[-1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=weight_decay)
    total = epochs * sum(math.ceil(len(batch.alive) / MINIBATCH_SIZE) for batch in batches)
    done = 0
    for epoch in range(epochs):
        losses = []
        for number, rows in _minibatches(batches, rng):
            for group in optimizer.param_groups:
                share = (1 + math.cos(math.pi * done / total)) / 2
                group["lr"] = MIN_LEARNING_RATE + (rate - MIN_LEARNING_RATE) * share
            loss = _loss(model, batches[number], rows)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            losses.append(loss.item())
            done += 1
        progress(f"epoch {epoch + 1} of {epochs}, loss {np.mean(losses):.4f}")
    return [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]


def _minibatches(batches: Sequence[Batch], rng: np.random.Generator) -> list[tuple[int, NDArray[np.int64]]]:
    """Return the rows of all minibatches of an epoch with the number of their batch, in random order."""
    parts = [
        (number, rows)
        for number, batch in enumerate(batches)
        for rows in np.array_split(rng.permutation(len(batch.alive)), math.ceil(len(batch.alive) / MINIBATCH_SIZE))
    ]
    return [parts[place] for place in rng.permutation(len(parts))]


def _loss(model: nn.Module, batch: Batch, rows: NDArray[np.int64]) -> torch.Tensor:
    scores = model(torch.from_numpy(batch.features[rows].astype(np.float32)))[..., 0]
    alive = torch.from_numpy(batch.alive[rows])
    log_shares = torch.log_softmax(scores.masked_fill(~alive, -1e9), dim=1)
    targets = torch.from_numpy(batch.targets[rows])
    return -(targets * log_shares.masked_fill(~alive, 0)).sum(dim=1).mean()
