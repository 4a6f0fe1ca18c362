"""Loads networks by name: those of the baselines, and those in files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from liarsdice.bots.neural.baselines import BASELINES, baseline_network
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.bots.neural.network import Network, read_network
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import error_reason
from liarsdice.train.checkpoint import read_average, read_checkpoint
from liarsdice.train.model import export_network

WHOLE_CHAMPION = CHAMPION_NAME
"""The champion as an opponent: with the rounds that it plays as solved or by blueprints."""


class Opponent(NamedTuple):
    """Who plays where nobody learns. `plays_rounds`: whether solved rounds and blueprints are played (`RoundPlays`)."""

    network: Network
    plays_rounds: bool


def load_opponent(name: str, rules: Ruleset | None = None) -> Opponent:
    """Load the champion as a whole (`WHOLE_CHAMPION`), or a network as `load_network` does.

    `rules`: those that are played, for which the champion may have a network of their own.
    """
    if name == WHOLE_CHAMPION:
        return Opponent(champion_network(rules), plays_rounds=True)
    return Opponent(load_network(name), plays_rounds=False)


def load_network(name: str) -> Network:
    """Load the network of a baseline (`champion@5`) or of a file.

    Raises `UnavailableError` if there is no such network.
    """
    if name in BASELINES:
        return baseline_network(name)
    try:
        return read_network(Path(name))
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"no network is called {name} (there are: {', '.join(BASELINES)}, and files .npz)"
        ) from error


def load_teacher(name: str) -> Network:
    """Load a network as `load_network` does, or the averaged network of a checkpoint (`*.pt`).

    Raises `UnavailableError` if there is no such network.
    """
    if not name.endswith(".pt"):
        return load_network(name)
    try:
        return export_network(read_average(read_checkpoint(name)))
    except (OSError, ValueError) as error:
        raise UnavailableError(f"{name} cannot teach: {error_reason(error)}") from error


def load_run_network(file: Path) -> Network:
    """Load a network from a file in the folder of a training run.

    Raises `UnavailableError` if the file cannot be read, is damaged, or holds a network of another size.
    """
    try:
        return read_network(file)
    except OSError as error:
        raise UnavailableError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UnavailableError(
            f"{file} holds no network that plays here; put a whole one there, or train in another folder"
        ) from error


def critic_file(network_file: Path) -> Path:
    """Return the file of the critic that is kept with a network.

    >>> critic_file(Path("run/best.npz")).as_posix()
    'run/best-critic.npz'
    """
    return network_file.with_name(f"{network_file.stem}-critic.npz")


def load_critic(network_file: str) -> Network | None:
    """Load the critic that is kept with a network, or return None if there is none, as for baselines.

    Raises `OSError` if its file cannot be read, and `ValueError` if it holds no network.
    """
    file = critic_file(Path(network_file))
    if network_file in BASELINES or not file.exists():
        return None
    try:
        return Network.load(file)
    except OSError:
        raise
    except Exception as error:  # unpacking a damaged file may raise anything
        raise ValueError(f"{file} holds no critic") from error
