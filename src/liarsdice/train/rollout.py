"""Playing for experience: a table of matches under one ruleset, and what its learners saw, did and came to."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import numpy as np

from liarsdice.bots.neural.features import NetworkInput, encode
from liarsdice.bots.neural.observation import BoolArray, FloatArray, IntArray
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import Policy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.agent_selector import AgentSelector
from liarsdice.train.batch_observation import BatchObserver, to_sim_actions
from liarsdice.train.load_networks import load_network, load_teacher
from liarsdice.train.opponents import OpponentPlayer

RANDOM_START_SHARE = 0.6
"""How many of the matches begin in the middle, with dice by chance."""

Decide = Callable[[NetworkInput, FloatArray, np.random.Generator], tuple[IntArray, FloatArray, FloatArray]]
"""From what is read, what only a critic may know, and chance: answers, logarithms of their chances, and values."""


class TableSetup(msgspec.Struct, frozen=True):
    """A ruleset, who sits where (`ExternalPolicy` learns), and how many such matches are played side by side.

    `rival`: the network in the last seats, `rivals` of them, see `load_network`; they have an `ExternalPolicy` too.
    `teacher`: the network that shows learners what it would answer.
    """

    rules: Ruleset
    policies: tuple[Policy, ...]
    matches: int
    rival: str = ""
    rivals: int = 0
    teacher: str = ""


class Experience(NamedTuple):
    """Decisions, one a row.

    `advantage`: by how much the answer was better than what was expected; `target`: what should have been; `taught`:
    a teacher's chances of the answers, zeros where there is none.
    """

    numbers: FloatArray
    hidden: FloatArray
    legal: BoolArray
    answers: IntArray
    logs: FloatArray
    advantage: FloatArray
    target: FloatArray
    taught: FloatArray


class Table:
    """Matches of one setting that go on from rollout to rollout."""

    def __init__(self, setting: TableSetup, seed: int) -> None:
        self.setting = setting
        self._batch = VectorEnv(compile_rules(setting.rules, len(setting.policies)), setting.matches, seed=seed)
        self._selector = AgentSelector(self._batch, setting.policies)
        self._observer = BatchObserver(self._batch)
        self._chance = np.random.default_rng(seed)
        seats = len(setting.policies)
        frozen = {seat: load_network(setting.rival) for seat in range(seats - setting.rivals, seats)}
        self._teacher = load_teacher(setting.teacher) if setting.teacher else None
        self._opponents = OpponentPlayer(self._batch, self._selector, self._observer, frozen)
        self._begin(np.ones(setting.matches, np.bool_))

    def play(self, steps: int, decide: Decide, keep: float) -> Experience:
        """Let learners decide so many times in each match. `keep`: λ of the advantages."""
        batch, setting = self._batch, self.setting
        steps_taken: list[tuple[NetworkInput, FloatArray, IntArray, FloatArray, FloatArray]] = []
        seats = np.zeros((steps, setting.matches), np.int64)
        over = np.zeros((steps, setting.matches), np.bool_)
        out = np.zeros((steps, setting.matches, len(setting.policies)), np.bool_)
        share = np.zeros((steps, setting.matches, len(setting.policies)), np.float32)
        for step in range(steps):
            asked = self._selector.seats
            seats[step] = asked
            inputs, hidden = encode(self._observer.scene(asked), knows_stairs=True), self._observer.hidden(asked)
            answers, logs, values = decide(inputs, hidden, self._chance)
            steps_taken.append((inputs, hidden, answers, logs, values))
            self._selector.answer(to_sim_actions(inputs, answers, batch))
            self._opponents.play_on(self._chance)
            over[step], out[step] = batch.over, batch.dice == 0
            won = batch.won.astype(np.float32)
            share[step] = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
            self._begin(batch.over)
        values = np.stack([one[4] for one in steps_taken])
        advantage, target, known = advantages(seats, over, out, share, values, keep)
        numbers = np.concatenate([one[0].features for one in steps_taken])[known]
        legal = np.concatenate([one[0].action_mask for one in steps_taken])[known]
        teacher = self._teacher
        return Experience(
            numbers=numbers,
            hidden=np.concatenate([one[1] for one in steps_taken])[known],
            legal=legal,
            answers=np.concatenate([one[2] for one in steps_taken])[known],
            logs=np.concatenate([one[3] for one in steps_taken])[known],
            advantage=advantage.ravel()[known],
            target=target.ravel()[known],
            taught=teacher.action_probs(numbers, legal) if teacher else np.zeros(legal.shape, np.float32),
        )

    def _begin(self, over: BoolArray) -> None:
        """Begin matches anew until a learner is asked in each."""
        which = over.copy()
        while which.any():
            self._batch.reset(which, dice=self._dice())
            self._selector.advance()
            self._opponents.play_on(self._chance)
            which = self._batch.over

    def _dice(self) -> IntArray:
        """What every seat would begin with: all dice, or some by chance, so that all of a match is practised."""
        full = np.array(self._batch.rules.dice)
        count, seats = self.setting.matches, len(full)
        some = self._chance.integers(0, full + 1, (count, seats))
        pair = np.argsort(self._chance.random((count, seats)), axis=1)[:, :2]
        np.put_along_axis(some, pair, np.maximum(np.take_along_axis(some, pair, axis=1), 1), axis=1)
        return np.where((self._chance.random(count) < RANDOM_START_SHARE)[:, np.newaxis], some, full)


def advantages(
    seats: IntArray, over: BoolArray, out: BoolArray, share: FloatArray, values: FloatArray, keep: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Generalised advantages (Schulman and others 2016), each seat's decisions in a row of their own.

    `seats`, `over`, `values`: [step, match]; `out`, `share`: [step, match, seat], who is out after a step, and what
    share of the match is won. The answer: advantages and targets, and flat which decisions have come to something.
    """
    steps, matches, count = out.shape
    every = np.arange(matches)
    value = np.zeros((matches, count), np.float32)
    ahead = np.zeros((matches, count), np.float32)
    known = np.zeros((matches, count), np.bool_)
    advantage = np.zeros((steps, matches), np.float32)
    usable = np.zeros((steps, matches), np.bool_)
    for step in reversed(range(steps)):
        ended = over[step][:, np.newaxis] | out[step]
        value = np.where(ended, share[step], value)
        ahead = np.where(ended, 0, ahead)
        known |= ended
        seat = seats[step]
        usable[step] = known[every, seat]
        gain = value[every, seat] - values[step] + keep * ahead[every, seat]
        advantage[step] = np.where(usable[step], gain, 0)
        value[every, seat], ahead[every, seat] = values[step], advantage[step]
        known[every, seat] = True
    return advantage, advantage + values, usable.ravel()
