"""The functions that run a match.

`legal` lists the legal moves, `decide` judges one action and returns events, and `evolve` applies one event and never
fails. Dice come from outside, as the dealer's actions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from liarsdice.core.actions import Action, ChooseStarter, Deal, RollAgain, RollForStart
from liarsdice.core.arguments import require_arguments
from liarsdice.core.engine.dealer_actions import decide_dealer
from liarsdice.core.engine.evolve import evolve, evolve_all, initial_state
from liarsdice.core.engine.legal import LegalMoves, legal
from liarsdice.core.engine.player_actions import decide_player
from liarsdice.core.engine.state import State
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.rules.ruleset import Ruleset

__all__ = ["LegalMoves", "decide", "evolve", "evolve_all", "legal", "match_started", "replay", "start"]

MAX_NAME_LENGTH = 40
_EMOJI = "[\u2190-\u2bff\U0001f000-\U0001faff][\U0001f3fb-\U0001f3ff]?"
JOINED_EMOJI = re.compile(f"{_EMOJI}(?:\u200d{_EMOJI}){{1,4}}")
"""An emoji that is joined of up to five, such as a family. It is one character of a name."""
MAX_SEATS = 100
DEALER_ACTIONS = (RollForStart, ChooseStarter, Deal, RollAgain)


def match_started(ruleset: Ruleset, names: Sequence[str]) -> MatchStarted:
    """Return the first event of a match, with the players' names in clockwise order.

    Raises `MalformedError` if the rules do not allow this number of players, or if a name is empty, longer than
    `MAX_NAME_LENGTH`, unprintable or used twice.
    """
    min_players, max_players = ruleset.players.min, min(ruleset.players.max or MAX_SEATS, MAX_SEATS)
    if not min_players <= len(names) <= max_players:
        raise MalformedError(f"{ruleset.labels.game} seats {min_players} to {max_players} players, not {len(names)}")
    for name in names:
        seen = JOINED_EMOJI.sub("-", name)
        if name != name.strip() or not 0 < len(seen) <= MAX_NAME_LENGTH:
            raise MalformedError(
                f"a player's name is 1 to {MAX_NAME_LENGTH} characters, none around it, not {name!r:.60}"
            )
        if not seen.isprintable():
            raise MalformedError(f"a player's name is made of printable characters, not {name!r}")
    if len({name.casefold() for name in names}) < len(names):
        raise MalformedError(f"players need different names, not {', '.join(names)}")
    return MatchStarted(ruleset, tuple(names))


def start(ruleset: Ruleset, names: Sequence[str]) -> State:
    """Return the state of a new match, which waits for its first starter. Raises `MalformedError` as `match_started`.

    >>> from liarsdice.core.rules.presets import preset
    >>> start(preset("basic").ruleset, ("Ann", "Bo")).dice
    (5, 5)
    """
    return initial_state(match_started(ruleset, names))


def decide(state: State, seat: int | None, action: Action) -> list[Event]:
    """Judge one action of the player in `seat`, or of the dealer (seat None), and return the events that follow.

    The state does not change: apply the events with `evolve_all`. Raises `MalformedError` for an action that makes no
    sense in this match, and `IllegalActionError` for one that the rules forbid now; the message says what is legal.
    """
    try:
        if isinstance(action, DEALER_ACTIONS):
            if seat is not None:
                raise MalformedError("dice and starters come from the dealer, not from a seat")
            return decide_dealer(state, action)
        if seat is None:
            raise MalformedError("the dealer does not play: name the seat that acts")
        return decide_player(state, seat, action)
    except (AttributeError, TypeError):
        require_arguments(decide, (state, seat, action))
        raise


def replay(events: Sequence[Event]) -> State:
    """Return the state that an event log leads to. Raises `MalformedError` if it does not begin with `MatchStarted`."""
    if not events or not isinstance(events[0], MatchStarted):
        raise MalformedError("an event log begins with match_started")
    return evolve_all(initial_state(events[0]), events[1:])
