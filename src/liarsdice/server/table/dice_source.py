"""The source of the dice at tables: one secret seed for each match, and the dealer that rolls from it."""

from __future__ import annotations

import secrets
from typing import Protocol

from liarsdice.core.records.record import Fairness
from liarsdice.play.match import Dealer
from liarsdice.play.provable_dice import HmacSource, commitment_to
from liarsdice.server.table.table_state import MatchState

SEED_BYTES = 32


class DiceSource(Protocol):
    """Makes seeds and dealers. Tests use implementations with known dice.

    `public_key`: the key that verifies the records of matches that begin now, in hexadecimal.
    """

    @property
    def public_key(self) -> str:
        """The public key of the server."""
        ...

    def new_seed(self) -> str:
        """Return a new secret seed for a match."""
        ...

    def dealer(self, code: str, match: MatchState) -> Dealer:
        """Return the dealer for the next dealer action of a match at the table with this code."""
        ...


class ProvableDiceSource:
    """Dice that anybody can verify after the match (see `liarsdice.play.provable_dice`)."""

    def __init__(self, public_key: str = "") -> None:
        self._public_key = public_key

    @property
    def public_key(self) -> str:
        """The public key of the server."""
        return self._public_key

    def new_seed(self) -> str:
        """Return 256 random bits of the operating system in hexadecimal."""
        return secrets.token_hex(SEED_BYTES)

    def dealer(self, code: str, match: MatchState) -> Dealer:
        """Return the dealer whose dice follow from the seeds and the promise of the match."""
        return Dealer(source=HmacSource(fairness_of(code, match), match.promise))


def fairness_of(code: str, match: MatchState) -> Fairness:
    """Return the part of a match record that proves its dice.

    Contains the secret server seed: publish it only after the match is over.
    """
    return Fairness(
        match.protocol,
        code,
        match.number,
        commitment_to(match.server_seed),
        match.server_seed,
        match.seeds,
        match.seed_commitments,
        match.key,
    )
