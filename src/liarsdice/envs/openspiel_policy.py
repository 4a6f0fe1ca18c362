"""Solved strategies as policies of the game `python_liarsdice` of OpenSpiel."""

from __future__ import annotations

from typing import Any

from liarsdice.core.errors import UnavailableError
from liarsdice.envs.match_tree import first_node
from liarsdice.envs.openspiel import LiarsDiceGame
from liarsdice.runtime.optional_dependencies import import_optional
from liarsdice.solve.strategy.openspiel_policy import answer_or_challenge
from liarsdice.solve.strategy.strategy import Strategy, same_round_rules


def strategy_policy(game: LiarsDiceGame, strategy: Strategy) -> Any:  # noqa: ANN401  OpenSpiel has no types
    """Return a solved strategy as an `open_spiel.python.policy.TabularPolicy` of a match of one round.

    Where no player comes who plays to win, the policy challenges. Raises `UnavailableError` if the strategy is about
    another round, and without OpenSpiel.
    """
    node = first_node(game.game)
    rules = node.state.ruleset
    if (
        rules.guards.max_rounds != 1
        or strategy.start.dice != node.state.dice
        or not same_round_rules(strategy.tree.game.rules, rules)
    ):
        raise UnavailableError(f"the strategy is about {strategy.start}, and not about the only round of {game}")
    policies = import_optional("open_spiel.python.policy", "research", "a policy of OpenSpiel needs it")
    policy = policies.TabularPolicy(game)
    policy.action_probability_array[:] = 0
    for index, state in enumerate(policy.states):
        hand, bids = state.node.view(state.node.seat).hand, [bid for _, bid in state.node.state.bids]
        for action, probability in answer_or_challenge(strategy, hand, bids).items():
            policy.action_probability_array[index, game.game.action_id(action)] = probability
    return policy
