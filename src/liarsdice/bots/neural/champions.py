"""The champions by number, each with all that it plays by: network, solved rounds, blueprints."""

from __future__ import annotations

from pathlib import Path

from liarsdice.bots.blueprints import (
    LARGE_ROUNDS,
    PACKAGED_FILES,
    SMALL_ROUNDS,
    BlueprintFiles,
    blueprints_of_file,
    packaged_blueprints,
)
from liarsdice.bots.neural.adaptive import AdaptiveChampion
from liarsdice.bots.neural.champion import (
    ENDGAME_PLAY,
    LATEST_MODEL,
    TEMPER_WEIGHTS,
    Champion,
    Temper,
    champion_network,
)

FIRST_HEEDING_OWN_DICE = 7
"""The first champion that takes no action that its own dice prove wrong (`possible_actions`)."""
BLUEPRINT_FILES: dict[int, tuple[BlueprintFiles, ...]] = {
    8: (LARGE_ROUNDS,),
    9: (SMALL_ROUNDS, LARGE_ROUNDS),
    10: PACKAGED_FILES,
}
"""The files of the package whose blueprints a champion plays, by its number; earlier ones play none."""
FIRST_WITH_BLUEPRINTS = min(BLUEPRINT_FILES)


def make_champion(number: int = LATEST_MODEL, seed: int | str | None = None, temper: Temper | None = None) -> Champion:
    """Return the champion of a number (1..LATEST_MODEL) with all that it plays by."""
    files = None if temper else BLUEPRINT_FILES.get(number)
    return Champion(
        champion_network(number),
        seed,
        temper,
        TEMPER_WEIGHTS[number],
        ENDGAME_PLAY[number],
        heeds_own_dice=number >= FIRST_HEEDING_OWN_DICE,
        blueprints=packaged_blueprints(files) if files else None,
    )


def adaptive_champion(number: int = LATEST_MODEL, seed: int | str | None = None) -> AdaptiveChampion:
    """Return the adaptive champion of a number, `FIRST_WITH_BLUEPRINTS` or higher."""
    blueprints = packaged_blueprints(BLUEPRINT_FILES[number])
    return AdaptiveChampion(champion_network(number), seed, ENDGAME_PLAY[number], blueprints=blueprints)


def blueprint_champion(path: Path, seed: int | str | None = None) -> Champion:
    """Return a champion with the newest network that plays the blueprints in a file, and none of the package.

    Raises what `read_blueprints` raises.
    """
    return Champion(champion_network(LATEST_MODEL), seed, blueprints=blueprints_of_file(path))
