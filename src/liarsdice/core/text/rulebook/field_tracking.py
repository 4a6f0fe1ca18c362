"""Tracking of the fields that are read from a ruleset, so that every sentence knows the fields that it depends on."""

from __future__ import annotations

from typing import cast

import msgspec

from liarsdice.core.rules.parts import RuleChoices


class _TrackedGroup:
    """A field group that records the dotted path of every field that is read from it."""

    def __init__(self, group: msgspec.Struct, prefix: str, reads: set[str]) -> None:
        self._group = group
        self._prefix = prefix
        self._reads = reads

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._group, name)
        path = f"{self._prefix}{name.removesuffix('_')}"
        self._reads.add(path)
        return _TrackedGroup(value, f"{path}.", self._reads) if isinstance(value, msgspec.Struct) else value


def track_reads(rules: RuleChoices, reads: set[str]) -> RuleChoices:
    """Return a stand-in for `rules` that adds the dotted path of each field to `reads` when the field is read.

    >>> from liarsdice.core.rules.ruleset import Ruleset
    >>> reads = set()
    >>> track_reads(Ruleset(), reads).dice.faces, sorted(reads)
    (6, ['dice', 'dice.faces'])
    """
    return cast("RuleChoices", _TrackedGroup(rules, "", reads))  # has every field of the rules, with the same values
