"""A trained network that runs with numpy alone: layers with ReLU between, from features to chances of answers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from liarsdice.bots.neural.features import ANSWERS, FEATURES
from liarsdice.bots.neural.observation import Flags, Reals

HARDLY = 0.2
"""What a network drops that says nothing of it."""


class Network:
    """Weights `[in, out]` and biases, by layer.

    `hardly`: answers less likely than this share of the likeliest one aren't given, 0 to 1. `answers_out_of_turn`:
    whether it answers when it is not on turn. `knows_stairs`: whether it is shown that its hand is stairs.
    """

    def __init__(
        self,
        weights: Sequence[Reals],
        biases: Sequence[Reals],
        hardly: float = HARDLY,
        *,
        answers_out_of_turn: bool = False,
        knows_stairs: bool = False,
    ) -> None:
        self.hardly = hardly
        self.answers_out_of_turn = answers_out_of_turn
        self.knows_stairs = knows_stairs
        self.weights = [np.ascontiguousarray(one, np.float32) for one in weights]
        self.biases = [np.asarray(one, np.float32) for one in biases]

    @property
    def up_to_date(self) -> bool:
        """Whether it plays by all that is seen today."""
        return self.answers_out_of_turn and self.knows_stairs

    def outputs(self, numbers: Reals) -> Reals:
        """What comes out: float32[row, answer]."""
        found = numbers
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            found = found @ weight + bias
            if layer < len(self.weights) - 1:
                np.maximum(found, 0, out=found)
        return found

    def chances(self, numbers: Reals, legal: Flags) -> Reals:
        """How likely each answer is: float32[row, answer]; 0 for what is not legal."""
        found = np.where(legal, self.outputs(numbers), -np.inf)
        powers = np.exp(found - found.max(axis=1, keepdims=True))
        chances: Reals = powers / powers.sum(axis=1, keepdims=True)
        return chances

    def purified(self, chances: Reals) -> Reals:
        """Chances `[row, answer]` without those of answers that would hardly be given."""
        kept = np.where(chances < self.hardly * chances.max(axis=1, keepdims=True), 0, chances)
        pure: Reals = kept / kept.sum(axis=1, keepdims=True)
        return pure

    def save(self, path: Path) -> None:
        """Write the network in half precision."""
        parts: dict[str, NDArray[np.generic]] = {
            f"weight{layer}": one.astype(np.float16) for layer, one in enumerate(self.weights)
        }
        parts |= {f"bias{layer}": one.astype(np.float16) for layer, one in enumerate(self.biases)}
        told = {"hardly": self.hardly, "out_of_turn": self.answers_out_of_turn, "stairs": self.knows_stairs}
        parts |= {name: np.array(one) for name, one in told.items()}
        np.savez_compressed(path, allow_pickle=False, **parts)

    @staticmethod
    def load(path: Path) -> Network:
        """Read what `save` wrote. Raises `OSError` where it cannot, and `ValueError` for what is no network."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as parts:
                return _network(parts)
        except (KeyError, TypeError, BadZipFile) as error:
            raise ValueError(f"{path} holds no network") from error


def shipped(name: str) -> Network:
    """A network that came with the package, by its name there."""
    with as_file(files("liarsdice.bots") / "models" / f"{name}.npz") as path:
        return Network.load(path)


def read_network(path: Path) -> Network:
    """The network in a file, if it plays. Raises `OSError` where it cannot be opened, and `ValueError` for all else."""
    with path.open("rb"):
        pass  # what goes wrong from here on is the content's fault
    try:
        found = Network.load(path)
    except Exception as error:
        raise ValueError(f"{path} holds no network") from error  # what is damaged may raise anything as it is unpacked
    if not _plays(found):
        raise ValueError(f"{path} holds another kind of network")
    return found


def _plays(network: Network) -> bool:
    """Whether a network goes from features to answers, and all of it is numbers."""
    if any(one.ndim != 2 for one in network.weights) or not 0 <= network.hardly <= 1:
        return False
    sizes = [one.shape for one in network.weights]
    return (
        (sizes[0][0], sizes[-1][1]) == (FEATURES, ANSWERS)
        and all(into[1] == out[0] for into, out in pairwise(sizes))
        and [one.shape for one in network.biases] == [(size[1],) for size in sizes]
        and all(np.isfinite(one).all() for one in (*network.weights, *network.biases))
    )


def _network(parts: NpzFile) -> Network:
    count = sum(name.startswith("weight") for name in parts.files)
    if not count:
        raise KeyError("weight0")
    weights = [parts[f"weight{layer}"] for layer in range(count)]
    biases = [parts[f"bias{layer}"] for layer in range(count)]
    hardly = float(parts["hardly"]) if "hardly" in parts.files else HARDLY
    told = {name: name in parts.files and bool(parts[name]) for name in ("out_of_turn", "stairs")}
    return Network(weights, biases, hardly, answers_out_of_turn=told["out_of_turn"], knows_stairs=told["stairs"])
