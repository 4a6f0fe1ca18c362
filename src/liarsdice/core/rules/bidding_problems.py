"""Problems of rules about bids: on the special face, pure, on sums, and with dice that are shown; and about passes."""

from __future__ import annotations

from collections.abc import Iterator

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.applicability import (
    bids_are_about_own_dice,
    dice_are_hidden,
    dice_differ_by_seat,
    has_face_off,
    has_passes,
    has_pure_bids,
    may_show_dice,
)
from liarsdice.core.rules.lives import has_lives, least_dice
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.passes import impossible_pass_hands, pass_hands
from liarsdice.core.rules.ruleset_problems import ProblemCode, RulesetProblem


def special_face_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of bids on the special face: formulas that are missing or idle, and impossible openings."""
    bidding = rules.bidding
    converts = bidding.special_rank is c.SpecialRank.CONVERT
    for name, formula in (("to_special", bidding.to_special), ("from_special", bidding.from_special)):
        if converts and formula is None:
            yield RulesetProblem(ProblemCode.NO_CONVERSION, {"path": f"bidding.{name}"})
        if not converts and formula is not None:
            yield RulesetProblem(ProblemCode.IDLE_CONVERSION, {"path": f"bidding.{name}", "formula": str(formula)})
    if bidding.special_rank is c.SpecialRank.NOT_BIDDABLE and bidding.special_may_open is not False:
        yield RulesetProblem(ProblemCode.OPENING_UNBIDDABLE)


def pure_bid_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of pure bids: nothing else may say whether dice are wild."""
    if not has_pure_bids(rules):
        return
    if not rules.wilds.special_is_wild:
        yield RulesetProblem(ProblemCode.PURE_UNWILD)
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        yield RulesetProblem(ProblemCode.PURE_CONVERT)
    if rules.wilds.suspended_by:
        yield RulesetProblem(ProblemCode.PURE_SUSPENDED)


def shown_dice_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that are shown: rules about whole hands, and penalties that take dice of a hand."""
    if not may_show_dice(rules):
        return
    count = rules.count
    if count.hand_bonus is not c.HandBonus.NONE:
        yield RulesetProblem(ProblemCode.SHOWN_HANDS, {"value": f"count.hand_bonus {count.hand_bonus}"})
    if isinstance(count.all_different, c.AllDifferent):
        yield RulesetProblem(ProblemCode.SHOWN_HANDS, {"value": f"count.all_different {count.all_different}"})
    if rules.penalties and rules.penalty_timing is c.PenaltyTiming.IMMEDIATE:
        yield RulesetProblem(ProblemCode.SHOWN_TAKEN)


def pass_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of passes: hands that nobody can have, and rules by which hands change or are seen."""
    if not has_passes(rules):
        return
    hands = pass_hands(rules)
    if len(set(hands)) < len(hands):
        yield RulesetProblem(ProblemCode.PASSING_TWICE)
    for hand in impossible_pass_hands(rules):
        yield RulesetProblem(ProblemCode.PASSING_IMPOSSIBLE, {"value": str(hand)})
    if rules.penalties and rules.penalty_timing is c.PenaltyTiming.IMMEDIATE:
        yield RulesetProblem(ProblemCode.PASSING_TAKEN)
    if dice_differ_by_seat(rules):
        yield RulesetProblem(ProblemCode.PASSING_MIXED)
    if may_show_dice(rules):
        yield RulesetProblem(ProblemCode.PASSING_COVERED, {"value": f"bidding.show_dice {rules.bidding.show_dice}"})
    if rules.special_round is not None and dice_are_hidden(rules):
        value = f"special_round.visibility {rules.special_round.visibility}"
        yield RulesetProblem(ProblemCode.PASSING_COVERED, {"value": value})


def face_off_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of a face-off: bids about own dice, and rules by which two players never have one die each."""
    if not has_face_off(rules):
        return
    if bids_are_about_own_dice(rules):
        yield RulesetProblem(ProblemCode.SUMS_OF_OWN_DICE)
    if least_dice(rules) > 1:
        yield RulesetProblem(ProblemCode.SUMS_NEVER, {"path": "loss.out_below", "value": least_dice(rules)})
    if has_lives(rules) and rules.dice.per_player > 1:
        yield RulesetProblem(ProblemCode.SUMS_NEVER, {"path": "dice.per_player", "value": rules.dice.per_player})
