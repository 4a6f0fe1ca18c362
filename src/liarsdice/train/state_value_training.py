"""Trains the network of state values from samples: first between rounds by results, then within rounds.

Within a round the targets are the values of how the round ended, which chance spreads less than the results of matches.
The network learns to value states both for known and for unknown kinds of players.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from liarsdice.train.state_samples import (
    CHAMPION_RANDOM_START_SHARE,
    RANDOM_START_SHARE,
    StateSamples,
    StateTable,
    draw_champion_table,
    draw_table,
    load_samples,
    play_table,
    save_samples,
)
from liarsdice.values.player_kinds import UNKNOWN_KIND
from liarsdice.values.seat_features import FloatArray, feature_count, seat_features
from liarsdice.values.situation import concatenate
from liarsdice.values.value_network import ValueNetwork

NETWORK_FILE = "value.npz"
BETWEEN_WIDTHS, IN_ROUND_WIDTHS = (128, 64), (256, 64)
"""Units in the inner layers of the two networks."""
LEARNING_RATE, LATER_LEARNING_RATE, MIN_LEARNING_RATE = 2e-3, 1e-3, 2e-5
MINIBATCH_SIZE = 1024
MAIN_RULES = ("perudo", "basic", "classic", "mustache", "chart", "official")
BETWEEN_ROWS = 8000
IN_ROUND_ROWS, MAIN_RULES_IN_ROUND_ROWS, CHAMPIONS_IN_ROUND_ROWS = 3000, 8000, 1000
"""The most situations of a table that are learned from, more of them under `MAIN_RULES`."""
IN_ROUND_WEIGHT_DECAY = 0.02
"""Dice say little about who will win, so that a network without it would learn chance by heart."""
BETWEEN_PASSES = 2
"""How often the values between rounds are learned, from the second time on by the values of the time before."""
LAMBDA = 0.5
HIDDEN_SHARES = {1.0: 0.5, 0.0: 0.4, 0.5: 0.1}
"""Which share of the players' kinds is hidden in a match, each with its probability."""
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


def play_tables(
    folder: Path, seed: int, tables: int, matches: int, progress: Progress, *, champion_tables: int = 0
) -> list[Path]:
    """Play the tables whose samples the folder lacks, and return the files of all.

    `champion_tables`: how many more are played, with champions only.
    """
    paths = []
    for number in range(champion_tables + tables):
        champions, place = number < champion_tables, number - champion_tables * (number >= champion_tables)
        path = folder / f"{'champions' if champions else 'table'}-{place:04}.npz"
        paths.append(path)
        if not path.exists():
            table = (draw_champion_table if champions else draw_table)(seed, place, matches)
            share = CHAMPION_RANDOM_START_SHARE if champions else RANDOM_START_SHARE
            save_samples(path, table, play_table(table, random_start_share=share))
            progress(f"{number + 1}/{champion_tables + tables} tables")
    return paths


def train_state_values(
    paths: Sequence[Path], seed: int, epochs: int, progress: Progress, *, typical: bool = False
) -> ValueNetwork:
    """Return a network that was trained with the samples in files; the same seed gives the same network.

    `typical`: it only learns the values of typical players, whose kinds are never shown.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = ValueNetwork([], [])
    hidden_shares = {1.0: 1.0} if typical else HIDDEN_SHARES
    for passed in range(1 if typical else BETWEEN_PASSES):
        batches = [_between_batch(*load_samples(path), network, hidden_shares, rng) for path in paths]
        rate = LEARNING_RATE if passed == 0 else LATER_LEARNING_RATE
        sizes = (feature_count(in_round=False), *BETWEEN_WIDTHS, 1)
        network.between = _train(_by_seats(batches), sizes, epochs, rng, progress, start=network.between, rate=rate)
    batches = [_in_round_batch(*load_samples(path), network, hidden_shares, rng) for path in paths]
    sizes = (feature_count(in_round=True), *IN_ROUND_WIDTHS, 1)
    network.in_round = _train(_by_seats(batches), sizes, epochs, rng, progress, weight_decay=IN_ROUND_WEIGHT_DECAY)
    return network


def _between_batch(
    table: StateTable,
    samples: StateSamples,
    network: ValueNetwork,
    hidden_shares: Mapping[float, float],
    rng: np.random.Generator,
) -> Batch:
    """Return the situations between rounds.

    Where all players are known, what a round leads to tells all of what is to come, and a trained network knows its
    value better than one result does. So the targets there are lambda-returns of these values.
    """
    targets = samples.result[samples.between_match]
    players = shown_players(table, samples, hidden_shares, rng)[samples.between_match]
    situations = samples.between._replace(players=players)
    if network.between:
        returns = lambda_returns(samples, network.shares(situations, in_round=False))
        targets = np.where((players != UNKNOWN_KIND).all(axis=1)[:, np.newaxis], returns, targets)
    known = _some_rows(targets, BETWEEN_ROWS, rng)
    situation = situations.rows(known)
    features = seat_features(situation, in_round=False).astype(np.float16)
    return Batch(features, situation.dice > 0, targets[known].astype(np.float32))


def lambda_returns(samples: StateSamples, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lambda-return of each situation between rounds, float64 [row, seat].

    `values`: the estimated shares of the same situations. The return mixes the value of the next situation of the match
    (with weight 1 - `LAMBDA`) with that situation's own return; the last one's is the result.
    """
    keys = samples.between_match * MAX_ROUNDS + samples.between.round_number
    order = np.argsort(keys)
    places = np.minimum(np.searchsorted(keys[order], keys + 1), len(keys) - 1)
    following = np.where(keys[order][places] == keys + 1, order[places], -1)
    returns: NDArray[np.float64] = samples.result[samples.between_match]
    for number in np.unique(samples.between.round_number)[::-1].tolist():
        rows = np.flatnonzero((samples.between.round_number == number) & (following >= 0))
        after = following[rows]
        returns[rows] = (1 - LAMBDA) * values[after] + LAMBDA * returns[after]
    return returns


def _in_round_batch(
    table: StateTable,
    samples: StateSamples,
    network: ValueNetwork,
    hidden_shares: Mapping[float, float],
    rng: np.random.Generator,
) -> Batch:
    """Return the samples within rounds, and all situations after a roll."""
    players = shown_players(table, samples, hidden_shares, rng)
    situations, matches = (
        concatenate([samples.in_round, samples.between]),
        np.concatenate([samples.in_round_match, samples.between_match]),
    )
    values = network.shares(samples.between._replace(players=players[samples.between_match]), in_round=False)
    keys = samples.between_match * MAX_ROUNDS + samples.between.round_number
    order = np.argsort(keys)
    wanted = matches * MAX_ROUNDS + situations.round_number + 1
    places = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = keys[order][places] == wanted
    targets = np.where(found[:, np.newaxis], values[order][places], samples.result[matches])
    count = MAIN_RULES_IN_ROUND_ROWS if table.rules in MAIN_RULES else IN_ROUND_ROWS
    known = _some_rows(targets, CHAMPIONS_IN_ROUND_ROWS if table.champions else count, rng)
    situation = situations._replace(players=players[matches]).rows(known)
    features = seat_features(situation, in_round=True).astype(np.float16)
    return Batch(features, situation.dice > 0, targets[known].astype(np.float32))


def shown_players(
    table: StateTable, samples: StateSamples, hidden_shares: Mapping[float, float], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the kinds of the players of each match, int64 [match, seat], some of them hidden."""
    if table.champions:
        return samples.kinds
    shares = rng.choice(list(hidden_shares), len(samples.result), p=list(hidden_shares.values()))
    hidden = rng.random(samples.result.shape) < shares[:, np.newaxis]
    return np.where(hidden, UNKNOWN_KIND, samples.kinds)


def _some_rows(targets: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows that are learned from, int64: at most `count` of those with known targets."""
    known = np.flatnonzero(np.isfinite(targets).all(axis=1))
    return rng.permutation(known)[:count]


def _by_seats(batches: Sequence[Batch]) -> list[Batch]:
    """Return one batch for each number of seats."""
    counts = sorted({batch.alive.shape[1] for batch in batches})
    groups = [[batch for batch in batches if batch.alive.shape[1] == count] for count in counts]
    return [Batch(*(np.concatenate(arrays) for arrays in zip(*group, strict=True))) for group in groups]


def _train(
    batches: Sequence[Batch],
    sizes: Sequence[int],
    epochs: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    start: Sequence[tuple[FloatArray, FloatArray]] = (),
    rate: float = LEARNING_RATE,
    weight_decay: float = 0.0,
) -> Layers:
    """Return the layers of a network that learned the targets by cross-entropy, from `start` if it is given.

    `sizes`: the number of features, and of units in each layer.
    """
    linear = [nn.Linear(before, after) for before, after in pairwise(sizes)]
    with torch.no_grad():
        for layer, (weight, bias) in zip(linear, start, strict=False):
            layer.weight.copy_(torch.from_numpy(weight.T))
            layer.bias.copy_(torch.from_numpy(bias))
    modules = [module for layer in linear[:-1] for module in (layer, nn.ReLU())]
    model = nn.Sequential(*modules, linear[-1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=weight_decay)
    total = epochs * sum(math.ceil(len(batch.alive) / MINIBATCH_SIZE) for batch in batches)
    done = 0
    for epoch in range(epochs):
        losses = []
        for number, rows in _minibatches(batches, rng):
            for group in optimizer.param_groups:
                share = (1 + math.cos(math.pi * done / total)) / 2
                group["lr"] = MIN_LEARNING_RATE + (rate - MIN_LEARNING_RATE) * share
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
