"""Whole matches of two players: what every round is worth when what comes after it is, worked out from the end.

Rounds that lead back to each other, as where dice are won back, are solved in turns until their bounds meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.memory_check import need_room, tree_that_fits
from liarsdice.solve.cfr.method import Bounds, Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.public_tree import tree_of
from liarsdice.solve.game.round_game import Outcome, Round, round_of, ways_of
from liarsdice.solve.game.round_start import Opening, exact_call_of_two
from liarsdice.solve.strategy.average_strategy import DEARER, rounded, strategy_of
from liarsdice.solve.strategy.reach import Reals
from liarsdice.solve.strategy.strategy import Strategy

MOST_ROUNDS = 500
MOST_TURNS = 200
STALLED = 0.98
"""A turn that leaves more than this of the distance between bounds shows that rounds must be solved more nearly."""
ROUGHLY = 0.05
"""Of the distance between bounds of what comes after: nearer than this no round needs to be solved."""


class Between(NamedTuple):
    """Bounds of what a round is worth to the seat that opens it: 1 for a match won, -1 for one lost."""

    low: float
    high: float


UNKNOWN = Between(-1, 1)
Worth = dict[Opening, Between]


class Plan(msgspec.Struct, frozen=True):
    """All rounds that a match may come to, seat 0 opening each, in groups whose rounds lead to each other.

    Each group comes after those that it leads to. `depths`: the most groups that a match still passes, by round.
    """

    opening: Opening
    rounds: dict[Opening, Round]
    groups: tuple[tuple[Opening, ...], ...]
    depths: dict[Opening, int]


def opened_by_first(opening: Opening) -> Opening:
    """The same round with seats changed so that seat 0 opens."""
    return opening if opening.starter == 0 else opening.mirrored()


def plan_of(rules: Ruleset, opening: Opening) -> Plan:
    """All rounds of a match. Raises `UnavailableError` where there are too many."""
    call = exact_call_of_two(rules)
    if call is not None and call.success_gain and call.gain_cap is None:
        raise UnavailableError("exact_call.gain_cap none lets hands grow without end; choose a cap to solve a match")
    rounds: dict[Opening, Round] = {}
    waiting = [opened_by_first(opening)]
    while waiting:
        one = waiting.pop()
        if one in rounds:
            continue
        rounds[one] = round_of(rules, one)
        waiting += _after(rounds[one])
        if len(rounds) > MOST_ROUNDS:
            raise UnavailableError(f"a match of {opening} may come to more than {MOST_ROUNDS} rounds; take fewer dice")
    groups = _groups({one: _after(table) for one, table in rounds.items()})
    depths: dict[Opening, int] = {}
    for group in groups:
        depth = 1 + max((depths[then] for one in group for then in _after(rounds[one]) if then not in group), default=0)
        depths |= dict.fromkeys(group, depth)
    return Plan(opened_by_first(opening), rounds, groups, depths)


def need_to_fit(plan: Plan, method: Method, free: int | None = None) -> None:
    """Raise `UnavailableError` unless the largest round that a match may come to fits. `free`: as for `need_room`."""
    largest = max(plan.rounds.values(), key=ways_of)
    try:
        tree_that_fits(largest, method, free)
    except UnavailableError as error:
        raise UnavailableError(f"a match of {plan.opening} may come to {largest.opening}: {error}") from error


def _after(table: Round) -> list[Opening]:
    return [opened_by_first(one.after) for one in table.outcomes if one.after is not None]


def _groups(after: Mapping[Opening, list[Opening]]) -> tuple[tuple[Opening, ...], ...]:
    """Strongly connected components, each after those that it leads to (Tarjan 1972)."""
    found: list[tuple[Opening, ...]] = []
    order: dict[Opening, int] = {}
    lowest: dict[Opening, int] = {}
    path: list[Opening] = []

    def visit(one: Opening) -> None:
        order[one] = lowest[one] = len(order)
        path.append(one)
        for then in after[one]:
            if then not in order:
                visit(then)
            if then in path:
                lowest[one] = min(lowest[one], lowest[then])
        if lowest[one] == order[one]:
            start = path.index(one)
            found.append(tuple(path[start:]))
            del path[start:]

    for one in after:
        if one not in order:
            visit(one)
    return tuple(found)


def worth_of(outcomes: tuple[Outcome, ...], known: Worth) -> tuple[Reals, Reals]:
    """Between what outcomes are worth to seat 0."""
    found = []
    for one in outcomes:
        if one.after is None:
            won = (0 in one.winners) - (1 in one.winners)
            found.append(Between(won, won))
        else:
            low, high = known.get(opened_by_first(one.after), UNKNOWN)
            found.append(Between(low, high) if one.after.starter == 0 else Between(-high, -low))
    return np.array([one.low for one in found], float), np.array([one.high for one in found], float)


class MatchSolver:
    """Solves the rounds of a match, one after the other.

    `target`: how far the value of the match, from -1 to 1, may be from what each player makes sure of. `known`:
    strategies from before, which are kept where they are good enough and what comes after is worth the same still.
    `look` hears how far each round is as it is solved.
    """

    def __init__(
        self,
        plan: Plan,
        method: Method,
        target: float,
        *,
        known: Sequence[Strategy] = (),
        threads: int = 1,
        look: Callable[[Opening, Bounds], None] | None = None,
    ) -> None:
        self.plan = plan
        self.worth: Worth = {}
        self.strategies: dict[Opening, Strategy] = {}
        self._method = method
        self._target = target / plan.depths[plan.opening]
        self._known = {one.opening: one for one in known}
        self._threads = threads
        self._look = look

    def run(self, tell: Callable[[Strategy], None] | None = None) -> Between:
        """Solve what is missing; `tell` hears of every round that is done. Returns what the match is worth."""
        for group in self.plan.groups:
            if self._lead_elsewhere(group):
                self.worth[group[0]] = self._solve(group[0], self._target)
            else:
                self._solve_together(group)
            for one in group:
                if tell:
                    tell(self.strategies[one])
        return self.worth[self.plan.opening]

    def _lead_elsewhere(self, group: tuple[Opening, ...]) -> bool:
        return len(group) == 1 and group[0] not in _after(self.plan.rounds[group[0]])

    def _solve_together(self, group: tuple[Opening, ...]) -> None:
        """Solve rounds that lead to each other in turns, each with what was last found of the others.

        Counted from a match lost, so many turns are so many rounds that a player can be sure of by playing each as it
        was found; so every `low` is something to be sure of, whether or not the match ever ends, and every `high` is
        that of the other player. Bounds only ever come closer.
        """
        self.worth |= dict.fromkeys(group, UNKNOWN)
        apart, near = math.inf, self._target
        wanted = 2 * self._target * self.plan.depths[group[0]]
        for _ in range(MOST_TURNS):
            for one in sorted(group, key=lambda one: sum(one.dice)):
                was, found = self.worth[one], self._solve(one, near)
                self.worth[one] = Between(max(was.low, found.low), min(was.high, found.high))
            if max(self._apart(one) for one in group) <= wanted:
                break
            before, apart = apart, sum(self._apart(one) for one in group)
            if apart > STALLED * before:
                near /= 2

    def _apart(self, one: Opening) -> float:
        return self.worth[one].high - self.worth[one].low

    def _solve(self, one: Opening, near: float) -> Between:
        table = self.plan.rounds[one]
        low, high = worth_of(table.outcomes, self.worth)
        known = self._known.get(one)
        if known is None or not self._still_good(known, low, high):
            tree = tree_of(table, low, high)
            need_room(tree, self._method)
            solver = Solver(tree, self._method, threads=self._threads)
            wanted = max(near, ROUGHLY * float(np.max(high - low, initial=0)))
            look = self._look
            solve(solver, target=wanted, tell=(lambda bounds: look(one, bounds)) if look else None)
            known = rounded(strategy_of(solver))
        self.strategies[one] = known
        return Between(known.bounds.low, known.bounds.high)

    def _still_good(self, known: Strategy, low: Reals, high: Reals) -> bool:
        tree = known.tree
        same = np.array_equal(tree.low, low) and np.array_equal(tree.high, high)
        apart = float(np.max(high - low, initial=0))
        return same and known.bounds.exploitability - apart / 2 <= DEARER * self._target
