"""The networks that are trained: a policy, and a critic that also sees the hidden hands."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from liarsdice.bots.neural.features import ACTION_COUNT, NetworkInput
from liarsdice.bots.neural.network import MIN_PROB_RATIO, Network
from liarsdice.bots.neural.observation import FloatArray, IntArray

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
