"""Blueprint files (.ldb): the blueprints of rounds under one ruleset, in few bytes.

A line that names the format, the SHA-256 digest of the rest, and the rest as MessagePack. Only the decisions are stored
that a player comes to who follows the blueprint.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_dict
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.packed_blueprint import PackedBlueprint, StoredBlueprint, stored_blueprint
from liarsdice.solve.game.round_start import RoundStart

MAGIC = b"liarsdice blueprint 1\n"
DIGEST_BYTES = 32


class StoredRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round of a file. `recall`: the number of bids that the play depends on. `content`: a `StoredBlueprint`."""

    start: RoundStart
    recall: int
    content: msgspec.Raw


class BlueprintFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A blueprint file without its first line and digest. Each round is decoded when `blueprint` asks for it.

    `engine`: the version of the package that wrote it. `rules`: the ruleset as plain values.
    """

    engine: str
    rules: dict[str, object]
    rounds: tuple[StoredRound, ...]

    def ruleset(self) -> Ruleset:
        """Return the rules of all rounds."""
        return from_dict(self.rules)

    def blueprint(self, start: RoundStart) -> PackedBlueprint | None:
        """Return the blueprint of a round, or None. Raises `MalformedError` if it does not fit the rules."""
        stored = next((stored for stored in self.rounds if stored.start == start), None)
        if stored is None:
            return None
        try:
            content = msgspec.msgpack.decode(stored.content, type=StoredBlueprint)
        except msgspec.DecodeError as error:
            raise MalformedError(
                f"the blueprint of {start} does not fit this version of liarsdice ({error})"
            ) from error
        return PackedBlueprint(self.ruleset(), start, content)


def write_blueprints(path: Path, rules: Ruleset, blueprints: Sequence[Blueprint], engine: str) -> None:
    """Write a blueprint file, whole or not at all. `engine`: the version of the package.

    Raises `UnavailableError` if it cannot be written.
    """
    rounds = tuple(
        StoredRound(
            blueprint.start,
            blueprint.layout.recall,
            msgspec.Raw(msgspec.msgpack.encode(stored_blueprint(blueprint))),
        )
        for blueprint in blueprints
    )
    body = msgspec.msgpack.encode(BlueprintFile(engine, msgspec.to_builtins(rules), rounds))
    write_atomically(path, MAGIC + sha256(body).digest() + body)


def read_blueprints(path: Path) -> BlueprintFile:
    """Read a blueprint file.

    Raises `UnavailableError` if it cannot be read, and `MalformedError` if it is no blueprint file or damaged.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
            raw = file.read() if magic == MAGIC else b""  # a file of another kind may have no end
    except OSError as error:
        raise UnavailableError(f"cannot read {path}: {error.strerror}") from error
    if magic != MAGIC:
        raise MalformedError(f"{path} is no blueprint file; `liarsdice solve blueprint -o FOLDER` writes one")
    body = memoryview(raw)[DIGEST_BYTES:]  # a copy would take as long as the digest
    if sha256(body).digest() != raw[:DIGEST_BYTES]:
        raise MalformedError(f"{path} is damaged: its checksum differs")
    try:
        file_content = msgspec.msgpack.decode(body, type=BlueprintFile)
        file_content.ruleset()
    except (msgspec.DecodeError, LiarsDiceError) as error:
        raise MalformedError(f"{path} does not fit this version of liarsdice ({error})") from error
    return file_content
