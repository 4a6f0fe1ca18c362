"""How sentences of the rulebook about bids, wild dice and the count vary with other rules."""

from __future__ import annotations

from collections.abc import Callable

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import Destination
from liarsdice.core.rules.meaning import (
    bids_are_about_own_dice,
    dice_differ_by_seat,
    field_applies,
    has_lives,
    has_passes,
    has_pure_bids,
    least_dice,
    roll_count_to_pass,
    special_is_biddable,
    special_is_wild,
)
from liarsdice.core.rules.overlay import field_value
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.text.rulebook.stakes_variants import taken


def intro(rules: RuleChoices) -> object:
    """Return the variant of the summary of the game."""
    own, kind = bids_are_about_own_dice(rules), "below" if least_dice(rules) > 1 else taken(rules)
    return f"own.{kind}" if own and kind else "own" if own else kind


def dice(rules: RuleChoices) -> object:
    """Return the variant of the sentence about everybody's dice."""
    return "by_seat" if dice_differ_by_seat(rules) else rules.dice.per_player


def starting_dice(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the dice that decide who starts."""
    count = rules.first_starter.dice
    return f"{'#' if count > 1 else count}.by_seat" if dice_differ_by_seat(rules) else count


def faces_by_seat(rules: RuleChoices) -> object:
    """Return the variant of the sentence about dice that differ by seat: for one seat, for some, or for all seats."""
    by_seat = rules.dice.faces_by_seat or ()
    return "one" if len(by_seat) == 1 else "all" if len(by_seat) == rules.players.max else "some"


def wins_dice_that_differ(rules: RuleChoices) -> bool:
    """Return whether players whose dice differ by seat can win some."""
    call, handed_over = rules.exact_call, rules.loss.destination is Destination.OPPONENT
    wins_dice = handed_over or (call is not None and call.success_gain > 0)
    return dice_differ_by_seat(rules) and wins_dice and not has_lives(rules)


def max_open(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the highest opening bid."""
    most = rules.bidding.max_open
    return "players" if most is not None and isinstance(rules.bidding.min_open, c.MinOpen) else most


def opens_otherwise(path: str) -> Callable[[RuleChoices], bool]:
    """Return the function that says whether the field at `path` gives some opening bids a lowest number of their own.

    It reads the field first, so that a field without a value changes nothing for those who read the sentences.
    """
    return lambda rules: field_value(rules, path) is not None and field_applies(rules, path)


def max_bids(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the number of bids in a round."""
    most = rules.guards.max_bids_per_round
    return most if most is None or not has_passes(rules) else "#.pass"


def pass_dice(rules: RuleChoices) -> object:
    """Return the variant of the sentence about dice for a pass: `some` if not all greater numbers will do."""
    least = rules.bidding.pass_dice
    if not isinstance(least, int):
        return None
    sizes = range(least, rules.dice.per_player + 1)
    return least if all(roll_count_to_pass(rules, dice) for dice in sizes) else "#.some"


def special_rank(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the rank of the special face."""
    rank = rules.bidding.special_rank
    one_way = rank is c.SpecialRank.CONVERT and rules.bidding.from_special is c.FromSpecial.NEVER
    return f"{rank}.one_way" if one_way else rank


def to_pure(rules: RuleChoices) -> object:
    """Return the variant of the sentence about pure bids."""
    return f"{rules.bidding.to_pure}{'' if special_is_biddable(rules) else '.unbid'}"


def show_dice(rules: RuleChoices) -> object:
    """Return the variant of the sentence about dice that are shown with a bid."""
    return f"{rules.bidding.show_dice}{'.wild' if special_is_wild(rules) else ''}"


def cap(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the highest bid."""
    cap = rules.bidding.cap
    bonus = rules.count.hand_bonus
    if isinstance(cap, c.Cap) and bids_are_about_own_dice(rules):
        return f"{cap}.own"
    return cap if bonus is c.HandBonus.NONE or not isinstance(cap, c.Cap) else f"{cap}.{bonus}"


def wild(rules: RuleChoices) -> object:
    """Return the variant of the sentence about wild dice."""
    wild = rules.wilds.special_is_wild
    return "false.unbid" if not wild and not special_is_biddable(rules) else wild


def needs_natural(rules: RuleChoices) -> object:
    """Return the variant of the sentence about wild dice beside dice of the face itself."""
    needed = "true" if rules.wilds.needs_natural else "false"
    return f"{needed}.own" if bids_are_about_own_dice(rules) else needed


def hand_bonus(rules: RuleChoices) -> object:
    """Return the variant of the sentence about hands that count for more."""
    bonus = rules.count.hand_bonus
    return f"{bonus}.wild" if bonus is c.HandBonus.ALIKE and special_is_wild(rules) else bonus


def worthless(rules: RuleChoices) -> object:
    """Return the variant of the sentence about hands that count for nothing."""
    choice = rules.count.all_different
    return f"{choice}.wild" if special_is_wild(rules) else choice


def reveal(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the count."""
    wild = special_is_wild(rules)
    if has_pure_bids(rules):
        return "true.pure"
    if c.SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by:
        return "true.count"
    return "true.always" if wild and not rules.wilds.suspended_by else wild


def wild_and_biddable(rules: RuleChoices) -> bool:
    """Return whether the special face is wild and may be bid."""
    return special_is_wild(rules) and special_is_biddable(rules)


def only_the_opening_suspends(rules: RuleChoices) -> bool:
    """Return whether an opening bid on the special face ends its wildness, but no later bid does."""
    reasons = rules.wilds.suspended_by
    return c.SuspendedBy.OPENING_BID_ON_SPECIAL in reasons and c.SuspendedBy.ANY_BID_ON_SPECIAL not in reasons
