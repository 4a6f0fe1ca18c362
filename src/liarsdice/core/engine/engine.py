"""The functions that a match is made of.

`legal` lists what may be done, `decide` judges one action and answers with events, `evolve` applies one event and
never refuses. Chance comes from outside, as the dealer's actions.
"""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.core.actions import Action, ChooseStarter, Deal, RollForStart
from liarsdice.core.engine.dealer_actions import decide_dealer
from liarsdice.core.engine.evolve import evolve, evolve_all, opened
from liarsdice.core.engine.legal import Legal, legal
from liarsdice.core.engine.player_actions import decide_player
from liarsdice.core.engine.state import State
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.rules.ruleset import Ruleset

__all__ = ["Legal", "decide", "evolve", "evolve_all", "legal", "replay", "seated", "start"]

LONGEST_NAME = 40
MOST_SEATS = 100
DEALER_ACTIONS = (RollForStart, ChooseStarter, Deal)


def seated(ruleset: Ruleset, names: Sequence[str]) -> MatchStarted:
    """The first event of a match, with players seated in clockwise order.

    Raises `MalformedError` where the rules do not seat so many, or names are empty, long or the same.
    """
    least, most = ruleset.players.min, min(ruleset.players.max or MOST_SEATS, MOST_SEATS)
    if not least <= len(names) <= most:
        raise MalformedError(f"{ruleset.labels.game} seats {least} to {most} players, not {len(names)}")
    for name in names:
        if name != name.strip() or not 0 < len(name) <= LONGEST_NAME:
            raise MalformedError(f"a player's name is 1 to {LONGEST_NAME} characters, none around it, not {name!r:.60}")
        if not name.isprintable():
            raise MalformedError(f"a player's name is made of printable characters, not {name!r}")
    if len({name.casefold() for name in names}) < len(names):
        raise MalformedError(f"players need different names, not {', '.join(names)}")
    return MatchStarted(ruleset, tuple(names))


def start(ruleset: Ruleset, names: Sequence[str]) -> State:
    """A match that waits for its first starter.

    >>> from liarsdice.core.rules.presets import preset
    >>> start(preset("basic").ruleset, ("Ann", "Bo")).dice
    (5, 5)
    """
    return opened(seated(ruleset, names))


def decide(state: State, seat: int | None, action: Action) -> list[Event]:
    """Judge one action of the player in `seat`, or of the dealer (seat None); the state stays as it is.

    Raises `MalformedError` for what makes no sense at this table and `IllegalActionError` for what the rules forbid
    now; the message says what would be legal.
    """
    if isinstance(action, DEALER_ACTIONS):
        if seat is not None:
            raise MalformedError("dice and starters come from the dealer, not from a seat")
        return decide_dealer(state, action)
    if seat is None:
        raise MalformedError("the dealer does not play: name the seat that acts")
    return decide_player(state, seat, action)


def replay(events: Sequence[Event]) -> State:
    """The state that an event log leads to. Raises `MalformedError` where it does not begin with a match."""
    if not events or not isinstance(events[0], MatchStarted):
        raise MalformedError("an event log begins with match_started")
    return evolve_all(opened(events[0]), events[1:])
