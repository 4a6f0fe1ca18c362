"""Champions with all that they play by: network, solved rounds, blueprints."""

from __future__ import annotations

from pathlib import Path

from liarsdice.bots.neural.adaptive import AdaptiveChampion
from liarsdice.bots.neural.champion import Champion, champion_network, own_networks
from liarsdice.bots.neural.tempers import Temper
from liarsdice.values.blueprints import blueprints_of_file, packaged_blueprints


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
