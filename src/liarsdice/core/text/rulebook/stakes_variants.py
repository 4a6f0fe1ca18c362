"""How sentences of the rulebook vary with what losses cost: dice, lives, or lives that are counted upwards."""

from __future__ import annotations

from collections.abc import Callable

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.meaning import (
    counts_taken,
    has_lives,
    kind_is_chosen,
    least_dice,
    special_round_follows_loss,
    special_round_is_declared,
)
from liarsdice.core.rules.overlay import field_value
from liarsdice.core.rules.parts import RuleChoices


def round_roll(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the roll of a round."""
    if rules.guards.max_rounds == 1:
        return "one_round"
    return "lives" if has_lives(rules) else ""


def for_lives(path: str) -> Callable[[RuleChoices], object]:
    """Return the variant of a field that is stated in other words if losses cost lives, or if those are counted up."""

    def variant(rules: RuleChoices) -> object:
        kind = ".taken" if counts_taken(rules) else ".lives" if has_lives(rules) else ""
        return f"{field_value(rules, path)}{kind}"

    return variant


def for_taken(path: str, own_number: int | None = None) -> Callable[[RuleChoices], object]:
    """Return the variant of a field that is stated in other words if lives are counted as they are taken.

    `own_number`: the number that has a sentence of its own.
    """

    def variant(rules: RuleChoices) -> object:
        value = field_value(rules, path)
        if not counts_taken(rules) or value is None or value is c.LivesLimit.UNLIMITED:
            return value
        return f"{'#' if isinstance(value, int) and value != own_number else value}.taken"

    return variant


def end(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the end, which differs with what puts a player out."""
    return f"{rules.end}.below" if least_dice(rules) > 1 else for_taken("end")(rules)


def taken(rules: RuleChoices) -> object:
    """Return the variant of a sentence that is in other words if lives are counted as they are taken."""
    return "taken" if counts_taken(rules) else ""


def penalty_timing(rules: RuleChoices) -> object:
    """Return the variant of the sentence about when penalties are paid."""
    timing = rules.penalty_timing
    return f"{timing}.lives" if timing is c.PenaltyTiming.IMMEDIATE and has_lives(rules) else timing


def special_round_repeat(rules: RuleChoices) -> object:
    """Return the variant of the sentence about how often one player may have a special round."""
    repeat = field_value(rules, "special_round.repeat")
    return f"{repeat}.declared" if special_round_is_declared(rules) else repeat


def special_round_trigger(rules: RuleChoices) -> object:
    """Return the variant of the sentence about what brings a special round."""
    trigger = field_value(rules, "special_round.trigger")
    chosen = special_round_is_declared(rules) and kind_is_chosen(rules)
    return f"{trigger}{'.chosen' if chosen else ''}{'.taken' if counts_taken(rules) else ''}"


def max_rounds(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the number of rounds, which alone ends a match of unlimited lives."""
    most, lives = rules.guards.max_rounds, rules.loss.lives
    if lives is c.LivesLimit.UNLIMITED and most is not None and most > 1:
        return "#.unlimited"
    return for_taken("guards.max_rounds", 1)(rules)


def special_round_visibility(rules: RuleChoices) -> object:
    """Return the variant of the sentence about which dice players see in a special round."""
    visibility = field_value(rules, "special_round.visibility")
    return f"{visibility}.declared" if kind_is_chosen(rules) and special_round_is_declared(rules) else visibility


def penalties_and_special_round(rules: RuleChoices) -> object:
    """Return the variant of the sentence about penalties that bring no special round."""
    return taken(rules) if special_round_follows_loss(rules) else "between"


def discard_shows_dice_left(rules: RuleChoices) -> bool:
    """Return whether the discarded dice show how many are left, where asking for that is penalised."""
    penalises_dice_left = any(penalty.trigger is c.PenaltyTrigger.ASKS_DICE_LEFT for penalty in rules.penalties)
    return penalises_dice_left and not has_lives(rules) and rules.loss.destination is c.Destination.DISCARD
