"""Trains the network of state values from samples: first between rounds by results, then within rounds.

Within a round the targets are the values of how the round ended, which chance spreads less than the results of matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from liarsdice.state_value.seat_features import FloatArray, feature_count, seat_features
from liarsdice.state_value.value_network import ValueNetwork
from liarsdice.train.state_samples import StateSamples, concatenate, draw_table, load_samples, play_table, save_samples

NETWORK_FILE = "value.npz"
BETWEEN_WIDTHS, IN_ROUND_WIDTHS = (64, 64), (128, 64)
"""Units in the inner layers of the two networks."""
LEARNING_RATE, MIN_LEARNING_RATE = 2e-3, 2e-5
MINIBATCH_SIZE = 512
TABLE_ROWS = 1500
"""The most situations of a table, of each kind, that are learned from; those of one match tell nearly the same."""
MAX_ROUNDS = 100_000
"""More rounds than any match has."""

Layers = list[tuple[FloatArray, FloatArray]]
Progress = Callable[[str], None]


class Batch(NamedTuple):
    """Situations of tables with the same number of seats.

    `features`: float16 [row, seat, feature]. `alive`: bool [row, seat]. `targets`: float32 [row, seat], shares.
    """

    features: NDArray[np.float16]
    alive: NDArray[np.bool_]
    targets: FloatArray


def play_tables(folder: Path, seed: int, tables: int, matches: int, progress: Progress) -> list[Path]:
    """Play the tables whose samples the folder lacks, and return the files of all."""
    paths = [folder / f"table-{number:04}.npz" for number in range(tables)]
    for number, path in enumerate(paths):
        if not path.exists():
            table = draw_table(seed, number, matches)
            save_samples(path, table, play_table(table))
            progress(f"{number + 1}/{tables} tables")
    return paths


def train_state_values(paths: Sequence[Path], seed: int, epochs: int, progress: Progress) -> ValueNetwork:
    """Return a network that was trained with the samples in files; the same seed gives the same network."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    batches = [_between_batch(load_samples(path)[1], rng) for path in paths]
    between = _train(_by_seats(batches), feature_count(in_round=False), BETWEEN_WIDTHS, epochs, rng, progress)
    network = ValueNetwork(between, [])
    batches = [_in_round_batch(load_samples(path)[1], network, rng) for path in paths]
    network.in_round = _train(_by_seats(batches), feature_count(in_round=True), IN_ROUND_WIDTHS, epochs, rng, progress)
    return network


def _between_batch(samples: StateSamples, rng: np.random.Generator) -> Batch:
    targets = samples.result[samples.between_match]
    known = _some_rows(targets, rng)
    situation = samples.between.rows(known)
    features = seat_features(situation, in_round=False).astype(np.float16)
    return Batch(features, situation.dice > 0, targets[known].astype(np.float32))


def _in_round_batch(samples: StateSamples, network: ValueNetwork, rng: np.random.Generator) -> Batch:
    """Return the samples within rounds, and all situations after a roll."""
    situations, matches = (
        concatenate([samples.in_round, samples.between]),
        np.concatenate([samples.in_round_match, samples.between_match]),
    )
    values = network.shares(samples.between, in_round=False)
    keys = samples.between_match * MAX_ROUNDS + samples.between.round_number
    order = np.argsort(keys)
    wanted = matches * MAX_ROUNDS + situations.round_number + 1
    places = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = keys[order][places] == wanted
    targets = np.where(found[:, np.newaxis], values[order][places], samples.result[matches])
    known = _some_rows(targets, rng)
    situation = situations.rows(known)
    features = seat_features(situation, in_round=True).astype(np.float16)
    return Batch(features, situation.dice > 0, targets[known].astype(np.float32))


def _some_rows(targets: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows that are learned from, int64: at most `TABLE_ROWS` of those with known targets."""
    known = np.flatnonzero(np.isfinite(targets).all(axis=1))
    return rng.permutation(known)[:TABLE_ROWS]


def _by_seats(batches: Sequence[Batch]) -> list[Batch]:
    """Return one batch for each number of seats."""
    counts = sorted({batch.alive.shape[1] for batch in batches})
    groups = [[batch for batch in batches if batch.alive.shape[1] == count] for count in counts]
    return [Batch(*(np.concatenate(arrays) for arrays in zip(*group, strict=True))) for group in groups]


def _train(
    batches: Sequence[Batch],
    inputs: int,
    widths: Sequence[int],
    epochs: int,
    rng: np.random.Generator,
    progress: Progress,
) -> Layers:
    """Return the layers of a network that learned the targets by cross-entropy."""
    sizes = [inputs, *widths, 1]
    linear = [nn.Linear(before, after) for before, after in pairwise(sizes)]
    modules = [module for layer in linear[:-1] for module in (layer, nn.ReLU())]
    model = nn.Sequential(*modules, linear[-1])
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    total = epochs * sum(math.ceil(len(batch.alive) / MINIBATCH_SIZE) for batch in batches)
    done = 0
    for epoch in range(epochs):
        losses = []
        for number, rows in _minibatches(batches, rng):
            for group in optimizer.param_groups:
                share = (1 + math.cos(math.pi * done / total)) / 2
                group["lr"] = MIN_LEARNING_RATE + (LEARNING_RATE - MIN_LEARNING_RATE) * share
            loss = _loss(model, batches[number], rows)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            losses.append(loss.item())
            done += 1
        progress(f"epoch {epoch + 1} of {epochs}, loss {np.mean(losses):.4f}")
    return [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]


def _minibatches(batches: Sequence[Batch], rng: np.random.Generator) -> list[tuple[int, NDArray[np.int64]]]:
    """Return the rows of all minibatches of an epoch with the number of their batch, in random order."""
    parts = [
        (number, rows)
        for number, batch in enumerate(batches)
        for rows in np.array_split(rng.permutation(len(batch.alive)), math.ceil(len(batch.alive) / MINIBATCH_SIZE))
    ]
    return [parts[place] for place in rng.permutation(len(parts))]


def _loss(model: nn.Module, batch: Batch, rows: NDArray[np.int64]) -> torch.Tensor:
    scores = model(torch.from_numpy(batch.features[rows].astype(np.float32)))[..., 0]
    alive = torch.from_numpy(batch.alive[rows])
    log_shares = torch.log_softmax(scores.masked_fill(~alive, -1e9), dim=1)
    targets = torch.from_numpy(batch.targets[rows])
    return -(targets * log_shares.masked_fill(~alive, 0)).sum(dim=1).mean()
