"""What the end of a round is worth: the share of the match that each seat wins from there on.

The matches are played on by bots that decide by exact odds, which play alike at every seat. Between rounds, what counts
is how many dice everybody holds and who opens; how well the players play matters little as long as all play equally
well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.round_end import FloatArray, RoundEnd, winners_share
from liarsdice.bots.simple.inference import BID_CREDIT
from liarsdice.core.rules.choices import Repeat
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv

POLICY = ThresholdPolicy(0.4, BID_CREDIT)
"""Who plays the matches on: the bot `inference`."""
SEED = 20_261_122
VALUE_MATCHES = 1_000
"""How many matches tell the value of the end of a round at the table."""
DISTANT_ROUNDS = 100
"""A limit of rounds that is so far away changes nothing: matches end long before it."""


class RoundEndValues:
    """The value of round ends under one ruleset; each is estimated once, from `matches` matches."""

    def __init__(self, rules: Ruleset, matches: int) -> None:
        self.matches = matches
        self._rules = rules
        self._shares: dict[RoundEnd, FloatArray] = {}

    def shares(self, ends: Iterable[RoundEnd]) -> FloatArray:
        """Return the share of the match that each seat wins, float64 [end, seat], 0..1.

        Shares after the end of a match are exact; for others, the variance of a share p is at most p(1-p)/`matches`.
        """
        return np.stack([self._share(end) for end in ends])

    def variances(self, ends: Sequence[RoundEnd]) -> FloatArray:
        """Return the variance of each of the shares, float64 [end, seat]; 0 after the end of a match."""
        shares = self.shares(ends)
        exact = np.array([end.winners is not None for end in ends])[:, np.newaxis]
        return np.where(exact, 0, shares * (1 - shares) / self.matches)

    def _share(self, end: RoundEnd) -> FloatArray:
        share = self._shares.get(end)
        if share is None:
            share = winners_share(end.winners) if end.winners else self._played_share(end)
            self._shares[end] = share
        return share

    def _played_share(self, end: RoundEnd) -> FloatArray:
        """Return the mean share of each seat in matches that are played on from here, float64 [seat]."""
        env = VectorEnv(compiled_for(self._rules, end.dice), self.matches, seed=SEED, deals=False)
        every = np.ones(self.matches, np.bool_)
        env.reset(every, starters=end.starter, dice=end.dice, special=end.special_seat, deals=False)
        env.state.matches[:, schema.ROUND] = end.round_number
        env.state.matches[:, schema.STEP] = end.step
        env.state.seats[:, :, schema.EXACT_CALLS] = end.exact_calls
        env.state.seats[:, :, schema.HAD_SPECIAL] = end.had_special
        env.advance((POLICY,))
        won = env.won.astype(np.float64)
        mean: FloatArray = (won / won.sum(axis=1, keepdims=True)).mean(axis=0)
        return mean


@lru_cache(8)
def shared_round_end_values(rules: Ruleset) -> RoundEndValues:
    """Return the values of round ends that all bots of a process share: one that is new takes up to 0.1 s."""
    return RoundEndValues(rules, VALUE_MATCHES)


@lru_cache(64)
def compiled_for(rules: Ruleset, dice: tuple[int, ...]) -> CompiledRules:
    """Return the compiled rules of a table whose seats hold at most these dice, or as many as at the start."""
    if max(dice) <= rules.dice.per_player:
        return _compiled(rules, len(dice))
    return compile_rules(rules, len(dice), tuple(max(held, rules.dice.per_player) for held in dice))


@lru_cache(16)
def _compiled(rules: Ruleset, seats: int) -> CompiledRules:
    return compile_rules(rules, seats)


def round_ends(env: VectorEnv) -> tuple[list[RoundEnd], NDArray[np.int64]]:
    """Return the round ends of an environment whose matches are over or have been dealt their next round.

    They are the different ones, and the place among them of each match's, int64 [match].
    """
    rules = env.rules.ruleset
    special, call, limit = rules.special_round, rules.exact_call, rules.guards.max_rounds
    special_seats, over = env.match_field(schema.SPECIAL_SEAT), env.over
    exact_calls = env.seat_field(schema.EXACT_CALLS) * (call is not None and call.budget is not None)
    matters = special is not None and (special.repeat is Repeat.ONCE_PER_PLAYER or special.lock_exempt is not None)
    had_special = (env.seat_field(schema.HAD_SPECIAL) == 1) & matters
    rows = np.flatnonzero(special_seats >= 0)
    had_special[rows, special_seats[rows]] = False  # the round that has just been dealt
    rounds = env.match_field(schema.ROUND) - 1
    rounds = np.where(rounds + DISTANT_ROUNDS > (limit or 0), rounds, 0) * (limit is not None)
    single = (over, env.match_field(schema.STARTER), special_seats, env.match_field(schema.STEP), rounds)
    fields = np.concatenate(
        [
            np.stack(single, axis=1),
            *(np.where(over[:, np.newaxis], 0, part) for part in (env.dice, exact_calls, had_special)),
            env.won,
        ],
        axis=1,
    )
    fields[over, 1:5] = 0
    _, firsts, numbers = np.unique(fields, axis=0, return_index=True, return_inverse=True)
    return [_round_end(fields[first].tolist(), env.rules.seat_count) for first in firsts.tolist()], numbers.reshape(-1)


def _round_end(fields: Sequence[int], seats: int) -> RoundEnd:
    """Return the round end with these fields: five single ones, and four by seat."""
    is_over, starter, special_seat, step, round_number = fields[:5]
    dice, calls, had, won = (fields[start : start + seats] for start in range(5, 5 + 4 * seats, seats))
    if is_over:
        return RoundEnd((0,) * seats, -1, -1, 1, (0,) * seats, (False,) * seats, 0, tuple(map(bool, won)))
    return RoundEnd(tuple(dice), starter, special_seat, step, tuple(calls), tuple(map(bool, had)), round_number, None)
