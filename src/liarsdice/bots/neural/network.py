"""A trained network that runs with numpy alone: a multilayer perceptron with ReLU, from features to action logits."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, BoolArray, FloatArray

FORMAT = 1
"""The version of the files of networks."""

MIN_PROB_RATIO = 0.2
"""The `min_prob_ratio` of networks for which none is chosen."""


class Network:
    """The layers of a network: weights, float32 [in, out] each, and biases, float32 [out] each.

    `min_prob_ratio` (0..1): `drop_unlikely` drops actions whose probability is below this fraction of the highest one.
    """

    def __init__(
        self,
        weights: Sequence[FloatArray],
        biases: Sequence[FloatArray],
        min_prob_ratio: float = MIN_PROB_RATIO,
    ) -> None:
        self.min_prob_ratio = min_prob_ratio
        self.weights = [np.ascontiguousarray(weight, np.float32) for weight in weights]
        self.biases = [np.asarray(bias, np.float32) for bias in biases]

    def with_min_prob_ratio(self, min_prob_ratio: float) -> Network:
        """Return the same network with another bound of what `drop_unlikely` drops."""
        changed = copy(self)
        changed.min_prob_ratio = min_prob_ratio
        return changed

    def outputs(self, features: FloatArray) -> FloatArray:
        """Return the last layer's outputs, float32 [row, action], for features, float32 [row, feature]."""
        activations = features
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            activations = activations @ weight + bias
            if layer < len(self.weights) - 1:
                np.maximum(activations, 0, out=activations)
        return activations

    def action_probs(self, features: FloatArray, action_mask: BoolArray) -> FloatArray:
        """Return the probability of each action, float32 [row, action]: the softmax of the outputs over legal actions.

        `features`: float32 [row, feature]. `action_mask`: bool [row, action]; illegal actions get 0.
        """
        logits = np.where(action_mask, self.outputs(features), -np.inf)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        probs: FloatArray = powers / powers.sum(axis=1, keepdims=True)
        return probs

    def drop_unlikely(self, probs: FloatArray) -> FloatArray:
        """Return probabilities [row, action] without actions below `min_prob_ratio` times the row's maximum."""
        kept = np.where(probs < self.min_prob_ratio * probs.max(axis=1, keepdims=True), 0, probs)
        normalised: FloatArray = kept / kept.sum(axis=1, keepdims=True)
        return normalised

    def save(self, path: Path) -> None:
        """Write the network to an `.npz` file, in half precision."""
        arrays: dict[str, NDArray[np.generic]] = {
            f"weight{layer}": weight.astype(np.float16) for layer, weight in enumerate(self.weights)
        }
        arrays |= {f"bias{layer}": bias.astype(np.float16) for layer, bias in enumerate(self.biases)}
        arrays |= {"format": np.array(FORMAT), "min_prob_ratio": np.array(self.min_prob_ratio)}
        np.savez_compressed(path, allow_pickle=False, **arrays)

    @staticmethod
    def load(path: Path) -> Network:
        """Read a file that `save` wrote. Raises `OSError` if it cannot be read and `ValueError` if it is no network."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                return _network_from(arrays)
        except (KeyError, TypeError, BadZipFile) as error:
            raise ValueError(f"{path} holds no network") from error


@cache
def load_packaged_network(name: str) -> Network:
    """Return a packaged network by its file's name in `bots/models`, without the suffix, read once per process."""
    with as_file(files("liarsdice.bots") / "models" / f"{name}.npz") as path:
        return Network.load(path)


def read_network(path: Path) -> Network:
    """Return the network in a file from anywhere, after checking that it can choose actions.

    Raises `OSError` if the file cannot be opened, and `ValueError` for any other problem.
    """
    with path.open("rb"):
        pass  # every error from here on is about the content
    try:
        network = Network.load(path)
    except Exception as error:
        raise ValueError(f"{path} holds no network") from error  # unpacking a damaged file may raise anything
    if not _fits_features(network):
        raise ValueError(f"{path} holds another kind of network")
    return network


def _fits_features(network: Network) -> bool:
    """Return whether a network maps features to actions through matching layers of finite numbers."""
    if any(weight.ndim != 2 for weight in network.weights) or not 0 <= network.min_prob_ratio <= 1:
        return False
    shapes = [weight.shape for weight in network.weights]
    return (
        (shapes[0][0], shapes[-1][1]) == (FEATURE_COUNT, ACTION_COUNT)
        and all(before[1] == after[0] for before, after in pairwise(shapes))
        and [bias.shape for bias in network.biases] == [(shape[1],) for shape in shapes]
        and all(np.isfinite(array).all() for array in (*network.weights, *network.biases))
    )


def _network_from(arrays: NpzFile) -> Network:
    """Return the network in the arrays of a file, of format 1 if no number is in it.

    Raises `KeyError` if an array is missing, and `ValueError` for another format.
    """
    if "format" in arrays.files and arrays["format"] != FORMAT:
        raise ValueError(f"the network has format {arrays['format']}, this program reads format {FORMAT}")
    layer_count = sum(name.startswith("weight") for name in arrays.files)
    if not layer_count:
        raise KeyError("weight0")
    weights = [arrays[f"weight{layer}"] for layer in range(layer_count)]
    biases = [arrays[f"bias{layer}"] for layer in range(layer_count)]
    return Network(weights, biases, float(arrays["min_prob_ratio"]))
