"""What rules may cost, and which rules are simulated, solved or approximated, with the reason if they are not.

Every limit on sizes of rules at a server is here: others share its processor. Time and memory of a move, an update, a
chart and odds grow with the number of bids, and that of a check with the square of the faces.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from liarsdice.core.errors import CostlyRulesError, UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY, max_quantity
from liarsdice.core.rules.bids import face_order, may_be_pure
from liarsdice.core.rules.choices import Destination, GainCap
from liarsdice.core.rules.meaning import (
    all_rounds_are_hidden,
    ante_of,
    bids_are_about_own_dice,
    dice_are_hidden,
    dice_differ_by_seat,
    exact_claim,
    has_face_off,
    has_lives,
    has_passes,
    has_pure_bids,
    least_dice,
    may_show_dice,
    pass_hands,
    rounds_follow_eliminations,
    sheds,
    special_round_follows_loss,
)
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import ProblemCode, RulesetProblem

MAX_FACES = 20
"""Dice with more faces are rare."""
MAX_DICE_EACH = 20
"""Twice the dice of a usual game."""
MAX_DICE = 200
"""Twenty players with ten dice each, those included that exact calls can win."""
MAX_BIDS = 12_000
"""Dice with six faces, pure bids and no limit on quantities (`UNCAPPED_QUANTITY`) are 11,000 bids."""
MAX_BIDS_A_ROUND = 2_000
"""Every update has the bids of the round."""
MAX_DICE_WITH_ODDS = 100
"""Twenty players with five dice each."""
MAX_BIDS_WITH_ODDS = 1_200
"""The bids on that many dice with six faces, pure ones included."""
MAX_SIMULATED_DICE = 60
"""Of a match that is reviewed or simulated: ten players with six dice each. Beliefs about more dice take seconds."""
MAX_DECISIONS = 2_000
"""Of a match that is reviewed."""


def most_dice(rules: Ruleset, dice: tuple[int, ...]) -> int:
    """Return the most dice that can ever be on the table, exact calls that win dice included.

    `dice`: the number of dice of each seat at the start.
    """
    call = rules.exact_call
    if call is None or call.success_gain == 0 or has_lives(rules) or sheds(rules):
        return sum(dice)
    if call.gain_cap is GainCap.STARTING_DICE and rules.loss.destination is Destination.DISCARD:
        return sum(max(held, rules.dice.per_player) for held in dice if held)
    rounds = rules.guards.max_rounds
    calls = len(dice) * call.budget if call.budget is not None else rounds
    assert calls is not None, "the validator asks for a limit"
    return sum(dice) + call.success_gain * (calls if rounds is None else min(calls, rounds))


def find_costs(rules: Ruleset, seats: int) -> Iterator[RulesetProblem]:
    """Yield what would make a table with so many seats cost more than the limits of this module."""
    yield from _find_sizes(rules.dice.faces, rules.dice.per_player)
    dice = most_dice(rules, (rules.dice.per_player,) * seats)
    if dice > MAX_DICE:
        yield RulesetProblem(ProblemCode.TOO_MANY_DICE, {"dice": dice, "most": MAX_DICE})
    faces = face_order(rules)
    kinds = len(faces) + sum(may_be_pure(rules, face) for face in faces)
    bids = kinds * (max_quantity(rules, (dice,)) or UNCAPPED_QUANTITY)
    if bids > MAX_BIDS:
        yield RulesetProblem(ProblemCode.TOO_MANY_BIDS, {"bids": bids, "most": MAX_BIDS, "cap": MAX_BIDS // kinds})
    in_round = min(bids, rules.guards.max_bids_per_round or bids)
    if in_round > MAX_BIDS_A_ROUND:
        yield RulesetProblem(ProblemCode.TOO_LONG_ROUNDS, {"bids": in_round, "most": MAX_BIDS_A_ROUND})


def check_costs(rules: Ruleset, seats: int) -> None:
    """Raise `CostlyRulesError` for the first of `find_costs`: it names the limit, and the fields that lower the cost.

    >>> check_costs(Ruleset(), 10)
    """
    _refuse(find_costs(rules, seats))


def check_simulation(rules: Ruleset, seats: int, decisions: int = 0) -> None:
    """Raise `CostlyRulesError` if a match has more faces, dice or decisions than those reviewed and simulated."""
    for what, number, most in (
        ("faces", rules.dice.faces, MAX_FACES),
        ("dice", seats * rules.dice.per_player, MAX_SIMULATED_DICE),
        ("decisions", decisions, MAX_DECISIONS),
    ):
        if number > most:
            raise CostlyRulesError(f"a match to review or simulate has at most {most:,} {what} here, not {number:,}")


def check_sizes(faces: int, dice_per_player: int) -> None:
    """Raise `CostlyRulesError` if dice have more faces, or players more dice, than at any table here.

    `check_costs` does so, too, but its rules must have been checked, which takes longer the more faces there are.
    """
    _refuse(_find_sizes(faces, dice_per_player))


def _find_sizes(faces: int, dice_per_player: int) -> Iterator[RulesetProblem]:
    for path, value, most in (("dice.faces", faces, MAX_FACES), ("dice.per_player", dice_per_player, MAX_DICE_EACH)):
        if value > most:
            yield RulesetProblem(ProblemCode.TOO_HIGH, {"path": path, "value": value, "most": most})


def _refuse(problems: Iterator[RulesetProblem]) -> None:
    for problem in problems:
        raise CostlyRulesError(f"{problem} at a table of this server")


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
    if ante_of(rules):
        yield f"rounds have no pot (loss.ante is {rules.loss.ante})"
    if dice_differ_by_seat(rules):
        yield f"all dice have as many faces (dice.faces_by_seat is {rules.dice.faces_by_seat})"
    if all_rounds_are_hidden(rules):
        yield f"players see their own dice (dice.visibility is {rules.dice.visibility})"
    if may_show_dice(rules):
        yield f"no bidder shows dice (bidding.show_dice is {rules.bidding.show_dice})"
    if has_passes(rules):
        hands = ", ".join(map(str, pass_hands(rules)))
        yield f"nobody passes (bidding.pass_with is {hands})"
    if has_face_off(rules):
        yield f"no bid is on the sum of the dice (bidding.face_off is {rules.bidding.face_off})"
    yield from _unreviewed_conditions(rules)
    if (claim := exact_claim(rules)) is not None:
        yield f"nobody claims that a bid is exact (exact_call.claim is {claim})"


def _unreviewed_conditions(rules: RuleChoices) -> Iterator[str]:
    if rules.count.all_different is c.AllDifferent.MAY_ROLL_AGAIN:
        yield f"nobody may roll a hand again (count.all_different is {rules.count.all_different})"


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
    if rules.dice.double:
        yield f"each die counts once (dice.double is {rules.dice.double})"
    if rules.count.hand_bonus is c.HandBonus.STAIRS_IN_ORDER:
        yield f"the order of the dice of a hand does not matter (count.hand_bonus is {rules.count.hand_bonus})"


def _unlearned_conditions(rules: RuleChoices) -> Iterator[str]:
    """Yield the conditions under which networks and blueprints were trained, beside those of the simulator."""
    if sheds(rules):
        yield f"the loser of a round loses dice (loss.shed_by is {rules.loss.shed_by})"


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
        and isinstance(exact.min_dice, c.MinDice)
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


def require_reviewed(rules: RuleChoices) -> None:
    """Raise `UnavailableError` if decisions by these rules are not reviewed: whose own dice decide what is legal."""
    _require(_unreviewed_conditions(rules), "a match is reviewed")


def require_simulated(rules: RuleChoices, activity: str) -> None:
    """Raise `UnavailableError` if the simulator does not know these rules.

    `activity` says what is possible only under rules that it knows.
    """
    _require(_missing_conditions(rules), activity)


def is_learned(rules: RuleChoices) -> bool:
    """Return whether networks tell what states are worth: under rules that are simulated, and where losers lose dice.

    >>> from liarsdice.core.rules.presets import preset
    >>> is_learned(preset("perudo").ruleset)
    True
    """
    return is_simulated(rules) and not sheds(rules)


def require_learned(rules: RuleChoices, activity: str) -> None:
    """Raise `UnavailableError` unless `is_learned`. `activity` says what is possible only under such rules."""
    _require(chain(_unlearned_conditions(rules), _missing_conditions(rules)), activity)


def require_solved(rules: RuleChoices, activity: str) -> None:
    """Raise `UnavailableError` if the solver does not know the rules of two players.

    >>> from liarsdice.core.rules.presets import preset
    >>> require_solved(preset("cacho").ruleset, "rounds are solved")  # what it lacks needs a third player
    """
    _require(chain(_unsolved_conditions(rules), _conditions_of_many(rules, players=2)), activity)


def require_approximated(rules: RuleChoices, activity: str) -> None:
    """Raise `UnavailableError` if blueprints and what measures bots in rounds do not know the rules of two players.

    They know less than the solver: losers lose dice, no call doubles the stake, and no hand is rolled again.
    """
    known_by_both = (_unsolved_conditions(rules), _conditions_of_many(rules, players=2))
    conditions = (_unlearned_conditions(rules), _conditions_of_stakes(rules), *known_by_both)
    _require(chain.from_iterable(conditions), activity)


def _require(conditions: Iterable[str], activity: str) -> None:
    condition = next(iter(conditions), None)
    if condition is not None:
        raise UnavailableError(f"{activity} only where {condition}")
