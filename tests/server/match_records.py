"""Records of finished matches for tests of reviews."""

from __future__ import annotations

from functools import lru_cache

from liarsdice.core.records.record import write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match


@lru_cache(64)
def record_of(seed: int) -> bytes:
    """The record of a match with one die each, all of whose positions are solved, so that its review takes no time."""
    match = play_match(preset("openspiel").ruleset, ["random", "random"], ["Ann", "Bo"], seed=seed)
    return write_record(match.events, "0.1.0").encode()
