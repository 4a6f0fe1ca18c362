"""What one seat, or a spectator, may see of the state and of events.

A `View` is built field by field; it is never a copy of the state with secrets removed. Three kinds of events hold
secrets: `Dealt` (all hands), `RolledAgain` (dice under a cup) and `Penalised` (the positions of lost dice). For other
seats, `event_view` builds a `HandDealt`, a `PublicRoll` or a `PublicPenalty` from their public fields. All other events
are public by definition (`PublicEvent`) and are returned unchanged; the type checker refuses a new kind of event that
is neither public nor handled.

The tests hold it to this law: if any die that a seat cannot see changes, the view of that seat stays the same to the
byte.
"""

from typing import TypeAlias

import msgspec

from liarsdice.core.actions import BidAndShow, PlayerAction
from liarsdice.core.arguments import require_arguments
from liarsdice.core.engine.legal import (
    LegalMoves,
    bid_is_legal,
    legal,
    list_moves,
    permitted_by,
    show_refusal,
    showable_dice,
)
from liarsdice.core.engine.state import Phase, PublicState, State, require_seat
from liarsdice.core.events import Dealt, Event, Penalised, PublicEvent, RolledAgain
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.meaning import bids_are_about_own_dice
from liarsdice.core.rules.tally import Hand


class View(PublicState, frozen=True, kw_only=True):
    """The match as one seat sees it (`seat` None: a spectator), with the legal moves of that seat.

    `hand` is its own dice, those in the open first; empty if it may not see them. `seen` are the dice of the others by
    seat where it sees them, otherwise empty. `may_bid` are its legal bids; if quantities are `unlimited`, higher bids
    are legal too. `may_show`: whether it may show dice with a bid (`showable`). `may_double`: whether it may challenge
    for twice the stake; `may_answer` are its answers to such a challenge. `may_declare`: whether it may declare the
    round special. `may_choose_kind`: the kinds of the round of which it chooses one. `may_pass`, `may_challenge_pass`:
    whether it may pass, and doubt the pass of the player before. `may_claim_exact`: whether it may claim that the
    standing bid is exactly right. `may_reroll`: whether it may roll all of its dice again.
    """

    seat: int | None
    hand: Hand = ()
    may_bid: tuple[Bid, ...] = ()
    unlimited: bool = False
    may_challenge: bool = False
    may_call_exact: bool = False
    may_set_direction: tuple[Direction, ...] = ()
    may_show: bool = False
    may_double: bool = False
    may_pass: bool = False
    may_challenge_pass: bool = False
    may_answer: tuple[Answer, ...] = ()
    seen: tuple[Hand, ...] = ()
    may_declare: bool = False
    may_choose_kind: tuple[RoundKind, ...] = ()
    may_claim_exact: bool = False
    may_reroll: bool = False

    @property
    def is_blind(self) -> bool:
        """Whether the viewing seat does not see its own dice."""
        return self.seat in self.blind

    @property
    def unseen(self) -> tuple[int, ...]:
        """The number of dice of each hand that the viewing seat does not see, in seat order; its own, if it is blind.

        For a player who sees all dice but the own, that is the own hand alone.
        """
        return tuple(map(self.hidden_count, self._unseen_seats))

    @property
    def _unseen_seats(self) -> tuple[int, ...]:
        if self.seen and self.seat is not None:
            return (self.seat,)
        return tuple([seat for seat, held in enumerate(self.dice) if held and (seat != self.seat or self.is_blind)])

    @property
    def on_turn(self) -> bool:
        """Whether the viewing seat must act now."""
        return self.phase is Phase.BIDDING and self.turn == self.seat

    @property
    def moves(self) -> tuple[PlayerAction, ...]:
        """The legal moves of the viewing seat: bids, calls, answers, directions, the declaration, kinds.

        Bids are without dice to show.
        """
        return list_moves(self.may_bid, permitted_by(self))

    def allows(self, move: PlayerAction | None) -> bool:
        """Return whether a move is legal for the viewing seat, bids above the listed ones included; None is silence."""
        if isinstance(move, Bid):
            return self.on_turn and bid_is_legal(self, move)
        if isinstance(move, BidAndShow):
            return self.allows(move.bid) and show_refusal(self, self.hand, move) is None
        return move in self.moves if move is not None else bool(self.moves) and not self.on_turn

    def showable(self, bid: Bid) -> Hand:
        """Return the own dice that may be shown with a bid on the own turn; at least one die has to stay hidden."""
        return showable_dice(self, self.hand, bid) if self.may_show else ()

    @property
    def hidden(self) -> Hand:
        """The own dice under the cup."""
        return self.hand if self.seat is None else self.hand[len(self.shown_by(self.seat)) :]

    @property
    def known(self) -> Hand:
        """All dice that the viewing seat can see: its own, and those of others in the open."""
        in_the_open = (die for seat, dice in enumerate(self.seen or self.shown) if seat != self.seat for die in dice)
        return (*self.hand, *in_the_open)

    @property
    def others(self) -> tuple[int, ...]:
        """The number of hidden dice of each other seat that has any, in seat order."""
        return tuple(self.hidden_count(seat) for seat, held in enumerate(self.dice) if held and seat != self.seat)

    def dice_of_bid(self, bidder: int | None) -> tuple[Hand, tuple[int, ...], tuple[int, ...]]:
        """Return the dice that are seen of those that a bid of a seat is about, and what is known of the unseen ones.

        That is the number of unseen dice of each hand, and the number of faces of these dice.
        """
        if not bids_are_about_own_dice(self.ruleset):
            known, seats = self.known, self._unseen_seats
        elif bidder is None or bidder == self.seat:
            known, seats = self.hand, ((self.seat,) if self.seat is not None and self.is_blind else ())
        elif self.seen:
            known, seats = self.seen[bidder], ()
        else:
            known, seats = self.shown_by(bidder), (bidder,)
        return known, tuple(map(self.hidden_count, seats)), tuple(map(self.ruleset.dice.faces_at, seats))


def view(state: State, seat: int | None, moves: LegalMoves | None = None) -> View:
    """Return the view of a seat, or of a spectator (None). Raises `MalformedError` for a seat that does not exist.

    `moves` is `legal(state)`, if the caller has it already.
    """
    try:
        if seat is not None:
            require_seat(seat, len(state.names))
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
            max_quantity=state.max_quantity,
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
            lives=state.lives,
            shown=state.shown,
            blind=state.blind,
            open_hands=state.open_hands,
            passes=state.passes,
            doubled_by=state.doubled_by,
            redoubled=state.redoubled,
            kind=state.kind,
            safe=state.safe,
            claimed=state.claimed,
            rerolls=state.rerolls,
            seat=seat,
            hand=state.hands[seat] if seat is not None and state.hands and seat not in state.blind else (),
            may_bid=moves.bids if on_turn else (),
            unlimited=moves.unlimited if on_turn else False,
            may_show=moves.may_show if on_turn else False,
            seen=_seen_hands(state.hands, seat) if state.open_hands else (),
            **moves.permitted(seat),
        )
    except (AttributeError, TypeError):
        require_arguments(view, (state, seat, moves))
        raise


def _seen_hands(hands: tuple[Hand, ...], seat: int | None) -> tuple[Hand, ...]:
    """Return the hands of all others, by seat, for a player with dice; nothing for anybody else."""
    if seat is None or not hands or not hands[seat]:
        return ()
    return tuple(() if other == seat else hand for other, hand in enumerate(hands))


class HandDealt(msgspec.Struct, frozen=True, tag="hand_dealt", repr_omit_defaults=True):
    """The dice of the viewing seat; empty for a spectator, for a player who is out, and if it may not see them.

    `others`: the dice of all others by seat, if it sees them.
    """

    hand: Hand
    others: tuple[Hand, ...] | msgspec.UnsetType = msgspec.UNSET


class PublicPenalty(msgspec.Struct, frozen=True, tag="penalty_seen"):
    """A house penalty as other seats see it: without the positions of the lost dice."""

    seat: int
    trigger: PenaltyTrigger
    dice: int
    immediate: bool
    offence: str | msgspec.UnsetType = msgspec.UNSET


class PublicRoll(msgspec.Struct, frozen=True, tag="roll_seen"):
    """Dice that a player rolled again as other seats see them: how many there are."""

    seat: int
    dice: int


EventView: TypeAlias = PublicEvent | HandDealt | PublicRoll | PublicPenalty | RolledAgain | Penalised
"""An event as one seat or a spectator sees it."""


def event_view(event: Event, seat: int | None) -> EventView:
    """Return an event as a seat or a spectator (None) sees it. Raises `MalformedError` for a seat that a deal lacks.

    A `Dealt` becomes a `HandDealt`, a `RolledAgain` of another seat a `PublicRoll`, and a `Penalised` of another seat a
    `PublicPenalty`; other events are unchanged.

    >>> event_view(Dealt(((1, 2), (3,))), 1)
    HandDealt(hand=(3,))
    """
    match event:
        case Dealt(hands):
            if seat is None:
                return HandDealt(())
            require_seat(seat, len(hands))
            own = () if seat in (event.blind or ()) else hands[seat]
            others = _seen_hands(hands, seat) if event.open is True else ()
            return HandDealt(own, others or msgspec.UNSET)
        case RolledAgain() if event.seat != seat:
            return PublicRoll(event.seat, len(event.hand))
        case Penalised() if event.seat != seat:
            return PublicPenalty(event.seat, event.trigger, event.dice, event.immediate, event.offence)
        case _:
            return event
