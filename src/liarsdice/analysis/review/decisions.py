"""The decisions of a recorded match: who could do something, what they saw, and what they did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.core.actions import MOVES, BidAndShow, Deal, PlayerAction
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import Event
from liarsdice.core.records.record import Record, recorded_actions
from liarsdice.core.rules.bids import Bid


class PastMove(msgspec.Struct, frozen=True):
    """A move that was made: what everybody saw before it (the view of a spectator), by whom, and which."""

    shown: View
    seat: int
    action: PlayerAction


class Decision(msgspec.Struct, frozen=True):
    """A decision of a player during the bidding.

    `number`: the place among the decisions of the match, from 0. `view`: what the player saw, with the legal moves.
    `move`: what the player did; None for a player who might have called the standing bid out of turn and let it stand.
    `round_dice`: the dice by seat when the round was dealt, which penalties may have reduced since. `history`: the
    moves of the round before, in order.
    """

    number: int
    view: View
    move: PlayerAction | None
    round_dice: tuple[int, ...]
    history: tuple[PastMove, ...] = ()

    @property
    def seat(self) -> int:
        """The seat of the player who decided."""
        assert self.view.seat is not None
        return self.view.seat


def require_finished(record: Record) -> None:
    """Raise `UnfinishedError` unless the match in a record is over."""
    if record.state.phase is not Phase.OVER:
        raise UnfinishedError("the match in this record is not over, and only finished matches are reviewed")


def decisions_of(events: Sequence[Event]) -> Iterator[Decision]:
    """Yield the decisions of a match in their order, from the events of a record that was read.

    Bids, calls and choices of a direction are decisions. A bid follows a decision of each player who might have called
    the bid before it out of turn. Reported penalties are no decisions.
    """
    round_dice: tuple[int, ...] = ()
    history: tuple[PastMove, ...] = ()
    number = 0
    for state, seat, action in recorded_actions(events):
        if isinstance(action, Deal):
            round_dice, history = state.dice, ()
        if seat is None or not isinstance(action, MOVES):
            continue
        silent_seats = _possible_callers(state) if isinstance(action, Bid | BidAndShow) else ()
        for decider, move in (*((other, None) for other in silent_seats), (seat, action)):
            yield Decision(number, view(state, decider), move, round_dice, history)
            number += 1
        history = (*history, PastMove(view(state, None), seat, action))


def _possible_callers(state: State) -> tuple[int, ...]:
    """Return the seats that may call the standing bid out of turn, in seat order."""
    moves = legal(state)
    return tuple(sorted({*moves.challengers, *moves.exact_callers} - {state.turn}))
