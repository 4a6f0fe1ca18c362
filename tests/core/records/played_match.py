"""A match with chosen dice, for tests of what its events tell."""

from __future__ import annotations

from liarsdice.core.actions import Action, ChooseStarter, Deal
from liarsdice.core.engine.engine import decide, evolve_all, match_started
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.state import State
from liarsdice.core.events import Event
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand


class Played:
    """A match of Ann and Bo with chosen dice, under rules that let the starter be chosen. Ann opens."""

    def __init__(self, rules: Ruleset) -> None:
        self.events: list[Event] = [match_started(rules, ("Ann", "Bo"))]
        self._state: State = initial_state(self.events[0])  # type: ignore[arg-type]  # the first event of a match
        self.act(None, ChooseStarter(0))

    def act(self, seat: int | None, action: Action) -> None:
        decided = decide(self._state, seat, action)
        self.events += decided
        self._state = evolve_all(self._state, decided)

    def round(self, hands: tuple[Hand, ...], *actions: tuple[int | None, Action]) -> Played:
        self.act(None, Deal(hands))
        for seat, action in actions:
            self.act(seat, action)
        return self
