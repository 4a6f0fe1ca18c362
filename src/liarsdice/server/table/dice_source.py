"""Where the dice of tables come from: seeds nobody can guess, made once a match."""

from __future__ import annotations

import secrets
from typing import Protocol

from liarsdice.core.records.fairness import PROTOCOL, Fairness
from liarsdice.play.dealer import Dealer
from liarsdice.play.provable_dice import Derived, commitment_to
from liarsdice.server.table.table_state import MatchState

SEED_BYTES = 32


class Chances(Protocol):
    """A source of seeds and dealers; tests bring their own."""

    def new_seed(self) -> str:
        """A secret seed for a match to come."""
        ...

    def dealer(self, code: str, match: MatchState) -> Dealer:
        """Who rolls the dice of a match."""
        ...


class Fair:
    """Dice that can be checked after the match (`liarsdice.play.provable_dice`)."""

    def new_seed(self) -> str:
        """256 bits from the system, in hexadecimal."""
        return secrets.token_hex(SEED_BYTES)

    def dealer(self, code: str, match: MatchState) -> Dealer:
        """The dealer whose dice follow from the seeds of a match."""
        return Dealer(chance=Derived(fairness_of(code, match)))


def fairness_of(code: str, match: MatchState) -> Fairness:
    """What the record of a match says about its dice. Holds the secret seed: only for a match that is over."""
    return Fairness(PROTOCOL, code, match.number, commitment_to(match.server_seed), match.server_seed, match.seeds)
