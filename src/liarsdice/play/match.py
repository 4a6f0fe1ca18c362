"""A match in progress: its event log, its state, and the one door through which both change."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.core.actions import Action
from liarsdice.core.engine.engine import decide, evolve_all, seated
from liarsdice.core.engine.evolve import opened
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import Event, StarterRolled
from liarsdice.core.records.record import Record
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.dealer import Dealer


class Match:
    """A match on one machine.

    `events` is the whole log so far, `state` what it adds up to. Secret dice are in both: show players a `view`.
    """

    def __init__(self, ruleset: Ruleset, names: Sequence[str], dealer: Dealer) -> None:
        begin = seated(ruleset, names)
        self.dealer = dealer
        self.events: list[Event] = [begin]
        self.state: State = opened(begin)

    @classmethod
    def resumed(cls, record: Record, dealer: Dealer) -> Match:
        """A match that goes on from its record."""
        match = cls(record.state.ruleset, record.state.names, dealer)
        match.events, match.state = list(record.events), record.state
        return match

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.state.phase is Phase.OVER

    @property
    def waits_for_dealer(self) -> bool:
        """Whether dice must be rolled before anybody can act."""
        return self.state.phase in (Phase.STARTER, Phase.DEAL)

    def view(self, seat: int | None) -> View:
        """What a seat, or a spectator (None), sees now."""
        return view(self.state, seat)

    def act(self, seat: int | None, action: Action) -> list[Event]:
        """Do one action, and return what happened. Raises as `decide` does, and then nothing has changed."""
        happened = decide(self.state, seat, action)
        self.state = evolve_all(self.state, happened)
        self.events += happened
        return happened

    def deal(self) -> list[Event]:
        """Let the dealer do the one thing that the match waits for."""
        return self.act(None, self.dealer.action(self.state, self._rolls))

    @property
    def _rolls(self) -> int:
        """How often dice were rolled for the start; a chance that goes by labels needs it while ties are rolled off."""
        starting = self.state.phase is Phase.STARTER
        return sum(isinstance(event, StarterRolled) for event in self.events) if starting else 0
