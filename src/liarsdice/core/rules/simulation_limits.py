"""Which rules the engine plays but neither the simulator nor the solver knows.

What rests on either refuses them as well: reviews, estimates, and the value network.
"""

from __future__ import annotations

from collections.abc import Iterator

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules import loss_choices as lc
from liarsdice.core.rules.applicability import (
    bids_are_about_own_dice,
    dice_are_hidden,
    dice_differ_by_seat,
    has_face_off,
    has_passes,
    has_pure_bids,
    may_show_dice,
    rounds_follow_eliminations,
    special_round_follows_loss,
)
from liarsdice.core.rules.lives import has_lives, least_dice
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.passes import pass_hands


def missing_condition(rules: RuleChoices) -> str | None:
    """Return what these rules would need to be simulated, with the field that is otherwise; None if they can be.

    >>> from liarsdice.core.rules.presets import preset
    >>> missing_condition(preset("chui-niu+lives").ruleset)
    'losses cost dice (loss.lives is 3)'
    """
    return next(_missing_conditions(rules), None)


def _missing_conditions(rules: RuleChoices) -> Iterator[str]:
    if has_lives(rules):
        yield f"losses cost dice (loss.lives is {rules.loss.lives})"
    if least_dice(rules) > 1:
        yield f"players are in while they have a die (loss.out_below is {rules.loss.out_below})"
    if not rounds_follow_eliminations(rules):
        yield f"the last player with dice wins (end is {rules.end})"
    if rules.count.hand_bonus is c.HandBonus.ALIKE:
        yield f"dice that are all alike count for no more (count.hand_bonus is {rules.count.hand_bonus})"
    if bids_are_about_own_dice(rules):
        yield f"bids are about all dice (count.scope is {rules.count.scope})"
    if dice_differ_by_seat(rules):
        yield f"all dice have as many faces (dice.faces_by_seat is {rules.dice.faces_by_seat})"
    yield from _missing_for_bids(rules)
    if isinstance(rules.challenge.double, c.WhoCalls):
        yield f"no call doubles the stake (challenge.double is {rules.challenge.double})"
    if isinstance(rules.count.all_different, c.AllDifferent):
        yield f"dice that are all different count as others (count.all_different is {rules.count.all_different})"
    special = rules.special_round
    if special is not None and not special_round_follows_loss(rules):
        yield f"special rounds follow the loss of dice (special_round.trigger is {special.trigger})"
    if special is not None and dice_are_hidden(rules):
        yield f"players see their own dice (special_round.visibility is {special.visibility})"
    if isinstance(rules.loss.opening_factor, int):
        yield f"a challenge of the opening bid costs no more (loss.opening_factor is {rules.loss.opening_factor})"
    if c.SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by:
        yield "wild dice count when the opening bid is challenged (wilds.suspended_by has opening_challenge)"
    if rules.exact_call is not None and isinstance(rules.exact_call.min_dice, lc.MinDice):
        yield f"exact calls need no number of dice in play (exact_call.min_dice is {rules.exact_call.min_dice})"


def _missing_for_bids(rules: RuleChoices) -> Iterator[str]:
    if has_pure_bids(rules):
        yield f"no bid is pure (bidding.to_pure is {rules.bidding.to_pure})"
    if rules.bidding.min_open_special:
        least = rules.bidding.min_open_special
        yield f"face {rules.dice.special_face} opens as others do (bidding.min_open_special is {least})"
    if may_show_dice(rules):
        yield f"no bidder shows dice (bidding.show_dice is {rules.bidding.show_dice})"
    if has_passes(rules):
        hands = ", ".join(map(str, pass_hands(rules)))
        yield f"nobody passes (bidding.pass_with is {hands})"
    if has_face_off(rules):
        yield f"no bid is on the sum of the dice (bidding.face_off is {rules.bidding.face_off})"


def is_simulated(rules: RuleChoices) -> bool:
    """Return whether the simulator knows these rules.

    >>> from liarsdice.core.rules.presets import preset
    >>> is_simulated(preset("perudo").ruleset), is_simulated(preset("cacho").ruleset)
    (True, False)
    """
    return missing_condition(rules) is None


def require_simulated(rules: RuleChoices, activity: str) -> None:
    """Raise `UnavailableError` if the simulator does not know these rules.

    `activity` says what is possible only under rules that it knows.
    """
    condition = missing_condition(rules)
    if condition is not None:
        raise UnavailableError(f"{activity} only where {condition}")
