"""What one seat, or a spectator, may see. Built field by field from the state, never by taking things away from it.

What the law demands: change any die that a seat can't see, and what that seat is shown stays the same to the byte.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.legal import Legal, legal, listed
from liarsdice.core.engine.state import Phase, State, Table, need_seat
from liarsdice.core.events import Dealt, Event, Penalised, PublicEvent
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger
from liarsdice.core.rules.tally import Hand


class View(Table, frozen=True, kw_only=True):
    """The match as one seat sees it (`seat` None: a spectator), with what that seat may do now.

    `hand`: its own dice. `may_bid`: legal bids, listed up to a round number where quantities are `unlimited`.
    """

    seat: int | None
    hand: Hand = ()
    may_bid: tuple[Bid, ...] = ()
    unlimited: bool = False
    may_challenge: bool = False
    may_call_exact: bool = False
    may_set_direction: tuple[Direction, ...] = ()

    @property
    def on_turn(self) -> bool:
        """Whether the viewing seat must act now."""
        return self.phase is Phase.BIDDING and self.turn == self.seat

    @property
    def moves(self) -> tuple[PlayerAction, ...]:
        """Everything that the viewing seat may do now: bids, then calls, then directions."""
        return listed(
            self.may_bid,
            challenge=self.may_challenge,
            exact=self.may_call_exact,
            directions=self.may_set_direction,
        )

    @property
    def others(self) -> tuple[int, ...]:
        """How many dice each other seat holds under its cup, without those that hold none."""
        return tuple(held for seat, held in enumerate(self.dice) if held and seat != self.seat)


def view(state: State, seat: int | None, moves: Legal | None = None) -> View:
    """The view of a seat, or of a spectator (None). Raises `MalformedError` for a seat that the table doesn't have.

    `moves` is `legal(state)`, for who has it already.
    """
    if seat is not None:
        need_seat(seat, len(state.names))
    moves = legal(state) if moves is None else moves
    on_turn = seat is not None and seat == moves.turn
    return View(
        ruleset=state.ruleset,
        names=state.names,
        dice=state.dice,
        phase=state.phase,
        rolling=state.rolling,
        round_number=state.round_number,
        direction=state.direction,
        direction_chosen=state.direction_chosen,
        starter=state.starter,
        turn=state.turn,
        top=state.top,
        bids=state.bids,
        wilds_count=state.wilds_count,
        special_seat=state.special_seat,
        had_special=state.had_special,
        exempt=state.exempt,
        exact_calls=state.exact_calls,
        penalties=state.penalties,
        revealed=state.revealed,
        winners=state.winners,
        end_reason=state.end_reason,
        seat=seat,
        hand=state.hands[seat] if seat is not None and state.hands else (),
        may_bid=moves.bids if on_turn else (),
        unlimited=moves.unlimited if on_turn else False,
        may_challenge=seat in moves.challengers,
        may_call_exact=seat in moves.exact_callers,
        may_set_direction=moves.directions if on_turn else (),
    )


class HandDealt(msgspec.Struct, frozen=True, tag="hand_dealt"):
    """A seat's own dice; empty for a spectator and for a player who is out."""

    hand: Hand


class PenaltySeen(msgspec.Struct, frozen=True, tag="penalty_seen"):
    """A house penalty, without saying which dice went."""

    seat: int
    trigger: PenaltyTrigger
    dice: int
    immediate: bool


SeenEvent: TypeAlias = PublicEvent | HandDealt | PenaltySeen | Penalised


def seen(event: Event, seat: int | None) -> SeenEvent:
    """An event as a seat, or a spectator (None), learns of it. Raises `MalformedError` for no seat of a deal.

    >>> seen(Dealt(((1, 2), (3,))), 1)
    HandDealt(hand=(3,))
    """
    match event:
        case Dealt(hands):
            if seat is None:
                return HandDealt(())
            need_seat(seat, len(hands))
            return HandDealt(hands[seat])
        case Penalised() if event.seat != seat:
            return PenaltySeen(event.seat, event.trigger, event.dice, event.immediate)
        case _:
            return event
