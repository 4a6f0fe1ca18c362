"""A match in progress: its event log, its state, the one method through which both change, and its dealer."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Protocol, TypeVar

from liarsdice.core.actions import Action, ChooseStarter, Deal, DealerAction, Penalise, RollAgain, RollForStart
from liarsdice.core.engine.engine import decide, evolve_all, match_started
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import Event, StarterRolled
from liarsdice.core.records.record import Record
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger, StarterMethod
from liarsdice.core.rules.parts import find_penalty
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, must_roll_again

T = TypeVar("T")


class RandomSource(Protocol):
    """A source of uniform random integers.

    Each draw has a label that says what it is for, such as `round/3/seat/1`. A source may ignore labels and count
    draws, or derive every number from its label alone.
    """

    def draw_integers(self, label: str, below: int, count: int) -> tuple[int, ...]:
        """Return `count` integers, each uniform in 0..below-1."""
        ...


class SeededSource:
    """A pseudorandom generator that ignores labels: the same seed and the same order of draws give the same numbers."""

    def __init__(self, seed: int | str | None = None) -> None:
        self._random = random.Random(seed)

    def draw_integers(self, label: str, below: int, count: int) -> tuple[int, ...]:  # noqa: ARG002  the order decides
        """Return `count` integers, each uniform in 0..below-1."""
        return tuple(self._random.randrange(below) for _ in range(count))


class LabelledSource:
    """A pseudorandom generator for each label: the same seed and label give the same numbers in any order of draws.

    The first n of a longer draw equal a draw of n with the same label. So a player who has lost dice keeps the first
    of the dice that a full hand would have shown. Duplicate matches rest on this.
    """

    def __init__(self, seed: int | str) -> None:
        self._seed = seed

    def draw_integers(self, label: str, below: int, count: int) -> tuple[int, ...]:
        """Return `count` integers, each uniform in 0..below-1."""
        generator = random.Random(f"{self._seed}/{label}")
        return tuple(generator.randrange(below) for _ in range(count))


class Dealer:
    """Makes the dealer's actions of a match.

    Draws from `source`; without one from a `SeededSource(seed)`. The same seed (or source) and the same players'
    actions give the same match.
    """

    def __init__(self, seed: int | str | None = None, source: RandomSource | None = None) -> None:
        self._source = SeededSource(seed) if source is None else source

    def action(self, state: State, rolls_made: int = 0) -> DealerAction:
        """Return the dealer's action in a state whose phase is `STARTER`, `DEAL` or `ROLL_AGAIN`.

        `rolls_made`: how many rolls for the start came before; it tells the rolls of a tie apart. Where the rules let
        the table agree on the first starter, the dealer draws one.
        """
        if state.phase is Phase.ROLL_AGAIN and state.roller is not None:
            what = f"again/{len(state.rerolls)}" if state.rerolls else f"bid/{len(state.bids)}"
            label = f"round/{state.round_number}/{what}/seat/{state.roller}"
            faces = state.ruleset.dice.faces_at(state.roller)
            return RollAgain(self._roll(label, faces, state.hidden_count(state.roller)))
        if state.phase is Phase.DEAL:
            return Deal(self._deal_hands(state, f"round/{state.round_number + 1}"))
        if state.ruleset.first_starter.method is StarterMethod.HIGH_ROLL:
            dice_each = state.ruleset.first_starter.dice
            dice = tuple(dice_each if seat in state.rolling else 0 for seat in range(len(state.names)))
            return RollForStart(self._roll_hands(state, f"start/{rolls_made}", dice))
        if state.ruleset.first_starter.method is StarterMethod.SEATED_BY_ROLL:
            return ChooseStarter(0)
        return ChooseStarter(self._source.draw_integers("starter", len(state.names), 1)[0])

    def seat(self, rules: Ruleset, players: Iterable[T]) -> list[T]:
        """Return players in the order of their seats: as they come, or where the rules say so, in that of first rolls.

        Where those who tie roll again, all orders are equally likely, so no dice are needed to draw one.
        """
        waiting = list(players)
        if rules.first_starter.method is not StarterMethod.SEATED_BY_ROLL:
            return waiting
        draw, count = self._source.draw_integers, len(waiting)
        return [waiting.pop(draw(f"seat/{seat}", count - seat, 1)[0]) for seat in range(count)]

    def penalty(
        self, state: State, seat: int, trigger: PenaltyTrigger, penalties_made: int = 0, offence: str = ""
    ) -> Penalise:
        """Return the action that penalises a seat, with the dice of its hand that it loses at once.

        `penalties_made`: how many penalties of the match came before. `offence`: the one that the penalty names, "" if
        it names none. No dice are drawn where the rules take them at the end of the round, or take lives.
        """
        rules = state.ruleset
        if rules.penalty_timing is PenaltyTiming.END_OF_ROUND or state.phase is not Phase.BIDDING or state.lives:
            return Penalise(trigger, offence=offence)
        penalty = find_penalty(rules.penalties, trigger, offence)
        dice_lost = 0 if penalty is None else penalty.dice
        remaining = list(range(state.dice[seat]))
        taken = [
            remaining.pop(self._source.draw_integers(f"penalty/{penalties_made}/{number}", len(remaining), 1)[0])
            for number in range(min(dice_lost, len(remaining)))
        ]
        return Penalise(trigger, tuple(sorted(taken)), offence)

    def _deal_hands(self, state: State, label: str) -> tuple[Hand, ...]:
        """Roll the dice of a round, and again those of hands that nobody may keep, with labels of their own."""
        hands = self._roll_hands(state, label, state.dice)
        return tuple(self._kept_hand(state.ruleset, label, seat, hand) for seat, hand in enumerate(hands))

    def _kept_hand(self, rules: Ruleset, label: str, seat: int, first: Hand) -> Hand:
        hand = first
        for number in count(1):
            if not must_roll_again(rules, hand):
                break
            hand = self._roll(f"{label}/seat/{seat}/again/{number}", rules.dice.faces_at(seat), len(hand))
        return hand

    def _roll_hands(self, state: State, label: str, dice: tuple[int, ...]) -> tuple[Hand, ...]:
        faces_at = state.ruleset.dice.faces_at
        return tuple(self._roll(f"{label}/seat/{seat}", faces_at(seat), held) for seat, held in enumerate(dice))

    def _roll(self, label: str, faces: int, dice: int) -> Hand:
        return tuple(number + 1 for number in self._source.draw_integers(label, faces, dice))


class Match:
    """A match on one machine: its dealer, its event log and its state.

    `events`: the whole log so far. `state`: the log folded with `evolve`. Both hold secret dice: show players only a
    `view`.
    """

    def __init__(self, ruleset: Ruleset, names: Sequence[str], dealer: Dealer) -> None:
        started = match_started(ruleset, names)
        self.dealer = dealer
        self.events: list[Event] = [started]
        self.state: State = initial_state(started)

    @classmethod
    def from_record(cls, record: Record, dealer: Dealer) -> Match:
        """Return the match of a record, ready to continue with this dealer."""
        match = cls(record.state.ruleset, record.state.names, dealer)
        match.events, match.state = list(record.events), record.state
        return match

    @classmethod
    def from_state(cls, state: State, dealer: Dealer) -> Match:
        """Return a match that continues from a state; its log begins there and is empty."""
        match = cls(state.ruleset, state.names, dealer)
        match.events, match.state = [], state
        return match

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.state.phase is Phase.OVER

    @property
    def waits_for_dealer(self) -> bool:
        """Whether the next action is the dealer's: a roll for the start, the starter, a deal, or dice rolled again."""
        return self.state.phase in (Phase.STARTER, Phase.DEAL, Phase.ROLL_AGAIN)

    def view(self, seat: int | None) -> View:
        """Return what a seat sees now; None is a spectator."""
        return view(self.state, seat)

    def act(self, seat: int | None, action: Action) -> list[Event]:
        """Apply one action and return the new events. The dealer acts with seat None.

        Raises what `decide` raises; the match is then unchanged.
        """
        new_events = decide(self.state, seat, action)
        self.state = evolve_all(self.state, new_events)
        self.events += new_events
        return new_events

    def deal(self) -> list[Event]:
        """Let the dealer do the one action that the match waits for, and return the new events."""
        return self.act(None, self.dealer.action(self.state, self._start_rolls))

    @property
    def _start_rolls(self) -> int:
        """How many rolls for the start were made; 0 once the starter is known, when nobody needs the number."""
        starting = self.state.phase is Phase.STARTER
        return sum(isinstance(event, StarterRolled) for event in self.events) if starting else 0
