"""The game `python_liarsdice` of OpenSpiel: a match by rules that are simulated. Importing it registers it.

Its parameters are `rules` (a name or a file), `seats` and `dice` (of each player at the start, 0 for what the rules
say). Chance rolls one die at a time, seat after seat, and seat 0 opens the match. Actions are numbered as in all
environments. Under the rules `openspiel` with two seats the tree is that of OpenSpiel's `liars_dice`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.public_api import import_optional
from liarsdice.sim import array_schema as schema
from liarsdice.solve.strategy.export import answer_or_challenge
from liarsdice.solve.strategy.strategy import Strategy, same_round_rules
from liarsdice_lab.envs.layout import Game, make_game, observe_view
from liarsdice_lab.envs.match_tree import MatchNode, first_node

pyspiel: Any = import_optional("pyspiel", "research", "the game of OpenSpiel needs it")

PARAMETERS: dict[str, Any] = {"rules": "perudo", "seats": 2, "dice": 0}
GAME_TYPE = pyspiel.GameType(
    short_name="python_liarsdice",
    long_name="Liar's Dice by many rules",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=100,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)


class LiarsDiceGame(pyspiel.Game):  # type: ignore[misc]
    """A match by rules that are simulated, as a game of OpenSpiel. Raises as `find_rules` and `make_game`."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = PARAMETERS | (params or {})
        rules = find_rules(given["rules"])
        if given["dice"]:
            rules = patched(rules, dice__per_player=given["dice"])
        self.game = make_game(rules, given["seats"])
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.action_count,
            max_chance_outcomes=rules.dice.faces,
            num_players=self.game.rules.seat_count,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=_max_decisions(self.game),
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> LiarsDiceState:
        """Return the start of a match."""
        return LiarsDiceState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> LiarsDiceObserver:  # noqa: ANN401
        """Return an observer of states. Raises `ValueError` for parameters, of which there are none."""
        if params:
            raise ValueError(f"observations have no parameters, not {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return LiarsDiceObserver(self.game, kind)


class LiarsDiceState(pyspiel.State):  # type: ignore[misc]
    """A node of a match as a state of OpenSpiel."""

    def __init__(self, game: LiarsDiceGame) -> None:
        super().__init__(game)
        self.node: MatchNode = first_node(game.game)

    def current_player(self) -> int:
        """Return the seat that acts next, or the ids of chance and of the end."""
        if self.node.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.node.is_rolling else self.node.seat

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal_ids() if player == self.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the faces of a die, from 0, with their probabilities."""
        faces = self.node.legal_ids()
        return [(face, 1 / len(faces)) for face in faces]

    def _apply_action(self, action: int) -> None:
        self.node = self.node.child(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"roll {action + 1}"
        return self.node.game.action_text(action)

    def is_terminal(self) -> bool:
        """Return whether the match has ended."""
        return self.node.is_over

    def returns(self) -> list[float]:
        """Return what each seat gets at the end; zeros before."""
        return self.node.returns()

    def __str__(self) -> str:
        seats = range(len(self.node.state.dice))
        return " | ".join(self.node.information_state(seat, with_past=seat == 0) for seat in seats)


class LiarsDiceObserver:
    """Observes states: `tensor` is a row of `envs.layout`, `dict` its fields, both float32.

    With perfect recall, the text remembers earlier rounds; the tensor is about the current round. Without private
    information, text and tensor are those of a spectator, and the tensor is all 0.
    """

    def __init__(self, game: Game, kind: Any) -> None:  # noqa: ANN401  OpenSpiel has no types
        self.tensor = np.zeros(game.row_size, np.float32)
        self.dict = {field.name: self.tensor[field.start : field.stop].reshape(field.shape) for field in game.fields}
        self._game, self._with_past = game, kind.perfect_recall
        self._is_private = kind.private_info != pyspiel.PrivateInfoType.NONE

    def set_from(self, state: LiarsDiceState, player: int) -> None:
        """Write what a player observes into `tensor`."""
        self.tensor[:] = observe_view(self._game, state.node.view(player)) if self._is_private else 0

    def string_from(self, state: LiarsDiceState, player: int) -> str:
        """Return what a player knows, as text."""
        return state.node.information_state(player if self._is_private else None, with_past=self._with_past)


def _max_decisions(game: Game) -> int:
    """An upper bound of the decisions of a match; a round without limit costs at least one die."""
    rules, params = game.rules, game.rules.arrays.params
    asks = params[schema.ANYONE_MAY_CHALLENGE] + params[schema.ANYONE_MAY_CALL_EXACT] > 0
    in_round = 2 + rules.max_round_bids * (rules.seat_count if asks else 1)
    rounds = rules.ruleset.guards.max_rounds
    return int(in_round * (sum(rules.dice) if rounds is None else rounds))


pyspiel.register_game(GAME_TYPE, LiarsDiceGame)


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
