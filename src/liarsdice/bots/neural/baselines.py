"""Baselines: earlier champions against which progress is measured, by the names under which results tell of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.network import Network, load_packaged_network
from liarsdice.values.endgames import ENDGAME_DICE


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
