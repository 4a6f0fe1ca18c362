"""The network that is trained: who plays, and a critic that sees all hands."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from liarsdice.bots.neural.features import ANSWERS, Reading
from liarsdice.bots.neural.network import HARDLY, Network
from liarsdice.bots.neural.observation import Ints, Reals

HIDDEN = 8
"""What only the critic sees, see `scenes.Watcher.hidden`."""
FORBIDDEN = -1e9


class Player(nn.Module):
    """From features to logits of answers: layers of the same width with ReLU between."""

    def __init__(self, features: int, width: int, layers: int, *, bfloat16: bool = False) -> None:
        super().__init__()
        self.body = layered(features, width, layers, ANSWERS)
        self.fast = bfloat16

    def forward(self, numbers: Tensor, legal: Tensor) -> Tensor:
        """Logits, those of answers that aren't legal far below all others."""
        return through(self.body, numbers, bfloat16=self.fast).masked_fill(~legal, FORBIDDEN)


class Critic(nn.Module):
    """From features and hidden hands to the share of the match that the seat will win."""

    def __init__(self, features: int, width: int, layers: int, *, bfloat16: bool = False) -> None:
        super().__init__()
        self.body = layered(features + HIDDEN, width, layers, 1)
        self.fast = bfloat16

    def forward(self, numbers: Tensor, hidden: Tensor) -> Tensor:
        """Values, about 0 to 1."""
        return through(self.body, torch.cat([numbers, hidden], dim=1), bfloat16=self.fast).squeeze(1)


def layered(inputs: int, width: int, layers: int, outputs: int) -> nn.Sequential:
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


def through(body: nn.Sequential, numbers: Tensor, *, bfloat16: bool) -> Tensor:
    """What comes out of a network; with `bfloat16` its inner layers multiply in that, the last in single precision."""
    *inner, last = body
    found = numbers
    with torch.autocast(numbers.device.type, dtype=torch.bfloat16, enabled=bfloat16):
        for layer in inner:
            found = layer(found)
    came: Tensor = last(found.float())
    return came


def multiplies_bfloat16(device: str) -> bool:
    """Whether a device multiplies numbers of that kind faster than single precision."""
    if device == "cpu":
        can = torch.cpu.get_capabilities()
        return bool(can.get("avx512_bf16") or can.get("amx_bf16"))
    return bool(torch.cuda.is_bf16_supported(including_emulation=False))


class Actor:
    """Decides by a player's chances, and tells what the critic thinks."""

    def __init__(self, player: Player, critic: Critic, device: str = "cpu") -> None:
        self.player = player
        self.critic = critic
        self._device = device

    def __call__(self, reading: Reading, hidden: Reals, chance: np.random.Generator) -> tuple[Ints, Reals, Reals]:
        """Answers by chance, the logarithms of their chances, and values."""
        with torch.inference_mode():
            numbers = torch.from_numpy(reading.numbers).to(self._device)
            logits = self.player(numbers, torch.from_numpy(reading.legal).to(self._device))
            logs = torch.log_softmax(logits, dim=1).cpu().numpy()
            values = self.critic(numbers, torch.from_numpy(hidden).to(self._device)).cpu().numpy()
        noise = chance.gumbel(size=logs.shape).astype(np.float32)
        answers = (logs + noise).argmax(axis=1)
        return answers, logs[np.arange(len(answers)), answers], values


def follow(average: Player, player: Player, done: int, share: float) -> None:
    """Let an average of parameters take in a player's, after so many iterations before this one.

    `share`: how much of the average is the latest of them; more at the beginning.
    """
    with torch.no_grad():
        for mean, now in zip(average.parameters(), player.parameters(), strict=True):
            mean.lerp_(now, max(share, 1 / (done + 1)))


def network_of(player: Player, hardly: float = HARDLY) -> Network:
    """A player's network for numpy, which reads and does all that one can; `hardly`: see there."""
    layers = [one for one in player.body if isinstance(one, nn.Linear)]
    assert layers[-1].out_features == ANSWERS
    weights = [layer.weight.detach().cpu().numpy().T for layer in layers]
    return Network(
        weights,
        [layer.bias.detach().cpu().numpy() for layer in layers],
        hardly,
        answers_out_of_turn=True,
        knows_stairs=True,
    )


def weights_of(network: Network) -> dict[str, Tensor]:
    """What a player of the same size loads to play as a network."""
    found = {}
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        found[f"body.{2 * layer}.weight"] = torch.from_numpy(weight.T.copy())
        found[f"body.{2 * layer}.bias"] = torch.from_numpy(bias.copy())
    return found
