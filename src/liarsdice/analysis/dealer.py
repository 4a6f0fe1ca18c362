"""The dealer of a match on one machine: chance from a seed, handed to the engine as actions."""

from __future__ import annotations

import random

from liarsdice.core.actions import ChooseStarter, Deal, DealerAction, Penalise, RollForStart
from liarsdice.core.choices import PenaltyTiming, PenaltyTrigger, StarterMethod
from liarsdice.core.state import Phase, State
from liarsdice.core.tally import Hand


class Dealer:
    """Rolls dice from a seed: the same seed and the same play give the same match."""

    def __init__(self, seed: int | str | None = None) -> None:
        self._random = random.Random(seed)

    def action(self, state: State) -> DealerAction:
        """What the dealer does in a state that waits for the dealer.

        Where the table chooses the first starter, the dealer draws one.
        """
        if state.phase is Phase.DEAL:
            return Deal(self._roll(state, state.dice))
        if state.ruleset.first_starter.method is StarterMethod.HIGH_ROLL:
            dice = state.ruleset.first_starter.dice
            return RollForStart(
                self._roll(state, tuple(dice if seat in state.rolling else 0 for seat in range(len(state.names))))
            )
        return ChooseStarter(self._random.randrange(len(state.names)))

    def penalty(self, state: State, seat: int, trigger: PenaltyTrigger) -> Penalise:
        """A penalty upon a seat, with the dice drawn that go where they go at once."""
        rules = state.ruleset
        if rules.penalty_timing is PenaltyTiming.END_OF_ROUND or state.phase is not Phase.BIDDING:
            return Penalise(trigger)
        wanted = next((penalty.dice for penalty in rules.penalties if penalty.trigger is trigger), 0)
        held = state.dice[seat]
        return Penalise(trigger, tuple(sorted(self._random.sample(range(held), min(wanted, held)))))

    def _roll(self, state: State, dice: tuple[int, ...]) -> tuple[Hand, ...]:
        faces = state.ruleset.dice.faces
        return tuple(tuple(self._random.randint(1, faces) for _ in range(count)) for count in dice)
