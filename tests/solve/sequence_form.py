"""A round certify out deal by deal with the engine alone, and its value by the sequence form's linear program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product

import msgspec
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.engine import decide, evolve, evolve_all, legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import RoundStarted
from liarsdice.core.rules.choices import LockExempt, Repeat
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.match_solver import make_match_plan

CLOSE = 1e-4
"""Values of rounds that lead to each other, when they move no further than this, are right to ten times it."""
Sequence = tuple[object, ...]
"""What one player knows and did: their hand, then all bids and their last action."""


class SequenceForm:
    """All ends of a round, and each player's sequences."""

    def __init__(self, rules: Ruleset, opening: RoundStart, worth: Callable[[State], float] | None = None) -> None:
        """`worth`: of a state after the round to seat 0; without it the dice lost count."""
        dice = opening.dice
        self.before = dice[0] - dice[1]
        self.worth = worth or self._dice_lost
        self.numbers: tuple[dict[Sequence, int], dict[Sequence, int]] = ({(): 0}, {(): 0})
        self.choices: tuple[dict[Sequence, tuple[int, set[int]]], dict[Sequence, tuple[int, set[int]]]] = ({}, {})
        self.ends: dict[tuple[int, int], float] = defaultdict(float)
        before = msgspec.structs.replace(
            start(rules, ("First", "Second")),
            dice=dice,
            had_special=opening.had_special,
            exact_calls=opening.exact_calls,
        )
        table = evolve(before, RoundStarted(1, opening.starter, dice, rules.turn.direction, opening.special))
        for hands, chance in deals(rules.dice.faces, dice):
            self._walk(msgspec.structs.replace(table, hands=hands, phase=Phase.BIDDING), chance, (0, 0), ())

    def _walk(self, state: State, chance: float, at: tuple[int, int], said: tuple[PlayerAction, ...]) -> None:
        if state.phase is not Phase.BIDDING:
            self.ends[at] += chance * self.worth(state)
            return
        mover, may = state.turn, legal(state)
        knows: Sequence = (tuple(sorted(state.hands[mover])), *said)
        parent, after = self.choices[mover].setdefault(knows, (at[mover], set()))
        assert parent == at[mover]
        calls = [call for call, who in ((Challenge(), may.challengers), (Exact(), may.exact_callers)) if mover in who]
        for action in (*may.bids, *calls):
            number = self.numbers[mover].setdefault((*knows, action), len(self.numbers[mover]))
            after.add(number)
            then = evolve_all(state, decide(state, mover, action))
            self._walk(then, chance, (number, at[1]) if mover == 0 else (at[0], number), (*said, action))

    def _dice_lost(self, state: State) -> float:
        gained = state.dice[0] - state.dice[1] - self.before
        return (gained > 0) - (gained < 0)

    def value(self) -> float:
        """What the round is worth to seat 0, to about 1e-9."""
        mine, theirs = self.numbers
        sets = list(self.choices[1].values())
        # Maximise q[0] over plans x of the first player, where for each sequence of the second one what it wins, less
        # what its choices make of it, is covered by x.
        count = len(mine) + 1 + len(sets)
        covered = lil_matrix((len(theirs), count))
        covered[0, len(mine)] = 1
        for place, (parent, after) in enumerate(sets, len(mine) + 1):
            covered[parent, place] -= 1
            for number in after:
                covered[number, place] += 1
        for (first, second), worth in self.ends.items():
            covered[second, first] -= worth
        flows = list(self.choices[0].values())
        equal = lil_matrix((1 + len(flows), count))
        equal[0, 0] = 1
        for row, (parent, after) in enumerate(flows, 1):
            equal[row, parent] = -1
            for number in after:
                equal[row, number] = 1
        aim = np.zeros(count)
        aim[len(mine)] = -1
        found = linprog(
            aim,
            A_ub=covered.tocsr(),
            b_ub=np.zeros(len(theirs)),
            A_eq=equal.tocsr(),
            b_eq=np.eye(1, 1 + len(flows))[0],
            bounds=[(0, None)] * len(mine) + [(None, None)] * (count - len(mine)),
            method="highs",
        )
        assert found.success, found.message
        return -float(found.fun)


def deals(faces: int, dice: tuple[int, int]) -> Iterator[tuple[tuple[tuple[int, ...], tuple[int, ...]], float]]:
    """Every throw of all dice, one by one, and its chance."""
    sides = range(1, faces + 1)
    for first in product(sides, repeat=dice[0]):
        for second in product(sides, repeat=dice[1]):
            yield (first, second), float(faces) ** -sum(dice)


def match_value(rules: Ruleset, opening: RoundStart) -> float:
    """What a match is worth to who opens, by the linear programs of its rounds from its end."""
    plan = make_match_plan(rules, opening)
    special = rules.special_round
    remembers = special is not None and (
        special.repeat is Repeat.ONCE_PER_PLAYER or special.lock_exempt is LockExempt.HAD_SPECIAL
    )
    values: dict[RoundStart, float] = {}

    def worth(state: State) -> float:
        if state.winners:
            return (0 in state.winners) - (1 in state.winners)
        had = tuple(sorted(state.had_special)) if remembers else ()
        calls = state.exact_calls if rules.exact_call and rules.exact_call.budget else (0, 0)
        after = RoundStart((state.dice[0], state.dice[1]), state.turn, state.special_seat, had, calls)
        value = values.get(after.with_seat_0_opening(), 0.0)
        return value if after.starter == 0 else -value

    for group in plan.groups:
        moved = 1.0
        while moved > CLOSE:
            before = [values.get(one, 0.0) for one in group]
            values |= {one: SequenceForm(rules, one, worth).value() for one in group}
            moved = max(abs(values[one] - was) for one, was in zip(group, before, strict=True))
    return values[plan.start]
