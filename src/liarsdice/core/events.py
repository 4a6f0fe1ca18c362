"""The events of a match. The event log is the match: everything else is derived from it.

Seats are numbers from 0 in clockwise order. An event carries all that is needed to describe it without the rules.
"""

from typing import TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Choice, Direction, PassHand, PenaltyTrigger, RoundKind, StarterMethod
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand


class Cause(Choice):
    """Why a player lost or gained dice or lives."""

    BID_FALSE = "bid_false"
    BID_TRUE = "bid_true"
    BID_EXACT = "bid_exact"
    PASSED_FALSELY = "passed_falsely"
    PASSED_RIGHTLY = "passed_rightly"
    FOLDED = "folded"
    EXACT_RIGHT = "exact_right"
    EXACT_WRONG = "exact_wrong"
    PENALTY = "penalty"
    ANTE = "ante"


class EndReason(Choice):
    """Why a match ended."""

    LAST_PLAYER = "last_player"
    PLAYER_OUT = "player_out"
    MAX_ROUNDS = "max_rounds"


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all events: unknown fields in a file are refused."""


class MatchStarted(_Event, frozen=True, tag="match_started"):
    """A match starts, with its rules and the players' names by seat."""

    ruleset: Ruleset
    names: tuple[str, ...]


class StarterRolled(_Event, frozen=True, tag="starter_rolled"):
    """A roll for the first start; `tied` are the seats that roll again, empty once the starter is decided."""

    rolls: tuple[Hand, ...]
    tied: tuple[int, ...]


class StarterFound(_Event, frozen=True, tag="starter_found"):
    """The seat that opens the first round, and how it was found."""

    seat: int
    method: StarterMethod


class RoundStarted(_Event, frozen=True, tag="round_started"):
    """A round begins. `dice` held by seat; `special_seat` is the player whose special round it is, if it is one."""

    number: int
    starter: int
    dice: tuple[int, ...]
    direction: Direction
    special_seat: int | None = None


class Dealt(_Event, frozen=True, tag="dealt"):
    """All hands of the round. Secret: a seat may see only its own.

    `blind`: the seats that may not see even their own dice; unset if all may. `open`: True if each player with dice
    sees those of all others. Where the opener chooses the kind of the round, a `KindChosen` changes both.
    """

    hands: tuple[Hand, ...]
    blind: tuple[int, ...] | UnsetType = UNSET
    open: bool | UnsetType = UNSET


class DirectionSet(_Event, frozen=True, tag="direction_set"):
    """The starter chose the direction of play."""

    seat: int
    direction: Direction


class SpecialDeclared(_Event, frozen=True, tag="special_declared"):
    """The player who opens the round declared it a special one."""

    seat: int


class KindChosen(_Event, frozen=True, tag="kind_chosen"):
    """The player who opens the round chose which kind it is; `blind`: the seats that still do not see their own dice.

    Unless it is an ordinary one, it is the special round of this player, or of whose special round it was before.
    """

    seat: int
    kind: RoundKind
    blind: tuple[int, ...] = ()


class BidMade(_Event, frozen=True, omit_defaults=True, tag="bid_made"):
    """A player made a bid; `shown` are the faces of the dice that the player put in the open with it."""

    seat: int
    bid: Bid
    shown: Hand = ()


class Rerolled(_Event, frozen=True, tag="rerolled"):
    """A player rolls a hand again that the rules let its player roll again. A `RolledAgain` with the dice follows."""

    seat: int


class RolledAgain(_Event, frozen=True, tag="rolled_again"):
    """A player rolled the dice under the cup again. Secret: only the seat itself may see the dice."""

    seat: int
    hand: Hand


class Challenged(_Event, frozen=True, tag="challenged"):
    """A player called the bid false; `opening`: True if it was the opening bid and such a challenge costs more.

    `double`: True if the call was for twice the stake, and `redoubled` if the bidder doubled it again.
    """

    seat: int
    bidder: int
    bid: Bid
    out_of_turn: bool = False
    opening: bool | UnsetType = UNSET
    double: bool | UnsetType = UNSET
    redoubled: bool | UnsetType = UNSET


class Doubled(_Event, frozen=True, tag="doubled"):
    """A player called the bid false for twice the stake, which the bidder answers before any dice are shown.

    `Challenged` follows at once if the bidder is out and cannot answer.
    """

    seat: int
    bidder: int
    bid: Bid
    out_of_turn: bool = False


class DoubleAnswered(_Event, frozen=True, tag="double_answered"):
    """A player answered the doubling of `opponent`. `Challenged` follows before a reveal; a fold has none."""

    seat: int
    opponent: int
    answer: Answer


class ExactCalled(_Event, frozen=True, tag="exact_called"):
    """A player called the bid exactly right."""

    seat: int
    bidder: int
    bid: Bid
    out_of_turn: bool = False


class ExactClaimed(_Event, frozen=True, tag="exact_claimed"):
    """A player claimed the bid of `bidder` to be exactly right. From now on the claim stands in its place."""

    seat: int
    bidder: int
    bid: Bid


class Passed(_Event, frozen=True, tag="passed"):
    """A player made no bid and left the latest one to the next player."""

    seat: int


class PassChallenged(_Event, frozen=True, tag="pass_challenged"):
    """A player doubted that the hand of `passer`, the player before, allows the pass."""

    seat: int
    passer: int


class Revealed(_Event, frozen=True, tag="revealed"):
    """All hands are shown and the bid is counted.

    By seat: `marked`, the positions (from 0) of the dice that count, and `counted`, the hand's share of the count,
    which exceeds its marked dice if the hand has a bonus. `wilds_counted`: whether special dice counted as the bid's
    face. `pass_hand`, only if a pass was called: what the hand of that player is that allows it, None if it is nothing.
    `claim`: True if the bid was claimed to be exactly right.
    """

    bid: Bid
    hands: tuple[Hand, ...]
    marked: tuple[tuple[int, ...], ...]
    counted: tuple[int, ...]
    count: int
    bid_true: bool
    wilds_counted: bool
    pass_hand: PassHand | UnsetType | None = UNSET
    claim: bool | UnsetType = UNSET


class _DiceChanged(_Event, frozen=True):
    """Base of events in which a player loses or gains dice; `left` is the number that the player has now."""

    seat: int
    dice: int
    left: int
    cause: Cause

    @property
    def amount(self) -> int:
        """The number of dice."""
        return self.dice


class DiceLost(_DiceChanged, frozen=True, tag="dice_lost"):
    """A player lost dice. `left` is the number that remains; `to` is the seat that received them, None if discarded."""

    to: int | None = None


class DiceGained(_DiceChanged, frozen=True, tag="dice_gained"):
    """A player got dice back from the discard pile; `left` is the number that the player holds now."""


class _LivesChanged(_Event, frozen=True):
    """Base of events in which a player loses or gains lives; `left` is the number that the player has now."""

    seat: int
    lives: int
    left: int
    cause: Cause

    @property
    def amount(self) -> int:
        """The number of lives."""
        return self.lives


class LivesLost(_LivesChanged, frozen=True, tag="lives_lost"):
    """A player lost lives. `left` is the number that remains; `to` is the seat that received them, None for nobody."""

    to: int | None = None


class LivesGained(_LivesChanged, frozen=True, tag="lives_gained"):
    """A player got lives back; `left` is the number that the player has now."""


class Eliminated(_Event, frozen=True, tag="eliminated"):
    """A player has no dice left, or too few, or no lives, and is out. Such a player puts all their dice away."""

    seat: int


class Withdrawn(_Event, frozen=True, tag="withdrawn"):
    """The player of a seat has left for good, between two rounds, with all dice or lives. `Eliminated` follows."""

    seat: int


class Penalised(_Event, frozen=True, tag="penalised"):
    """A player earned a house penalty, due at the end of the round or, if `immediate`, taken at once.

    `taken`: positions (from 0) of the lost dice in the hand. Secret: only the seat itself may see it. `offence`: the
    one that the penalty of the rules names, if it names one.
    """

    seat: int
    trigger: PenaltyTrigger
    dice: int
    immediate: bool = False
    taken: tuple[int, ...] = ()
    offence: str | UnsetType = UNSET


class RoundEnded(_Event, frozen=True, tag="round_ended"):
    """The round is settled; `next_starter` opens the next one, which is the special round of `special_seat` if set."""

    number: int
    next_starter: int
    special_seat: int | None = None


class MatchEnded(_Event, frozen=True, tag="match_ended"):
    """The match is over; several winners share the victory."""

    winners: tuple[int, ...]
    reason: EndReason


_Start: TypeAlias = MatchStarted | StarterRolled | StarterFound | RoundStarted
_Opening: TypeAlias = DirectionSet | SpecialDeclared | KindChosen
_Move: TypeAlias = (
    BidMade | Challenged | Doubled | DoubleAnswered | ExactCalled | ExactClaimed | Passed | PassChallenged | Rerolled
)
_Exit: TypeAlias = Withdrawn | Eliminated
_Change: TypeAlias = DiceLost | DiceGained | LivesLost | LivesGained
PublicEvent: TypeAlias = _Start | _Opening | _Move | Revealed | _Change | _Exit | RoundEnded | MatchEnded
"""The events that every seat and spectator may see unchanged."""

Event: TypeAlias = PublicEvent | Dealt | RolledAgain | Penalised
