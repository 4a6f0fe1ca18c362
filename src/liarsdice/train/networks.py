"""Networks that somebody names: a champion's, or that of a file, if it can play here."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from liarsdice.bots.champion import LATEST, model
from liarsdice.bots.features import ANSWERS, FEATURES
from liarsdice.bots.network import Network
from liarsdice.core.errors import UnavailableError
from liarsdice.train.checkpoint import average_in, read_checkpoint
from liarsdice.train.model import network_of

CHAMPIONS = {f"champion@{number}": number for number in range(1, LATEST + 1)}
"""The networks that have a name of their own, and their numbers."""


def network_called(name: str) -> Network:
    """A champion's network (`champion@1`), or that of a file. Raises `UnavailableError` where there is none."""
    if name in CHAMPIONS:
        return model(CHAMPIONS[name])
    try:
        return _network_in(Path(name))
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"no network is called {name} (there are: {', '.join(CHAMPIONS)}, and files .npz)"
        ) from error


def teacher_called(name: str) -> Network:
    """As `network_called`, or the latest average of a run by its checkpoint."""
    if not name.endswith(".pt"):
        return network_called(name)
    try:
        return network_of(average_in(read_checkpoint(name)))
    except (OSError, ValueError) as error:
        raise UnavailableError(f"{name} cannot teach: {error}") from error


def network_in(file: Path) -> Network:
    """The network in a file of ours. Raises `UnavailableError` where it is damaged, or not one that plays here."""
    try:
        return _network_in(file)
    except OSError as error:
        raise UnavailableError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UnavailableError(
            f"{file} holds no network that plays here; put a whole one there, or train in another folder"
        ) from error


def _network_in(file: Path) -> Network:
    """Raises `OSError` where it cannot be opened, and `ValueError` for all else."""
    with file.open("rb"):
        pass  # what goes wrong from here on is the content's fault
    try:
        found = Network.load(file)
    except Exception as error:
        raise ValueError(f"{file} holds no network") from error  # what is damaged may raise anything as it is unpacked
    if not _plays(found):
        raise ValueError(f"{file} holds another kind of network")
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
