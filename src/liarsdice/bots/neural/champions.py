"""The champions by number, each with all that it plays by: network, solved rounds, blueprints."""

from __future__ import annotations

from pathlib import Path

from liarsdice.bots.blueprints import blueprints_of_file, packaged_blueprints
from liarsdice.bots.neural.adaptive import AdaptiveChampion
from liarsdice.bots.neural.champion import (
    ENDGAME_PLAY,
    LATEST_MODEL,
    Champion,
    champion_network,
    own_networks,
)
from liarsdice.bots.neural.tempers import Temper, temper_weights

FIRST_HEEDING_OWN_DICE = 7
"""The first champion that takes no action that its own dice prove wrong (`possible_actions`)."""
FIRST_WITH_BLUEPRINTS = 11
"""The first champion that plays the blueprints in the package."""


def make_champion(number: int = LATEST_MODEL, seed: int | str | None = None, temper: Temper | None = None) -> Champion:
    """Return the champion of a number (one of `CHAMPION_NUMBERS`) with all that it plays by."""
    return Champion(
        champion_network(number),
        seed,
        temper,
        temper_weights(number),
        ENDGAME_PLAY[number],
        heeds_own_dice=number >= FIRST_HEEDING_OWN_DICE,
        blueprints=packaged_blueprints() if number >= FIRST_WITH_BLUEPRINTS and not temper else None,
        own_networks=own_networks(number),
    )


def adaptive_champion(number: int = LATEST_MODEL, seed: int | str | None = None) -> AdaptiveChampion:
    """Return the adaptive champion of a number, `FIRST_WITH_BLUEPRINTS` or higher."""
    return AdaptiveChampion(
        champion_network(number),
        seed,
        ENDGAME_PLAY[number],
        blueprints=packaged_blueprints(),
        own_networks=own_networks(number),
    )


def blueprint_champion(path: Path, seed: int | str | None = None) -> Champion:
    """Return a champion with the newest network that plays the blueprints in a file, and none of the package.

    Raises what `read_blueprints` raises.
    """
    networks = own_networks(LATEST_MODEL)
    return Champion(champion_network(LATEST_MODEL), seed, blueprints=blueprints_of_file(path), own_networks=networks)
