"""Situations and round ends of many matches side by side in the simulator, and the compiled rules of positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.rules.choices import Repeat
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.player_kinds import UNKNOWN_KIND
from liarsdice.values.round_ends import RoundEnd
from liarsdice.values.situation import Situation


def situation_of_env(env: VectorEnv) -> Situation:
    """Return the situation of each match of an environment that waits for a player's move."""
    faces, places = env.rules.ruleset.dice.faces, env.rules.arrays.faces
    seats = np.arange(env.rules.seat_count)
    special_seat = env.match_field(schema.SPECIAL_SEAT).astype(np.int64)
    standing = env.match_field(schema.STANDING_BID)
    latest = env.seat_field(schema.LATEST_BID)
    low, high = env.bid_ranges[:, 0], env.bid_ranges[:, 1]
    lowest = np.zeros((len(env), faces), np.int64)
    lowest[:, places] = np.where(low <= high, low, 0)
    return Situation(
        rules=env.rules.ruleset,
        dice=env.dice.astype(np.int64),
        had_special=(env.seat_field(schema.HAD_SPECIAL) == 1) & (seats != special_seat[:, np.newaxis]),
        exempt=env.seat_field(schema.EXEMPT) == 1,
        exact_calls=env.seat_field(schema.EXACT_CALLS).astype(np.int64),
        latest_face=np.where(latest >= 0, places[np.maximum(latest, 0) % len(places)], -1).astype(np.int64),
        hands=env.hands.astype(np.int64),
        step=env.match_field(schema.STEP).astype(np.int64),
        turn=env.match_field(schema.TURN).astype(np.int64),
        quantity=np.where(standing >= 0, standing // len(places) + 1, 0).astype(np.int64),
        face=np.where(standing >= 0, places[np.maximum(standing, 0) % len(places)], -1).astype(np.int64),
        bidder=np.where(standing >= 0, env.match_field(schema.STANDING_BIDDER), -1).astype(np.int64),
        bid_count=env.match_field(schema.BID_COUNT).astype(np.int64),
        wilds=env.match_field(schema.WILDS_COUNT) == 1,
        special_seat=special_seat,
        round_number=env.match_field(schema.ROUND).astype(np.int64),
        lowest=lowest,
        players=np.full(env.dice.shape, UNKNOWN_KIND, np.int64),
    )


DISTANT_ROUNDS = 100
"""A limit of rounds that is so far away changes nothing: matches end long before it."""


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
