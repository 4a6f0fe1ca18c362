"""What rules may cost where others share the processor: the most faces, dice and bids of a table.

Every limit on sizes of rules at a server is here. Time and memory of a move, an update, a chart and odds grow with the
number of bids, and that of a check with the square of the faces.
"""

from __future__ import annotations

from collections.abc import Iterator

from liarsdice.core.errors import CostlyRulesError
from liarsdice.core.rules.bid_limits import UNCAPPED_QUANTITY, max_quantity
from liarsdice.core.rules.bids import face_order, may_be_pure
from liarsdice.core.rules.lives import has_lives
from liarsdice.core.rules.loss_choices import Destination, GainCap
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_problems import ProblemCode, RulesetProblem

MAX_FACES = 20
"""Dice with more faces are rare."""
MAX_DICE_EACH = 20
"""Twice the dice of a usual game."""
MAX_DICE = 200
"""Ten players with as many dice each, those included that exact calls can win."""
MAX_BIDS = 12_000
"""Dice with six faces, pure bids and no limit on quantities (`UNCAPPED_QUANTITY`) are 11,000 bids."""
MAX_BIDS_A_ROUND = 2_000
"""Every update has the bids of the round."""
MAX_DICE_WITH_ODDS = 100
"""Ten players with ten dice each."""
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
    if call is None or call.success_gain == 0 or has_lives(rules):
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
    """Raise `CostlyRulesError` if a match has more dice or decisions than those that are reviewed and simulated."""
    for what, number, most in (
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
