"""The champion's inputs and actions for environments: what is trained with them is stored as a bot, `network:FILE.npz`.

A network maps the features of `bots.neural.features`, which mean much the same under all rules, to the logits of
`ACTION_COUNT` actions. PyTorch is not needed here.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver, to_sim_actions
from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, FloatArray, IntArray, NetworkInput, encode
from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import MalformedError, described
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.sim import array_schema as schema
from liarsdice_lab.envs.in_place import InPlaceEnv


def network_inputs(env: InPlaceEnv) -> NetworkInput:
    """Return what networks receive in each match from the seat that acts next: features, float32 [match, feature].

    Its `action_mask`, bool [match, action], is about the actions of networks. Raises `UnavailableError` if networks do
    not support the rules or the number of seats, and `MalformedError` if a match has ended.

    >>> from liarsdice_lab.envs.layout import make_game
    >>> from liarsdice_lab.envs.in_place import InPlaceEnv
    >>> inputs = network_inputs(InPlaceEnv(make_game("perudo", 4), 100))
    >>> inputs.features.shape, inputs.action_mask.shape
    ((100, 217), (100, 28))
    """
    if (env.seats < 0).any():
        raise MalformedError("nobody acts in a match that has ended")
    return encode(BatchObserver(env.matches).observe(env.seats))


def to_env_actions(env: InPlaceEnv, inputs: NetworkInput, actions: IntArray) -> NDArray[np.int32]:
    """Return the action ids of the environment, int32 [match], of the actions of networks, int64 [match].

    Raises `MalformedError` unless each match has an action from 0 to `ACTION_COUNT - 1`.
    """
    if (
        actions.shape != env.seats.shape
        or actions.dtype.kind not in "iu"
        or not np.isin(actions, range(ACTION_COUNT)).all()
    ):
        raise MalformedError(
            f"an action is a whole number from 0 to {ACTION_COUNT - 1} in each match, not {described(actions)}"
        )
    ids = to_sim_actions(inputs, actions, env.matches)
    return np.where(ids == schema.NO_ACTION, np.int32(env.game.silence), ids)


def save_network(weights: Sequence[FloatArray], biases: Sequence[FloatArray], path: Path) -> None:
    """Store a multilayer perceptron with ReLU as a bot: its layers from features to logits.

    `weights`: float32 [in, out] each. `biases`: float32 [out] each. Raises `MalformedError` for other shapes,
    and `UnavailableError` if the file cannot be written.
    """
    sizes = [FEATURE_COUNT, *(len(bias) for bias in biases)]
    shapes = list(pairwise(sizes))
    if not shapes or sizes[-1] != ACTION_COUNT or [weight.shape for weight in weights] != shapes:
        raise MalformedError(
            f"layers lead from {FEATURE_COUNT} features to {ACTION_COUNT} actions, not {[w.shape for w in weights]}"
        )
    check_writable(path)
    Network(weights, biases).save(path)
