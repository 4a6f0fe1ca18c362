"""What can be asked of the engine: by a player in a seat, or by the dealer, who brings chance from outside."""

from __future__ import annotations

import msgspec

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger
from liarsdice.core.rules.tally import Hand


class Challenge(msgspec.Struct, frozen=True, tag="challenge"):
    """Say that the latest bid is false."""


class Exact(msgspec.Struct, frozen=True, tag="exact"):
    """Say that the latest bid is exactly right."""


class SetDirection(msgspec.Struct, frozen=True, tag="set_direction"):
    """Choose which way play goes, as the starter of a round, before the opening bid."""

    direction: Direction


class Penalise(msgspec.Struct, frozen=True, tag="penalise"):
    """Take a house penalty upon the acting seat.

    `taken`: positions (from 0) in the hand of the dice that go, drawn by the dealer; only where penalties are immediate
    and a round is on.
    """

    trigger: PenaltyTrigger
    taken: tuple[int, ...] = ()


class RollForStart(msgspec.Struct, frozen=True, tag="roll_for_start"):
    """The dealer's roll for the first starter: one hand per seat, empty for seats that do not roll (again)."""

    rolls: tuple[Hand, ...]


class ChooseStarter(msgspec.Struct, frozen=True, tag="choose_starter"):
    """The first starter, as the table chose or the dealer drew."""

    seat: int


class Deal(msgspec.Struct, frozen=True, tag="deal"):
    """The dealer's dice for a new round: one hand per seat, empty for seats that are out."""

    hands: tuple[Hand, ...]


Move = Bid | Challenge | Exact | SetDirection
MOVES = (Bid, Challenge, Exact, SetDirection)
"""What the seat on turn, or one that calls out of turn, may do by itself."""

PlayerAction = Move | Penalise
DealerAction = RollForStart | ChooseStarter | Deal
Action = PlayerAction | DealerAction
