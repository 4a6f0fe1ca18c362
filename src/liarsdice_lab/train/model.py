"""The networks that are trained, a policy and a critic that also sees the hidden hands, and their files.

A run stores them in checkpoints, exports them for bots, and loads those of its opponents and teachers.
"""

import warnings
from collections.abc import Mapping
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.bots.neural.champions import BASELINES, baseline_network
from liarsdice.bots.neural.features import ACTION_COUNT, FloatArray, IntArray, NetworkInput
from liarsdice.bots.neural.network import MIN_PROB_RATIO, Network, read_network
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import error_reason

HIDDEN_FEATURE_COUNT = 8
"""The number of features that only the critic sees; see `BatchObserver.hidden_features`."""
MASKED_LOGIT = -1e9
"""The logit of illegal actions."""


class PolicyNetwork(nn.Module):
    """A multilayer perceptron with ReLU from features to logits of actions; all hidden layers have the same width."""

    def __init__(self, features: int, width: int, layers: int, *, bfloat16: bool = False) -> None:
        super().__init__()
        self.body = make_mlp(features, width, layers, ACTION_COUNT)
        self.bfloat16_layers = bfloat16

    def forward(self, features: Tensor, action_mask: Tensor) -> Tensor:
        """Return logits, float32 [row, action], from features, float32 [row, feature].

        `action_mask`: the legal actions, bool [row, action]; the logits of the others are `MASKED_LOGIT`.
        """
        return run_mlp(self.body, features, bfloat16=self.bfloat16_layers).masked_fill(~action_mask, MASKED_LOGIT)


class Critic(nn.Module):
    """A multilayer perceptron from features and hidden features to the share of the match that a seat will win."""

    def __init__(self, features: int, width: int, layers: int, *, bfloat16: bool = False) -> None:
        super().__init__()
        self.body = make_mlp(features + HIDDEN_FEATURE_COUNT, width, layers, 1)
        self.bfloat16_layers = bfloat16

    def forward(self, features: Tensor, hidden_features: Tensor) -> Tensor:
        """Return values, float32 [row], about 0..1, from two times float32 [row, feature]."""
        inputs = torch.cat([features, hidden_features], dim=1)
        return run_mlp(self.body, inputs, bfloat16=self.bfloat16_layers).squeeze(1)


def make_mlp(inputs: int, width: int, layers: int, outputs: int) -> nn.Sequential:
    """Return a multilayer perceptron with `layers` hidden layers of `width` units, whose outputs begin near 0."""
    sizes = [inputs, *[width] * layers]
    modules: list[nn.Module] = []
    for input_size, output_size in pairwise(sizes):
        modules += [nn.Linear(input_size, output_size), nn.ReLU()]
    last = nn.Linear(width, outputs)
    with torch.no_grad():
        last.weight.mul_(0.01)
        last.bias.zero_()
    return nn.Sequential(*modules, last)


def run_mlp(body: nn.Sequential, inputs: Tensor, *, bfloat16: bool) -> Tensor:
    """Return the outputs of a network, float32 [row, output], from inputs, float32 [row, input].

    With `bfloat16`, all layers but the last multiply in that precision.
    """
    *inner, last = body
    activations = inputs
    with torch.autocast(inputs.device.type, dtype=torch.bfloat16, enabled=bfloat16):
        for layer in inner:
            activations = layer(activations)
    outputs: Tensor = last(activations.float())
    return outputs


def has_fast_bfloat16(device: str) -> bool:
    """Whether a device (`cpu` or `cuda`) multiplies bfloat16 faster than single precision."""
    if device == "cpu":
        capabilities = torch.cpu.get_capabilities()
        return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
    return bool(torch.cuda.is_bf16_supported(including_emulation=False))


class Actor:
    """Samples actions from a policy, and estimates values with a critic; an `ActFunction`."""

    def __init__(self, policy: PolicyNetwork, critic: Critic, device: str = "cpu") -> None:
        self.policy = policy
        self.critic = critic
        self._device = device

    def __call__(
        self, inputs: NetworkInput, hidden_features: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return sampled actions, int64 [row], their log probabilities and values, both float32 [row].

        Sampling uses the Gumbel-max trick. `hidden_features`: float32 [row, feature].
        """
        with torch.inference_mode():
            features = torch.from_numpy(inputs.features).to(self._device)
            logits = self.policy(features, torch.from_numpy(inputs.action_mask).to(self._device))
            log_probs = torch.log_softmax(logits, dim=1).cpu().numpy()
            values = self.critic(features, torch.from_numpy(hidden_features).to(self._device)).cpu().numpy()
        noise = rng.gumbel(size=log_probs.shape).astype(np.float32)
        actions = (log_probs + noise).argmax(axis=1)
        return actions, log_probs[np.arange(len(actions)), actions], values


def update_ema(average: PolicyNetwork, policy: PolicyNetwork, updates: int, rate: float) -> None:
    """Move the exponential moving average of a policy's parameters towards the current ones.

    `updates`: the number of updates before this one. `rate`: the weight of the current parameters, 0..1; the first
    updates have a larger weight, 1 / (updates + 1), which is the plain mean.
    """
    move_towards(average, policy, max(rate, 1 / (updates + 1)))


def move_towards(network: PolicyNetwork, target: PolicyNetwork, share: float) -> None:
    """Move the parameters of a network by a share (0..1) of the way to those of another one."""
    with torch.no_grad():
        for parameter, aim in zip(network.parameters(), target.parameters(), strict=True):
            parameter.lerp_(aim, share)


def export_network(policy: PolicyNetwork, min_prob_ratio: float = MIN_PROB_RATIO) -> Network:
    """Return a policy as a network for NumPy, with `min_prob_ratio` as in `Network`."""
    network = _exported(policy.body, min_prob_ratio)
    assert network.weights[-1].shape[1] == ACTION_COUNT
    return network


def export_critic(critic: Critic) -> Network:
    """Return a critic as a network for NumPy, whose one output is the value; it also sees the hidden features."""
    return _exported(critic.body, 0.0)


def _exported(body: nn.Sequential, min_prob_ratio: float) -> Network:
    layers = [layer for layer in body if isinstance(layer, nn.Linear)]
    return Network(
        [layer.weight.detach().cpu().numpy().T for layer in layers],
        [layer.bias.detach().cpu().numpy() for layer in layers],
        min_prob_ratio,
    )


def policy_state(network: Network) -> dict[str, Tensor]:
    """Return the state dictionary with which a policy (or critic) of the same size computes what a network does.

    By layer, `body.N.weight`: float32 [output, input], and `body.N.bias`: float32 [output].
    """
    state = {}
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        state[f"body.{2 * layer}.weight"] = torch.from_numpy(weight.T.copy())
        state[f"body.{2 * layer}.bias"] = torch.from_numpy(bias.copy())
    return state


Count = Annotated[int, msgspec.Meta(ge=0)]
Figure = Annotated[float, msgspec.Meta(ge=-1, le=1)]


class Progress(msgspec.Struct, kw_only=True, frozen=True):
    """The progress of a run: iterations, decisions, the time they took (s), and the best network's strength (-1: none).

    `best_balance`: the best network's exploitability, its floor in a larger round, and the share of its hunter, None
    for each that is not measured. `last_evaluated`: the latest iteration whose strength was measured. `last_stats`: the
    `UpdateStats` of the latest iteration. `input_digests`: the digests of rulesets, opponents and teachers by name.
    """

    iterations_done: Count
    decisions: Count
    spent_s: Annotated[float, msgspec.Meta(ge=0, le=1e12)]
    best_strength: Figure
    best_balance: tuple[Figure | None, Figure | None, Figure | None]
    last_evaluated: Count
    last_stats: tuple[float, float, float, float]
    input_digests: dict[str, str]


def read_checkpoint(file: str | Path) -> Mapping[str, Any]:
    """Return the content of a checkpoint by name.

    Raises `OSError` if the file cannot be read, and `ValueError` if it is no checkpoint.
    """
    raw = Path(file).read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the error says enough
            content = torch.load(BytesIO(raw), weights_only=True, map_location="cpu")
    except Exception as error:
        raise ValueError("it holds no networks") from error  # unpacking a damaged file may raise anything
    if not isinstance(content, dict):
        raise ValueError("it holds no networks")  # noqa: TRY004  callers treat it as a damaged file
    return content


def read_progress(state: Mapping[str, Any], iterations: int) -> Progress:
    """Return the progress that a checkpoint holds.

    Raises `ValueError` if it lacks fields, holds wrong values, or has done more than `iterations` iterations.
    """
    names = Progress.__struct_fields__
    if missing := set(names) - state.keys():
        raise ValueError(f"it lacks {', '.join(sorted(missing))}")
    progress = msgspec.convert({name: state[name] for name in names}, Progress)
    if progress.iterations_done > iterations:
        raise ValueError(f"it is of iteration {progress.iterations_done}, of {iterations}")
    return progress


def load_weights(module: PolicyNetwork | Critic, weights: Any) -> None:  # noqa: ANN401  whatever a file holds
    """Load weights into a network of the same size. Raises `ValueError` if they do not fit, or are not finite."""
    inner = [layer for layer in module.body if isinstance(layer, nn.Linear)][:-1]
    try:
        module.load_state_dict(weights)
    except Exception as error:
        shape = f"{len(inner)} layers of {inner[0].out_features}"
        raise ValueError(f"it holds no networks with {shape}") from error
    if not is_finite(module):
        raise ValueError("its weights are not numbers")


def read_average(state: Mapping[str, Any]) -> PolicyNetwork:
    """Return the averaged policy that a checkpoint holds, of any size. Raises `ValueError` if there is none."""
    weights = state.get("average")
    tensors = [value for value in weights.values() if isinstance(value, Tensor)] if isinstance(weights, dict) else []
    shapes = [tensor.shape for tensor in tensors if tensor.ndim == 2]
    if len(shapes) < 2:
        raise ValueError("it holds no networks")
    policy = PolicyNetwork(shapes[0][1], shapes[0][0], len(shapes) - 1)
    load_weights(policy, weights)
    return policy


def load_weights_widened(module: PolicyNetwork | Critic, weights: Any) -> None:  # noqa: ANN401  as above
    """Load weights of the same size, or with fewer units in each layer; the network then has the same outputs.

    Additional units keep their own input weights, and their output weights are 0 until they learn. Raises `ValueError`
    if the weights do not fit, or are not finite.
    """
    load_weights(module, _widened(module.state_dict(), weights))


def _widened(own: Mapping[str, Tensor], weights: Any) -> Any:  # noqa: ANN401  as above
    """Return weights in the size of a network's own, or unchanged if they do not fit into it."""
    if not isinstance(weights, dict) or weights.keys() != own.keys() or not _fit_into(own, weights):
        return weights
    widened = {name: tensor.clone() for name, tensor in own.items()}
    for name, tensor in weights.items():
        widened[name][: len(tensor)] = 0
        widened[name][tuple(slice(size) for size in tensor.shape)] = tensor
    return widened


def _fit_into(own: Mapping[str, Tensor], weights: Mapping[str, Any]) -> bool:
    """Whether weights have the same inputs and outputs as a network's own, and at most as many units in each layer."""
    if not all(isinstance(value, Tensor) and value.ndim == own[name].ndim for name, value in weights.items()):
        return False
    first, *_, last = (name for name, tensor in own.items() if tensor.ndim > 1)
    same_ends = weights[first].shape[1] == own[first].shape[1] and len(weights[last]) == len(own[last])
    return same_ends and all(
        size <= own_size
        for name, tensor in weights.items()
        for size, own_size in zip(tensor.shape, own[name].shape, strict=True)
    )


def load_optimizer(optimizer: torch.optim.Adam, state: Any) -> None:  # noqa: ANN401  as above
    """Load the moments of an optimizer. Raises `ValueError` if they do not fit its parameters, or are not finite."""
    try:
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state["state"], "param_groups": groups})
        fits = all(
            moments["exp_avg"].shape == moments["exp_avg_sq"].shape == parameter.shape
            and all(_all_finite(moments[name]) for name in ("exp_avg", "exp_avg_sq", "step"))
            and moments["step"].numel() == 1
            and float(moments["step"]) >= 0
            and bool((moments["exp_avg_sq"] >= 0).all())
            for parameter, moments in optimizer.state.items()
        )
    except Exception as error:
        raise ValueError("it holds no optimizer of its networks") from error
    if not fits:
        raise ValueError("it holds an optimizer of other networks, or numbers that are none")


def is_finite(module: nn.Module) -> bool:
    """Whether all weights of a network are finite."""
    return all(_all_finite(parameter) for parameter in module.parameters())


def _all_finite(tensor: Tensor) -> bool:
    return bool(torch.isfinite(tensor).all())


WHOLE_CHAMPION = CHAMPION_NAME
"""The champion as an opponent: with the rounds that it plays as solved or by blueprints."""


class Opponent(NamedTuple):
    """Who plays where nobody learns. `plays_rounds`: whether solved rounds and blueprints are played (`RoundPlays`)."""

    network: Network
    plays_rounds: bool


def load_opponent(name: str, rules: Ruleset | None = None) -> Opponent:
    """Load the champion as a whole (`WHOLE_CHAMPION`), or a network as `load_network` does.

    `rules`: those that are played, for which the champion may have a network of their own.
    """
    if name == WHOLE_CHAMPION:
        return Opponent(champion_network(rules), plays_rounds=True)
    return Opponent(load_network(name), plays_rounds=False)


def load_network(name: str) -> Network:
    """Load the network of a baseline (`champion@5`) or of a file.

    Raises `UnavailableError` if there is no such network.
    """
    if name in BASELINES:
        return baseline_network(name)
    try:
        return read_network(Path(name))
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"no network is called {name} (there are: {', '.join(BASELINES)}, and files .npz)"
        ) from error


def load_teacher(name: str) -> Network:
    """Load a network as `load_network` does, or the averaged network of a checkpoint (`*.pt`).

    Raises `UnavailableError` if there is no such network.
    """
    if not name.endswith(".pt"):
        return load_network(name)
    try:
        return export_network(read_average(read_checkpoint(name)))
    except (OSError, ValueError) as error:
        raise UnavailableError(f"{name} cannot teach: {error_reason(error)}") from error


def critic_file(network_file: Path) -> Path:
    """Return the file of the critic that is kept with a network.

    >>> critic_file(Path("run/best.npz")).as_posix()
    'run/best-critic.npz'
    """
    return network_file.with_name(f"{network_file.stem}-critic.npz")


def load_critic(network_file: str) -> Network | None:
    """Load the critic that is kept with a network, or return None if there is none, as for baselines.

    Raises `OSError` if its file cannot be read, and `ValueError` if it holds no network.
    """
    file = critic_file(Path(network_file))
    if network_file in BASELINES or not file.exists():
        return None
    try:
        return Network.load(file)
    except OSError:
        raise
    except Exception as error:  # unpacking a damaged file may raise anything
        raise ValueError(f"{file} holds no critic") from error
