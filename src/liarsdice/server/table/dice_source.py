"""The source of the dice at tables: one secret seed for each match, and the dealer that rolls from it."""

from __future__ import annotations

import secrets

from liarsdice.core.records.record import Fairness
from liarsdice.play.match import Dealer
from liarsdice.play.provable_dice import HmacSource, commitment_to
from liarsdice.server.table.table_state import MatchState

SEED_BYTES = 32


class DiceSource:
    """Makes seeds, and dealers whose dice anybody can verify after the match (see `liarsdice.play.provable_dice`).

    `public_key`: the key that verifies the records of matches that begin now, in hexadecimal.
    """

    def __init__(self, public_key: str = "") -> None:
        self.public_key = public_key

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
