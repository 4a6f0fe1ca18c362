"""One enum for each axis on which rules differ, with the values that the engine plays; numbers are in `parts`."""

from __future__ import annotations

from enum import Enum


class Choice(Enum):
    """Base of the rule choices. The value of a member is its name in files; its `repr` can be pasted back."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return str(self.value)

    # Members are single objects, so identity is enough, and rulesets are looked up often.
    __hash__ = object.__hash__


class Direction(Choice):
    """Direction of play; clockwise is to the left, in seat order."""

    CLOCKWISE = "clockwise"
    ANTICLOCKWISE = "anticlockwise"

    @property
    def step(self) -> int:
        """The change of the seat number towards the next player: +1 or -1."""
        return 1 if self is Direction.CLOCKWISE else -1

    @property
    def opposite(self) -> Direction:
        """The opposite direction."""
        return Direction.ANTICLOCKWISE if self is Direction.CLOCKWISE else Direction.CLOCKWISE


class Reversal(Choice):
    """When the opener of a round may choose the direction of play, apart from never and in every round.

    `FIRST_ROUND`: the direction that the first opener chooses, or leaves, is that of the whole match.
    """

    FIRST_ROUND = "first_round"


class StarterMethod(Choice):
    """How the first starter of a match is found.

    `SEATED_BY_ROLL`: the players sit in the order of their first rolls, so the first seat starts. Whoever makes a match
    seats them, with `seat` of `play.match.Dealer`.
    """

    HIGH_ROLL = "high_roll"
    CHOSEN = "chosen"
    RANDOM = "random"
    SEATED_BY_ROLL = "seated_by_roll"


class StarterTie(Choice):
    """What happens when several players roll the highest sum for the start."""

    REROLL_TIED = "reroll_tied"


class Raise(Choice):
    """Which of two bids is higher, among faces that no special rule ranks."""

    QUANTITY_FIRST = "quantity_first"
    NO_DECREASE = "no_decrease"
    EITHER_INCREASES = "either_increases"
    FACE_FIRST = "face_first"
    ONE_STEP_DIM = "one_step_dim"
    OTHER_FACE = "other_face"
    PRODUCT = "product"
    MAX_OF_PAIR = "max_of_pair"


class SpecialRank(Choice):
    """How bids on the special face rank among the others."""

    PLAIN = "plain"
    CONVERT = "convert"
    TOP_FACE = "top_face"
    NOT_BIDDABLE = "not_biddable"


class ToSpecial(Choice):
    """The fewest special dice that beat q dice of an ordinary face."""

    FLOOR_HALF_PLUS_1 = "floor_half_plus_1"
    CEIL_HALF = "ceil_half"


class FromSpecial(Choice):
    """The fewest ordinary dice that beat k special dice."""

    DOUBLE = "double"
    DOUBLE_PLUS_1 = "double_plus_1"
    NEVER = "never"


class ToPure(Choice):
    """The fewest dice of a pure bid that beat q dice of a bid that is not pure."""

    SAME_QUANTITY = "same_quantity"
    ONE_LESS = "one_less"


class FromPure(Choice):
    """The fewest dice of a bid that is not pure that beat k dice of a pure bid."""

    DOUBLE = "double"
    PLUS_1 = "plus_1"
    PLUS_2 = "plus_2"


class ShowDice(Choice):
    """Which dice a bidder may put in the open with a bid: those that count for it.

    `COUNTING`: the bidder rolls the others again. `COUNTING_KEPT`: the others stay under the cup as they are.
    """

    COUNTING = "counting"
    COUNTING_KEPT = "counting_kept"


class SpecialOpening(Choice):
    """When a round may open on the special face, apart from always and never."""

    SPECIAL_ROUND_ONLY = "special_round_only"


class MinOpen(Choice):
    """A lowest opening quantity that depends on the state: the number of players with dice, or some more."""

    PLAYERS = "players"
    PLAYERS_PLUS_1 = "players_plus_1"
    PLAYERS_PLUS_2 = "players_plus_2"
    PLAYERS_TIMES_1_5 = "players_times_1_5"


class Cap(Choice):
    """A highest quantity that depends on the state: the number of dice in play."""

    DICE_IN_PLAY = "dice_in_play"


class SuspendedBy(Choice):
    """What makes the special face not wild: for a whole round, or for the count of a challenge of its opening bid."""

    SPECIAL_ROUND = "special_round"
    OPENING_BID_ON_SPECIAL = "opening_bid_on_special"
    ANY_BID_ON_SPECIAL = "any_bid_on_special"
    OPENING_CHALLENGE = "opening_challenge"


class FaceOff(Choice):
    """How two players bid who have one die each: on the sum of both dice."""

    SUM = "sum"


class CountScope(Choice):
    """Whose dice count when a bid is checked: those of the whole table, or the bidder's own."""

    TABLE = "table"
    BIDDER = "bidder"


class HandBonus(Choice):
    """Whether some hands count for more than their dice.

    `STAIRS`: 1, 2, …, n in any order. `STAIRS_IN_ORDER`: dice that lie so from left to right, as they were dealt.
    """

    NONE = "none"
    STAIRS = "stairs"
    ALIKE = "alike"
    STAIRS_IN_ORDER = "stairs_in_order"

    @property
    def is_for_stairs(self) -> bool:
        """Whether stairs of some kind count for one die more than the hand has."""
        return self in (HandBonus.STAIRS, HandBonus.STAIRS_IN_ORDER)


class AllDifferent(Choice):
    """What happens to a full hand of dice that are all different, apart from that it counts as any other hand.

    `MAY_ROLL_AGAIN`: before their first bid of a round, its player may say so and roll all of it again.
    """

    WORTHLESS = "worthless"
    ROLLED_AGAIN = "rolled_again"
    MAY_ROLL_AGAIN = "may_roll_again"


class DoubleLost(Choice):
    """When dice that count double are lost, if not last: first of all dice that a player loses."""

    FIRST = "first"


class Straights(Choice):
    """Which full hands of dice that are all different matter: the straight from 1 up, the highest one, or both."""

    LOW = "low"
    HIGH = "high"
    EITHER = "either"


class WhoCalls(Choice):
    """Who may challenge the latest bid."""

    NEXT_PLAYER = "next_player"
    ANYONE_BUT_BIDDER = "anyone_but_bidder"


class WhoCallsExact(Choice):
    """Who may call the latest bid exact; `OUT_OF_TURN`: everyone but the bidder and the player on turn."""

    NEXT_PLAYER = "next_player"
    ANYONE_BUT_BIDDER = "anyone_but_bidder"
    OUT_OF_TURN = "out_of_turn"


class TieBreak(Choice):
    """Whose call stands if several players call."""

    FIRST_RECEIVED = "first_received_then_in_turn_then_clockwise"


class NextStarter(Choice):
    """Who opens the next round."""

    LOSER = "loser"
    WINNER = "winner"
    CALLER = "caller"
    BIDDER = "bidder"
    AFTER_LOSER = "after_loser"
    ROTATE = "rotate"


class IfEliminated(Choice):
    """Who opens the next round if the player who should is out.

    `FEWEST_DICE`: whoever has the fewest dice or lives of those still in, the first in turn if several have.
    """

    NEXT_IN_TURN = "next_in_turn"
    OPPONENT = "opponent"
    PREVIOUS = "previous"
    FEWEST_DICE = "fewest_dice"


class SpecialTrigger(Choice):
    """What makes a round a special round."""

    LOSES_DOWN_TO_ONE = "loses_down_to_one"
    STARTS_WITH_ONE = "starts_with_one"
    DECLARED = "declared"


class Repeat(Choice):
    """How often one player may have a special round."""

    EVERY_TIME = "every_time"
    ONCE_PER_PLAYER = "once_per_player"


class LockExempt(Choice):
    """Which players may change the face in a round whose face is locked."""

    NONE = "none"
    HAD_SPECIAL = "had_special"


class PenaltyTrigger(Choice):
    """What a player did to earn a house penalty."""

    ASKS_WHOSE_TURN = "asks_whose_turn"
    ASKS_DICE_LEFT = "asks_dice_left"
    COMMITS_OFFENCE = "commits_offence"


class PenaltyTiming(Choice):
    """When penalty dice are taken."""

    END_OF_ROUND = "end_of_round"
    IMMEDIATE = "immediate"


class TableTalk(Choice):
    """Whether players may talk about the dice."""

    ALLOWED = "allowed"


class MatchEnd(Choice):
    """What ends a match."""

    LAST_PLAYER_WITH_DICE = "last_player_with_dice"
    FIRST_PLAYER_OUT = "first_player_out"


class LossMode(Choice):
    """How many dice a lost challenge costs."""

    FIXED = "fixed"
    DIFFERENCE = "difference"


class OnExact(Choice):
    """Who pays when a challenged bid turns out exactly right."""

    CHALLENGER = "challenger"
    ALL_BUT_BIDDER = "all_but_bidder"


class ShedBy(Choice):
    """Who puts dice away after a call, where everybody wants to get rid of theirs (snyd), instead of the loser."""

    WINNER = "winner"
    ALL_BUT_LOSER = "all_but_loser"


class Overflow(Choice):
    """What happens when a loss is larger than the dice held."""

    ALL_HELD = "all_held"


class LivesLimit(Choice):
    """A number of lives that nobody uses up."""

    UNLIMITED = "unlimited"


class Tally(Choice):
    """What a table counts of lives, apart from those that are left: those that are lost, from none upwards."""

    TAKEN = "taken"


class Destination(Choice):
    """Where lost dice go."""

    DISCARD = "discard"
    OPPONENT = "opponent"


class GainCap(Choice):
    """How many dice a player may hold after a gain."""

    STARTING_DICE = "starting_dice"


class AtCap(Choice):
    """Whether a player who can gain no more may still make the exact call."""

    ALLOWED_NO_GAIN = "allowed_no_gain"
    FORBIDDEN = "forbidden"


class MinDice(Choice):
    """How many of the dice at the start must still be in play for the exact call."""

    HALF = "half"


class ExactClaim(Choice):
    """Who may claim that the standing bid is exactly right, so that the others raise or doubt the claim as a bid.

    `NEXT_PLAYER`: the player on turn, in place of the exact call (bull). `BIDDER`: the one who made the bid, until the
    next player has answered it.
    """

    NEXT_PLAYER = "next_player"
    BIDDER = "bidder"


class PassHand(Choice):
    """A hand with which its player may pass; dice count as they lie, wild ones as any other.

    `FULL_HOUSE`: five dice, three of one face and two of another.
    """

    ALIKE = "alike"
    ALL_DIFFERENT = "all_different"
    FULL_HOUSE = "full_house"


class Answer(Choice):
    """An answer to a challenge for twice the stake.

    `ACCEPT`: the dice are shown. `REDOUBLE` (counter-pi): the stake is doubled again. `FOLD`: whoever folds loses the
    stake before the latest doubling, and nobody shows any dice.
    """

    ACCEPT = "accept"
    REDOUBLE = "redouble"
    FOLD = "fold"


class DoubleAnswers(Choice):
    """Which answers there are, besides accepting.

    `REDOUBLE`: the bidder may redouble, and the dice are shown then. `REDOUBLE_OR_FOLD`: the bidder may also fold, and
    so may a challenger whose challenge was redoubled.
    """

    REDOUBLE = "redouble"
    REDOUBLE_OR_FOLD = "redouble_or_fold"


class Visibility(Choice):
    """Which dice players see in a special round, instead of their own.

    `CLOSED`: their own, but only the player whose special round it is and those with one die. `OPEN`: the others'.
    `CHOSEN`: the opener chooses one of the two before anybody looks (`RoundKind`).
    """

    CLOSED = "closed"
    OPEN = "open"
    CHOSEN = "chosen"


class RoundVisibility(Choice):
    """Which dice players see in every round, instead of their own, before a call.

    `BLIND`: none at all. `OTHERS`: those of all others.
    """

    BLIND = "blind"
    OTHERS = "others"


class RoundKind(Choice):
    """What the opener of a round chooses before anybody looks at dice: obligo closed, obligo open, or no obligo."""

    CLOSED = "closed"
    OPEN = "open"
    ORDINARY = "ordinary"
