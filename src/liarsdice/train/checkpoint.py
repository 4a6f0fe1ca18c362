"""Reads checkpoints, which may be damaged, incomplete or other files; a `ValueError` says what is wrong."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import msgspec
import torch
from torch import Tensor, nn

from liarsdice.train.model import Critic, PolicyNetwork

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
