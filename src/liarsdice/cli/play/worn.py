"""What the players of a special round wear."""

from __future__ import annotations

from liarsdice.core.rules.ruleset import Ruleset


def mustache(rules: Ruleset) -> str:
    """A mustache, where these rules call their special round after one; else nothing."""
    return ":{" if "mustache" in rules.labels.special_round.lower() else ""
