"""Measures what the ends of rounds are worth by the state values, against matches that champions play on from there.

The figure is the root mean square difference of the share of each seat from the share that it wins, less what is by
chance. The situations are from matches of champions.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.features import PLAYER_KINDS, PlayerKind
from liarsdice.values.playouts import compiled_for, round_ends
from liarsdice.values.round_ends import RoundEnd, learned_values
from liarsdice_lab.train.state_value_training import Population

RULES = ("basic", "classic", "mustache", "chart", "official", "perudo")
SEATS = (2, 3, 4, 6)
SEED = 20_261_127
SOURCE_MATCHES = 150

FloatArray = NDArray[np.float64]


class Champions:
    """Champions at all seats of an environment, which play its matches on."""

    def __init__(self, env: VectorEnv, rng: np.random.Generator) -> None:
        self._env = env
        self.selector = AgentSelector(env, (ExternalPolicy(),))
        kinds = np.full(env.rules.seat_count, PLAYER_KINDS.index(PlayerKind.CHAMPION))
        self._population = Population(env, self.selector, kinds, rng)
        self.selector.advance()

    def step(self) -> None:
        """Let one seat of each match act."""
        self.selector.step(self._population.actions(), ~self._env.over)


def situations(rules: Ruleset, seats: int, count: int, rng: np.random.Generator) -> list[RoundEnd]:
    """Return the ends of rounds that are drawn from matches between champions."""
    env = VectorEnv(compiled_for(rules, (rules.dice.per_player,) * seats), SOURCE_MATCHES, seed=SEED)
    champions, found = Champions(env, rng), []
    while not env.over.all():
        champions.step()
        begun = ~env.over & ~champions.selector.out_of_turn & (env.match_field(schema.ROUND_ACTION_COUNT) == 0)
        if begun.any():
            ends, numbers = round_ends(env)
            found += [ends[number] for number in numbers[begun].tolist()]
    return [found[place] for place in rng.choice(len(found), count, replace=False).tolist()]


def played_by_champions(rules: Ruleset, ends: list[RoundEnd], matches: int, rng: np.random.Generator) -> FloatArray:
    """Return the share of each seat in matches that champions play on, float64 [end, seat]."""
    seats = len(ends[0].dice)
    compiled = compiled_for(rules, tuple(np.max([end.dice for end in ends], axis=0).tolist()))
    env = VectorEnv(compiled, len(ends) * matches, seed=SEED, first=SOURCE_MATCHES, deals=False)
    for number, end in enumerate(ends):
        selected = np.repeat(np.arange(len(ends)) == number, matches)
        env.reset(selected, starters=end.starter, dice=end.dice, special=end.special_seat, deals=False)
        env.state.matches[selected, schema.ROUND] = end.round_number
        env.state.matches[selected, schema.STEP] = end.step
        env.state.seats[selected, :, schema.EXACT_CALLS] = end.exact_calls
        env.state.seats[selected, :, schema.HAD_SPECIAL] = end.had_special
    env.deal()
    champions = Champions(env, rng)
    while not env.over.all():
        champions.step()
    won = env.won.astype(np.float64)
    shares: FloatArray = (won / won.sum(axis=1, keepdims=True)).reshape(len(ends), matches, seats).mean(axis=1)
    return shares


def measure(name: str, seats: int, count: int, matches: int) -> float:
    """Return the root mean square difference under a preset at a number of seats."""
    rules, rng = preset(name).ruleset, np.random.default_rng((SEED, seats, len(name)))
    ends = situations(rules, seats, count, rng)
    shares = played_by_champions(rules, ends, matches, rng)
    chance = shares * (1 - shares) / (matches - 1)
    alive = np.array([end.dice for end in ends]) > 0
    squares = (((learned_values(rules, seats).shares(ends) - shares) ** 2 - chance) * alive).sum()
    return float(np.sqrt(max(squares / alive.sum(), 0)))


def main() -> None:
    """Measure and save the figures, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--seats", default=",".join(map(str, SEATS)))
    parser.add_argument("--situations", type=int, default=40)
    parser.add_argument("--matches", type=int, default=400)
    options = parser.parse_args()
    figures: dict[str, Figures] = read_figures("round_ends")
    for name in options.rules.split(","):
        rules = preset(name).ruleset
        for seats in map(int, options.seats.split(",")):
            if rules.players.min <= seats <= (rules.players.max or seats):
                difference = round(measure(name, seats, options.situations, options.matches), 3)
                figures[f"{name}, {seats} seats"] = {"difference": difference}
                save_figures("round_ends", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
