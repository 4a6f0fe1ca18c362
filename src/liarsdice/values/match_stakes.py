"""What the ends of a round of two players are worth in the match, by the solved rounds that may follow.

A round that can end in two ways only is played alike for the match and for the dice that it costs: then the value in
the match is the value in dice, shifted and scaled. Rules differ where a call may cost several dice, or who called and
who bid may lose different numbers of them.
"""

from __future__ import annotations

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.game.round_game import RoundGame, RoundStart, dice_lost_values
from liarsdice.solve.match_solver import MatchSolver, RoundValues, ValueInterval, make_match_plan, outcome_values
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.values.endgames import ENDGAME_DICE, solved_round

TARGET = 1e-3
"""How near the values of rounds are solved that the package has not solved."""
TWO_WAYS = 2


def match_values(game: RoundGame) -> FloatArray:
    """Return what each outcome of a round is worth to seat 0 in the match, float64 [outcome], from -1 to 1.

    The worst outcome is worth -1 and the best 1. Raises `UnavailableError` if the round can end in more than two ways
    and may lead to one of more than `ENDGAME_DICE` dice, whose value is not known.
    """
    values = dice_lost_values(game) if len(game.outcomes) <= TWO_WAYS else values_by_successors(game)
    low, high = values.min(), values.max()
    return 2 * (values - low) / (high - low) - 1 if low < high else values


def values_by_successors(game: RoundGame) -> FloatArray:
    """Return the share of the match that seat 0 wins after each outcome less that of seat 1, float64 [outcome].

    Raises `UnavailableError` as `match_values` does, also for a round that can end in two ways.
    """
    strategy = solved_round(game.rules, game.start)
    if strategy is not None:
        return strategy.tree.outcome_values
    starts = [outcome.next_start for outcome in game.outcomes if outcome.next_start is not None]
    known = round_values(game.rules, {start.with_seat_0_opening() for start in starts})
    low, high = outcome_values(game.outcomes, known)
    middle: FloatArray = (low + high) / 2
    return middle


def round_values(rules: Ruleset, starts: set[RoundStart]) -> RoundValues:
    """Return the values of rounds that seat 0 opens: as the package has solved them, or solved now.

    Raises `UnavailableError` for a round of more than `ENDGAME_DICE` dice.
    """
    values: RoundValues = {}
    for start in sorted(starts, key=str):
        if sum(start.dice) > ENDGAME_DICE:
            raise UnavailableError(
                f"the value of the match is known where at most {ENDGAME_DICE} dice are left, not for {start}"
            )
        strategy = solved_round(rules, start)
        if strategy is not None:
            values[start] = ValueInterval(strategy.bounds.low, strategy.bounds.high)
        else:
            solver = MatchSolver(make_match_plan(rules, start), Method.DCFR, TARGET)
            solver.run()
            values |= solver.values
    return values
