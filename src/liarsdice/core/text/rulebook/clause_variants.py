"""What the clauses of the rulebook compute: whether they are stated, and which of their sentences."""

from __future__ import annotations

import re

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.meaning import (
    dice_are_hidden,
    has_exact_call,
    has_passes,
    has_penalties,
    has_special_round,
    special_is_biddable,
    special_is_wild,
    special_round_follows_loss,
    special_round_is_declared,
)
from liarsdice.core.rules.parts import ExactCall, RuleChoices
from liarsdice.core.text.rulebook.placeholders import example_raises


def has_one_round(rules: RuleChoices) -> bool:
    """Return whether a match has one round only."""
    return rules.guards.max_rounds == 1


def player_limit(rules: RuleChoices) -> object:
    """Return which sentence states the number of players, or the largest number."""
    players = rules.players
    if players.max is None and players.per_set:
        return "none.set" if players.per_set != players.min else "none.set_as_min"
    return "as_min" if players.max == players.min else players.max


def raise_examples(rules: RuleChoices) -> object:
    """Return whether examples of raises include one to a lower bid on a higher face."""
    higher, lower = example_raises(rules)
    return "both" if higher and lower else "higher"


def on_exact(rules: RuleChoices) -> object:
    """Return who pays for a challenge of an exact bid, and how much if that is not fixed."""
    mode, payer = rules.loss.mode, rules.loss.on_exact
    return payer if mode is c.LossMode.FIXED else f"{payer}.{mode}"


def exact_call_of(rules: RuleChoices) -> ExactCall:
    """Return the exact call of rules that have one."""
    assert rules.exact_call is not None
    return rules.exact_call


def exact_min_players(rules: RuleChoices) -> object:
    """Return the least number of players for the exact call; two need a sentence only out of turn."""
    exact = exact_call_of(rules)
    out_of_turn = exact.who is c.WhoCallsExact.OUT_OF_TURN
    return "2.out_of_turn" if out_of_turn and exact.min_players == 2 else exact.min_players


def choices_on_turn(rules: RuleChoices) -> object:
    """Return how many kinds of moves a player on turn chooses from."""
    exact = rules.exact_call
    count = "two" if exact is None or exact.who is c.WhoCallsExact.OUT_OF_TURN else "three"
    return f"{count}.pass" if has_passes(rules) else count


def may_reverse(rules: RuleChoices) -> object:
    """Return the variant of the sentence about who may change the direction, and what that player looks at before."""
    allowed = rules.turn.starter_may_reverse
    return "true.hidden" if allowed and dice_are_hidden(rules) else allowed


def goes_on(rules: RuleChoices) -> object:
    """Return the variant of the sentence about what follows a move."""
    return "pass" if has_passes(rules) else ""


def passes_cost_no_difference(rules: RuleChoices) -> bool:
    """Return whether a doubted pass costs a number that the rules name, and not a difference."""
    return has_passes(rules) and rules.loss.mode is c.LossMode.DIFFERENCE


def others_loss(rules: RuleChoices) -> object:
    """Return what an exact call that is right costs the others, or that it costs the bidder alone."""
    exact = exact_call_of(rules)
    return "0.bidder" if not exact.others_loss and exact.bidder_loss else exact.others_loss


def bidder_loss(rules: RuleChoices) -> object:
    """Return what an exact call that is right costs the bidder, on top of what it costs the others."""
    exact = exact_call_of(rules)
    suffix = ".others" if exact.others_loss else ""
    return f"{exact.bidder_loss if not exact.bidder_loss else '#'}{suffix}"


def several_may_come_down_to_one(rules: RuleChoices) -> bool:
    """Return whether several players can come down to one die in one round."""
    several_lose = rules.loss.on_exact is c.OnExact.ALL_BUT_BIDDER
    return special_round_follows_loss(rules) and (
        several_lose or (has_exact_call(rules) and exact_call_of(rules).others_loss > 0)
    )


def special_rank_is_stated(rules: RuleChoices) -> bool:
    """Return True; read `special_may_open` for a face that cannot be bid, as the sentence then stands for both."""
    return special_is_biddable(rules) or rules.bidding.special_may_open is False


def wild_in_special_rounds(rules: RuleChoices) -> bool:
    """Return whether special dice stay wild in special rounds."""
    suspended = c.SuspendedBy.SPECIAL_ROUND in rules.wilds.suspended_by
    return special_is_wild(rules) and has_special_round(rules) and not suspended


def is_mustache_round(rules: RuleChoices) -> bool:
    """Return whether a special round has the name that rule sheet 003 gives it, in either spelling."""
    return has_special_round(rules) and re.search("mo?ustache", rules.labels.special_round, re.IGNORECASE) is not None


def penalties_bring_no_special_round(rules: RuleChoices) -> bool:
    """Return whether some penalties leave a player with one die but bring no special round."""
    between_rounds = rules.penalty_timing is c.PenaltyTiming.IMMEDIATE
    by_opening = between_rounds and not special_round_is_declared(rules)
    return has_penalties(rules) and has_special_round(rules) and (special_round_follows_loss(rules) or by_opening)


def special_round_without_next(rules: RuleChoices) -> bool:
    """Return whether rules have a special round that no round can follow."""
    return has_special_round(rules) and has_one_round(rules)
