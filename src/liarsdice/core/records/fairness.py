"""The line of a match record that makes its dice provably fair: the seeds, and the commitment to the server's.

It is a module of its own because it is a stored format, which `record` only carries and `play.provable_dice` uses.
"""

from __future__ import annotations

import msgspec

PROTOCOL = 1
"""The version of the derivation of dice from seeds (`liarsdice.play.provable_dice`)."""


class Fairness(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_fairness", tag_field="record"):
    """The source of the dice of a match, from which anybody can derive them again.

    `commitment` was published before the players sat down: the SHA-256 of `server_seed`, both in hexadecimal. `seeds`
    are the players' own by seat, "" for a seat without one. `code` and `number` name the table and the match on it.
    """

    protocol: int
    code: str
    number: int
    commitment: str
    server_seed: str
    seeds: tuple[str, ...]
