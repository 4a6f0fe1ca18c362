"""Which fields of a ruleset have a meaning under the rest of its rules.

A field such as `bidding.to_special` changes nothing unless bids on the special face convert. The rulebook says nothing
about a field that does not apply, the rule form does not offer it, and a patch resets it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from liarsdice.core.rules import choices as c
from liarsdice.core.rules import loss_choices as lc
from liarsdice.core.rules.double_answers import DoubleAnswers
from liarsdice.core.rules.lives import has_lives, lives_are_limited
from liarsdice.core.rules.parts import RuleChoices, find_penalty
from liarsdice.core.rules.visibility import Visibility

Condition = Callable[[RuleChoices], bool]


def has_exact_call(rules: RuleChoices) -> bool:
    """Return whether the rules have the exact call."""
    return rules.exact_call is not None


def has_special_round(rules: RuleChoices) -> bool:
    """Return whether the rules have special rounds."""
    return rules.special_round is not None


def dice_are_hidden(rules: RuleChoices) -> bool:
    """Return whether some players do not see their own dice in special rounds."""
    return rules.special_round is not None and isinstance(rules.special_round.visibility, Visibility)


def special_round_follows_loss(rules: RuleChoices) -> bool:
    """Return whether a special round follows a call that leaves a player with one die, and not an opening with one."""
    return rules.special_round is not None and rules.special_round.trigger is c.SpecialTrigger.LOSES_DOWN_TO_ONE


def special_round_is_declared(rules: RuleChoices) -> bool:
    """Return whether the player who opens a round with one die may declare it special."""
    return rules.special_round is not None and rules.special_round.trigger is c.SpecialTrigger.DECLARED


def kind_is_chosen(rules: RuleChoices) -> bool:
    """Return whether the opener of a special round chooses which kind it is, before anybody looks at dice."""
    return rules.special_round is not None and rules.special_round.visibility is Visibility.CHOSEN


def has_penalties(rules: RuleChoices) -> bool:
    """Return whether the rules have house penalties."""
    return bool(rules.penalties)


def punishes_offences(rules: RuleChoices) -> bool:
    """Return whether there is a penalty for what the table names itself."""
    return find_penalty(rules.penalties, c.PenaltyTrigger.COMMITS_OFFENCE) is not None


def special_is_biddable(rules: RuleChoices) -> bool:
    """Return whether the special face may be bid."""
    return rules.bidding.special_rank is not c.SpecialRank.NOT_BIDDABLE


def special_may_open(rules: RuleChoices) -> bool:
    """Return whether a round may open with a bid on the special face, if only a special round."""
    return special_is_biddable(rules) and rules.bidding.special_may_open is not False


def special_converts(rules: RuleChoices) -> bool:
    """Return whether bids on the special face are compared with others by a conversion of the quantity."""
    return rules.bidding.special_rank is c.SpecialRank.CONVERT


def bids_are_about_own_dice(rules: RuleChoices) -> bool:
    """Return whether a bid is about the bidder's own dice alone."""
    return rules.count.scope is c.CountScope.BIDDER


def dice_differ_by_seat(rules: RuleChoices) -> bool:
    """Return whether the dice of some seats have fewer faces than those of others."""
    return isinstance(rules.dice.faces_by_seat, tuple)


def has_pure_bids(rules: RuleChoices) -> bool:
    """Return whether bids may be pure, without wild dice."""
    return isinstance(rules.bidding.to_pure, c.ToPure)


def may_show_dice(rules: RuleChoices) -> bool:
    """Return whether bidders may put dice in the open and roll the others again."""
    return isinstance(rules.bidding.show_dice, c.ShowDice)


def has_passes(rules: RuleChoices) -> bool:
    """Return whether players may pass with some hands."""
    return isinstance(rules.bidding.pass_with, tuple)


def _dice_for_passes_vary(rules: RuleChoices) -> bool:
    """Return whether players can have too few dice for a pass; in games for lives everybody keeps all dice."""
    return has_passes(rules) and not has_lives(rules)


def has_face_off(rules: RuleChoices) -> bool:
    """Return whether two players with one die each bid on the sum of both dice."""
    return isinstance(rules.bidding.face_off, c.FaceOff)


def special_is_wild(rules: RuleChoices) -> bool:
    """Return whether the special face counts as every face."""
    return rules.wilds.special_is_wild


def starter_is_rolled_for(rules: RuleChoices) -> bool:
    """Return whether the players roll for the first start."""
    return rules.first_starter.method is c.StarterMethod.HIGH_ROLL


def starter_may_reverse(rules: RuleChoices) -> bool:
    """Return whether the starter of a round may turn the direction of play."""
    return rules.turn.starter_may_reverse


def has_double_challenge(rules: RuleChoices) -> bool:
    """Return whether challenges can be for twice the stake."""
    return isinstance(rules.challenge.double, c.WhoCalls)


def doubles_are_answered(rules: RuleChoices) -> bool:
    """Return whether a challenge for twice the stake is answered before the dice are shown."""
    return has_double_challenge(rules) and isinstance(rules.challenge.answers, DoubleAnswers)


def may_fold(rules: RuleChoices) -> bool:
    """Return whether a challenge for twice the stake can be folded, so that nobody shows any dice."""
    return has_double_challenge(rules) and rules.challenge.answers is DoubleAnswers.REDOUBLE_OR_FOLD


def several_may_call(rules: RuleChoices) -> bool:
    """Return whether several players may make the same call at once."""
    double_out_of_turn = rules.challenge.double is c.WhoCalls.ANYONE_BUT_BIDDER
    return challenges_out_of_turn(rules) or double_out_of_turn or exact_calls_out_of_turn(rules)


def exact_calls_out_of_turn(rules: RuleChoices) -> bool:
    """Return whether players may call exact out of turn."""
    return rules.exact_call is not None and rules.exact_call.who is not c.WhoCallsExact.NEXT_PLAYER


def challenges_out_of_turn(rules: RuleChoices) -> bool:
    """Return whether players may challenge out of turn."""
    return rules.challenge.who is c.WhoCalls.ANYONE_BUT_BIDDER


def face_is_locked(rules: RuleChoices) -> bool:
    """Return whether special rounds lock the face of the opening bid."""
    return rules.special_round is not None and rules.special_round.face_locked


_MAY_BE_OUT = (c.NextStarter.LOSER, c.NextStarter.CALLER, c.NextStarter.BIDDER)


def _exact_call_gains(rules: RuleChoices) -> bool:
    return rules.exact_call is not None and rules.exact_call.success_gain > 0


def _exact_call_gain_is_capped(rules: RuleChoices) -> bool:
    return rules.exact_call is not None and rules.exact_call.gain_cap is not None


def rounds_follow_eliminations(rules: RuleChoices) -> bool:
    """Return whether a match goes on after a player is out, if several are left."""
    return rules.end is c.MatchEnd.LAST_PLAYER_WITH_DICE and players_may_be_out(rules)


def players_may_be_out(rules: RuleChoices) -> bool:
    """Return whether players can lose all that they have."""
    return lives_are_limited(rules) or not has_lives(rules)


def _starter_may_be_out(rules: RuleChoices) -> bool:
    return rounds_follow_eliminations(rules) and rules.next_starter.rule in _MAY_BE_OUT


def _exact_call_starter_may_be_out(rules: RuleChoices) -> bool:
    call = rules.exact_call
    return rounds_follow_eliminations(rules) and call is not None and call.next_starter in _MAY_BE_OUT


def _has_exact_call_and_special_round(rules: RuleChoices) -> bool:
    return has_exact_call(rules) and has_special_round(rules)


def _loss_is_fixed(rules: RuleChoices) -> bool:
    return rules.loss.mode is lc.LossMode.FIXED


def _loss_is_the_difference(rules: RuleChoices) -> bool:
    return rules.loss.mode is lc.LossMode.DIFFERENCE


def _dice_are_lost(rules: RuleChoices) -> bool:
    return not has_lives(rules)


def _always(_: RuleChoices) -> bool:
    return True


CONDITIONS: Mapping[str, Condition] = {
    "first_starter.dice": starter_is_rolled_for,
    "first_starter.tie": starter_is_rolled_for,
    "turn.reversal_persists": starter_may_reverse,
    "bidding.to_special": special_converts,
    "bidding.from_special": special_converts,
    "bidding.special_may_open": special_is_biddable,
    "bidding.to_pure": special_is_wild,
    "bidding.from_pure": has_pure_bids,
    "bidding.min_open_pure": has_pure_bids,
    "bidding.min_open_special": special_may_open,
    "bidding.pass_dice": _dice_for_passes_vary,
    "wilds.suspended_by": special_is_wild,
    "wilds.needs_natural": special_is_wild,
    "challenge.tie_break": several_may_call,
    "challenge.answers": has_double_challenge,
    "loss.fixed": _loss_is_fixed,
    "loss.exact": _loss_is_the_difference,
    "loss.out_of_turn_factor": challenges_out_of_turn,
    "loss.overflow": players_may_be_out,
    "loss.tally": lives_are_limited,
    "loss.out_below": _dice_are_lost,
    "exact_call.who": has_exact_call,
    "exact_call.success_gain": has_exact_call,
    "exact_call.gain_cap": _exact_call_gains,
    "exact_call.at_cap": _exact_call_gain_is_capped,
    "exact_call.failure_loss": has_exact_call,
    "exact_call.bidder_loss": has_exact_call,
    "exact_call.others_loss": has_exact_call,
    "exact_call.min_players": has_exact_call,
    "exact_call.in_special_round": _has_exact_call_and_special_round,
    "exact_call.next_starter": has_exact_call,
    "exact_call.if_eliminated": _exact_call_starter_may_be_out,
    "exact_call.budget": has_exact_call,
    "exact_call.min_dice": has_exact_call,
    "next_starter.if_eliminated": _starter_may_be_out,
    "special_round.trigger": has_special_round,
    "special_round.repeat": has_special_round,
    "special_round.face_locked": has_special_round,
    "special_round.lock_exempt": face_is_locked,
    "special_round.min_players": has_special_round,
    "special_round.visibility": has_special_round,
    "penalty_timing": has_penalties,
    "end": players_may_be_out,
    "labels.exact": has_exact_call,
    "labels.special_round": has_special_round,
    "labels.lives": has_lives,
    "labels.offences": punishes_offences,
}
"""The condition of every field that does not always apply, by path, in the order of the fields."""


def condition(path: str) -> Condition:
    """Return the function that says whether the field at `path` applies under given rules."""
    return CONDITIONS.get(path, _always)


def field_applies(rules: RuleChoices, path: str) -> bool:
    """Return whether the field at `path` has a meaning under these rules.

    >>> from liarsdice.core.rules.presets import preset
    >>> field_applies(preset("basic").ruleset, "bidding.to_special")
    False
    """
    return condition(path)(rules)


def suspension_can_happen(rules: RuleChoices, reason: c.SuspendedBy) -> bool:
    """Return whether the event that would end wildness for a round can happen under these rules."""
    may_open, special_rounds = rules.bidding.special_may_open, has_special_round(rules)
    match reason:
        case c.SuspendedBy.SPECIAL_ROUND:
            return special_rounds
        case c.SuspendedBy.OPENING_BID_ON_SPECIAL:
            return may_open is not False and (special_rounds or may_open is not c.SpecialOpening.SPECIAL_ROUND_ONLY)
        case c.SuspendedBy.ANY_BID_ON_SPECIAL:
            return special_is_biddable(rules)
        case c.SuspendedBy.OPENING_CHALLENGE:
            return True
