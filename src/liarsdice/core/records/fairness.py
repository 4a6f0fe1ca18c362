"""The lines of a match record that make its dice provably fair: the seeds, the commitments, and the signature.

It is a module of its own because these are stored formats, which `record` only carries and `play.provable_dice` uses.
"""

from __future__ import annotations

import msgspec

PROTOCOL = 1
"""The version of the derivation of dice from seeds (`liarsdice.play.provable_dice`)."""


class Fairness(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag="liarsdice_fairness",
    tag_field="record",
):
    """The source of the dice of a match, from which anybody can derive them again.

    `commitment` is the SHA-256 of `server_seed`, both in hexadecimal. `seeds` are the players' own by seat, "" for a
    seat without one. `code` and `number` name the table and the match on it. `commitments` are the SHA-256 of the
    players' seeds by seat, "" for a seat that promised none. A player who promised a seed and did not reveal it in time
    has "" in `seeds`. `key` is the public key of the server, which signs the record.
    """

    protocol: int
    code: str
    number: int
    commitment: str
    server_seed: str
    seeds: tuple[str, ...]
    commitments: tuple[str, ...]
    key: str


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_signature", tag_field="record"):
    """The last line of a record from a server: the Ed25519 signature of all bytes before it, in hexadecimal."""

    signature: str
