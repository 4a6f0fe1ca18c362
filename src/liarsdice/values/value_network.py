"""The network of state values: from the features of each seat to the share of the match that each seat wins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liarsdice.values.features import FloatArray, Situation, seat_features

VALUE_VERSION = 4
"""The number of the packaged values, which reviews and puzzles state; it grows when the values change."""
TYPICAL_PLAYERS, KNOWN_PLAYERS = "typical-players", "known-players"
"""The packaged networks: of typical players, and of players whose kinds are known (`Situation.players`)."""
BATCH_ROWS = 4096
"""Situations that are valued at once."""


class ValueNetwork:
    """Values of states, from two multilayer perceptrons with ReLU that give each seat a score.

    The shares of the seats with dice are the softmax of their scores, so that they sum to 1. `between`: the layers for
    situations between rounds; `in_round`: those after the roll. Each layer is a pair of weights, float32 [in, out],
    and biases, float32 [out]. A network may take only the first features.
    """

    def __init__(
        self, between: Sequence[tuple[FloatArray, FloatArray]], in_round: Sequence[tuple[FloatArray, FloatArray]]
    ) -> None:
        self.between = between
        self.in_round = in_round

    def shares(self, situation: Situation, *, in_round: bool) -> NDArray[np.float64]:
        """Return the share of the match that each seat wins, float64 [row, seat]; `in_round`: after the roll."""
        rows = range(0, len(situation.dice), BATCH_ROWS)
        parts = [self._shares(situation.rows(slice(row, row + BATCH_ROWS)), in_round=in_round) for row in rows]
        return np.concatenate(parts)

    def _shares(self, situation: Situation, *, in_round: bool) -> NDArray[np.float64]:
        layers = self.in_round if in_round else self.between
        activations = seat_features(situation, in_round=in_round)[..., : len(layers[0][0])]
        for number, (weight, bias) in enumerate(layers):
            activations = activations @ weight + bias
            if number < len(layers) - 1:
                np.maximum(activations, 0, out=activations)
        scores = np.where(situation.dice > 0, activations[..., 0].astype(np.float64), -np.inf)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return shares

    def save(self, path: Path) -> None:
        """Write the network to an `.npz` file, in half precision."""
        arrays = {
            f"{part}_{kind}{number}": array.astype(np.float16)
            for part, layers in (("between", self.between), ("in_round", self.in_round))
            for number, layer in enumerate(layers)
            for kind, array in zip(("weight", "bias"), layer, strict=True)
        }
        np.savez_compressed(path, allow_pickle=False, **arrays)

    @staticmethod
    def load(path: Path) -> ValueNetwork:
        """Read a file that `save` wrote."""
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            parts = []
            for part in ("between", "in_round"):
                count = sum(name.startswith(f"{part}_weight") for name in arrays.files)
                layers = [
                    (
                        np.ascontiguousarray(arrays[f"{part}_weight{number}"], np.float32),
                        arrays[f"{part}_bias{number}"].astype(np.float32),
                    )
                    for number in range(count)
                ]
                parts.append(layers)
            return ValueNetwork(*parts)


@cache
def value_network(name: str = TYPICAL_PLAYERS) -> ValueNetwork:
    """Return a packaged network (`TYPICAL_PLAYERS` or `KNOWN_PLAYERS`), read once per process."""
    with as_file(files("liarsdice.values") / "models" / f"{name}.npz") as path:
        return ValueNetwork.load(path)
