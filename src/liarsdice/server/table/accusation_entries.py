"""The entries of a table's log about accusations. As those of `log_entries`, they keep their stored spelling."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from liarsdice.core.rules.choices import PenaltyTrigger


class _AccusationEntry(msgspec.Struct, frozen=True):
    """The base of the entries about accusations. `number` identifies the accusation."""

    number: int


class Accused(_AccusationEntry, frozen=True, tag="accused"):
    """A player was accused of something that costs dice at this table.

    `accuser`: the id of the player who said so, None if a line of talk shows it.
    """

    player: int
    trigger: PenaltyTrigger
    offence: str | UnsetType = UNSET
    accuser: int | None = None


class AccusationSettled(_AccusationEntry, frozen=True, tag="answered"):
    """An accusation was settled. If the penalty is `taken`, a `Played` with its events follows."""

    taken: bool
    player: int
    trigger: PenaltyTrigger
    offence: str | UnsetType = UNSET


class AccusationDenied(_AccusationEntry, frozen=True, tag="denied"):
    """The accused player denied an accusation, which stays open until a player who is not part of it decides."""


AccusationEntry = Accused | AccusationSettled | AccusationDenied
