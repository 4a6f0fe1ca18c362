"""Many rounds or whole matches at once, from one seed, on several threads.

Round or match `n` of a seed has random numbers of its own, so that results do not depend on the number of threads.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.meaning import sheds
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules, ordered_bids
from liarsdice.sim.kernels.batch import play_ordered_rounds
from liarsdice.sim.policies import ExternalPolicy, Policy, UniformPolicy
from liarsdice.sim.vector_env import ENDLESS, SEED_LIMIT, VectorEnv

BATCH_SIZE = 1024
"""Matches that are played side by side before the next ones begin."""

PythonPolicy = Callable[[VectorEnv, NDArray[np.intp]], ArrayLike]
"""Decides in Python: `policy(env, matches)` returns the action ids of the seats on turn in these matches.

It has access to all hands; it must look only at what the seat on turn may know.
"""


class RoundResults(msgspec.Struct, frozen=True):
    """Results of rounds: int16 [round], but `dice` int16 [round, seat] and `exact` bool [round].

    `dice`: held after the round. `starter`: who opens the next round. `special`: whose special round that is, -1 for
    none; both are -1 if the match is over. `loser`: who lost the call. `caller`: who made it. `exact`: whether it was
    an exact call. `actions`: how many bids, choices of direction and calls there were.
    """

    dice: NDArray[np.int16]
    starter: NDArray[np.int16]
    special: NDArray[np.int16]
    loser: NDArray[np.int16]
    caller: NDArray[np.int16]
    exact: NDArray[np.bool_]
    actions: NDArray[np.int16]


class MatchResults(msgspec.Struct, frozen=True):
    """Results of matches.

    `won`: bool [match, seat]; several seats may share a win. `place`: int32 [match, seat], 1 for the
    winners; seats rank by the round in which they went out, and at the end by their dice, the other way round where
    players shed. `rounds`, `actions`: int32 [match].
    """

    won: NDArray[np.bool_]
    place: schema.Int32Array
    rounds: schema.Int32Array
    actions: schema.Int32Array


class _Job(msgspec.Struct, frozen=True):
    """What is to be played. `starter`: -1 for a random one. `special`: -1 for no special round."""

    compiled: CompiledRules
    policies: tuple[Policy | PythonPolicy, ...]
    count: int
    seed: int
    threads: int
    starter: int = -1
    special: int = -1
    last_round: int = ENDLESS


def play_rounds(
    rules: Ruleset,
    dice: tuple[int, ...],
    count: int,
    *,
    seed: int = 0,
    threads: int = 1,
    starter: int = 0,
    special: int | None = None,
    policies: Sequence[Policy | PythonPolicy] = (UniformPolicy(),),
) -> RoundResults:
    """Play `count` first rounds with `dice` by seat, opened by `starter`. `special`: whose special round it is.

    `policies`: by seat, repeated in their order; with one in Python, one thread plays. Raises `MalformedError` for a
    seat, count, seed or number of threads out of range, and `UnavailableError` as `compile_rules` does.

    >>> from liarsdice.core.rules.presets import preset
    >>> results = play_rounds(preset("openspiel").ruleset, (5, 5), 1000, seed=1)
    >>> results.dice.sum(axis=1).tolist() == [9] * 1000
    True
    """
    _check_range(count, seed, threads, policies)
    compiled = compile_rules(rules, len(dice), dice)
    for seat in (starter, starter if special is None else special):
        if not 0 <= seat < len(dice) or dice[seat] == 0:
            raise MalformedError(f"a round of {dice} dice is opened by a seat with dice, not by {seat}")
    special_seat = -1 if special is None else special
    columns = (np.empty(count, np.int16) for _ in range(5))
    results = schema.RoundArrays(np.empty((count, len(dice)), np.int16), *columns)
    exact = np.zeros(count, np.bool_)
    random_play = all(isinstance(policy, UniformPolicy) for policy in policies)
    game = ordered_bids(compiled, starter, special_seat) if random_play else None

    def collect(env: VectorEnv, part: slice) -> None:
        results.dice[part] = env.dice
        results.starter[part] = np.where(env.over, -1, env.match_field(schema.STARTER))
        results.special[part] = env.match_field(schema.SPECIAL_SEAT)
        results.loser[part], results.caller[part] = (
            env.match_field(schema.CALL_LOSER),
            env.match_field(schema.CALL_SEAT),
        )
        results.actions[part] = env.match_field(schema.ROUND_ACTION_COUNT)
        exact[part] = env.match_field(schema.CALL) == schema.EXACT

    if game is None:
        _run(_Job(compiled, tuple(policies), count, seed, threads, starter, special_seat, 1), collect)
    else:
        _run_ordered(game, results, seed, threads)
    starters, specials = results.starter, results.special
    return RoundResults(results.dice, starters, specials, results.loser, results.caller, exact, results.actions)


def play_matches(
    rules: Ruleset,
    seats: int,
    count: int,
    *,
    seed: int = 0,
    threads: int = 1,
    policies: Sequence[Policy | PythonPolicy] = (UniformPolicy(),),
) -> MatchResults:
    """Play `count` matches to their end, with random first starters; `policies` as for `play_rounds`.

    Raises `MalformedError` for a count, seed or number of threads out of range, and `UnavailableError` as
    `compile_rules` does.

    >>> from liarsdice.core.rules.presets import preset
    >>> from liarsdice.sim.policies import ThresholdPolicy
    >>> results = play_matches(preset("perudo").ruleset, 4, 100, policies=(ThresholdPolicy(0.4), UniformPolicy()))
    >>> results.won[:, 0::2].sum() > 90
    np.True_
    """
    _check_range(count, seed, threads, policies)
    compiled = compile_rules(rules, seats)
    dice, out_round = np.empty((count, seats), np.int32), np.empty((count, seats), np.int32)
    won = np.empty((count, seats), np.bool_)
    rounds, actions = np.empty(count, np.int32), np.empty(count, np.int32)

    def collect(env: VectorEnv, part: slice) -> None:
        dice[part], out_round[part], won[part] = env.dice, env.seat_field(schema.OUT_ROUND), env.won
        rounds[part], actions[part] = env.match_field(schema.ROUND), env.match_field(schema.ACTION_COUNT)

    _run(_Job(compiled, tuple(policies), count, seed, threads), collect)
    merit = np.where(dice > 0, rounds[:, None] + dice, out_round) * (-1 if sheds(rules) else 1)
    place = 1 + (merit[:, None, :] > merit[:, :, None]).sum(axis=2, dtype=np.int32)
    return MatchResults(won, place, rounds, actions)


def _run(job: _Job, collect: Callable[[VectorEnv, slice], None]) -> None:
    """Play a job, a batch of matches at a time; `collect` keeps the results of each batch."""
    policies = tuple(ExternalPolicy() if callable(policy) else policy for policy in job.policies)
    by_seat = [job.policies[seat % len(job.policies)] for seat in range(job.compiled.seat_count)]
    python_policies = {seat: policy for seat, policy in enumerate(by_seat) if callable(policy)}

    def play_part(first: int, last: int) -> None:
        for begin in range(first, last, BATCH_SIZE):
            count = min(BATCH_SIZE, last - begin)
            env = VectorEnv(
                job.compiled,
                count,
                seed=job.seed,
                first=begin,
                starters=job.starter,
                special=job.special,
                deals=False,
            )
            env.advance(policies, last_round=job.last_round)
            while python_policies and (env.turn >= 0).any():
                env.advance(policies, _python_actions(env, python_policies), last_round=job.last_round)
            collect(env, slice(begin, begin + count))

    _run_parts(job.count, 1 if python_policies else job.threads, play_part)


def _run_ordered(game: schema.OrderedBids, results: schema.RoundArrays, seed: int, threads: int) -> None:
    """Play rounds with totally ordered bids into `results`: the same rounds as `_run`, faster."""

    def play_part(first: int, last: int) -> None:
        part = schema.RoundArrays(*(column[first:last] for column in results))
        play_ordered_rounds(game, last - first, (seed, first), part)

    _run_parts(len(results.starter), threads, play_part)


def _python_actions(env: VectorEnv, policies: dict[int, PythonPolicy]) -> schema.Int32Array:
    """The actions of the seats on turn (int32 [match]); each policy is called once for all its matches."""
    actions, turn = np.full(len(env), schema.NO_ACTION, np.int32), env.turn
    for policy in dict.fromkeys(policies.values()):
        seats = [seat for seat, other in policies.items() if other is policy]
        rows = np.flatnonzero(np.isin(turn, seats))
        if len(rows):
            actions[rows] = policy(env, rows)
    return actions


def _run_parts(count: int, threads: int, play_part: Callable[[int, int], None]) -> None:
    """Divide the numbers 0..count-1 among threads."""
    if threads == 1:
        play_part(0, count)
        return
    ends = [count * thread // threads for thread in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play_part, ends[:-1], ends[1:]))


def _check_range(count: int, seed: int, threads: int, policies: Sequence[object]) -> None:
    if not policies:
        raise MalformedError("the policies play the seats in turn, so there is at least one")
    if count < 0 or threads < 1 or not 0 <= seed < SEED_LIMIT:
        raise MalformedError(f"wanted a count, a seed of 0..2^63 - 1 and threads, not {count}, {seed} and {threads}")
