"""The dealer of a match: what must be rolled or drawn, from a source of chance, handed to the engine as actions."""

from __future__ import annotations

import random
from typing import Protocol

from liarsdice.core.actions import ChooseStarter, Deal, DealerAction, Penalise, RollForStart
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger, StarterMethod
from liarsdice.core.rules.tally import Hand


class Chance(Protocol):
    """Where numbers come from. `label` says what they are for, so that a source can make each from its label alone."""

    def draws(self, label: str, below: int, count: int) -> tuple[int, ...]:
        """So many numbers of 0..below-1, all alike likely."""
        ...


class Seeded:
    """Chance from a seed, in the order in which it is asked: for matches on one machine."""

    def __init__(self, seed: int | str | None = None) -> None:
        self._random = random.Random(seed)

    def draws(self, label: str, below: int, count: int) -> tuple[int, ...]:  # noqa: ARG002  the order decides here
        """So many numbers of 0..below-1."""
        return tuple(self._random.randrange(below) for _ in range(count))


class Labelled:
    """Chance from a seed and the label alone: a deal that is the same however the match went until then.

    Fewer numbers of one label are the first of more, so who has lost a die keeps the same dice but the last.
    """

    def __init__(self, seed: int | str) -> None:
        self._seed = seed

    def draws(self, label: str, below: int, count: int) -> tuple[int, ...]:
        """So many numbers of 0..below-1."""
        source = random.Random(f"{self._seed}/{label}")
        return tuple(source.randrange(below) for _ in range(count))


class Dealer:
    """Rolls dice: the same seed (or the same chance) and the same play give the same match."""

    def __init__(self, seed: int | str | None = None, chance: Chance | None = None) -> None:
        self._chance = Seeded(seed) if chance is None else chance

    def action(self, state: State, rolled: int = 0) -> DealerAction:
        """What the dealer does in a state that waits for the dealer, after so many rolls for the start.

        Where the table chooses the first starter, the dealer draws one.
        """
        if state.phase is Phase.DEAL:
            return Deal(self._roll(state, f"round/{state.round_number + 1}", state.dice))
        if state.ruleset.first_starter.method is StarterMethod.HIGH_ROLL:
            dice = state.ruleset.first_starter.dice
            rolling = tuple(dice if seat in state.rolling else 0 for seat in range(len(state.names)))
            return RollForStart(self._roll(state, f"start/{rolled}", rolling))
        return ChooseStarter(self._chance.draws("starter", len(state.names), 1)[0])

    def penalty(self, state: State, seat: int, trigger: PenaltyTrigger, before: int = 0) -> Penalise:
        """A penalty upon a seat, the one after `before` others, with the dice that go where they go at once."""
        rules = state.ruleset
        if rules.penalty_timing is PenaltyTiming.END_OF_ROUND or state.phase is not Phase.BIDDING:
            return Penalise(trigger)
        wanted = next((penalty.dice for penalty in rules.penalties if penalty.trigger is trigger), 0)
        left = list(range(state.dice[seat]))
        taken = [
            left.pop(self._chance.draws(f"penalty/{before}/{drawn}", len(left), 1)[0])
            for drawn in range(min(wanted, len(left)))
        ]
        return Penalise(trigger, tuple(sorted(taken)))

    def _roll(self, state: State, what: str, dice: tuple[int, ...]) -> tuple[Hand, ...]:
        faces = state.ruleset.dice.faces
        return tuple(
            tuple(side + 1 for side in self._chance.draws(f"{what}/seat/{seat}", faces, count))
            for seat, count in enumerate(dice)
        )
