"""Everything that can happen in a match. The list of these is the match; all else is worked out from it.

Seats are numbers from 0 in clockwise order. An event carries what is needed to tell it without knowing the rules.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice, Direction, PenaltyTrigger, StarterMethod
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand


class Cause(Choice):
    """Why dice changed hands."""

    BID_FALSE = "bid_false"
    BID_TRUE = "bid_true"
    BID_EXACT = "bid_exact"
    EXACT_RIGHT = "exact_right"
    EXACT_WRONG = "exact_wrong"
    PENALTY = "penalty"


class EndReason(Choice):
    """Why a match is over."""

    LAST_PLAYER = "last_player"
    MAX_ROUNDS = "max_rounds"


class _Happening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all events share: a file that says more than they hold is refused."""


class MatchStarted(_Happening, frozen=True, tag="match_started"):
    """The table is set: its rules, and the players' names by seat."""

    ruleset: Ruleset
    names: tuple[str, ...]


class StarterRolled(_Happening, frozen=True, tag="starter_rolled"):
    """A roll for the start; `tied` are the seats that roll again (empty once it is decided)."""

    rolls: tuple[Hand, ...]
    tied: tuple[int, ...]


class StarterFound(_Happening, frozen=True, tag="starter_found"):
    """Who opens the first round."""

    seat: int
    method: StarterMethod


class RoundStarted(_Happening, frozen=True, tag="round_started"):
    """A round begins: `dice` held by seat; `special_seat` is the player whose special round it is."""

    number: int
    starter: int
    dice: tuple[int, ...]
    direction: Direction
    special_seat: int | None = None


class Dealt(_Happening, frozen=True, tag="dealt"):
    """All hands of the round. Secret: a seat may see its own only."""

    hands: tuple[Hand, ...]


class DirectionSet(_Happening, frozen=True, tag="direction_set"):
    """The starter chose the direction of play."""

    seat: int
    direction: Direction


class BidMade(_Happening, frozen=True, tag="bid_made"):
    """A bid."""

    seat: int
    bid: Bid


class Challenged(_Happening, frozen=True, tag="challenged"):
    """A bid was called false."""

    seat: int
    bidder: int
    bid: Bid
    out_of_turn: bool = False


class ExactCalled(_Happening, frozen=True, tag="exact_called"):
    """A bid was called exactly right."""

    seat: int
    bidder: int
    bid: Bid
    out_of_turn: bool = False


class Revealed(_Happening, frozen=True, tag="revealed"):
    """All cups are lifted.

    `marked`: positions of the dice that count, by seat; `counted`: what each hand is worth, which is more than its
    marked dice where a hand has a bonus; `wilds_counted`: whether special dice counted as the bid's face.
    """

    bid: Bid
    hands: tuple[Hand, ...]
    marked: tuple[tuple[int, ...], ...]
    counted: tuple[int, ...]
    count: int
    bid_true: bool
    wilds_counted: bool


class DiceLost(_Happening, frozen=True, tag="dice_lost"):
    """A player lost dice; `left` is what remains, `to` the seat that received them where they are not discarded."""

    seat: int
    dice: int
    left: int
    cause: Cause
    to: int | None = None


class DiceGained(_Happening, frozen=True, tag="dice_gained"):
    """A player got dice back from the discard pile; `left` is what the player holds now."""

    seat: int
    dice: int
    left: int
    cause: Cause


class Eliminated(_Happening, frozen=True, tag="eliminated"):
    """A player has no dice left and is out."""

    seat: int


class Penalised(_Happening, frozen=True, tag="penalised"):
    """A house penalty was earned. Due at the end of the round, or, with `immediate`, taken at once.

    `taken`: positions in the hand of the dice that went. Secret: only the seat itself may see it.
    """

    seat: int
    trigger: PenaltyTrigger
    dice: int
    immediate: bool = False
    taken: tuple[int, ...] = ()


class RoundEnded(_Happening, frozen=True, tag="round_ended"):
    """The round is settled; `next_starter` opens the next one, which is special for `special_seat` if there is one."""

    number: int
    next_starter: int
    special_seat: int | None = None


class MatchEnded(_Happening, frozen=True, tag="match_ended"):
    """The match is over; several winners share it."""

    winners: tuple[int, ...]
    reason: EndReason


PublicEvent: TypeAlias = (
    MatchStarted
    | StarterRolled
    | StarterFound
    | RoundStarted
    | DirectionSet
    | BidMade
    | Challenged
    | ExactCalled
    | Revealed
    | DiceLost
    | DiceGained
    | Eliminated
    | RoundEnded
    | MatchEnded
)
"""What everybody may know as it is."""

Event: TypeAlias = PublicEvent | Dealt | Penalised
