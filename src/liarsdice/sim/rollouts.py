"""Rounds and whole matches by the thousand, from one seed, on several threads: what comes out does not depend on them.

Round or match `n` of a seed has its own chance, whoever plays it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as f
from liarsdice.sim import kernels as play
from liarsdice.sim.compile import Compiled, compiled
from liarsdice.sim.ordered_bids import line_of
from liarsdice.sim.policies import Asked, Mind, Uniform
from liarsdice.sim.vector_env import ENDLESS, Batch

SEEDS = 2**63
SIDE_BY_SIDE = 1024
"""Matches that are played beside each other before the next ones begin."""

Policy = Callable[[Batch, NDArray[np.intp]], ArrayLike]
"""Decides in Python: `policy(batch, matches)` is the numbers of the actions of the seats on turn in these matches.

It is shown everything; to look only at what a seat may know is up to it.
"""


class Rounds(msgspec.Struct, frozen=True):
    """What came of rounds; all arrays are int16 `[round]` but `dice`, `[round, seat]`, which are held afterwards.

    `starter` opens the next round, whose special round it is tells `special` (-1: nobody's); both are -1 where the
    match is over with this round. `loser` is who lost the call, `caller` who made it, `exact` (bool) what call it was.
    `actions` counts bids, choices of direction, and the call.
    """

    dice: NDArray[np.int16]
    starter: NDArray[np.int16]
    special: NDArray[np.int16]
    loser: NDArray[np.int16]
    caller: NDArray[np.int16]
    exact: NDArray[np.bool_]
    actions: NDArray[np.int16]


class Matches(msgspec.Struct, frozen=True):
    """What came of matches.

    `won` (bool `[match, seat]`): several share a win where rounds run out. `place` (int32 `[match, seat]`): 1 for
    winners; the later a seat goes out, the better its place, and who holds more at the end has a better one. `rounds`
    and `actions`: int32 `[match]`.
    """

    won: NDArray[np.bool_]
    place: f.Ints
    rounds: f.Ints
    actions: f.Ints


class _Contest(msgspec.Struct, frozen=True):
    """What is to be played; `starter` and `special` are -1 for a starter by chance, and for nobody's special round."""

    book: Compiled
    minds: tuple[Mind | Policy, ...]
    count: int
    seed: int
    threads: int
    starter: int = -1
    special: int = -1
    rounds: int = ENDLESS


def rounds(
    rules: Ruleset,
    dice: tuple[int, ...],
    count: int,
    *,
    seed: int = 0,
    threads: int = 1,
    starter: int = 0,
    special: int | None = None,
    minds: Sequence[Mind | Policy] = (Uniform(),),
) -> Rounds:
    """Play so many first rounds with `dice` by seat, opened by `starter`; `special`: whose special round it is.

    `minds` sit down in order, repeated until all seats are taken; a policy is asked by one thread. Raises
    `MalformedError` for a seat or a number that makes no sense, and `UnavailableError` as `compiled` does.

    >>> from liarsdice.core.rules.presets import preset
    >>> found = rounds(preset("openspiel").ruleset, (5, 5), 1000, seed=1)
    >>> found.dice.sum(axis=1).tolist() == [9] * 1000
    True
    """
    _check(count, seed, threads)
    book = compiled(rules, len(dice), dice)
    for seat in (starter, starter if special is None else special):
        if not 0 <= seat < len(dice) or dice[seat] == 0:
            raise MalformedError(f"a round of {dice} dice is opened by a seat with dice, not by {seat}")
    contest = _Contest(book, tuple(minds), count, seed, threads, starter, -1 if special is None else special, 1)
    found = f.Found(np.empty((count, len(dice)), np.int16), *(np.empty(count, np.int16) for _ in range(5)))
    exact = np.zeros(count, np.bool_)
    line = line_of(book, starter, contest.special) if all(isinstance(mind, Uniform) for mind in minds) else None

    def walk(first: int, last: int) -> None:
        """Play rounds along a line of bids: the same ones, sooner."""
        assert line is not None
        own = f.Found(*(column[first:last] for column in found))
        play.play_line(line, last - first, (seed, first), own)

    def note(batch: Batch, part: slice) -> None:
        found.dice[part] = batch.dice
        found.starter[part] = np.where(batch.over, -1, batch.now(f.STARTER))
        found.special[part], found.loser[part] = batch.now(f.SPECIAL), batch.now(f.LOST_BY)
        found.caller[part], found.actions[part] = batch.now(f.CALLED_BY), batch.now(f.ROUND_ACTIONS)
        exact[part] = batch.now(f.CALLED) == f.EXACT

    if line is None:
        _play(contest, note)
    else:
        _share(count, threads, walk)
    return Rounds(found.dice, found.starter, found.special, found.loser, found.caller, exact, found.actions)


def matches(
    rules: Ruleset,
    seats: int,
    count: int,
    *,
    seed: int = 0,
    threads: int = 1,
    minds: Sequence[Mind | Policy] = (Uniform(),),
) -> Matches:
    """Play so many matches to their end, opened by chance; `minds` as in `rounds`.

    Raises `MalformedError` for a number that makes no sense, and `UnavailableError` as `compiled` does.

    >>> from liarsdice.core.rules.presets import preset
    >>> from liarsdice.sim.policies import Threshold
    >>> found = matches(preset("perudo").ruleset, 4, 100, minds=(Threshold(0.4), Uniform()))
    >>> found.won[:, 0::2].sum() > 90
    np.True_
    """
    _check(count, seed, threads)
    contest = _Contest(compiled(rules, seats), tuple(minds), count, seed, threads)
    dice, out_in = np.empty((count, seats), np.int32), np.empty((count, seats), np.int32)
    won = np.empty((count, seats), np.bool_)
    rounds_played, actions = np.empty(count, np.int32), np.empty(count, np.int32)

    def note(batch: Batch, part: slice) -> None:
        dice[part], out_in[part], won[part] = batch.dice, batch.of_seats(f.OUT_IN), batch.won
        rounds_played[part], actions[part] = batch.now(f.ROUND), batch.now(f.ACTIONS)

    _play(contest, note)
    merit = np.where(dice > 0, rounds_played[:, None] + dice, out_in)
    place = 1 + (merit[:, None, :] > merit[:, :, None]).sum(axis=2, dtype=np.int32)
    return Matches(won, place, rounds_played, actions)


def _play(contest: _Contest, note: Callable[[Batch, slice], None]) -> None:
    """Play it, some matches side by side; `note` keeps what came of them."""
    minds = tuple(Asked() if callable(mind) else mind for mind in contest.minds)
    seated = [contest.minds[seat % len(contest.minds)] for seat in range(contest.book.seats)]
    asked = {seat: mind for seat, mind in enumerate(seated) if callable(mind)}

    def part(first: int, last: int) -> None:
        for begin in range(first, last, SIDE_BY_SIDE):
            count = min(SIDE_BY_SIDE, last - begin)
            batch = Batch(
                contest.book,
                count,
                seed=contest.seed,
                first=begin,
                starters=contest.starter,
                special=contest.special,
                deals=False,
            )
            batch.advance(minds, rounds=contest.rounds)
            while asked and (batch.turn >= 0).any():
                batch.advance(minds, _answers(batch, asked), rounds=contest.rounds)
            note(batch, slice(begin, begin + count))

    _share(contest.count, 1 if asked else contest.threads, part)


def _answers(batch: Batch, asked: dict[int, Policy]) -> f.Ints:
    """What the seats on turn do, each policy asked once for all its matches."""
    actions, turn = np.full(len(batch), f.SILENT, np.int32), batch.turn
    for policy in dict.fromkeys(asked.values()):
        rows = np.flatnonzero(np.isin(turn, [seat for seat, mind in asked.items() if mind is policy]))
        if len(rows):
            actions[rows] = policy(batch, rows)
    return actions


def _share(count: int, threads: int, part: Callable[[int, int], None]) -> None:
    """Share numbers 0..count-1 out among threads."""
    if threads == 1:
        part(0, count)
        return
    ends = [count * thread // threads for thread in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, ends[:-1], ends[1:]))


def _check(count: int, seed: int, threads: int) -> None:
    if count < 0 or threads < 1 or not 0 <= seed < SEEDS:
        raise MalformedError(f"wanted a count, a seed of 0..2^63 - 1 and threads, not {count}, {seed} and {threads}")
