"""Networks that somebody names: a champion's, or that of a file, if it can play here."""

from __future__ import annotations

from pathlib import Path

from liarsdice.bots.neural.champion import LATEST_MODEL, champion_network
from liarsdice.bots.neural.network import Network, read_network
from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import error_reason
from liarsdice.train.checkpoint import read_average, read_checkpoint
from liarsdice.train.model import export_network

CHAMPIONS = {f"champion@{number}": number for number in range(1, LATEST_MODEL + 1)}
"""The networks that have a name of their own, and their numbers."""


def load_network(name: str) -> Network:
    """A champion's network (`champion@1`), or that of a file. Raises `UnavailableError` where there is none."""
    if name in CHAMPIONS:
        return champion_network(CHAMPIONS[name])
    try:
        return read_network(Path(name))
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"no network is called {name} (there are: {', '.join(CHAMPIONS)}, and files .npz)"
        ) from error


def load_teacher(name: str) -> Network:
    """As `load_network`, or the latest average of a run by its checkpoint."""
    if not name.endswith(".pt"):
        return load_network(name)
    try:
        return export_network(read_average(read_checkpoint(name)))
    except (OSError, ValueError) as error:
        raise UnavailableError(f"{name} cannot teach: {error_reason(error)}") from error


def load_own_network(file: Path) -> Network:
    """The network in a file of ours. Raises `UnavailableError` where it is damaged, or not one that plays here."""
    try:
        return read_network(file)
    except OSError as error:
        raise UnavailableError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UnavailableError(
            f"{file} holds no network that plays here; put a whole one there, or train in another folder"
        ) from error
