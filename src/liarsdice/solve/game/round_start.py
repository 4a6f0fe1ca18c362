"""What a round of two begins with: dice, who opens, and what of the match before still matters."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.core.engine.state import Table
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.choices import LockExempt, Repeat
from liarsdice.core.rules.ruleset import ExactCall, Ruleset, SpecialRound

TWO = 2
WHO = "second", "first"


class Opening(msgspec.Struct, frozen=True):
    """All that a round begins with: dice by seat, who opens, and whose special round it is (None: nobody's).

    `had_special`, `exact_calls`: what happened in the match before, where these rules remember it.
    """

    dice: tuple[int, int]
    starter: int = 0
    special: int | None = None
    had_special: tuple[int, ...] = ()
    exact_calls: tuple[int, ...] = (0, 0)

    def mirrored(self) -> Opening:
        """The same with the seats changed round."""
        return Opening(
            (self.dice[1], self.dice[0]),
            1 - self.starter,
            None if self.special is None else 1 - self.special,
            tuple(sorted(1 - seat for seat in self.had_special)),
            (self.exact_calls[1], self.exact_calls[0]),
        )

    def __str__(self) -> str:
        """As in `2v1`, who opens first.

        >>> print(Opening((1, 2), starter=1, special=0, had_special=(1,), exact_calls=(0, 2)))
        2v1, a special round of the second, the first has had one, exact calls 2v0
        """
        first, second = self.starter, 1 - self.starter
        told = [f"{self.dice[first]}v{self.dice[second]}"]
        if self.special is not None:
            told.append(f"a special round of the {WHO[self.special == first]}")
        one = "a special round" if self.special is None else "one"
        told += [f"the {WHO[seat == first]} has had {one}" for seat in (first, second) if seat in self.had_special]
        if any(self.exact_calls):
            told.append(f"exact calls {self.exact_calls[first]}v{self.exact_calls[second]}")
        return ", ".join(told)


def opening_of(table: Table) -> Opening:
    """What the round that is on began with, as of two players alone, of whom seat 0 opened.

    Raises `UnavailableError` where not two players have dice.
    """
    seats = sorted(table.alive(), key=lambda seat: seat != table.starter)
    if len(seats) != 2 or table.starter not in seats:
        raise UnavailableError(f"only rounds of two players are solved, and {len(seats)} hold dice")
    number = {seat: place for place, seat in enumerate(seats)}
    special = None if table.special_seat is None else number[table.special_seat]
    before = [seat for seat in table.had_special if seat != table.special_seat or seat in table.exempt]
    had, calls = remembered(table, [number[seat] for seat in before if seat in number])
    dice = (table.dice[seats[0]], table.dice[seats[1]])
    return Opening(dice, 0, special, had, (calls[seats[0]], calls[seats[1]]))


def remembered(table: Table, had_special: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What of earlier rounds may still matter to two: who had a special round, and how often each seat called exact."""
    exact = exact_call_of_two(table.ruleset)
    counted = exact is not None and exact.budget is not None
    had = tuple(sorted(had_special)) if remembers_special(table.ruleset) else ()
    return had, table.exact_calls if counted else (0,) * len(table.names)


def remembers_special(rules: Ruleset) -> bool:
    """Whether it matters to two who had a special round before."""
    special = special_round_of_two(rules)
    return special is not None and (
        special.repeat is Repeat.ONCE_PER_PLAYER or special.lock_exempt is LockExempt.HAD_SPECIAL
    )


def special_round_of_two(rules: Ruleset) -> SpecialRound | None:
    """The special round, where two players may have it."""
    special = rules.special_round
    return None if special is None or special.min_players > TWO else special


def exact_call_of_two(rules: Ruleset) -> ExactCall | None:
    """The exact call, where two players may make it."""
    call = rules.exact_call
    return call if call is not None and call.min_players <= TWO else None
