"""The actions that the engine judges: of a player in a seat, or of the dealer, who supplies the dice."""

from typing import get_args

import msgspec

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.tally import Hand


class BidAndShow(msgspec.Struct, frozen=True, tag="bid_and_show"):
    """Make a bid, put dice that count for it in the open, and roll the other dice under the cup again.

    `shown`: the faces of these dice, at least one and not all that are under the cup.
    """

    bid: Bid
    shown: Hand


class Challenge(msgspec.Struct, frozen=True, tag="challenge", omit_defaults=True, repr_omit_defaults=True):
    """Call the latest bid false; with `double`, for twice the stake (pi)."""

    double: bool = False


class AnswerDouble(msgspec.Struct, frozen=True, tag="answer_double"):
    """Answer a challenge for twice the stake, before the dice are shown."""

    answer: Answer


class Exact(msgspec.Struct, frozen=True, tag="exact"):
    """Call the latest bid exactly right."""


class ClaimExact(msgspec.Struct, frozen=True, tag="claim_exact"):
    """Claim that the latest bid is exactly right, and let the others raise or doubt it (bull)."""


class Pass(msgspec.Struct, frozen=True, tag="pass"):
    """Make no bid and leave the latest one to the next player: once a round, with a hand that allows it, or not."""


class ChallengePass(msgspec.Struct, frozen=True, tag="challenge_pass"):
    """Doubt that the hand of the player before, who passed, allows it."""


class SetDirection(msgspec.Struct, frozen=True, tag="set_direction"):
    """Choose the direction of play: for the starter of a round, before the opening bid."""

    direction: Direction


class DeclareSpecial(msgspec.Struct, frozen=True, tag="declare_special"):
    """Declare the round a special one: for an opener with one die left, before the opening bid."""


class ChooseKind(msgspec.Struct, frozen=True, tag="choose_kind"):
    """Choose which kind of round it is, for its opener: before anybody looks at dice."""

    kind: RoundKind


class Penalise(msgspec.Struct, frozen=True, tag="penalise"):
    """Give the acting seat a house penalty.

    `taken`: positions (from 0) of the lost dice in the hand, drawn by the dealer; only during a round whose penalties
    are immediate. `offence`: the one that a `Penalty` of the rules names, if it names one.
    """

    trigger: PenaltyTrigger
    taken: tuple[int, ...] = ()
    offence: str = ""


class Reroll(msgspec.Struct, frozen=True, tag="reroll"):
    """Roll the own hand again, which tells everybody that it was one that may be (`AllDifferent.MAY_ROLL_AGAIN`)."""


class RollForStart(msgspec.Struct, frozen=True, tag="roll_for_start"):
    """The dealer's roll for the first starter: one hand per seat, empty for seats that do not roll (again)."""

    rolls: tuple[Hand, ...]


class ChooseStarter(msgspec.Struct, frozen=True, tag="choose_starter"):
    """The first starter, chosen by the players or drawn by the dealer."""

    seat: int


class Deal(msgspec.Struct, frozen=True, tag="deal"):
    """The dealer's dice for a new round: one hand per seat, empty for seats that are out."""

    hands: tuple[Hand, ...]


class RollAgain(msgspec.Struct, frozen=True, tag="roll_again"):
    """The dealer's dice for a player who rolls again: those that are under the cup from now on."""

    hand: Hand


class Withdraw(msgspec.Struct, frozen=True, tag="withdraw"):
    """Put away what a seat has left between two rounds, because its player has left for good."""

    seat: int


Move = (
    Bid
    | BidAndShow
    | Challenge
    | AnswerDouble
    | Exact
    | ClaimExact
    | Pass
    | ChallengePass
    | SetDirection
    | DeclareSpecial
    | ChooseKind
    | Reroll
)
MOVES: tuple[type[Move], ...] = get_args(Move)
"""The actions that players take themselves, as opposed to penalties, which are reported."""

PlayerAction = Move | Penalise
DealerAction = RollForStart | ChooseStarter | Deal | RollAgain | Withdraw
Action = PlayerAction | DealerAction
