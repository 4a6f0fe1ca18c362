"""Samples for the training of state values: situations from matches of the population, and what came of them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import FULL, preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy, make_policy_arrays
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.population import Population
from liarsdice.values.player_kinds import PLAYER_KINDS, UNKNOWN_KIND, PlayerKind
from liarsdice.values.simulator import situation_of_env
from liarsdice.values.situation import Situation, concatenate

SAMPLE_RATE = 0.12
"""The share of the decisions on turn that become samples within rounds."""
RANDOM_START_SHARE = 0.4
"""The share of matches that start with random numbers of dice."""
RULES = (*simulated_preset_names(), FULL, *("perudo",) * 5, *("basic", "classic", "mustache", "chart", "official") * 3)
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
    env.reset(every, dice=_start_dice(env, rng, random_start_share))
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


def _start_dice(env: VectorEnv, rng: np.random.Generator, random_start_share: float) -> NDArray[np.int64]:
    """Return the dice of each seat at the start, int64 [match, seat]: all, or random numbers, two seats with some."""
    full = np.array(env.rules.dice)
    drawn = rng.integers(0, full + 1, (len(env), len(full)))
    two_seats = np.argsort(rng.random(drawn.shape), axis=1)[:, :2]
    at_least_one = np.maximum(np.take_along_axis(drawn, two_seats, axis=1), 1)
    np.put_along_axis(drawn, two_seats, at_least_one, axis=1)
    return np.where((rng.random(len(env)) < random_start_share)[:, np.newaxis], drawn, full)


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
