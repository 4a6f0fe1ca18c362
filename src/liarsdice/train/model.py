"""The network that is trained: who plays, and a critic that sees all hands."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from liarsdice.bots.neural.features import ACTION_COUNT, NetworkInput
from liarsdice.bots.neural.network import MIN_PROB_RATIO, Network
from liarsdice.bots.neural.observation import FloatArray, IntArray

HIDDEN_FEATURE_COUNT = 8
"""What only the critic sees, see `scenes.BatchObserver.hidden`."""
MASKED_LOGIT = -1e9


class PolicyNetwork(nn.Module):
    """From features to logits of answers: layers of the same width with ReLU between."""

    def __init__(self, features: int, width: int, layers: int, *, bfloat16: bool = False) -> None:
        super().__init__()
        self.body = make_mlp(features, width, layers, ACTION_COUNT)
        self.fast = bfloat16

    def forward(self, numbers: Tensor, legal: Tensor) -> Tensor:
        """Logits, those of answers that aren't legal far below all others."""
        return run_mlp(self.body, numbers, bfloat16=self.fast).masked_fill(~legal, MASKED_LOGIT)


class Critic(nn.Module):
    """From features and hidden hands to the share of the match that the seat will win."""

    def __init__(self, features: int, width: int, layers: int, *, bfloat16: bool = False) -> None:
        super().__init__()
        self.body = make_mlp(features + HIDDEN_FEATURE_COUNT, width, layers, 1)
        self.fast = bfloat16

    def forward(self, numbers: Tensor, hidden: Tensor) -> Tensor:
        """Values, about 0 to 1."""
        return run_mlp(self.body, torch.cat([numbers, hidden], dim=1), bfloat16=self.fast).squeeze(1)


def make_mlp(inputs: int, width: int, layers: int, outputs: int) -> nn.Sequential:
    """A plain network with so many hidden layers."""
    sizes = [inputs, *[width] * layers]
    parts: list[nn.Module] = []
    for into, out in pairwise(sizes):
        parts += [nn.Linear(into, out), nn.ReLU()]
    last = nn.Linear(width, outputs)
    with torch.no_grad():
        last.weight.mul_(0.01)
        last.bias.zero_()
    return nn.Sequential(*parts, last)


def run_mlp(body: nn.Sequential, numbers: Tensor, *, bfloat16: bool) -> Tensor:
    """What comes out of a network; with `bfloat16` its inner layers multiply in that, the last in single precision."""
    *inner, last = body
    found = numbers
    with torch.autocast(numbers.device.type, dtype=torch.bfloat16, enabled=bfloat16):
        for layer in inner:
            found = layer(found)
    came: Tensor = last(found.float())
    return came


def has_fast_bfloat16(device: str) -> bool:
    """Whether a device multiplies numbers of that kind faster than single precision."""
    if device == "cpu":
        can = torch.cpu.get_capabilities()
        return bool(can.get("avx512_bf16") or can.get("amx_bf16"))
    return bool(torch.cuda.is_bf16_supported(including_emulation=False))


class Actor:
    """Decides by a player's chances, and tells what the critic thinks."""

    def __init__(self, player: PolicyNetwork, critic: Critic, device: str = "cpu") -> None:
        self.player = player
        self.critic = critic
        self._device = device

    def __call__(
        self, inputs: NetworkInput, hidden: FloatArray, chance: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Answers by chance, the logarithms of their chances, and values."""
        with torch.inference_mode():
            numbers = torch.from_numpy(inputs.features).to(self._device)
            logits = self.player(numbers, torch.from_numpy(inputs.action_mask).to(self._device))
            logs = torch.log_softmax(logits, dim=1).cpu().numpy()
            values = self.critic(numbers, torch.from_numpy(hidden).to(self._device)).cpu().numpy()
        noise = chance.gumbel(size=logs.shape).astype(np.float32)
        answers = (logs + noise).argmax(axis=1)
        return answers, logs[np.arange(len(answers)), answers], values


def update_ema(average: PolicyNetwork, player: PolicyNetwork, done: int, share: float) -> None:
    """Let an average of parameters take in a player's, after so many iterations before this one.

    `share`: how much of the average is the latest of them; more at the beginning.
    """
    with torch.no_grad():
        for mean, now in zip(average.parameters(), player.parameters(), strict=True):
            mean.lerp_(now, max(share, 1 / (done + 1)))


def export_network(player: PolicyNetwork, hardly: float = MIN_PROB_RATIO) -> Network:
    """A player's network for numpy, which reads and does all that one can; `hardly`: see there."""
    layers = [one for one in player.body if isinstance(one, nn.Linear)]
    assert layers[-1].out_features == ACTION_COUNT
    weights = [layer.weight.detach().cpu().numpy().T for layer in layers]
    return Network(
        weights,
        [layer.bias.detach().cpu().numpy() for layer in layers],
        hardly,
        answers_out_of_turn=True,
        knows_stairs=True,
    )


def policy_state(network: Network) -> dict[str, Tensor]:
    """What a player of the same size loads to play as a network."""
    found = {}
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        found[f"body.{2 * layer}.weight"] = torch.from_numpy(weight.T.copy())
        found[f"body.{2 * layer}.bias"] = torch.from_numpy(bias.copy())
    return found
