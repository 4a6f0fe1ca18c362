"""Solved endgames: the strategies of the package for the last rounds of two players, who hold up to three dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import as_file, files

from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.cfr.solver import Method
from liarsdice.solve.game.round_game import RoundGame, RoundStart, dice_lost_values, round_start_of
from liarsdice.solve.match_solver import MatchSolver, RoundValues, ValueInterval, make_match_plan, outcome_values
from liarsdice.solve.strategy.action_values import Action, action_values, safe_answer
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, canonical_rules
from liarsdice.solve.strategy.strategy_file import read_strategies

ENDGAME_ROUNDS = ((1, 1), (2, 1), (1, 2))
"""The solved rounds: the dice of the player who opens, and of the other."""
ENDGAME_DICE = 3
"""The most dice that both players together hold in a solved round."""


def endgame_policy(view: View, dice: int = ENDGAME_DICE) -> ActionProbs | None:
    """Return the solved probability of each action for the player on turn, or None if the position is not solved.

    That is so unless two players hold few dice under the rules of a preset that has a solved endgame, or after a bid
    that the solved strategy never makes. `dice`: as in `endgame_strategy`.
    """
    return endgame_policies(view, [view.hand], dice)[0]


def endgame_policies(view: View, hands: Sequence[Hand], dice: int = ENDGAME_DICE) -> list[ActionProbs | None]:
    """Return what `endgame_policy` returns, with each of these hands in place of the view's own."""
    strategy = endgame_strategy(view, dice)
    bids = [bid for _, bid in view.bids]
    return [None if strategy is None else _covered_probs(strategy, hand, bids) for hand in hands]


def endgame_answer(view: View, dice: int = ENDGAME_DICE) -> ActionProbs | None:
    """Return how likely the player on turn takes each action in a solved round, also after unexpected bids.

    Returns None if the round is not solved. `dice`: as in `endgame_strategy`.
    """
    strategy = endgame_strategy(view, dice)
    if strategy is None:
        return None
    return solved_answer(strategy, view.hand, [bid for _, bid in view.bids])


def solved_answer(strategy: Strategy, hand: Hand, bids: list[Bid]) -> ActionProbs:
    """Return how likely a hand takes each action in a solved round, also after unexpected bids."""
    return _covered_probs(strategy, hand, bids) or safe_answer(strategy, hand, bids)


def _covered_probs(strategy: Strategy, hand: Hand, bids: list[Bid]) -> ActionProbs | None:
    try:
        return strategy.action_probs(hand, bids)
    except UnavailableError:  # the strategy does not cover the bids
        return None


def endgame_values(view: View, hand_probs: Mapping[Hand, float]) -> dict[Action, float] | None:
    """Return the value of each action for the player on turn, as a share of the match (0..1).

    Both players follow the solved strategy from there on. `hand_probs`: the probability of each hand of the opponent.
    Returns None if the round is not solved.
    """
    strategy = endgame_strategy(view)
    if strategy is None:
        return None
    values = action_values(strategy, view.hand, [bid for _, bid in view.bids], hand_probs)
    return {action: (1 + value) / 2 for action, value in values.items()}


def endgame_strategy(view: View, dice: int = ENDGAME_DICE) -> Strategy | None:
    """Return the solved strategy of the round of a view, or None if the round is not solved.

    `dice`: no round is taken in which the two players together hold more dice than this.
    """
    held = [count for count in view.dice if count]
    if (
        len(held) != 2
        or sum(held) > dice
        or view.starter not in {seat for seat, count in enumerate(view.dice) if count}
    ):
        return None
    return solved_round(view.ruleset, round_start_of(view), dice)


def solved_round(rules: Ruleset, start: RoundStart, dice: int = ENDGAME_DICE) -> Strategy | None:
    """Return the solved strategy of a round, or None. `dice`: as in `endgame_strategy`."""
    if sum(start.dice) > dice:
        return None
    name = _solved_presets().get((canonical_rules(rules), start.dice))
    return None if name is None else _read_endgame(name).get(start)


def endgame_file(name: str, dice: tuple[int, int]) -> str:
    """Return the name of the file with the solved rounds of a preset.

    >>> endgame_file("perudo", (1, 1)), endgame_file("perudo", (2, 1))
    ('endgame-perudo.lds', 'endgame-perudo-2v1.lds')
    """
    return f"endgame-{name}.lds" if dice == (1, 1) else f"endgame-{name}-{dice[0]}v{dice[1]}.lds"


@cache
def _solved_presets() -> dict[tuple[Ruleset, tuple[int, int]], str]:
    """Return the names of the files in the package, by the rules and the dice of the rounds that they solve."""
    folder = files("liarsdice.bots") / "models"
    return {
        (canonical_rules(preset(name).ruleset), dice): file
        for name in preset_names()
        for dice in ENDGAME_ROUNDS
        if (folder / (file := endgame_file(name, dice))).is_file()
    }


@cache
def _read_endgame(file: str) -> dict[RoundStart, Strategy]:
    """Return the solved rounds of a file of the package, by how they start; read once per process."""
    with as_file(files("liarsdice.bots") / "models" / file) as path:
        return {strategy.start: strategy for strategy in read_strategies(path).strategies}


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
