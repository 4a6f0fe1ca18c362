"""What chance gave each seat of a match, by rounds that the match's bots play again.

A round is one event of chance: the starter where one is drawn, all dice, and all actions that bots draw. The position
after it has a value, and so have those after copies of the round, which begin in the same position and are played by
the same bots, but with dice and random numbers of their own. The round that counted and its copies have the same
distribution, given all that came before. So the value after the round, less the mean of those after its copies, has
mean zero, whatever the values are and however few copies there are.

This needs bots that play a round by what they see of it, as bots do that name the probabilities of their moves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.adjustment import policies_of
from liarsdice.analysis.state_valuer import NetworkValues, StateValuer
from liarsdice.bots.protocol import Bot, MatchLifecycle
from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_actions, recorded_start
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.referee import Referee
from liarsdice.values.value_network import KNOWN_PLAYERS, value_network


def can_play_again(bots: Sequence[Bot]) -> bool:
    """Return whether all bots play a round by what they see of it alone, so that copies of it can be compared with it.

    >>> from liarsdice.bots.registry import make_bot
    >>> can_play_again([make_bot("threshold"), make_bot("regular", 1)])
    True
    """
    return len(policies_of(bots)) == len(bots) and not any(isinstance(bot, MatchLifecycle) for bot in bots)


def playout_adjustment(
    events: Sequence[Event],
    bots: Sequence[Bot],
    dealer: Dealer,
    playouts: int,
    players: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """Return what chance gave each seat in a finished match, float64 [seat], as a share of the match.

    `bots`: by seat, bots that play as those of the match did, see `can_play_again`. They and `dealer` take their random
    numbers from seeds of their own. `playouts`: copies of each round, at least 1. `players`: the kinds of the players,
    as in `NetworkValues`. Raises `UnavailableError` under rules that are not simulated.
    """
    starts, after = _rounds(events)
    copies = [_play_round(start, bots, dealer) for start in starts for _ in range(playouts)]
    valuer = StateValuer(values=NetworkValues(value_network(KNOWN_PLAYERS), players))
    values = valuer.quick_values([*after, *copies])
    expected = values[len(after) :].reshape(len(after), playouts, -1).mean(axis=1)
    total: NDArray[np.float64] = (values[: len(after)] - expected).sum(axis=0)
    return total


def _rounds(events: Sequence[Event]) -> tuple[list[State], list[State]]:
    """Return the states before each round of a finished match, and those after it.

    Before the first round it may not be known yet who starts.
    """
    state = recorded_start(events)
    starts = [state]
    for before, seat, action in recorded_actions(events):
        if isinstance(action, Deal) and before.round_number > 0:
            starts.append(before)
        state = evolve_all(before, decide(before, seat, action))
    return starts, [*starts[1:], state]


def _play_round(start: State, bots: Sequence[Bot], dealer: Dealer) -> State:
    """Return the state after a round that begins in a state, before the deal of the next round or at the end."""
    match = Match.from_state(start, dealer)
    referee = Referee(match, dict(enumerate(bots)))
    while not (match.state.phase is Phase.DEAL and match.state.round_number > start.round_number):
        if referee.step() is None:
            break
    return match.state
