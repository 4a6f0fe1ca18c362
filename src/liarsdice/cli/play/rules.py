"""The rules of the table as a page of text."""

from __future__ import annotations

from liarsdice.core.rulebook import rulebook, to_text
from liarsdice.core.ruleset import Ruleset


def rules_text(rules: Ruleset) -> str:
    """What a player reads who asks for the rules."""
    return to_text(rulebook(rules))


def mustache(rules: Ruleset) -> str:
    """What everybody wears in a special round of these rules: a mustache where it is called one, else nothing."""
    return ":{" if "mustache" in rules.labels.special_round.lower() else ""
