"""Reading checkpoints, which may be damaged, half written or something else: `ValueError` says what is wrong."""

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


class Progress(msgspec.Struct, kw_only=True):
    """How far a run has come: iterations done, decisions and seconds that they took, the best strength so far.

    `measured`: the latest iteration whose strength is known; `learned`: what the latest one came to. `rules`: the
    input_digests of rulesets, rivals and teachers by name. Checkpoints of earlier versions lack these.
    """

    done: Count = 0
    decisions: Count = 0
    spent_s: Annotated[float, msgspec.Meta(ge=0, le=1e12)] = 0.0
    best: Annotated[float, msgspec.Meta(ge=-1, le=1)] = -1.0
    measured: Count | None = None
    learned: tuple[float, float, float, float] | None = None
    rules: dict[str, str] | None = None


def read_checkpoint(file: str | Path) -> Mapping[str, Any]:
    """What a checkpoint holds by name. Raises `OSError` where there is none to be opened."""
    raw = Path(file).read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the error says enough
            found = torch.load(BytesIO(raw), weights_only=True, map_location="cpu")
    except Exception as error:
        raise ValueError("it holds no networks") from error  # what is damaged may raise anything as it is unpacked
    if not isinstance(found, dict):
        raise ValueError("it holds no networks")  # noqa: TRY004  to who asks it is a file like any other damaged one
    return found


def read_progress(state: Mapping[str, Any], iterations: int) -> Progress:
    """How far a run of so many iterations has come by its checkpoint."""
    if missing := {"done", "decisions", "spent_s", "best"} - state.keys():
        raise ValueError(f"it lacks {', '.join(sorted(missing))}")
    names = Progress.__struct_fields__
    found = msgspec.convert({name: one for name, one in state.items() if name in names}, Progress)
    if found.done > iterations:
        raise ValueError(f"it is of iteration {found.done}, of {iterations}")
    return found


def load_weights(module: PolicyNetwork | Critic, weights: Any) -> None:  # noqa: ANN401  whatever a file holds
    """Let a network take over weights of its own size."""
    inner = [layer for layer in module.body if isinstance(layer, nn.Linear)][:-1]
    try:
        module.load_state_dict(weights)  # it says itself what it cannot load
    except Exception as error:
        shape = f"{len(inner)} layers of {inner[0].out_features}"
        raise ValueError(f"it holds no networks with {shape}") from error
    if not is_finite(module):
        raise ValueError("it holds weights that are no numbers")


def read_average(state: Mapping[str, Any]) -> PolicyNetwork:
    """The average player that a checkpoint holds, of whatever size."""
    weights = state.get("average")
    sizes = [one.shape for one in weights.values() if isinstance(one, Tensor)] if isinstance(weights, dict) else []
    flat = [size for size in sizes if len(size) == 2]
    if len(flat) < 2:
        raise ValueError("it holds no networks")
    found = PolicyNetwork(flat[0][1], flat[0][0], len(flat) - 1)
    load_weights(found, weights)
    return found


def load_weights_widened(module: PolicyNetwork | Critic, weights: Any) -> None:  # noqa: ANN401  as above
    """Let a network take over weights of its own size, or of fewer units a layer; it then answers as they do.

    Units that it has beyond those hear all that the layer before tells, and nothing listens to them before it learns.
    """
    load_weights(module, _widened(module.state_dict(), weights))


def _widened(own: Mapping[str, Tensor], weights: Any) -> Any:  # noqa: ANN401  as above
    """Weights in the size of a network's own; as they are where they cannot be."""
    if not isinstance(weights, dict) or weights.keys() != own.keys() or not _fit_into(own, weights):
        return weights
    found = {name: one.clone() for name, one in own.items()}
    for name, one in weights.items():
        found[name][: len(one)] = 0
        found[name][tuple(slice(size) for size in one.shape)] = one
    return found


def _fit_into(own: Mapping[str, Tensor], weights: Mapping[str, Any]) -> bool:
    """Whether weights are of a network that reads and answers the same, with at most as many units a layer."""
    if not all(isinstance(one, Tensor) and one.ndim == own[name].ndim for name, one in weights.items()):
        return False
    first, *_, last = (name for name, one in own.items() if one.ndim > 1)
    ends = weights[first].shape[1] == own[first].shape[1] and len(weights[last]) == len(own[last])
    return ends and all(
        mine <= room for name, one in weights.items() for mine, room in zip(one.shape, own[name].shape, strict=True)
    )


def load_optimizer(optimizer: torch.optim.Adam, state: Any) -> None:  # noqa: ANN401  as above
    """Let an optimizer take over what it knew of its parameters."""
    try:
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state["state"], "param_groups": groups})
        fits = all(
            one["exp_avg"].shape == one["exp_avg_sq"].shape == parameter.shape
            and all(_finite(one[name]) for name in ("exp_avg", "exp_avg_sq", "step"))
            and one["step"].numel() == 1
            and float(one["step"]) >= 0
            and bool((one["exp_avg_sq"] >= 0).all())
            for parameter, one in optimizer.state.items()
        )
    except Exception as error:
        raise ValueError("it holds no optimizer of its networks") from error
    if not fits:
        raise ValueError("it holds an optimizer of other networks, or numbers that are none")


def is_finite(module: nn.Module) -> bool:
    """Whether all of a network's weights are numbers."""
    return all(_finite(parameter) for parameter in module.parameters())


def _finite(numbers: Tensor) -> bool:
    return bool(torch.isfinite(numbers).all())
