"""A round with given hands, for tests of texts about it."""

from liarsdice.core.actions import (
    Action,
    ChooseStarter,
    Deal,
    RollForStart,
)
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import State
from liarsdice.core.events import (
    Event,
)
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand

NAMES = ("Ann", "Bo", "Cy")

FIVES = ((1, 2, 3, 4, 5), (2, 2, 3, 5, 5))
"""The hands of two players, with three fives in all."""


def act(state: State, seat: int | None, action: Action) -> tuple[list[Event], State]:
    events = decide(state, seat, action)
    return events, evolve_all(state, events)


def dealt_state(rules: Ruleset, *hands: Hand) -> State:
    """The first round of a match, opened by the first seat."""
    state = start(rules, NAMES[: len(hands)])
    count = rules.first_starter.dice
    if rules.first_starter.method is StarterMethod.HIGH_ROLL:
        rolls = tuple((6 if seat == 0 else 1,) * count for seat in range(len(hands)))
        _, state = act(state, None, RollForStart(rolls))
    else:
        _, state = act(state, None, ChooseStarter(0))
    _, state = act(state, None, Deal(hands))
    return state
