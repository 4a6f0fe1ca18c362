"""The line of a record that lets anybody work out its dice again: seeds, and what was promised about them."""

from __future__ import annotations

import msgspec

PROTOCOL = 1
"""The way in which dice come from seeds (`liarsdice.play.provable_dice`); a new way gets a new number."""


class Fairness(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_fairness", tag_field="record"):
    """Where the dice of a match come from.

    `commitment` was published before anybody sat down: the SHA-256 of `server_seed`, both in hexadecimal. `seeds` are
    the players' own, by seat, "" where there is none.
    """

    protocol: int
    code: str
    number: int
    commitment: str
    server_seed: str
    seeds: tuple[str, ...]
