"""Deals played in several processes give the same results as in one process."""

from __future__ import annotations

import msgspec

from liarsdice.analysis.arena import DealResult, make_arena, play_deals
from liarsdice.core.rules.presets import preset

ARENA = make_arena(preset("perudo").ruleset, ["random", "threshold"], seed=9, duplicate=True)


def without_times(deals: list[DealResult]) -> list[DealResult]:
    """Return deals by number, without what differs from run to run."""
    ordered = sorted(deals, key=lambda deal: deal.number)
    return [msgspec.structs.replace(deal, seconds=0.0, times=()) for deal in ordered]


def test_any_number_of_processes_plays_the_same() -> None:
    deals = list(play_deals(ARENA, range(9)))
    assert without_times(list(play_deals(ARENA, range(9), jobs=2))) == without_times(deals)
