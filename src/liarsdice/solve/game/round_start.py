"""How a round of two players starts: dice, starter, and what of the match before still matters."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from liarsdice.core.arguments import check_fields
from liarsdice.core.engine.state import PublicState
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.choices import LockExempt, Repeat
from liarsdice.core.rules.meaning import lives_are_limited
from liarsdice.core.rules.parts import ExactCall, SpecialRound
from liarsdice.core.rules.ruleset import Ruleset

PLAYERS = 2
PLAYER_NAMES = "second", "first"


class RoundStart(msgspec.Struct, frozen=True):
    """The start of a two-player round: dice by seat, who opens, and whose special round it is (None for no one's).

    `had_special`: seats that had a special round before; `exact_calls`: exact calls made before, by seat; both only as
    far as the rules remember them. `lives`: those left, by seat, where losses cost lives that can run out.
    """

    dice: tuple[int, int]
    starter: int = 0
    special: int | None = None
    had_special: tuple[int, ...] = ()
    exact_calls: tuple[int, ...] = (0, 0)
    lives: tuple[int, int] | UnsetType = UNSET

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def stakes(self) -> tuple[int, int]:
        """What each seat has left of what losses cost: lives, or else dice."""
        return self.lives or self.dice

    def mirrored(self) -> RoundStart:
        """Return the same start with the seats exchanged."""
        return RoundStart(
            (self.dice[1], self.dice[0]),
            1 - self.starter,
            None if self.special is None else 1 - self.special,
            tuple(sorted(1 - seat for seat in self.had_special)),
            (self.exact_calls[1], self.exact_calls[0]),
            (self.lives[1], self.lives[0]) if self.lives else UNSET,
        )

    def with_seat_0_opening(self) -> RoundStart:
        """Return the same start, relabelled so that seat 0 opens."""
        return self if self.starter == 0 else self.mirrored()

    def __str__(self) -> str:
        """As in `2v1`, the starter first.

        >>> print(RoundStart((1, 2), starter=1, special=0, had_special=(1,), exact_calls=(0, 2)))
        2v1, a special round of the second, the first has had one, exact calls 2v0
        """
        first, second = self.starter, 1 - self.starter
        parts = [f"{self.dice[first]}v{self.dice[second]}"]
        if self.lives:
            parts.append(f"lives {self.lives[first]}v{self.lives[second]}")
        if self.special is not None:
            parts.append(f"a special round of the {PLAYER_NAMES[self.special == first]}")
        noun = "a special round" if self.special is None else "one"
        had = [seat for seat in (first, second) if seat in self.had_special]
        parts += [f"the {PLAYER_NAMES[seat == first]} has had {noun}" for seat in had]
        if any(self.exact_calls):
            parts.append(f"exact calls {self.exact_calls[first]}v{self.exact_calls[second]}")
        return ", ".join(parts)


def round_start_of(state: PublicState) -> RoundStart:
    """Return the start of the current two-player round, relabelled so that seat 0 opens.

    Raises `UnavailableError` if not exactly two players have dice.
    """
    seats = sorted(state.alive(), key=lambda seat: seat != state.starter)
    if len(seats) != PLAYERS or state.starter not in seats:
        raise UnavailableError(f"only rounds of two players are solved, and {len(seats)} hold dice")
    new_seat = {seat: place for place, seat in enumerate(seats)}
    special = None if state.special_seat is None else new_seat[state.special_seat]
    before = [seat for seat in state.had_special if seat != state.special_seat or seat in state.exempt]
    had_special, calls = remembered_history(state, [new_seat[seat] for seat in before if seat in new_seat])
    dice = (state.dice[seats[0]], state.dice[seats[1]])
    lives = (state.lives[seats[0]], state.lives[seats[1]]) if lives_are_limited(state.ruleset) else UNSET
    return RoundStart(dice, 0, special, had_special, (calls[seats[0]], calls[seats[1]]), lives)


def remembered_history(state: PublicState, had_special: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """`RoundStart.had_special` and `exact_calls`: what of earlier rounds still matters under these rules."""
    exact_call = two_player_exact_call(state.ruleset)
    calls_matter = exact_call is not None and exact_call.budget is not None
    had = tuple(sorted(had_special)) if remembers_special_rounds(state.ruleset) else ()
    return had, state.exact_calls if calls_matter else (0,) * len(state.names)


def remembers_special_rounds(rules: Ruleset) -> bool:
    """Return whether it matters in a round of two players who had a special round before."""
    special = two_player_special_round(rules)
    return special is not None and (
        special.repeat is Repeat.ONCE_PER_PLAYER or special.lock_exempt is LockExempt.HAD_SPECIAL
    )


def two_player_special_round(rules: Ruleset) -> SpecialRound | None:
    """Return the special round, or None if two players alone cannot have one."""
    special = rules.special_round
    return None if special is None or special.min_players > PLAYERS else special


def two_player_exact_call(rules: Ruleset) -> ExactCall | None:
    """Return the exact call, or None if two players alone cannot make one."""
    call = rules.exact_call
    return call if call is not None and call.min_players <= PLAYERS else None
