"""A ruleset: every rule choice of a table as one frozen value, checked when it is built.

It is a module of its own because it joins two layers: the field groups (`parts`) and the validation above them.
"""

from typing import Any

from liarsdice.core.arguments import check_fields
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.validate import check_rules


class Ruleset(RuleChoices, frozen=True, kw_only=True):
    """All rule choices of a table, which work together: a match by these rules can be played to an end.

    Raises `RulesetError` if two choices contradict each other or would let a match go on for ever.

    >>> from liarsdice.core.rules.parts import Dice
    >>> Ruleset(dice=Dice(faces=8)).dice.faces
    8
    """

    def __post_init__(self) -> None:
        check_fields(self)
        check_rules(self)


def checked(rules: RuleChoices) -> Ruleset:
    """Return rule choices as a `Ruleset`. Raises `RulesetError` if they do not work together."""
    fields: dict[str, Any] = {name: getattr(rules, name) for name in RuleChoices.__struct_fields__}
    return Ruleset(**fields)
