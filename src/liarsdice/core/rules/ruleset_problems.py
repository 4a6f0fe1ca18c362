"""Problems of a ruleset: a code for each, with the message for authors of rule files, which names field paths.

The page words the same codes for players, in their language and with the titles of the choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import msgspec

from liarsdice.core.rules.bids import Bid


class ProblemCode(Enum):
    """Why rules do not work together, or are probably not what was meant.

    The value is the message; its placeholders are filled from `RulesetProblem.values`.
    """

    TOO_LOW = "{path} is {value}, but needs to be at least {least}"
    TOO_HIGH = "{path} is {value}, but may be at most {most}"
    TOO_MANY_DICE = (
        "exact calls can add dice until {dice} are in play, which may be at most {most} (set exact_call.gain_cap to "
        "starting_dice, or lower exact_call.success_gain, exact_call.budget or guards.max_rounds)"
    )
    TOO_MANY_BIDS = "bids: {bids}, which may be at most {most} (set bidding.cap to {cap} or less, or lower dice.faces)"
    TOO_LONG_ROUNDS = (
        "a round can have {bids} bids, which may be at most {most} (set guards.max_bids_per_round to {most} or less)"
    )
    NO_LABEL = "{path} is 1 to {most} printable characters, not {label}"
    LABEL_MISREAD = "{path} {label} would be read as {value} (choose another word)"
    LABELS_ALIKE = "{path} {label} is also the label of {value}, so nobody could tell the two apart"
    NO_SUCH_FACE = "dice.special_face is {face}, which is no face of a die with {faces} faces"
    FACES_OF_NO_SEAT = "dice.faces_by_seat names {seats} seats, but at most {most} can play"
    FACES_ABOVE_HIGHEST = (
        "dice.faces_by_seat has {highest}, which is more than dice.faces ({faces}), the highest face of any die"
    )
    NO_OPENING = "bidding.max_open is {most}, below {path} {least}"
    ENDLESS_ROUND = "bidding.cap is none, so a round need not end (set guards.max_bids_per_round)"
    PENALTY_TWICE = "penalties name the same trigger twice"
    OFFENCE_TWICE = "penalties name the offence {label} twice, or labels.offences names it once more"
    OFFENCE_OF_QUESTION = "penalties: an offence goes with the trigger commits_offence, not with {value}"

    NO_CONVERSION = "bidding.special_rank convert needs {path} (from_special may be 'never')"
    IDLE_CONVERSION = "{path} is {formula}, which has no meaning unless bidding.special_rank is convert"
    OPENING_UNBIDDABLE = "bidding.special_rank not_biddable needs bidding.special_may_open = false"
    RAISE_LOOP = (
        "bidding.raise {raise_rule} lets bids go round in a loop: {loop} "
        "(choose another raise rule or set bidding.no_repeat)"
    )
    CONVERSION_LOOP = (
        "bidding.to_special {to_special} and bidding.from_special {from_special} let bids go round in a loop: {loop} "
        "(choose another of the two or set bidding.no_repeat)"
    )

    PURE_UNWILD = "bidding.to_pure needs wild dice (set wilds.special_is_wild)"
    PURE_CONVERT = "bidding.to_pure makes bids on the special face pure, so bidding.special_rank may not be convert"
    PURE_SUSPENDED = "bidding.to_pure says when dice are wild, so wilds.suspended_by must be empty"
    PURE_LOOP = (
        "bidding.to_pure {to_pure} and bidding.from_pure {from_pure} let bids go round in a loop: {loop} "
        "(choose another of the two or set bidding.no_repeat)"
    )

    SHOWN_HANDS = "bidding.show_dice parts a hand, so it leaves no room for rules about whole hands ({value})"
    SHOWN_TAKEN = "penalties that are taken at once would take dice that are shown, so bidding.show_dice rules them out"

    PASSING_TWICE = "bidding.pass_with names the same hand twice"
    PASSING_IMPOSSIBLE = "bidding.pass_with {value}: nobody can have such a hand with the number of dice that it needs"
    PASSING_TAKEN = "penalties that are taken at once would change a hand after its pass (bidding.pass_with)"
    PASSING_MIXED = "with other dice by seat (dice.faces_by_seat), hands are not alike: bidding.pass_with is none"
    PASSING_COVERED = "a pass is about dice that only their owner sees, so bidding.pass_with leaves no room for {value}"

    SUMS_OF_OWN_DICE = "a bid on the sum is about both dice, so bidding.face_off leaves no room for count.scope bidder"
    SUMS_NEVER = "bidding.face_off needs two players with one die each, but {path} is {value}"

    SUSPENDED_UNWILD = "wilds.suspended_by has nothing to suspend: wilds.special_is_wild is false"
    SUSPENDED_TWICE = "wilds.suspended_by names the same reason twice"
    SUSPENDED_BY_NO_ROUND = "wilds.suspended_by special_round needs a special_round"
    SUSPENDED_BY_NO_OPENING = "wilds.suspended_by opening_bid_on_special needs bidding.special_may_open"
    SUSPENDED_BY_NO_BID = "wilds.suspended_by any_bid_on_special needs a special face that may be bid"

    NEVER_OUT_OF_TURN = (
        "loss.out_of_turn_factor {value} has no meaning when only the next player may challenge "
        "(set challenge.who = anyone_but_bidder)"
    )
    DICE_STAY = "loss.destination opponent never lowers the number of dice, so it needs guards.max_rounds"
    LIVES_UNLIMITED = "loss.lives unlimited never run out, so the match needs guards.max_rounds"
    TAKEN_FROM_NOBODY = (
        "lives are counted as they are taken, so nobody can receive them (loss.destination opponent) or win "
        " more back than they have taken (exact_call.gain_cap none)"
    )
    SEVERAL_LOSERS = "loss.on_exact all_but_bidder makes several losers, so next_starter.rule loser names nobody"

    FOLD_DIFFERENCE = (
        "challenge.answers redouble_or_fold needs loss.mode fixed: nobody shows the dice after a fold, so nobody knows "
        "the difference"
    )

    OWN_DICE_BONUS = "count.hand_bonus is for bids about all dice, but count.scope bidder counts the bidder's alone"
    DIFFERENT_DICE = "count.all_different needs dice.per_player from 2 to dice.faces ({faces}), not {dice}"
    DIFFERENT_STAIRS = "stairs are all different, so count.hand_bonus stairs leaves no room for count.all_different"

    EXACT_KEEPS_DICE = (
        "exact_call can be right without anybody losing a die, so the match need not end "
        "(set guards.max_rounds or exact_call.budget)"
    )
    EXACT_IS_FREE = "exact_call.failure_loss 0 costs nobody a die (set guards.max_rounds or exact_call.budget)"
    EXACT_SEVERAL_LOSERS = "exact_call.others_loss makes several losers, so exact_call.next_starter loser names nobody"
    NEVER_LAST_LIFE = "special_round needs a last life, but loss.lives is unlimited"
    NEVER_LAST_DIE = "special_round needs a last die, but loss.out_below is {value}"
    COVERED_SHOW = "special_round.visibility covers dice for their owners, so bidding.show_dice must be none"
    DECLARED_BLIND = (
        "special_round.visibility is settled at the deal, so special_round.trigger cannot be declared after it"
    )
    OPEN_HANDS = (
        "special_round.visibility open or chosen shows dice of several hands as one, so count.hand_bonus and "
        "count.all_different must be none"
    )
    NEVER_DOWN_TO_ONE = "special_round needs dice.per_player of at least 2: nobody can lose down to one die"

    CONVERT_UNWILD = (
        "bidding.special_rank convert halves bids on the special face, but without wilds.special_is_wild that face is "
        "no more likely than others"
    )
    CONVERT_SUSPENDED = "bidding.special_rank convert while any bid on the special face ends its wildness"
    NEVER_OPENS = "bidding.special_may_open is special_round_only, but there is no special_round"
    NATURAL_UNWILD = "wilds.needs_natural changes nothing while wilds.special_is_wild is false"
    UNLIMITED_GAIN = "with exact_call.gain_cap none, every right exact call adds dice, so a match can get very long"
    EXEMPT_UNLOCKED = "special_round.lock_exempt changes nothing unless special_round.face_locked"

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class RulesetProblem(msgspec.Struct, frozen=True):
    """A problem of a ruleset: its code, and the values that fill its message.

    `values["path"]` is the field concerned, where the code can concern several.

    >>> print(RulesetProblem(ProblemCode.TOO_LOW, {"path": "dice.faces", "value": 1, "least": 2}))
    dice.faces is 1, but needs to be at least 2
    """

    code: ProblemCode
    values: Mapping[str, int | str | tuple[Bid, ...]] = {}

    def __str__(self) -> str:
        values = {
            name: " -> ".join(map(str, value)) if isinstance(value, tuple) else value
            for name, value in self.values.items()
        }
        return self.code.value.format(**values)
