"""A match in progress: its event log, its state, and the one method through which both change."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.core.actions import Action
from liarsdice.core.engine.engine import decide, evolve_all, match_started
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import Event, StarterRolled
from liarsdice.core.records.record import Record
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.dealer import Dealer


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
