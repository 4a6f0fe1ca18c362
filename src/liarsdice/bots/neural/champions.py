"""Champions with all that they play by: network, solved rounds, blueprints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from liarsdice.bots.neural.adaptive import AdaptiveChampion
from liarsdice.bots.neural.champion import Champion, Temper, champion_network, own_networks
from liarsdice.bots.neural.network import Network, load_packaged_network
from liarsdice.values.blueprints import blueprints_of_file, packaged_blueprints
from liarsdice.values.endgames import ENDGAME_DICE


def make_champion(seed: int | str | None = None, temper: Temper | None = None) -> Champion:
    """Return the champion with all that it plays by."""
    blueprints = None if temper else packaged_blueprints()
    return Champion(champion_network(), seed, temper, blueprints=blueprints, own_networks=own_networks())


def adaptive_champion(seed: int | str | None = None) -> AdaptiveChampion:
    """Return the adaptive champion."""
    return AdaptiveChampion(champion_network(), seed, blueprints=packaged_blueprints(), own_networks=own_networks())


def blueprint_champion(path: Path, seed: int | str | None = None) -> Champion:
    """Return a champion that plays the blueprints in a file, and none of the package.

    Raises what `read_blueprints` raises.
    """
    return Champion(champion_network(), seed, blueprints=blueprints_of_file(path), own_networks=own_networks())


class Baseline(NamedTuple):
    """An earlier champion: the file of its network, and what it plays by beside it (see `Champion`)."""

    file: str
    endgame_dice: int = ENDGAME_DICE
    heeds_own_dice: bool = True


BASELINES: Mapping[str, Baseline] = {
    "champion@5": Baseline("baseline-5", endgame_dice=2, heeds_own_dice=False),
    "champion@7": Baseline("champion"),  # the champion of today plays by the same network where it has no better one
}
"""By name."""


def baseline_network(name: str) -> Network:
    """Return the network of a baseline, read once per process."""
    return load_packaged_network(BASELINES[name].file)


def make_baseline(name: str, seed: int | str | None = None) -> Champion:
    """Return a baseline as a bot."""
    _, endgame_dice, heeds_own_dice = BASELINES[name]
    return Champion(baseline_network(name), seed, endgame_dice=endgame_dice, heeds_own_dice=heeds_own_dice)
