"""A strategy as a policy of OpenSpiel, for its games and its algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.runtime.optional_dependencies import import_optional
from liarsdice.solve.game.round_game import with_faces
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, same_round_rules

NEED = "a policy of OpenSpiel needs it"


def tabular_policy(strategy: Strategy) -> Any:  # noqa: ANN401  OpenSpiel has no types
    """Return a strategy as an `open_spiel.python.policy.TabularPolicy` of OpenSpiel's game `liars_dice`.

    The rules are those of the preset `openspiel`, with any number of faces and as many dice for both players. Where no
    player comes who plays to win, and in a pruned strategy none who follows it, the policy challenges. Raises
    `UnavailableError` for other rules, and without OpenSpiel.
    """
    rules, (dice, other_dice) = strategy.tree.game.rules, strategy.start.dice
    faces = rules.dice.faces
    if dice != other_dice or not same_round_rules(rules, with_faces(preset("openspiel").ruleset, faces)):
        raise UnavailableError(
            f"OpenSpiel's liars_dice has the rules of openspiel and as many dice for both, not {strategy.start} by"
            f" {rules.labels.game}"
        )
    pyspiel = import_optional("pyspiel", "research", NEED)
    policies = import_optional("open_spiel.python.policy", "research", NEED)
    policy = policies.TabularPolicy(pyspiel.load_game(f"liars_dice(players=2,numdice={dice},dice_sides={faces})"))
    for index, state in enumerate(policy.states):
        actions, mover = state.history(), state.current_player()
        hand = tuple(sorted(1 + face for face in actions[mover * dice : (mover + 1) * dice]))
        bids = [Bid(1 + action // faces, 1 + action % faces) for action in actions[2 * dice :]]
        policy.action_probability_array[index] = _shares(answer_or_challenge(strategy, hand, bids), dice, faces)
    return policy


def answer_or_challenge(strategy: Strategy, hand: Hand, bids: Sequence[Bid]) -> ActionProbs:
    """Return how likely a hand takes each action after these bids; a challenge, if the strategy does not cover them."""
    try:
        return strategy.action_probs(hand, bids)
    except UnavailableError:  # nobody comes here who plays to win
        return {Challenge(): 1.0}


def _shares(probs: ActionProbs, dice: int, faces: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return probabilities by OpenSpiel's numbers of actions, float64 [action]: bids, then the challenge."""
    shares = np.zeros(2 * dice * faces + 1)
    for action, probability in probs.items():
        number = (action.quantity - 1) * faces + action.face - 1 if isinstance(action, Bid) else -1
        shares[number] = probability
    return shares
