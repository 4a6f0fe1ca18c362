"""Which rules the engine plays but the simulator does not know, and which of these the solver does not know either.

What rests on the simulator refuses them as well: estimates, the rules lab, and the value network. Reviews leave such
rules to the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

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
    yield from _conditions_of_stakes(rules)
    yield from _unsolved_conditions(rules)
    yield from _conditions_of_counts(rules)
    yield from _conditions_of_many(rules)


def _unsolved_conditions(rules: RuleChoices) -> Iterator[str]:
    """Yield the conditions of the simulator that are conditions of the solver, too."""
    if least_dice(rules) > 1:
        yield f"players are in while they have a die (loss.out_below is {rules.loss.out_below})"
    if dice_differ_by_seat(rules):
        yield f"all dice have as many faces (dice.faces_by_seat is {rules.dice.faces_by_seat})"
    if may_show_dice(rules):
        yield f"no bidder shows dice (bidding.show_dice is {rules.bidding.show_dice})"
    if has_passes(rules):
        hands = ", ".join(map(str, pass_hands(rules)))
        yield f"nobody passes (bidding.pass_with is {hands})"
    if has_face_off(rules):
        yield f"no bid is on the sum of the dice (bidding.face_off is {rules.bidding.face_off})"


def _conditions_of_stakes(rules: RuleChoices) -> Iterator[str]:
    """Yield the conditions on what a loss costs, and on which hands are dealt, that the solver does without."""
    if has_lives(rules):
        yield f"losses cost dice (loss.lives is {rules.loss.lives})"
    if not rounds_follow_eliminations(rules):
        yield f"the last player with dice wins (end is {rules.end})"
    if isinstance(rules.challenge.double, c.WhoCalls):
        yield f"no call doubles the stake (challenge.double is {rules.challenge.double})"
    if rules.count.all_different is c.AllDifferent.ROLLED_AGAIN:
        yield f"dice that are all different count as others (count.all_different is {rules.count.all_different})"


def _conditions_of_counts(rules: RuleChoices) -> Iterator[str]:
    """Yield the further conditions of the simulator on bids and on how they are settled; the solver asks the engine."""
    if rules.count.hand_bonus is c.HandBonus.ALIKE:
        yield f"dice that are all alike count for no more (count.hand_bonus is {rules.count.hand_bonus})"
    if rules.count.all_different is c.AllDifferent.WORTHLESS:
        yield f"dice that are all different count as others (count.all_different is {rules.count.all_different})"
    if bids_are_about_own_dice(rules):
        yield f"bids are about all dice (count.scope is {rules.count.scope})"
    if has_pure_bids(rules):
        yield f"no bid is pure (bidding.to_pure is {rules.bidding.to_pure})"
    if rules.bidding.min_open_special:
        least = rules.bidding.min_open_special
        yield f"face {rules.dice.special_face} opens as others do (bidding.min_open_special is {least})"
    if isinstance(rules.loss.opening_factor, int):
        yield f"a challenge of the opening bid costs no more (loss.opening_factor is {rules.loss.opening_factor})"
    if c.SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by:
        yield "wild dice count when the opening bid is challenged (wilds.suspended_by has opening_challenge)"


def _conditions_of_many(rules: RuleChoices, players: int | None = None) -> Iterator[str]:
    """Yield the conditions on special rounds and exact calls; with `players`, only those that can matter to so many."""
    special, exact = rules.special_round, rules.exact_call
    if special is not None and (players is None or special.min_players <= players):
        if not special_round_follows_loss(rules):
            yield f"special rounds follow the loss of dice (special_round.trigger is {special.trigger})"
        if dice_are_hidden(rules):
            yield f"players see their own dice (special_round.visibility is {special.visibility})"
    if (
        exact is not None
        and isinstance(exact.min_dice, lc.MinDice)
        and (players is None or exact.min_players <= players)
    ):
        yield f"exact calls need no number of dice in play (exact_call.min_dice is {exact.min_dice})"


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
    _require(_missing_conditions(rules), activity)


def require_solved(rules: RuleChoices, activity: str) -> None:
    """Raise `UnavailableError` if the solver does not know the rules of two players.

    >>> from liarsdice.core.rules.presets import preset
    >>> require_solved(preset("cacho").ruleset, "rounds are solved")  # what it lacks needs a third player
    """
    _require(chain(_unsolved_conditions(rules), _conditions_of_many(rules, players=2)), activity)


def require_approximated(rules: RuleChoices, activity: str) -> None:
    """Raise `UnavailableError` if blueprints and what measures bots in rounds do not know the rules of two players.

    They know less than the solver: losses cost dice, no call doubles the stake, and no hand is rolled again.
    """
    conditions = (_conditions_of_stakes(rules), _unsolved_conditions(rules), _conditions_of_many(rules, players=2))
    _require(chain.from_iterable(conditions), activity)


def _require(conditions: Iterable[str], activity: str) -> None:
    condition = next(iter(conditions), None)
    if condition is not None:
        raise UnavailableError(f"{activity} only where {condition}")
