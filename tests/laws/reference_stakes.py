"""The reference engine's view of what losses cost: what players start with, and how few dice put them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PlainRules = Mapping[str, Any]  # a ruleset as its file says it: the value's type differs by field


def at_the_start(words: PlainRules) -> int:
    """What a player begins with of what losses cost: lives where the rules have them, otherwise dice."""
    lives = words["loss"].get("lives", words["dice"]["per_player"])
    return 1_000_000_000_000 if lives == "unlimited" else int(lives)


def put_away(words: PlainRules, dice: list[int]) -> None:
    """Take away the dice of everybody who has too few, where players can have too few; `dice` is changed."""
    fewest = 0 if "lives" in words["loss"] else words["loss"].get("out_below", 0)
    dice[:] = [0 if held < fewest else held for held in dice]
