"""Solved endgames: the strategies of the package for the last rounds of two players, who hold up to three dice."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import as_file, files

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.round_game import RoundStart, round_start_of
from liarsdice.solve.strategy.action_values import Action, action_values, safe_answer
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, two_player_rules
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
    return action_shares(strategy, view.hand, [bid for _, bid in view.bids], hand_probs)


def action_shares(
    strategy: Strategy,
    hand: Hand,
    bids: Sequence[Bid],
    hand_probs: Mapping[Hand, float],
    actions: Collection[Action] | None = None,
) -> dict[Action, float]:
    """Return `action_values` of a solved round of a match as shares of the match (0..1)."""
    values = action_values(strategy, hand, bids, hand_probs, actions)
    return {action: min(max((1 + value) / 2, 0.0), 1.0) for action, value in values.items()}


def endgame_challenge_probs(view: View, hand_probs: Mapping[Hand, float]) -> dict[Bid, float]:
    """Return how likely the opponent is to challenge each legal bid of the player on turn, by the solved strategy.

    `hand_probs`: the probability of each hand of the opponent. Empty if the round is not solved.
    """
    strategy = endgame_strategy(view)
    if strategy is None:
        return {}
    before = [bid for _, bid in view.bids]
    return {
        bid: sum(
            prob * solved_answer(strategy, hand, [*before, bid]).get(Challenge(), 0.0)
            for hand, prob in hand_probs.items()
            if prob
        )
        for bid in view.moves
        if isinstance(bid, Bid)
    }


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
    file = _solved_presets().get(two_player_rules(rules))
    return None if file is None else _read_endgame(file).get(start)


def endgame_file(name: str) -> str:
    """Return the name of the file with the solved rounds of a preset.

    >>> endgame_file("perudo")
    'endgame-perudo.lds'
    """
    return f"endgame-{name}.lds"


@cache
def _solved_presets() -> dict[Ruleset, str]:
    """Return the names of the files in the package, by the rules of the rounds that they solve."""
    folder = files("liarsdice.bots") / "models"
    before, after = endgame_file("*").split("*")
    names = [file.name for file in folder.iterdir() if file.name.startswith(before) and file.name.endswith(after)]
    return {two_player_rules(preset(name[len(before) : -len(after)]).ruleset): name for name in sorted(names)}


@cache
def _read_endgame(file: str) -> dict[RoundStart, Strategy]:
    """Return the solved rounds of a file of the package, by how they start; read once per process."""
    with as_file(files("liarsdice.bots") / "models" / file) as path:
        return {strategy.start: strategy for strategy in read_strategies(path).strategies}
