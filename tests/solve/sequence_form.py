"""The value of a round by linear programming over its sequence form, which the engine alone expands, deal by deal.

Koller, Megiddo and von Stengel, *Fast Algorithms for Finding Randomized Strategies in Game Trees* (1994).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product

import msgspec
import numpy as np
from msgspec import UNSET
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from liarsdice.core.actions import AnswerDouble, Challenge, Exact, PlayerAction
from liarsdice.core.engine.engine import decide, evolve, evolve_all, legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import RoundStarted
from liarsdice.core.rules.choices import AllDifferent, HandBonus, LockExempt, Repeat
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.match_solver import make_match_plan
from liarsdice.solve.round_game import RoundStart

CLOSE = 1e-4
"""Values of rounds that lead to each other, when they change by less than this, are right to ten times it."""
Sequence = tuple[object, ...]
"""What one player knows and did: their hand, then all bids and their last action."""


class SequenceForm:
    """The ends of a round by pairs of sequences, with their probability times their value to seat 0."""

    def __init__(
        self, rules: Ruleset, round_start: RoundStart, state_value: Callable[[State], float] | None = None
    ) -> None:
        """Expand a round. `state_value`: of a state after it to seat 0; by default the dice lost count."""
        dice = round_start.dice
        self.state_value = state_value or self._dice_lost_value
        self.sequences: tuple[dict[Sequence, int], dict[Sequence, int]] = ({(): 0}, {(): 0})
        self.choices: tuple[dict[Sequence, tuple[int, set[int]]], dict[Sequence, tuple[int, set[int]]]] = ({}, {})
        self.ends: dict[tuple[int, int], float] = defaultdict(float)
        before = msgspec.structs.replace(
            start(rules, ("First", "Second")),
            dice=dice,
            had_special=round_start.had_special,
            exact_calls=round_start.exact_calls,
        )
        if round_start.lives:
            before = msgspec.structs.replace(before, lives=round_start.lives)
        self.difference = before.stakes[0] - before.stakes[1]
        started = RoundStarted(1, round_start.starter, dice, rules.turn.direction, round_start.special)
        undealt = evolve(before, started)
        for hands, p in deals(rules, dice):
            self._expand(msgspec.structs.replace(undealt, hands=hands, phase=Phase.BIDDING), p, (0, 0), ())

    def _expand(self, state: State, p: float, reached: tuple[int, int], actions: tuple[PlayerAction, ...]) -> None:
        """Add all ends below a state. `p`: the probability of the deal. `reached`: the sequence of each player."""
        if state.phase is not Phase.BIDDING:
            self.ends[reached] += p * self.state_value(state)
            return
        mover, moves = state.turn, legal(state)
        hand = state.hands[mover]
        rules = state.ruleset
        in_order = rules.count.hand_bonus is HandBonus.STAIRS_IN_ORDER or bool(rules.dice.double)
        information_set: Sequence = (hand if in_order else tuple(sorted(hand)), *actions)
        parent, children = self.choices[mover].setdefault(information_set, (reached[mover], set()))
        assert parent == reached[mover]
        callers = (
            (Challenge(), moves.challengers),
            (Challenge(double=True), moves.doublers),
            (Exact(), moves.exact_callers),
        )
        calls = [call for call, seats in callers if mover in seats]
        for action in (*moves.bids, *calls, *map(AnswerDouble, moves.answers)):
            sequences = self.sequences[mover]
            sequence = sequences.setdefault((*information_set, action), len(sequences))
            children.add(sequence)
            after = evolve_all(state, decide(state, mover, action))
            self._expand(after, p, (sequence, reached[1]) if mover == 0 else (reached[0], sequence), (*actions, action))

    def _dice_lost_value(self, state: State) -> float:
        gained = state.stakes[0] - state.stakes[1] - self.difference
        if state.ruleset.loss.shed_by:  # those win who put dice away
            gained = -gained
        return gained if state.ruleset.challenge.double else (gained > 0) - (gained < 0)

    def value(self) -> float:
        """The value of the round to seat 0, to about 1e-9."""
        first_count, second_count = map(len, self.sequences)
        second_sets = list(self.choices[1].values())
        # Maximise q[0] over realisation plans x of the first player, where for each sequence of the second player its
        # payoff, less the values q of the information sets that follow it, is covered by x.
        variables = first_count + 1 + len(second_sets)
        covered = lil_matrix((second_count, variables))
        covered[0, first_count] = 1
        for column, (parent, children) in enumerate(second_sets, first_count + 1):
            covered[parent, column] -= 1
            for sequence in children:
                covered[sequence, column] += 1
        for (first, second), payoff in self.ends.items():
            covered[second, first] -= payoff
        first_sets = list(self.choices[0].values())
        flow = lil_matrix((1 + len(first_sets), variables))
        flow[0, 0] = 1
        for row, (parent, children) in enumerate(first_sets, 1):
            flow[row, parent] = -1
            for sequence in children:
                flow[row, sequence] = 1
        objective = np.zeros(variables)
        objective[first_count] = -1
        solution = linprog(
            objective,
            A_ub=covered.tocsr(),
            b_ub=np.zeros(second_count),
            A_eq=flow.tocsr(),
            b_eq=np.eye(1, 1 + len(first_sets))[0],
            bounds=[(0, None)] * first_count + [(None, None)] * (variables - first_count),
            method="highs",
        )
        assert solution.success, solution.message
        return -float(solution.fun)


def deals(rules: Ruleset, dice: tuple[int, int]) -> Iterator[tuple[tuple[tuple[int, ...], tuple[int, ...]], float]]:
    """Every roll of all dice that both players keep, one by one, and its probability."""
    first, second = (
        [roll for roll in product(range(1, rules.dice.faces + 1), repeat=count) if not is_rolled_again(rules, roll)]
        for count in dice
    )
    for hands in product(first, second):
        yield hands, 1 / (len(first) * len(second))


def is_rolled_again(rules: Ruleset, roll: tuple[int, ...]) -> bool:
    """Whether nobody keeps this roll: as many dice as at the start, of which no two show one face."""
    all_different = len(set(roll)) == len(roll) == rules.dice.per_player
    low, high = max(roll) == len(roll), min(roll) == rules.dice.faces - len(roll) + 1
    wanted = {"low": low, "high": high, "either": low or high}.get(str(rules.count.straights), True)
    return wanted and all_different and rules.count.all_different is AllDifferent.ROLLED_AGAIN


def match_value(rules: Ruleset, round_start: RoundStart) -> float:
    """The value of a match to the player who opens, by the linear programs of its rounds from its end."""
    plan = make_match_plan(rules, round_start)
    special, exact_call = rules.special_round, rules.exact_call
    remembers = (
        special is not None
        and special.min_players <= len(round_start.dice)
        and (special.repeat is Repeat.ONCE_PER_PLAYER or special.lock_exempt is LockExempt.HAD_SPECIAL)
    )
    counts = (
        exact_call is not None and exact_call.budget is not None and exact_call.min_players <= len(round_start.dice)
    )
    planned = {member for group in plan.groups for member in group}
    values: dict[RoundStart, float] = {}

    def state_value(state: State) -> float:
        if state.winners:
            return (0 in state.winners) - (1 in state.winners)
        had = tuple(sorted(state.had_special)) if remembers else ()
        calls = state.exact_calls if counts else (0, 0)
        lives = (state.lives[0], state.lives[1]) if state.lives else UNSET
        next_start = RoundStart((state.dice[0], state.dice[1]), state.turn, state.special_seat, had, calls, lives)
        opened = next_start.with_seat_0_opening()
        assert opened in planned, f"no round of the plan begins as {opened}"
        value = values.get(opened, 0.0)
        return value if next_start.starter == 0 else -value

    for group in plan.groups:
        change = 1.0
        while change > CLOSE:
            old = [values.get(member, 0.0) for member in group]
            values |= {member: SequenceForm(rules, member, state_value).value() for member in group}
            change = max(abs(values[member] - value) for member, value in zip(group, old, strict=True))
    return values[plan.start]
